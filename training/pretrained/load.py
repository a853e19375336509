"""Reads PaliGemma from checkpoints of Hugging Face and big_vision, tensor by tensor, straight onto the devices."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh, Sharding, SingleDeviceSharding
from jax.typing import DTypeLike
from tqdm import tqdm

from ...data.errors import IsyaratError
from ..model.config import ModelConfig
from ..model.paligemma import PaliGemma
from ..model.sharding import choose_sharding
from . import artefact, big_vision, huggingface
from .layout import Layout
from .tensor_file import Array, StoredTensor, list_npz, list_safetensors

SHOWN = 6  # names of tensors that an error lists


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that is still on disk.

    Attributes:
        path: of the folder or file.
        layout: of its tensors, with the configuration.
        tensors: by the names of the layout.
        names: the names as they stand in the file, by those of the layout.
    """

    path: Path
    layout: Layout
    tensors: Mapping[str, StoredTensor]
    names: Mapping[str, str]


def open_checkpoint(path: Path) -> Checkpoint:
    """Finds out what a path holds; reads no tensor.

    Raises:
        IsyaratError: it holds no PaliGemma, or tensors are missing, unexpected or of another shape.
    """
    if path.suffix == ".npz":
        return open_big_vision(path)
    if path.suffix == ".safetensors":
        raise IsyaratError(f"{path}: this is one file of a checkpoint; give the folder that holds it.")
    artefact.refuse(path, ("adapter",), "attach it to its base model with `load_adapter`")
    if not (path / "config.json").is_file():
        raise IsyaratError(
            f"{path}: there is no config.json in it; give a folder in Hugging Face's layout or an .npz of big_vision."
        )
    return open_huggingface(path)


def open_huggingface(folder: Path) -> Checkpoint:
    """A folder with config.json and model*.safetensors."""
    stored: dict[str, StoredTensor] = {}
    for file in list_shards(folder):
        stored |= list_safetensors(file)
    names = {huggingface.normalise(name): name for name in stored}
    tensors = {short: stored[name] for short, name in names.items()}
    config = huggingface.read_config(folder / "config.json", tensors)
    checkpoint = Checkpoint(folder, huggingface.list_rules(config), tensors, names)
    check_tensors(checkpoint, optional={huggingface.TIED})
    if huggingface.TIED in tensors and not same(
        tensors[huggingface.TIED], tensors["language_model.embed_tokens.weight"]
    ):
        raise IsyaratError(f"{folder}: {names[huggingface.TIED]} differs from the embedding; PaliGemma ties them.")
    return checkpoint


def list_shards(folder: Path) -> list[Path]:
    """The files of the index; without one, model.safetensors."""
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        single = folder / "model.safetensors"
        if not single.is_file():
            raise IsyaratError(f"{folder}: there are no tensors in it (model.safetensors); download it again.")
        return [single]
    try:
        files = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise IsyaratError(f"{index}: it cannot be read ({error}); download it again.") from None
    if missing := [name for name in files if not (folder / name).is_file()]:
        raise IsyaratError(f"{folder}: these files are missing: {shorten(missing)}; download them.")
    return [folder / name for name in files]


def open_big_vision(path: Path) -> Checkpoint:
    """A file of big_vision."""
    stored = list_npz(path)
    names = {name.removeprefix(big_vision.PREFIX): name for name in stored}
    tensors = {short: stored[name] for short, name in names.items()}
    checkpoint = Checkpoint(path, big_vision.list_rules(big_vision.read_config(path, tensors)), tensors, names)
    check_tensors(checkpoint, optional=set())
    return checkpoint


def same(first: StoredTensor, second: StoredTensor, rows: int = 4096) -> bool:
    """Whether two stored tables are equal; looks at some rows at a time."""
    a, b = first.open(), second.open()
    return a.shape == b.shape and all(np.array_equal(a[i : i + rows], b[i : i + rows]) for i in range(0, len(a), rows))


def shorten(names: list[str]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def check_tensors(checkpoint: Checkpoint, optional: set[str]) -> None:
    """Compares names, shapes and types of what is there with what the configuration asks for.

    Raises:
        IsyaratError: naming the tensors at fault.
    """
    layout, tensors = checkpoint.layout, checkpoint.tensors
    wanted = layout.list_shapes(list_block_shapes(layout.config))
    missing = sorted(set(wanted) - set(tensors))
    unexpected = sorted(checkpoint.names[name] for name in set(tensors) - set(wanted) - optional)
    if missing or unexpected:
        parts = [f"missing: {shorten(missing)}"] * bool(missing) + [f"unexpected: {shorten(unexpected)}"] * bool(
            unexpected
        )
        raise IsyaratError(
            f"{checkpoint.path}: it is no complete {layout.config.name}; {'; '.join(parts)}; give all its files."
        )
    wrong = [f"{n} is {tensors[n].shape}, not {shape}" for n, shape in wanted.items() if tensors[n].shape != shape]
    if wrong:
        raise IsyaratError(
            f"{checkpoint.path}: tensors do not fit its configuration: {shorten(wrong)}; give matching files."
        )
    odd = [name for name in wanted if tensors[name].dtype.kind not in "fV"]
    if odd:
        raise IsyaratError(f"{checkpoint.path}: these tensors are no floats: {shorten(odd)}; convert them.")


def list_block_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Shapes of our parameters (of one block) by the paths of the rules; nothing is allocated."""
    short = dataclasses.replace(
        config,
        scan=False,
        vision=dataclasses.replace(config.vision, depth=1),
        text=dataclasses.replace(config.text, depth=1),
    )
    params = nnx.to_flat_state(nnx.state(build_abstract(short, None), nnx.Param))
    return {"/".join("{}" if isinstance(p, int) else str(p) for p in path): leaf.shape for path, leaf in params}


def build_abstract(config: ModelConfig, dtype: DTypeLike | None) -> PaliGemma:
    """A model of shapes without numbers."""
    model: PaliGemma = nnx.eval_shape(lambda: PaliGemma(config, rngs=nnx.Rngs(0), dtype=dtype))
    return model


def load_pretrained(path: Path, dtype: DTypeLike | None, mesh: Mesh | None, *, scan: bool, remat: bool) -> PaliGemma:
    """See `PaliGemma.from_pretrained`."""
    checkpoint = open_checkpoint(path)
    config = dataclasses.replace(checkpoint.layout.config, scan=scan, remat=remat)
    embedding = next(r.theirs for r in checkpoint.layout.rules if r.ours == ("decoder/embedding",))
    computes = np.dtype(dtype) if dtype is not None else checkpoint.tensors[embedding].dtype
    graph, state = nnx.split(build_abstract(config, computes))
    device = SingleDeviceSharding(jax.local_devices()[0])
    leaves = nnx.to_flat_state(state)
    filled = []
    with tqdm(leaves, desc=path.name, unit="tensor", disable=None) as bar:
        for key, leaf in bar:
            sharding = device if mesh is None else choose_sharding(key, leaf.shape, mesh)
            filled.append((key, leaf.replace(read_parameter(checkpoint, key, leaf.shape, dtype, sharding))))
    model: PaliGemma = nnx.merge(graph, nnx.from_flat_state(filled))
    model.origin = artefact.Origin.of(path, checkpoint.names)
    model.eval()
    return model


def read_parameter(
    checkpoint: Checkpoint, key: tuple[Any, ...], shape: tuple[int, ...], dtype: DTypeLike | None, sharding: Sharding
) -> jax.Array:
    """One parameter; a device's share is read for that device only, a block at a time."""
    layout, tensors = checkpoint.layout, checkpoint.tensors
    rule, place = layout.locate(key)
    number = next((part for part in key if isinstance(part, int)), None)
    stacks = rule.tower is not None and number is None

    def read_block(block: int | None) -> Array:
        if rule.tower and layout.stacked:
            return np.asarray(rule.split(tensors[rule.theirs].open(block))[place])
        return np.asarray(rule.split(tensors[rule.theirs.format(block)].open())[place])

    first = tensors[rule.theirs if layout.stacked or not rule.tower else rule.theirs.format(number or 0)]
    target = first.dtype if dtype is None else np.dtype(dtype)

    def read(index: tuple[slice, ...] | None) -> Array:
        index = index or (slice(None),) * len(shape)
        if not stacks:
            return np.array(read_block(number)[index], target, order="C")
        blocks = range(shape[0])[index[0]]
        out = np.empty((len(blocks), *(len(range(n)[i]) for n, i in zip(shape[1:], index[1:], strict=True))), target)
        for row, block in enumerate(blocks):
            out[row] = read_block(block)[index[1:]]
        return out

    array: jax.Array = jax.make_array_from_callback(shape, sharding, read, dtype=target).block_until_ready()
    return array
