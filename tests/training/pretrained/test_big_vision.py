"""big_vision's own files and what it computes from them; they are not part of the project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import isyarat
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_big_vision
from isyarat.training.pretrained.tensor_file import list_npz

REFERENCE = Path(isyarat.__file__).parents[1] / "shared" / "data" / "big_vision-reference"


@pytest.fixture(scope="module", params=["paligemma1", "paligemma2"])
def stored(request: pytest.FixtureRequest) -> Path:
    """A file that big_vision wrote."""
    path = REFERENCE / f"{request.param}.npz"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return path


@pytest.mark.parametrize("scan", [True, False])
def test_logits_equal_big_visions(stored: Path, scan: bool) -> None:
    with np.load(stored.with_name(stored.stem + "_io.npz")) as file:
        images, text, prefix, wanted = (file[name] for name in ("image", "text", "prefix", "logits"))
    model = PaliGemma.from_pretrained(stored, scan=scan)
    compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    found = compute(model, jnp.asarray(images), jnp.asarray(text), jnp.asarray(prefix, jnp.int32))
    assert np.abs(found - wanted).max() <= 1e-4 * np.ptp(wanted)
    assert np.array_equal(np.argmax(found, -1), wanted.argmax(-1))


def test_it_is_written_back_bit_for_bit(stored: Path, tmp_path: Path) -> None:
    save_big_vision(PaliGemma.from_pretrained(stored), tmp_path / "again.npz")
    before, after = list_npz(stored), list_npz(tmp_path / "again.npz")
    assert set(before) == set(after)
    for name, tensor in before.items():
        assert (tensor.dtype, tensor.open().tobytes()) == (after[name].dtype, after[name].open().tobytes()), name


def test_as_many_heads_of_all_are_one_tensor(build_paligemma: Callable[..., PaliGemma], tmp_path: Path) -> None:
    model = build_paligemma(4)  # four heads of keys, too; otherwise PaliGemma 1
    save_big_vision(model, tmp_path / "model.npz")
    shapes = {name: tensor.shape for name, tensor in list_npz(tmp_path / "model.npz").items()}
    assert shapes["params/llm/layers/attn/qkv_einsum/w"] == (3, 3, 4, 16, 8)
    assert "params/llm/layers/attn/q_einsum/w" not in shapes
    found = PaliGemma.from_pretrained(tmp_path / "model.npz")
    for name in "qkv":
        assert np.array_equal(
            getattr(found.decoder.blocks, name).kernel[...], getattr(model.decoder.blocks, name).kernel[...]
        )
