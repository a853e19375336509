"""The image encoder: SigLIP's transformer behind a patch or a cell-by-cell convolutional stem."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
from flax import nnx

from .config import VisionConfig


class PatchStem(nnx.Module):
    """One linear map a patch (SigLIP)."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs) -> None:
        size = (config.patch_size, config.patch_size)
        self.conv = nnx.Conv(3, config.width, size, strides=size, padding="VALID", rngs=rngs)

    def __call__(self, images_BxHxWx3: jax.Array) -> jax.Array:
        """Returns BxNxD tokens."""
        x = self.conv(images_BxHxWx3)
        return x.reshape(x.shape[0], -1, x.shape[-1])


class CellStem(nnx.Module):
    """A small convolutional network shared by the cells of the motion grid; one token a cell."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs) -> None:
        self.origins = tuple(config.grid.origins())
        self.cell = config.grid.cell_size
        channels = (3, *config.cell_channels)
        pairs = list(itertools.pairwise(channels))
        # Overlapping 8-px patches first, then halvings: at a third of the time of four halvings it learns as much.
        shapes = [(8, 4, 2)] + [(3, 2, 1)] * (len(pairs) - 1)  # kernel, stride, padding
        self.convs = nnx.List(
            [
                nnx.Conv(a, b, (kernel, kernel), strides=(stride, stride), padding=((pad, pad), (pad, pad)), rngs=rngs)
                for (a, b), (kernel, stride, pad) in zip(pairs, shapes, strict=True)
            ]
        )
        # Batch norm learns fastest from few clips, and in use it is an affine map that folds into the convolution.
        self.norms = nnx.List([nnx.BatchNorm(b, momentum=0.95, epsilon=1e-3, rngs=rngs) for _, b in pairs])
        side = self.cell // 2 ** (len(pairs) + 1)
        self.project = nnx.Linear(side * side * channels[-1], config.width, rngs=rngs)

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
    """Multi-head self-attention without a mask."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs) -> None:
        self.heads = config.heads
        width = config.width
        self.q, self.k, self.v, self.o = (nnx.Linear(width, width, rngs=rngs) for _ in range(4))

    def __call__(self, x_BxNxD: jax.Array) -> jax.Array:
        B, N, D = x_BxNxD.shape
        q, k, v = (f(x_BxNxD).reshape(B, N, self.heads, D // self.heads) for f in (self.q, self.k, self.v))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(D // self.heads)
        weights = jax.nn.softmax(scores.astype(jnp.float32), -1).astype(x_BxNxD.dtype)
        return self.o(jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(B, N, D))


class EncoderBlock(nnx.Module):
    """Pre-norm transformer block."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs) -> None:
        self.norm1 = nnx.LayerNorm(config.width, epsilon=1e-6, rngs=rngs)
        self.attention = Attention(config, rngs=rngs)
        self.norm2 = nnx.LayerNorm(config.width, epsilon=1e-6, rngs=rngs)
        self.up = nnx.Linear(config.width, config.mlp_dim, rngs=rngs)
        self.down = nnx.Linear(config.mlp_dim, config.width, rngs=rngs)
        self.dropout = nnx.Dropout(config.dropout, rngs=rngs)

    def __call__(self, x_BxNxD: jax.Array) -> jax.Array:
        x = x_BxNxD + self.dropout(self.attention(self.norm1(x_BxNxD)))
        return x + self.dropout(self.down(nnx.gelu(self.up(self.norm2(x)))))


class Encoder(nnx.Module):
    """Picture to tokens."""

    def __init__(self, config: VisionConfig, *, rngs: nnx.Rngs) -> None:
        stem = CellStem if config.stem == "cells" else PatchStem
        self.stem = stem(config, rngs=rngs)
        self.position = nnx.Param(jax.random.normal(rngs.params(), (1, config.tokens, config.width)) * 0.3)
        self.blocks = nnx.List([EncoderBlock(config, rngs=rngs) for _ in range(config.depth)])
        self.norm = nnx.LayerNorm(config.width, epsilon=1e-6, rngs=rngs)

    def __call__(self, images_BxHxWx3: jax.Array) -> jax.Array:
        """Pixels in [-1, 1] to BxNxD tokens."""
        x = self.stem(images_BxHxWx3) + self.position[...]
        for block in self.blocks:
            x = block(x)
        states: jax.Array = self.norm(x)
        return states
