"""Writes a model in the layouts of Hugging Face and big_vision, with one tensor in memory at a time."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from flax import nnx
from tqdm import tqdm

from ...data.errors import IsyaratError
from ..model.paligemma import PaliGemma
from . import artefact, big_vision, huggingface
from .layout import Layout, Rule
from .load import list_block_shapes
from .tensor_file import Array, write_npz, write_safetensors

SHARD_BYTES = 5 * 10**9  # as Hugging Face cuts

Specs = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]


class Parameters:
    """The parameters of a model by the paths of the rules, one block at a time.

    Raises:
        IsyaratError: the model is not a plain one: it has an adapter, is quantised, or is no PaliGemma.
    """

    def __init__(self, model: PaliGemma, layout: Layout) -> None:
        self.layout = layout
        self.values: dict[str, Any] = {}
        for path, leaf in nnx.to_flat_state(nnx.state(model, nnx.Param)):
            self.values["/".join(map(str, path))] = leaf
        wanted = {self.find(path, 0) for rule in layout.rules for path in rule.ours}
        blocks = {path for path in self.values if not any(part.isdigit() and part != "0" for part in path.split("/"))}
        if blocks != wanted:
            raise IsyaratError(
                f"{model.config.name}: it has other parameters than a plain PaliGemma "
                f"({', '.join(sorted(blocks ^ wanted)[:3])}); merge its adapter first, or save the adapter alone."
            )

    def find(self, path: str, block: int | None) -> str:
        """The path in the model."""
        return path.replace("{}/", "") if self.layout.config.scan else path.replace("{}", str(block))

    def dtype(self, rule: Rule) -> np.dtype[Any]:
        """Of a rule's tensor."""
        dtype: np.dtype[Any] = np.dtype(self.values[self.find(rule.ours[0], 0)].dtype)
        return dtype

    def fetch(self, rule: Rule, block: int | None) -> Array:
        """The foreign tensor (of one block)."""
        parts = []
        for path in rule.ours:
            value = self.values[self.find(path, block)][...]
            stacked = self.layout.config.scan and rule.tower is not None
            parts.append(np.asarray(value[block] if stacked else value))
        return np.asarray(rule.join(*parts))


def save_huggingface(
    model: PaliGemma, folder: Path, *, kind: artefact.Kind = "base", shard_bytes: int = SHARD_BYTES
) -> None:
    """Writes config.json and model*.safetensors; transformers reads the folder. All or nothing.

    A model that was read from such a folder gets the names it had there.

    Arguments:
        folder: is replaced.
        kind: "merged" where an adapter is merged in.
        shard_bytes: most bytes a file.

    Raises:
        IsyaratError: the model has an adapter that is not merged, or is quantised.
    """
    layout = huggingface.list_rules(model.config)
    parameters = Parameters(model, layout)
    names = dict(model.origin.names) if model.origin else {}
    shapes = layout.list_shapes(list_block_shapes(model.config))
    entries = {}
    specs: Specs = {}
    for name, rule, block in layout.list_names():
        written = names.get(name) or huggingface.publish(name)
        entries[written] = (rule, block)
        specs[written] = (shapes[name], parameters.dtype(rule))
    if huggingface.TIED in names:
        embedding = next(rule for rule in layout.rules if rule.ours == ("decoder/embedding",))
        entries[names[huggingface.TIED]] = (embedding, None)
        specs[names[huggingface.TIED]] = (shapes[embedding.theirs], parameters.dtype(embedding))
    shards = cut_shards(specs, shard_bytes)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with tqdm(total=len(specs), desc=folder.name, unit="tensor", disable=None) as bar:

            def fetch(name: str) -> Array:
                bar.update()
                return parameters.fetch(*entries[name])

            for file, shard in shards.items():
                write_safetensors(partial / file, shard, fetch, {"format": "pt"})
        if len(shards) > 1:
            index = {
                "metadata": {"total_size": sum(map(count_bytes, specs.values()))},
                "weight_map": {name: file for file, shard in shards.items() for name in shard},
            }
            (partial / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
        config = huggingface.write_config(model.config, str(specs[next(iter(specs))][1]))
        (partial / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        artefact.write(partial, kind, {"model": model.config.name})
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    partial.replace(folder)


def count_bytes(spec: tuple[tuple[int, ...], np.dtype[Any]]) -> int:
    """Bytes of a tensor."""
    return math.prod(spec[0]) * spec[1].itemsize


def cut_shards(specs: Specs, shard_bytes: int) -> dict[str, Specs]:
    """The tensors of every file, by the file's name."""
    shards: list[Specs] = [{}]
    filled = 0
    for name, spec in specs.items():
        if shards[-1] and filled + count_bytes(spec) > shard_bytes:
            shards.append({})
            filled = 0
        shards[-1][name] = spec
        filled += count_bytes(spec)
    if len(shards) == 1:
        return {"model.safetensors": shards[0]}
    return {f"model-{i:05}-of-{len(shards):05}.safetensors": shard for i, shard in enumerate(shards, 1)}


def save_big_vision(model: PaliGemma, path: Path) -> None:
    """Writes an .npz that big_vision reads. All or nothing.

    Raises:
        IsyaratError: the model has an adapter that is not merged, or is quantised.
    """
    layout = big_vision.list_rules(model.config)
    parameters = Parameters(model, layout)
    names = dict(model.origin.names) if model.origin else {}
    shapes = layout.list_shapes(list_block_shapes(model.config))
    rules = {names.get(rule.theirs) or big_vision.PREFIX + rule.theirs: rule for rule in layout.rules}
    specs = {name: (shapes[rule.theirs], parameters.dtype(rule)) for name, rule in rules.items()}

    def list_parts(name: str) -> Iterator[Array]:
        rule = rules[name]
        for block in range(layout.depth(rule)) if rule.tower else [None]:
            yield parameters.fetch(rule, block)

    path.parent.mkdir(parents=True, exist_ok=True)
    write_npz(path, specs, list_parts)
