"""A frozen base in 8 or 4 bits, under adapters that train in full precision (QLoRA, arXiv:2305.14314)."""

from __future__ import annotations

import functools
import math
from typing import Literal

import jax
import jax.numpy as jnp
import qwix
from flax import nnx

from ..data.errors import IsyaratError
from .model.layers import Wrapper, find_linears, replace_layer, share
from .model.paligemma import PaliGemma

Precision = Literal["int8", "nf4"]
TILE = 64  # weights that share a scale in nf4, as in QLoRA


class Codes(nnx.Variable[jax.Array]):
    """Quantised weights; no optimizer changes them."""


class Scale(nnx.Variable[jax.Array]):
    """What quantised weights are multiplied by."""


@functools.partial(jax.jit, static_argnames="precision")
def quantise_kernel(kernel: jax.Array, precision: Precision) -> tuple[jax.Array, jax.Array]:
    """(codes, scale) of a kernel [..., in, out]."""
    apart = (*range(kernel.ndim - 2), kernel.ndim - 1)
    tiles = {} if precision == "int8" else {kernel.ndim - 2: math.gcd(TILE, kernel.shape[-2])}
    stored = qwix.quantize(kernel, precision, channelwise_axes=apart, tiled_axes=tiles)
    return stored.qvalue, stored.scale


class QuantisedLinear(Wrapper):
    """A linear layer with an 8-bit kernel (one scale an output) or a 4-bit one (one scale for 64 inputs of an output).

    Arguments:
        linear: whose kernel [..., in, out] is quantised; leading axes (stacked blocks) stay apart.
        precision: "int8", or "nf4": the sixteen quantiles of a normal distribution.
    """

    def __init__(self, linear: nnx.Linear, precision: Precision) -> None:
        kernel = linear.kernel[...]
        codes, scale = quantise_kernel(kernel, precision)
        self.codes, self.scale = Codes(codes), Scale(scale)
        self.bias = linear.bias
        self.precision, self.dtype = precision, linear.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the kernel."""
        return tuple(self.codes.shape)

    def expand(self) -> jax.Array:
        """The kernel as it computes."""
        kernel: jax.Array = qwix.dequantize(qwix.QArray(self.codes[...], self.scale[...], None, self.precision))
        return kernel

    def __call__(self, x: jax.Array) -> jax.Array:
        dtype = self.dtype or jnp.promote_types(x.dtype, self.scale.dtype)

        # The backward pass expands the kernel again: kept, it would take the memory that quantising has saved.
        @jax.checkpoint
        def multiply(x: jax.Array, codes: jax.Array, scale: jax.Array) -> jax.Array:
            kernel = qwix.dequantize(qwix.QArray(codes, scale, None, self.precision))
            product: jax.Array = x.astype(dtype) @ kernel.astype(dtype)
            return product

        y: jax.Array = multiply(x, self.codes[...], self.scale[...])
        return y if self.bias is None else y + self.bias[...].astype(dtype)


def quantise_base(model: PaliGemma, precision: Precision, targets: str = "decoder") -> PaliGemma:
    """The model with its large kernels quantised; embedding, norms and biases stay as they are.

    Arguments:
        model: stays as it is, too (drop it to free its memory).
        targets: "decoder", "encoder", "projector" or a pattern, see `LoraConfig`.

    Raises:
        IsyaratError: the precision is unknown, or no layer matches.
    """
    if precision not in ("int8", "nf4"):
        raise IsyaratError(f"There is no precision {precision!r} for a frozen base; choose int8 or nf4.")
    quantised = share(model)
    layers = find_linears(quantised, (targets,))
    if not layers:
        raise IsyaratError(
            f"No plain layer of {model.config.name} matches {targets!r}; give decoder, encoder or projector."
        )
    for path, linear in layers.items():
        if isinstance(linear, nnx.Linear):
            replace_layer(quantised, path, QuantisedLinear(linear, precision))
    return quantised
