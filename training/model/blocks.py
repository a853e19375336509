"""The blocks of a transformer: a list, or one stacked block that is scanned; with or without rematerialisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

M = TypeVar("M", bound=nnx.Module)

# (block, states BxNxD, what this block alone gets) -> (states, what this block alone gives)
Apply = Callable[[Any, jax.Array, Any], tuple[jax.Array, Any]]


def build_blocks(build: Callable[[nnx.Rngs], Any], depth: int, scan: bool, rngs: nnx.Rngs) -> Any:
    """`depth` blocks: an `nnx.List`, or one block whose arrays have a leading axis of that length."""
    if not scan:
        return nnx.List([build(rngs) for _ in range(depth)])
    return nnx.split_rngs(splits=depth)(nnx.vmap(build))(rngs)


def stack_modules(modules: Sequence[M]) -> M:
    """One module that holds the arrays of all, stacked (also those of random streams)."""
    graph, first = nnx.split(modules[0])
    states = [first, *(nnx.state(module) for module in modules[1:])]
    stacked: M = nnx.merge(graph, jax.tree.map(lambda *leaves: jnp.stack(leaves), *states))
    return stacked


def build_dropout(rate: float, rngs: nnx.Rngs | None) -> nnx.Dropout:
    """Dropout; without a random stream where nothing is ever dropped, so that such a model holds parameters only."""
    return nnx.Dropout(rate, rngs=rngs if rate else None)


def run_blocks(
    blocks: Any, apply: Apply, x_BxNxD: jax.Array, each: Sequence[Any], remat: bool
) -> tuple[jax.Array, Any]:
    """Applies the blocks of `build_blocks` one after the other.

    Arguments:
        apply: one block.
        each: what each block alone gets; of stacked blocks one entry whose arrays have the leading axis.
        remat: see `ModelConfig.remat`.

    Returns:
        (states, what each block alone gives, in the form of `each`).
    """
    if isinstance(blocks, nnx.List):
        given = []
        for block, mine in zip(blocks, each, strict=True):
            call = rematerialise(apply) if remat else apply
            x_BxNxD, more = call(block, x_BxNxD, mine)
            given.append(more)
        return x_BxNxD, given
    graph, state = nnx.split(blocks)

    def step(x_BxNxD: jax.Array, inputs: tuple[Any, Any]) -> tuple[jax.Array, Any]:
        block = nnx.merge(graph, inputs[0])
        x_BxNxD, more = apply(block, x_BxNxD, inputs[1])
        return x_BxNxD, (more, nnx.state(block, nnx.RngState))

    # Inside a scan XLA cannot merge the two computations of a block anyway.
    body = jax.checkpoint(step, prevent_cse=False) if remat else step
    x_BxNxD, (given, streams) = jax.lax.scan(body, x_BxNxD, (state, each[0]))
    if drops(blocks):
        nnx.update(blocks, streams)
    return x_BxNxD, [given]


def rematerialise(apply: Apply) -> Apply:
    """The same, keeping only its inputs for the backward pass."""

    def call(block: Any, x_BxNxD: jax.Array, mine: Any) -> tuple[jax.Array, Any]:
        graph, state = nnx.split(block)

        @jax.checkpoint
        def step(state: Any, x_BxNxD: jax.Array, mine: Any) -> Any:
            merged = nnx.merge(graph, state)
            return *apply(merged, x_BxNxD, mine), nnx.state(merged, nnx.RngState)

        x_BxNxD, more, streams = step(state, x_BxNxD, mine)
        if drops(block):
            nnx.update(block, streams)
        return x_BxNxD, more

    return call


def drops(module: Any) -> bool:
    """Whether a forward pass draws random numbers, so that its streams move on."""
    layers = (node for _, node in nnx.iter_graph(module) if isinstance(node, nnx.Dropout))
    return any(layer.rate > 0 and not layer.deterministic for layer in layers)
