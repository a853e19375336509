"""Checkpoints of a run (Orbax) and the finished model on disk."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import jax
import numpy as np
import orbax.checkpoint as ocp
from flax import nnx

from ..data.errors import IsyaratError
from .model.config import ModelConfig
from .model.paligemma import PaliGemma
from .model.tokenizer import Tokenizer


def to_arrays(module: Any) -> dict[str, Any]:
    """Everything that changes while training, but the random streams (they follow from seed and step)."""
    return dict(nnx.to_pure_dict(nnx.state(module, nnx.Not(nnx.RngState))))


def load_arrays(module: Any, arrays: dict[str, Any]) -> None:
    """The inverse of `to_arrays`."""
    state = nnx.state(module, nnx.Not(nnx.RngState))
    nnx.replace_by_pure_dict(state, arrays)
    nnx.update(module, state)


class RunCheckpoints:
    """The newest state of a run, written atomically, so that a killed run goes on where it was."""

    def __init__(self, folder: Path) -> None:
        options = ocp.CheckpointManagerOptions(max_to_keep=1, enable_async_checkpointing=False)
        self.manager = ocp.CheckpointManager(folder.absolute(), options=options)

    @property
    def step(self) -> int:
        """Steps done by the newest checkpoint; 0 when there is none."""
        return int(self.manager.latest_step() or 0)

    def save(self, step: int, modules: dict[str, Any]) -> None:
        """Writes the state of the modules after `step` steps."""
        self.manager.save(step, args=ocp.args.StandardSave({k: to_arrays(m) for k, m in modules.items()}))

    def restore(self, modules: dict[str, Any]) -> None:
        """Reads the newest state into the modules."""
        target = jax.tree.map(ocp.utils.to_shape_dtype_struct, {k: to_arrays(m) for k, m in modules.items()})
        arrays = self.manager.restore(self.step, args=ocp.args.StandardRestore(target))
        for name, module in modules.items():
            load_arrays(module, arrays[name])

    def close(self) -> None:
        """Waits for writes and lets go of the folder."""
        self.manager.close()


def save_model(folder: Path, model: PaliGemma, tokenizer: Tokenizer, facts: dict[str, Any]) -> None:
    """Writes a finished model: weights.npz, tokenizer.json, model.json. All or nothing.

    Arguments:
        facts: what an exporter needs to know: prompt, rendering, lexicon, calibration, figures.
    """
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    flat: dict[str, Any] = {"/".join(map(str, k)): np.asarray(v) for k, v in flatten(to_arrays(model)).items()}
    np.savez(partial / "weights.npz", **flat)
    tokenizer.save(partial / "tokenizer.json")
    text = json.dumps({"config": model.config.to_dict(), **facts}, indent=2, ensure_ascii=False)
    (partial / "model.json").write_text(text + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    partial.replace(folder)


def load_model(folder: Path) -> tuple[PaliGemma, Tokenizer, dict[str, Any]]:
    """Reads what `save_model` wrote: the model in evaluation mode, its tokenizer, the facts.

    Raises:
        IsyaratError: the folder holds no finished model, or its tensors do not fit its configuration.
    """
    try:
        facts = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        config = ModelConfig.from_dict(facts.pop("config"))
        with np.load(folder / "weights.npz") as file:
            flat = dict(file)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise IsyaratError(f"{folder}: there is no finished model in it; run `isyarat train nano` first.") from error
    model = PaliGemma(config, rngs=nnx.Rngs(0))
    expected = flatten(to_arrays(model))
    names = {"/".join(map(str, key)): key for key in expected}
    if missing := set(names) ^ set(flat):
        raise IsyaratError(
            f"{folder}: these tensors are missing or unexpected: {', '.join(sorted(missing))}; train again."
        )
    if wrong := [f"{n} {flat[n].shape}" for n, key in names.items() if flat[n].shape != expected[key].shape]:
        raise IsyaratError(f"{folder}: these tensors do not fit the model: {', '.join(wrong)}; train again.")
    nested: dict[str, Any] = {}
    for name, key in names.items():
        node = nested
        for part in key[:-1]:
            node = node.setdefault(part, {})
        node[key[-1]] = flat[name]
    load_arrays(model, nested)
    model.eval()
    return model, Tokenizer.load(folder / "tokenizer.json"), facts


def flatten(tree: dict[Any, Any], prefix: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """{(path): leaf} of nested dictionaries."""
    flat: dict[tuple[Any, ...], Any] = {}
    for key, value in tree.items():
        flat |= flatten(value, (*prefix, key)) if isinstance(value, dict) else {(*prefix, key): value}
    return flat
