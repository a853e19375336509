"""Models are written back bit for bit, in both formats, atomically."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.lora import LoraConfig, add_lora
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_big_vision, save_huggingface
from isyarat.training.pretrained.artefact import read
from isyarat.training.pretrained.tensor_file import Array, list_npz, list_safetensors
from isyarat.training.quantised import quantise_base


def collect(path: Path) -> dict[str, Array]:
    """All tensors of a checkpoint."""
    if path.suffix == ".npz":
        stored = list_npz(path)
    else:
        stored = {k: v for file in sorted(path.glob("*.safetensors")) for k, v in list_safetensors(file).items()}
    return {name: tensor.open() for name, tensor in stored.items()}


def assert_same(first: Path, second: Path) -> None:
    """The same names, types, shapes and bytes."""
    a, b = collect(first), collect(second)
    assert list(a) == list(b)
    for name, array in a.items():
        assert (array.dtype, array.shape, array.tobytes()) == (b[name].dtype, b[name].shape, b[name].tobytes()), name


@pytest.mark.parametrize("scan", [True, False])
def test_what_was_read_is_written_back(scan: bool, folder: Path, npz: Path, tmp_path: Path) -> None:
    save_huggingface(PaliGemma.from_pretrained(folder, scan=scan), tmp_path / "again", shard_bytes=24_000)
    assert_same(folder, tmp_path / "again")
    for file in folder.iterdir():
        if file.name == "isyarat.json":
            continue  # the configuration's name of the test's own
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes(), file.name
    save_big_vision(PaliGemma.from_pretrained(npz, scan=scan), tmp_path / "again.npz")
    assert_same(npz, tmp_path / "again.npz")


def test_bfloat16_is_written_back(folder: Path, npz: Path, tmp_path: Path) -> None:
    save_huggingface(PaliGemma.from_pretrained(folder, dtype=ml_dtypes.bfloat16), tmp_path / "half")
    save_huggingface(PaliGemma.from_pretrained(tmp_path / "half"), tmp_path / "again")
    assert {array.dtype for array in collect(tmp_path / "half").values()} == {np.dtype(ml_dtypes.bfloat16)}
    assert_same(tmp_path / "half", tmp_path / "again")
    save_big_vision(PaliGemma.from_pretrained(npz, dtype=ml_dtypes.bfloat16), tmp_path / "half.npz")
    save_big_vision(PaliGemma.from_pretrained(tmp_path / "half.npz"), tmp_path / "again.npz")
    assert_same(tmp_path / "half.npz", tmp_path / "again.npz")


def test_one_format_becomes_the_other(model: PaliGemma, folder: Path, npz: Path, tmp_path: Path) -> None:
    save_big_vision(PaliGemma.from_pretrained(folder), tmp_path / "other.npz")
    assert_same(npz, tmp_path / "other.npz")
    save_huggingface(PaliGemma.from_pretrained(npz), tmp_path / "other", shard_bytes=24_000)
    assert_same(folder, tmp_path / "other")


def test_the_artefact_says_what_it_is(model: PaliGemma, folder: Path, tmp_path: Path) -> None:
    assert read(folder) == {"kind": "base", "model": model.config.name}
    save_huggingface(model, tmp_path / "merged", kind="merged")
    assert read(tmp_path / "merged")["kind"] == "merged"
    assert [p.name for p in tmp_path.iterdir()] == ["merged"], "nothing half-written stays"


def test_only_plain_models_are_written(model: PaliGemma, tmp_path: Path) -> None:
    for changed in (add_lora(model, LoraConfig(rank=2), rngs=nnx.Rngs(0)), quantise_base(model, "int8")):
        with pytest.raises(IsyaratError, match="merge its adapter first"):
            save_huggingface(changed, tmp_path / "new")
        with pytest.raises(IsyaratError, match="merge its adapter first"):
            save_big_vision(changed, tmp_path / "new.npz")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_folder(
    model: PaliGemma, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_huggingface(model, tmp_path / "model")
    before = collect(tmp_path / "model")
    monkeypatch.setattr("isyarat.training.pretrained.artefact.write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_huggingface(model, tmp_path / "model")
    assert {n: a.tobytes() for n, a in collect(tmp_path / "model").items()} == {
        n: a.tobytes() for n, a in before.items()
    }
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
