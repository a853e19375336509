"""Finds and replaces linear layers of a model by their paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flax import nnx

from .paligemma import PaliGemma

# Groups of layers by name; numbers of blocks are not part of a path here.
GROUPS = {
    "decoder": r"decoder/blocks/(q|k|v|o|gate|up|down)",
    "encoder": r"encoder/blocks/(attention/(q|k|v|o)|up|down)",
    "projector": r"projector",
}

Path = tuple[str | int, ...]


class Wrapper(nnx.Module):
    """A layer that takes the place of a linear one: an adapted or a quantised one."""


def share(model: PaliGemma) -> PaliGemma:
    """Another model on the same arrays: its layers can be replaced, and no memory is taken."""
    other: PaliGemma = nnx.merge(*nnx.split(model))
    return other


def name_layer(path: Path) -> str:
    """ "decoder/blocks/q", whichever block it is."""
    return "/".join(part for part in path if isinstance(part, str))


def find_linears(model: PaliGemma, targets: Sequence[str]) -> dict[Path, Any]:
    """The linear layers (plain, quantised or adapted) that one of the targets matches, by path.

    Arguments:
        targets: names of `GROUPS`, or patterns for the whole of `name_layer`.
    """
    patterns = [re.compile(GROUPS.get(target, target)) for target in targets]
    found: dict[Path, Any] = {}

    def walk(node: Any, path: Path) -> None:
        if isinstance(node, (nnx.Linear, Wrapper)):
            if any(pattern.fullmatch(name_layer(path)) for pattern in patterns):
                found[path] = node
            return
        children = enumerate(node) if isinstance(node, nnx.List) else vars(node).items()
        for name, child in children:
            if isinstance(child, (nnx.Module, nnx.List)):
                walk(child, (*path, name))

    walk(model, ())
    return found


def replace_layer(model: PaliGemma, path: Path, layer: nnx.Module) -> None:
    """Puts a layer at a path."""
    parent: Any = model
    for part in path[:-1]:
        parent = parent[part] if isinstance(part, int) else getattr(parent, part)
    setattr(parent, str(path[-1]), layer)
