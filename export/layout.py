"""Puts a trained model into the shape that converts best; the numbers it computes stay the same."""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
from flax import nnx

from ..training.model.encoder import CellStem
from ..training.model.paligemma import PaliGemma


def prepare_model(model: PaliGemma) -> PaliGemma:
    """A copy with batch norms folded into their convolutions and linear kernels stored as [out, in].

    The converter does not fold constants that it holds by reference: a transpose or a norm of a weight that is left
    in the graph is computed at every call.
    """
    prepared = copy.deepcopy(model)
    prepared.eval()
    if isinstance(prepared.encoder.stem, CellStem):
        fold_norms(prepared.encoder.stem)
    for _, module in nnx.iter_graph(prepared):
        if isinstance(module, nnx.Linear):
            module.kernel = nnx.Param(module.kernel[...].T)
            module.dot_general = multiply_transposed
    return prepared


def fold_norms(stem: CellStem) -> None:
    """Batch norm in use is y = (x - mean) * scale / sqrt(variance + epsilon) + bias: a factor and an offset."""
    for conv, norm in zip(stem.convs, stem.norms, strict=True):
        assert conv.bias is not None  # the stem's layers have all of these
        assert norm.scale is not None
        assert norm.bias is not None
        factor = norm.scale[...] / jnp.sqrt(norm.var[...] + norm.epsilon)
        conv.kernel[...] = conv.kernel[...] * factor
        conv.bias[...] = (conv.bias[...] - norm.mean[...]) * factor + norm.bias[...]
    stem.norms = nnx.List([])


def multiply_transposed(x: jax.Array, kernel: jax.Array, dimensions: object, **_: object) -> jax.Array:
    """`nnx.Linear`'s product for a kernel stored as [out, in]."""
    product: jax.Array = jax.lax.dot_general(x, kernel, (((x.ndim - 1,), (1,)), ((), ())))
    return product
