"""Adapters on disk, in the format of Hugging Face PEFT: adapter_config.json and adapter_model.safetensors."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from flax import nnx

from ..data.errors import IsyaratError
from .lora import LoraConfig, LoraLinear, add_lora, find_adapted
from .model import layers
from .model.paligemma import PaliGemma
from .pretrained import artefact, huggingface
from .pretrained.layout import Layout
from .pretrained.load import shorten
from .pretrained.tensor_file import Array, StoredTensor, list_safetensors, write_safetensors

TENSORS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
# PEFT wraps the model, and transformers' names begin with "model.".
PREFIX, INNER = "base_model.model.", "model."
# Variants of LoRA that compute something else, with the value that means they are off.
UNREAD = {
    "use_dora": False, "bias": "none", "modules_to_save": None, "rank_pattern": {}, "alpha_pattern": {},
    "layers_to_transform": None, "fan_in_fan_out": False, "trainable_token_indices": None, "target_parameters": None,
    "lora_bias": False, "use_bdlora": None,
}  # fmt: skip


def find_module(layout: Layout, path: layers.Path, block: int | None) -> str:
    """The name of a layer's module in transformers, without its "model."."""
    rule, _ = layout.locate((*path, "kernel"))
    return rule.theirs.removesuffix(".weight").format(block)


def list_modules(model: PaliGemma) -> dict[str, tuple[layers.Path, int | None]]:
    """Every linear layer by the name of its module in transformers; the row of its arrays where blocks are stacked."""
    if model.config.vision.stem != "patch":
        raise IsyaratError(
            f"{model.config.name}: transformers has no such model, so PEFT's format cannot name its layers."
        )
    layout = huggingface.list_rules(model.config)
    modules: dict[str, tuple[layers.Path, int | None]] = {}
    for path in layers.find_linears(model, (".*",)):
        number = next((part for part in path if isinstance(part, int)), None)
        rule, _ = layout.locate((*path, "kernel"))
        if rule.tower and number is None:
            for block in range(layout.depth(rule)):
                modules[find_module(layout, path, block)] = (path, block)
        else:
            modules[find_module(layout, path, number)] = (path, None)
    return modules


def fingerprint(model: PaliGemma) -> str:
    """Tells bases apart whatever their precision: SHA-256 of some rows of the embedding, which no adapter changes."""
    rows = np.asarray(model.decoder.embedding[:16], np.float32).astype(ml_dtypes.bfloat16)
    return hashlib.sha256(rows.tobytes()).hexdigest()


def save_adapter(model: PaliGemma, folder: Path, facts: Mapping[str, Any] | None = None) -> None:
    """Writes the adapter alone; PEFT loads the folder. All or nothing.

    Arguments:
        folder: is replaced.
        facts: what else the artefact says of itself, e.g. its variety.

    Raises:
        IsyaratError: the model has no adapter.
    """
    if model.adapter is None:
        raise IsyaratError(f"{model.config.name}: it has no adapter; there is nothing to save.")
    adapted = find_adapted(model)
    modules = {name: place for name, place in list_modules(model).items() if place[0] in adapted}
    places, specs = {}, {}
    for name, (path, row) in modules.items():
        for part in ("a", "b"):
            tensor = f"{PREFIX}{INNER}{name}.lora_{part.upper()}.weight"
            places[tensor] = (path, row, part)
            *_, rows, columns = getattr(adapted[path], part).shape
            specs[tensor] = ((columns, rows), np.dtype(getattr(adapted[path], part).dtype))

    def fetch(name: str) -> Array:
        path, row, part = places[name]
        array = getattr(adapted[path], part)[...]
        return np.asarray(array if row is None else array[row]).T

    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        write_safetensors(partial / TENSORS, specs, fetch, {"format": "pt"})
        base = model.origin.path if model.origin else ""
        config = write_config(model.adapter, list(modules), base)
        (partial / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        artefact.write(
            partial, "adapter", {"model": model.config.name, "base_sha256": fingerprint(model), **(facts or {})}
        )
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    partial.replace(folder)


def write_config(config: LoraConfig, modules: list[str], base: str) -> dict[str, Any]:
    """PEFT's description of an adapter."""
    # A pattern, not the bare names of the modules: SigLIP has a q_proj, too.
    patterns = sorted({re.sub(r"\\\.\d+\\\.", r"\\.\\d+\\.", re.escape(name)) for name in modules})
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": config.rank,
        "lora_alpha": config.alpha,
        "lora_dropout": config.dropout,
        "use_rslora": config.rslora,
        "target_modules": rf"(.*\.)?({'|'.join(patterns)})",
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "modules_to_save": None,
    }


def load_adapter(base: PaliGemma, folder: str | Path) -> PaliGemma:
    """A model with an adapter from disk, on the arrays of the base: several adapters take the memory of one base.

    Arguments:
        base: plain or quantised; stays as it is.
        folder: of `save_adapter` or of PEFT.

    Raises:
        IsyaratError: the folder holds no adapter, one for another model, or a variant of LoRA that is not read.
    """
    folder = Path(folder)
    artefact.refuse(folder, ("merged", "base"), "load it with `PaliGemma.from_pretrained`")
    values = read_config(folder / CONFIG)
    facts = artefact.read(folder)
    if facts.get("base_sha256", fingerprint(base)) != fingerprint(base):
        raise IsyaratError(
            f"{folder}: this adapter was trained on another base ({facts.get('model')}); load that base."
        )
    if not (folder / TENSORS).is_file():
        raise IsyaratError(f"{folder}: there is no {TENSORS} in it; save the adapter as safetensors.")
    modules = list_modules(base)
    found = list_pairs(folder, modules)
    paths = {modules[name][0] for name in found}
    if incomplete := [name for name, place in modules.items() if place[0] in paths and name not in found]:
        raise IsyaratError(
            f"{folder}: layers of some blocks have no adapter: {shorten(incomplete)}; adapt every block."
        )
    targets = tuple(sorted({re.escape(layers.name_layer(path)) for path in paths}))
    known = next((n for n, p in layers.GROUPS.items() if set(layers.find_linears(base, (p,))) == paths), None)
    config = LoraConfig(
        values["r"], float(values["lora_alpha"]), values.get("use_rslora", False), values.get("lora_dropout", 0.0),
        (known,) if known else targets,
    )  # fmt: skip
    adapted = add_lora(base, config, rngs=nnx.Rngs(0))
    for path, layer in find_adapted(adapted).items():
        rows = {row: found[name] for name, (at, row) in modules.items() if at == path}
        fill_layer(folder, layer, rows)
    adapted.eval()
    return adapted


def list_pairs(folder: Path, modules: Mapping[str, Any]) -> dict[str, dict[str, StoredTensor]]:
    """The two matrices of every adapted module."""
    found: dict[str, dict[str, StoredTensor]] = {}
    unexpected = []
    for name, tensor in list_safetensors(folder / TENSORS).items():
        match = re.fullmatch(r"(.*)\.lora_([AB])(?:\.default)?\.weight", name)
        module = huggingface.normalise(match[1].removeprefix(PREFIX)) if match else ""
        if match is None or module not in modules:
            unexpected.append(name)
        else:
            found.setdefault(module, {})[match[2].lower()] = tensor
    missing = [f"{name}.lora_{part.upper()}" for name, pair in found.items() for part in "ab" if part not in pair]
    if unexpected or missing or not found:
        parts = [f"unexpected: {shorten(unexpected)}"] * bool(unexpected) + [f"missing: {shorten(missing)}"] * bool(
            missing
        )
        raise IsyaratError(
            f"{folder}: it does not fit the model; {'; '.join(parts) or 'it is empty'}; load its own base."
        )
    return found


def fill_layer(folder: Path, layer: LoraLinear, rows: Mapping[int | None, dict[str, StoredTensor]]) -> None:
    """Puts the matrices of one layer, or of its stacked blocks, in place."""
    for part in ("a", "b"):
        variable = getattr(layer, part)
        arrays = [rows[row][part].open().T for row in sorted(rows, key=lambda row: row or 0)]
        array = arrays[0] if None in rows else np.stack(arrays)
        if array.shape != variable.shape:
            name = next(iter(rows.values()))[part].name
            raise IsyaratError(f"{folder}: {name} is {array.shape}, not {variable.shape}; load its own base.")
        variable[...] = jnp.asarray(array)


def read_config(path: Path) -> dict[str, Any]:
    """adapter_config.json.

    Raises:
        IsyaratError: it is missing or damaged, or of a variant that is not read.
    """
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if config.get("peft_type") != "LORA":
            raise IsyaratError(f"{path}: this is a {config.get('peft_type')} adapter; only LORA is read.")
        if missing := {"r", "lora_alpha"} - set(config):
            raise ValueError(f"without {', '.join(missing)}")
    except OSError:
        raise IsyaratError(f"{path}: there is no adapter in this folder; give one of `save_adapter` or PEFT.") from None
    except (ValueError, AttributeError) as error:
        raise IsyaratError(f"{path}: it is damaged ({error}); save the adapter again.") from None
    for key, off in UNREAD.items():
        if config.get(key, off) not in (off, None):
            raise IsyaratError(f"{path}: {key} is {config[key]!r}, which is not read; train without it.")
    return config
