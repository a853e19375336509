"""The image encoder: SigLIP's transformer behind a patch or a cell-by-cell convolutional stem."""

from __future__ import annotations

import functools
import itertools
import math

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import DTypeLike

from .blocks import build_blocks, build_dropout, run_blocks
from .config import VisionConfig


class PatchStem(nnx.Module):
    """One linear map a patch (SigLIP)."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        size = (config.patch_size, config.patch_size)
        self.conv = nnx.Conv(3, config.width, size, strides=size, padding="VALID", rngs=rngs, dtype=dtype)

    def __call__(self, images_BxHxWx3: jax.Array) -> jax.Array:
        """Returns BxNxD tokens."""
        x = self.conv(images_BxHxWx3)
        return x.reshape(x.shape[0], -1, x.shape[-1])


class CellStem(nnx.Module):
    """A small convolutional network shared by the cells of the motion grid; one token a cell."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        self.origins = tuple(config.grid.origins())
        self.cell = config.grid.cell_size
        channels = (3, *config.cell_channels)
        pairs = list(itertools.pairwise(channels))
        # Overlapping 8-px patches first, then halvings: at a third of the time of four halvings it learns as much.
        shapes = [(8, 4, 2)] + [(3, 2, 1)] * (len(pairs) - 1)  # kernel, stride, padding
        self.convs = nnx.List(
            [
                nnx.Conv(
                    a,
                    b,
                    (kernel, kernel),
                    strides=(stride, stride),
                    padding=((pad, pad), (pad, pad)),
                    rngs=rngs,
                    dtype=dtype,
                )
                for (a, b), (kernel, stride, pad) in zip(pairs, shapes, strict=True)
            ]
        )
        # Batch norm learns fastest from few clips, and in use it is an affine map that folds into the convolution.
        self.norms = nnx.List([nnx.BatchNorm(b, momentum=0.95, epsilon=1e-3, rngs=rngs, dtype=dtype) for _, b in pairs])
        side = self.cell // 2 ** (len(pairs) + 1)
        self.project = nnx.Linear(side * side * channels[-1], config.width, rngs=rngs, dtype=dtype)

    def __call__(self, images_BxHxWx3: jax.Array) -> jax.Array:
        """Returns BxFxD tokens, F cells in the order of time."""
        batch, size = images_BxHxWx3.shape[0], self.cell
        cells = jnp.stack([images_BxHxWx3[:, y : y + size, x : x + size] for y, x in self.origins], 1)
        z = cells.reshape(batch * len(self.origins), size, size, 3)
        for i, conv in enumerate(self.convs):
            z = conv(z)
            z = nnx.relu(self.norms[i](z) if self.norms else z)  # an exported stem has its norms folded
        return self.project(z.reshape(batch, len(self.origins), -1))


class Attention(nnx.Module):
    """Multi-head self-attention without a mask; scores and softmax in float32."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        self.heads = config.heads
        width = config.width
        self.q, self.k, self.v, self.o = (nnx.Linear(width, width, rngs=rngs, dtype=dtype) for _ in range(4))

    def __call__(self, x_BxNxD: jax.Array) -> jax.Array:
        B, N, D = x_BxNxD.shape
        q, k, v = (f(x_BxNxD).reshape(B, N, self.heads, D // self.heads) for f in (self.q, self.k, self.v))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=jnp.float32)
        weights = jax.nn.softmax(scores / math.sqrt(D // self.heads), -1).astype(v.dtype)
        return self.o(jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(B, N, D))


class EncoderBlock(nnx.Module):
    """Pre-norm transformer block."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        norm = functools.partial(nnx.LayerNorm, config.width, epsilon=1e-6, rngs=rngs, dtype=dtype)
        self.norm1 = norm()
        self.attention = Attention(config, rngs=rngs, dtype=dtype)
        self.norm2 = norm()
        self.up = nnx.Linear(config.width, config.mlp_dim, rngs=rngs, dtype=dtype)
        self.down = nnx.Linear(config.mlp_dim, config.width, rngs=rngs, dtype=dtype)
        self.dropout = build_dropout(config.dropout, rngs)

    def __call__(self, x_BxNxD: jax.Array) -> jax.Array:
        x = x_BxNxD + self.dropout(self.attention(self.norm1(x_BxNxD)))
        return x + self.dropout(self.down(nnx.gelu(self.up(self.norm2(x)))))


class Encoder(nnx.Module):
    """Picture to tokens.

    Arguments:
        config: sizes.
        scan, remat: see `ModelConfig`.
        dtype: of the computation; None: that of the parameters.
    """

    def __init__(
        self,
        config: VisionConfig,
        *,
        rngs: nnx.Rngs,
        scan: bool = False,
        remat: bool = False,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.remat, self.dtype = remat, dtype
        stem = CellStem if config.stem == "cells" else PatchStem
        self.stem = stem(config, rngs=rngs, dtype=dtype)
        self.position = nnx.Param(jax.random.normal(rngs.params(), (1, config.tokens, config.width)) * 0.3)
        self.blocks = build_blocks(lambda r: EncoderBlock(config, rngs=r, dtype=dtype), config.depth, scan, rngs)
        self.norm = nnx.LayerNorm(config.width, epsilon=1e-6, rngs=rngs, dtype=dtype)

    def __call__(self, images_BxHxWx3: jax.Array) -> jax.Array:
        """Pixels in [-1, 1] to BxNxD tokens."""
        x = self.stem(images_BxHxWx3 if self.dtype is None else images_BxHxWx3.astype(self.dtype))
        x = x + self.position[...].astype(x.dtype)
        each = [None] * (len(self.blocks) if isinstance(self.blocks, nnx.List) else 1)
        x, _ = run_blocks(self.blocks, lambda block, x, _: (block(x), None), x, each, self.remat)
        states: jax.Array = self.norm(x)
        return states
