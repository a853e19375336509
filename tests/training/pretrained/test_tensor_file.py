"""Files of tensors: parts of them are read, damage is named, nothing half-written stays."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.training.pretrained.tensor_file import (
    Array,
    list_npz,
    list_safetensors,
    write_npz,
    write_safetensors,
)

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture
def arrays() -> dict[str, Array]:
    """Of every type, shapes odd enough to lie at odd places."""
    rng = np.random.default_rng(0)
    return {
        "a": rng.normal(size=(3, 5)).astype(np.float32),
        "deep/b": rng.normal(size=(2, 3, 7)).astype(BFLOAT16),
        "c": rng.normal(size=7).astype(np.float16),
        "empty": np.zeros((0, 4), np.float32),
    }


def write(path: Path, arrays: dict[str, Array]) -> None:
    """Both formats, by the suffix."""
    specs = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    if path.suffix == ".npz":
        write_npz(path, specs, lambda name: list(arrays[name]))
    else:
        write_safetensors(path, specs, arrays.__getitem__, {"format": "pt"})


@pytest.mark.parametrize("name", ["x.safetensors", "x.npz"])
def test_round_trip(name: str, tmp_path: Path, arrays: dict[str, Array]) -> None:
    path = tmp_path / name
    write(path, arrays)
    found = list_npz(path) if path.suffix == ".npz" else list_safetensors(path)
    assert set(found) == set(arrays)
    for key, array in arrays.items():
        stored = found[key]
        assert (stored.shape, stored.dtype) == (array.shape, array.dtype)
        assert stored.open().tobytes() == array.tobytes()
        if len(array):
            assert stored.open(1).tobytes() == array[1].tobytes(), "one row"
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_numpy_reads_and_writes_the_same_npz(tmp_path: Path, arrays: dict[str, Array]) -> None:
    write(tmp_path / "ours.npz", arrays)
    with np.load(tmp_path / "ours.npz") as theirs:
        assert theirs["deep/b"].dtype == np.dtype("V2"), "bfloat16 has no name in this format"
        assert all(theirs[name].tobytes() == array.tobytes() for name, array in arrays.items())
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "theirs.npz", **arrays)  # type: ignore[arg-type]
        found = list_npz(tmp_path / "theirs.npz")
        assert found["deep/b"].dtype == BFLOAT16
        assert all(found[name].open().tobytes() == array.tobytes() for name, array in arrays.items())
        assert found["deep/b"].open(1).tobytes() == arrays["deep/b"][1].tobytes()


def test_damage_is_named(tmp_path: Path, arrays: dict[str, Array]) -> None:
    for name in ("x.safetensors", "x.npz"):
        path = tmp_path / name
        read = list_npz if path.suffix == ".npz" else list_safetensors
        write(path, arrays)
        whole = path.read_bytes()
        for content in (b"", b"no tensors at all", whole[: len(whole) // 2], whole[:-1]):
            path.write_bytes(content)
            with pytest.raises(IsyaratError, match=rf"{name}.*download it again"):
                read(path)
        path.unlink()
        with pytest.raises(IsyaratError, match=rf"{name}"):
            read(path)


def test_headers_that_lie_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"

    def write_header(entry: object) -> None:
        text = json.dumps({"a": entry}).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))

    for entry, message in [
        ({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}, "contradicts its shape"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}, "ends before"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}, "ends before"),
        ({"dtype": "I8", "shape": [8], "data_offsets": [0, 8]}, "stored as I8"),
        ({"dtype": "F32"}, "header is wrong at a"),
        ([], "header is wrong at a"),
    ]:
        write_header(entry)
        with pytest.raises(IsyaratError, match=message):
            list_safetensors(path)


def test_python_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.array([{}, None]))
    with pytest.raises(IsyaratError, match="Python objects"):
        list_npz(tmp_path / "x.npz")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, arrays: dict[str, Array]) -> None:
    path = tmp_path / "x.safetensors"
    write(path, arrays)
    before = path.read_bytes()

    def fail(name: str) -> Array:
        raise RuntimeError(name)

    with pytest.raises(RuntimeError, match="a"):
        write_safetensors(path, {"a": ((3,), np.dtype(np.float32))}, fail, {})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.safetensors"]
