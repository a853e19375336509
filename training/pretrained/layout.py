"""How a foreign checkpoint format names and shapes the parameters of our model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.config import ModelConfig


def keep(array: Any) -> tuple[Any, ...]:
    """The foreign tensor is our parameter."""
    return (array,)


def join_one(array: Any) -> Any:
    """The inverse of `keep`."""
    return array


@dataclass(frozen=True, slots=True)
class Rule:
    """One foreign tensor, and the parameters of ours that it holds.

    Attributes:
        theirs: its name; "{}" stands for the number of a block.
        ours: paths of the parameters, e.g. "decoder/blocks/{}/q/kernel"; "{}" as before.
        split: the tensor (of one block) as our parameters; views wherever NumPy can give them.
        join: our parameters (of one block) as the tensor.
    """

    theirs: str
    ours: tuple[str, ...]
    split: Callable[[Any], tuple[Any, ...]] = field(default=keep)
    join: Callable[..., Any] = field(default=join_one)

    @property
    def tower(self) -> str | None:
        """ "encoder" or "decoder" where the tensor belongs to each of its blocks, else None."""
        return self.ours[0].partition("/")[0] if "{}" in self.ours[0] else None


@dataclass(frozen=True, slots=True)
class Layout:
    """A checkpoint format for one configuration.

    Attributes:
        rules: of all tensors.
        stacked: whether a tensor of the blocks holds all of them along a leading axis, so that its name has no number.
    """

    config: ModelConfig
    rules: tuple[Rule, ...]
    stacked: bool

    def depth(self, rule: Rule) -> int:
        """Blocks of the tower that a rule belongs to."""
        config = self.config
        return config.vision.depth if rule.tower == "encoder" else config.text.depth

    def list_names(self) -> Iterator[tuple[str, Rule, int | None]]:
        """(foreign name, rule, block) of every tensor; the block is None where a tensor stands for all or none."""
        for rule in self.rules:
            if rule.tower and not self.stacked:
                yield from ((rule.theirs.format(block), rule, block) for block in range(self.depth(rule)))
            else:
                yield rule.theirs, rule, None

    def locate(self, path: tuple[Any, ...]) -> tuple[Rule, int]:
        """The rule of one of our parameters, and its place among what the tensor splits into.

        Arguments:
            path: with the number of a block, or, for stacked blocks, without.
        """
        template = "/".join(
            "{}" if isinstance(part, int) else f"{part}/{{}}" if part == "blocks" and isinstance(after, str) else part
            for part, after in zip(path, (*path[1:], None), strict=True)
        )
        for rule in self.rules:
            if template in rule.ours:
                return rule, rule.ours.index(template)
        raise KeyError(template)

    def list_shapes(self, ours: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """The shapes of all foreign tensors.

        Arguments:
            ours: shapes of our parameters (of one block) by the paths of the rules.
        """
        shapes = {}
        for name, rule, block in self.list_names():
            # Arrays of one repeated zero: they have a shape and need no memory.
            joined = rule.join(*(np.broadcast_to(np.float32(0), ours[path]) for path in rule.ours)).shape
            leading = (self.depth(rule),) if rule.tower and block is None else ()
            shapes[name] = (*leading, *joined)
        return shapes
