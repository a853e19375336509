"""Tensors in .safetensors and .npz files, opened one at a time, so that memory never holds a file."""

from __future__ import annotations

import json
import math
import os
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...data.errors import IsyaratError

Array = NDArray[Any]

# Names of number types in safetensors; PaliGemma comes in these.
SAFETENSORS_TYPES = {
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "BF16": np.dtype(ml_dtypes.bfloat16),
}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor that is still in its file.

    Attributes:
        path: of the file.
        offset: of the first byte; None: it lies compressed in the member `name` of an .npz.
        name: of the tensor.
        shape, dtype: of the tensor.
    """

    path: Path
    offset: int | None
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def open(self, block: int | None = None) -> Array:
        """The tensor, mapped: only the parts that are looked at are read, and they are let go of with the array.

        Arguments:
            block: only this row of the leading axis.
        """
        if self.offset is None:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.name + ".npy") as member:
                array = name_bfloat16(np.lib.format.read_array(member, allow_pickle=False))
            return array if block is None else array[block]
        shape = self.shape if block is None else self.shape[1:]
        size = math.prod(shape) * self.dtype.itemsize
        if not size:
            return np.zeros(shape, self.dtype)
        # As bytes first: NumPy's memory maps know no bfloat16.
        raw = np.memmap(self.path, np.uint8, mode="r", offset=self.offset + size * (block or 0), shape=(size,))
        return np.frombuffer(raw, self.dtype).reshape(shape)


def name_bfloat16(array: Array) -> Array:
    """bfloat16 instead of the two nameless bytes as which NumPy's format stores it."""
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array


def list_safetensors(path: Path) -> dict[str, StoredTensor]:
    """The tensors of a .safetensors file by name (its metadata is left out).

    Raises:
        IsyaratError: it is missing, damaged or cut short.
    """
    header, start = read_header(path)
    size = path.stat().st_size
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        try:
            stored, shape, (first, last) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        except (KeyError, TypeError, ValueError):
            raise IsyaratError(f"{path}: its header is wrong at {name}; download it again.") from None
        dtype = SAFETENSORS_TYPES.get(stored)
        if dtype is None:
            known = ", ".join(SAFETENSORS_TYPES)
            raise IsyaratError(f"{path}: {name} is stored as {stored}; convert it to one of {known}.")
        if last - first != math.prod(shape) * dtype.itemsize:
            raise IsyaratError(f"{path}: the size of {name} contradicts its shape; download it again.")
        if first < 0 or start + last > size:
            raise IsyaratError(f"{path}: it ends before its tensor {name} does; download it again.")
        tensors[name] = StoredTensor(path, start + first, name, shape, dtype)
    return tensors


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The JSON at the beginning of a .safetensors file, and where the data begins.

    Raises:
        IsyaratError: it is missing or damaged.
    """
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > os.fstat(file.fileno()).st_size:
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
            if not isinstance(header, dict):
                raise ValueError("its header is no table")
    except (OSError, ValueError, struct.error) as error:
        raise IsyaratError(f"{path}: no tensors can be read from it ({error}); download it again.") from None
    return header, 8 + length


def list_npz(path: Path) -> dict[str, StoredTensor]:
    """The tensors of an .npz file by name.

    Raises:
        IsyaratError: it is missing, damaged or cut short, or holds Python objects.
    """
    tensors = {}
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                with archive.open(info) as member:
                    shape, dtype, header = read_npy_header(member)
                offset = None
                if info.compress_type == zipfile.ZIP_STORED:
                    file.seek(info.header_offset + 26)
                    offset = info.header_offset + 30 + sum(struct.unpack("<HH", file.read(4))) + header
                if dtype.hasobject:
                    raise ValueError(f"{name} holds Python objects")
                tensors[name] = StoredTensor(path, offset, name, shape, dtype)
    except (OSError, ValueError, EOFError, struct.error, zipfile.BadZipFile) as error:
        raise IsyaratError(f"{path}: no tensors can be read from it ({error}); download it again.") from None
    return tensors


def read_npy_header(member: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """(shape, type, bytes of the header) of an .npy stream."""
    version = np.lib.format.read_magic(member)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(member)
    if fortran and len(shape) > 1:
        raise ValueError("an array is stored column by column")
    return shape, np.dtype(ml_dtypes.bfloat16) if dtype == np.dtype("V2") else dtype, member.tell()


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes its place only when it is complete."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_safetensors(
    path: Path,
    specs: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]],
    fetch: Callable[[str], Array],
    metadata: Mapping[str, str],
) -> None:
    """Writes a .safetensors file with one tensor in memory at a time.

    Arguments:
        specs: shape and type of every tensor; written in this order.
        fetch: gives a tensor by name.
        metadata: `format` and the like.
    """
    names = {dtype: name for name, dtype in SAFETENSORS_TYPES.items()}
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    offset = 0
    for name, (shape, dtype) in specs.items():
        size = math.prod(shape) * dtype.itemsize
        header[name] = {"dtype": names[dtype], "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data begins aligned
    with replace_file(path) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, (shape, dtype) in specs.items():
            array = fetch(name)
            assert (array.shape, array.dtype) == (shape, dtype), name
            file.write(as_bytes(array))


def write_npz(
    path: Path, specs: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]], parts: Callable[[str], Iterable[Array]]
) -> None:
    """Writes an uncompressed .npz file; a tensor comes in parts, one in memory at a time.

    Arguments:
        specs: shape and type of every tensor; bfloat16 is stored as two nameless bytes, as NumPy does.
        parts: gives the consecutive parts of a tensor by name.
    """
    with replace_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, (shape, dtype) in specs.items():
            described = "|V2" if dtype == np.dtype(ml_dtypes.bfloat16) else np.lib.format.dtype_to_descr(dtype)
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                header = {"descr": described, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(member, header)
                for part in parts(name):
                    member.write(as_bytes(part))


def as_bytes(array: Array) -> Any:
    """The bytes of an array, row by row, as a buffer."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
