"""The same safetensors files give what transformers computes: logits and greedy texts, PaliGemma 1 and 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_big_vision, save_huggingface
from isyarat.training.pretrained.tensor_file import list_safetensors
from numpy.typing import NDArray

LENGTHS = np.array([5, 9], np.int32)
STEPS = 32

compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))


def draw_inputs(reference: Any, size: str) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
    """Two pictures, two rows of twenty tokens, their prefixes."""
    rng, pixels = np.random.default_rng(0), reference.SIZES[size]["image_size"]
    images = rng.uniform(-1, 1, (2, pixels, pixels, 3)).astype(np.float32)
    return images, rng.integers(3, reference.IMAGE, (2, 20)).astype(np.int32), LENGTHS


def check_logits(model: PaliGemma, theirs: Any, reference: Any, size: str) -> None:
    """Within 1e-4 of the range of the logits."""
    inputs = draw_inputs(reference, size)
    wanted = reference.compute_logits(theirs, *inputs)
    found = np.asarray(compute(model, *inputs))
    assert np.abs(found - wanted).max() <= 1e-4 * np.ptp(wanted)
    assert np.array_equal(found.argmax(-1), wanted.argmax(-1))


@pytest.mark.parametrize("size", ["tiny", "medium"])
@pytest.mark.parametrize("gemma", ["gemma", "gemma2"])
def test_logits_and_texts(gemma: str, size: str, reference: Any, tmp_path: Path) -> None:
    theirs = reference.build(gemma, size)
    reference.save(theirs, tmp_path / "model", "200KB")
    assert len(list((tmp_path / "model").glob("*.safetensors"))) > 1
    model = PaliGemma.from_pretrained(tmp_path / "model")
    check_logits(model, theirs, reference, size)
    images, tokens, _ = draw_inputs(reference, size)
    # The prompts are padded to the longer; transformers gets each alone.
    found = np.asarray(
        model.generate(jnp.asarray(images), jnp.asarray(tokens[:, :9]), jnp.asarray(LENGTHS), steps=STEPS)
    )
    for row, length in enumerate(LENGTHS):
        wanted = reference.generate(theirs, images[row], tokens[row, :length], STEPS)
        assert found[row, : len(wanted)].tolist() == wanted
        assert len(set(wanted)) > 8, "a text that repeats itself proves little"


@pytest.mark.parametrize("gemma", ["gemma", "gemma2"])
def test_files_in_bfloat16(gemma: str, reference: Any, tmp_path: Path) -> None:
    reference.save(reference.build(gemma).bfloat16(), tmp_path / "model")
    model = PaliGemma.from_pretrained(tmp_path / "model", dtype=jnp.float32)
    check_logits(model, reference.load(tmp_path / "model"), reference, "tiny")


@pytest.mark.parametrize("gemma", ["gemma", "gemma2"])
def test_what_we_write_they_read(gemma: str, reference: Any, tmp_path: Path) -> None:
    theirs = reference.build(gemma)
    reference.save(theirs, tmp_path / "theirs")
    model = PaliGemma.from_pretrained(tmp_path / "theirs")
    save_huggingface(model, tmp_path / "back")
    before, after = (list_safetensors(tmp_path / name / "model.safetensors") for name in ("theirs", "back"))
    assert set(before) == set(after)
    assert all(tensor.open().tobytes() == after[name].open().tobytes() for name, tensor in before.items())
    model.origin = None  # as if it had not come from there: the names of Google's own files
    save_huggingface(model, tmp_path / "ours")
    assert "vision_tower.vision_model.post_layernorm.bias" in list_safetensors(tmp_path / "ours" / "model.safetensors")
    for name in ("back", "ours"):
        check_logits(model, reference.load(tmp_path / name), reference, "tiny")


def test_big_visions_files_become_theirs(reference: Any, tmp_path: Path) -> None:
    reference.save(reference.build("gemma2", query_pre_attn_scalar=16), tmp_path / "theirs")
    save_big_vision(PaliGemma.from_pretrained(tmp_path / "theirs"), tmp_path / "model.npz")
    model = PaliGemma.from_pretrained(tmp_path / "model.npz")
    save_huggingface(model, tmp_path / "ours")
    check_logits(model, reference.load(tmp_path / "ours"), reference, "tiny")


def test_the_safetensors_library_reads_ours(reference: Any, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    theirs = reference.build("gemma")
    reference.save(theirs, tmp_path / "theirs")
    save_huggingface(PaliGemma.from_pretrained(tmp_path / "theirs"), tmp_path / "ours")
    wanted, found = (load_file(tmp_path / name / "model.safetensors") for name in ("theirs", "ours"))
    assert wanted.keys() == found.keys()
    assert all(np.array_equal(array, found[name]) for name, array in wanted.items())
