"""The Gemma decoder with an explicit KV cache."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from .config import TextConfig

ROPE_BASE = 10_000.0  # Su et al. 2021 (RoFormer), as in Gemma 1


class Cache(NamedTuple):
    """Keys and values of one layer, each BxCxKxD (C positions, K heads)."""

    k: jax.Array
    v: jax.Array


class RMSNorm(nnx.Module):
    """Root-mean-square norm with Gemma's (1 + scale)."""

    def __init__(self, width: int) -> None:
        self.scale = nnx.Param(jnp.zeros((width,)))

    def __call__(self, x: jax.Array) -> jax.Array:
        x32 = x.astype(jnp.float32)
        y = x32 * jax.lax.rsqrt(jnp.mean(x32 * x32, -1, keepdims=True) + 1e-6)
        return (y * (1 + self.scale[...])).astype(x.dtype)


def rotate(x_BxNxHxD: jax.Array, positions_BxN: jax.Array) -> jax.Array:
    """Rotary position embedding over the halves of D (RoFormer, equation 34)."""
    half = x_BxNxHxD.shape[-1] // 2
    frequencies = jnp.asarray(ROPE_BASE ** (-np.arange(half) / half), jnp.float32)
    angles = positions_BxN[..., None].astype(jnp.float32) * frequencies
    sin, cos = jnp.sin(angles)[:, :, None], jnp.cos(angles)[:, :, None]
    a, b = jnp.split(x_BxNxHxD.astype(jnp.float32), 2, -1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1).astype(x_BxNxHxD.dtype)


class DecoderBlock(nnx.Module):
    """Multi-query attention and a gated MLP, both pre-norm."""

    def __init__(self, config: TextConfig, *, rngs: nnx.Rngs) -> None:
        self.config = config
        linear = functools.partial(nnx.Linear, use_bias=False, rngs=rngs)
        self.norm1, self.norm2 = RMSNorm(config.width), RMSNorm(config.width)
        self.q = linear(config.width, config.heads * config.head_dim)
        self.k = linear(config.width, config.kv_heads * config.head_dim)
        self.v = linear(config.width, config.kv_heads * config.head_dim)
        self.o = linear(config.heads * config.head_dim, config.width)
        self.gate = linear(config.width, config.mlp_dim)
        self.up = linear(config.width, config.mlp_dim)
        self.down = linear(config.mlp_dim, config.width)
        self.dropout = nnx.Dropout(config.dropout, rngs=rngs)

    def __call__(
        self, x_BxNxD: jax.Array, positions_BxN: jax.Array, mask_BxNxC: jax.Array, cache: Cache, start: jax.Array
    ) -> tuple[jax.Array, Cache]:
        """Writes N keys and values into the cache from `start` on, and attends to all C of it under the mask."""
        c = self.config
        B, N, _ = x_BxNxD.shape
        h = self.norm1(x_BxNxD)
        q = rotate(self.q(h).reshape(B, N, c.heads, c.head_dim), positions_BxN)
        k = rotate(self.k(h).reshape(B, N, c.kv_heads, c.head_dim), positions_BxN)
        v = self.v(h).reshape(B, N, c.kv_heads, c.head_dim)
        zero = jnp.zeros((), jnp.int32)
        at = (zero, start, zero, zero)
        cache = Cache(jax.lax.dynamic_update_slice(cache.k, k, at), jax.lax.dynamic_update_slice(cache.v, v, at))
        q = q.reshape(B, N, c.kv_heads, c.heads // c.kv_heads, c.head_dim)
        scores = jnp.einsum("bnkgd,bckd->bkgnc", q, cache.k) / math.sqrt(c.head_dim)
        # A finite mask value: LiteRT's converter does not keep infinities.
        scores = jnp.where(mask_BxNxC[:, None, None], scores.astype(jnp.float32), -1e9)
        weights = jax.nn.softmax(scores, -1).astype(x_BxNxD.dtype)
        y = jnp.einsum("bkgnc,bckd->bnkgd", weights, cache.v).reshape(B, N, -1)
        x = x_BxNxD + self.dropout(self.o(y))
        h = self.norm2(x)
        return x + self.dropout(self.down(nnx.gelu(self.gate(h)) * self.up(h))), cache


def odml_embedding_lookup(ids_N: jax.Array, table_VxD: jax.Array) -> jax.Array:
    """Body of the composite below (its name is what LiteRT's converter matches)."""
    return jnp.take(table_VxD, ids_N, axis=0)


@jax.custom_jvp
def look_up(embedding_VxD: jax.Array, ids_N: jax.Array) -> jax.Array:
    """Rows of the embedding. As a named composite LiteRT keeps one (quantisable) table for both of its uses."""
    rows: jax.Array = jax.lax.composite(odml_embedding_lookup, name="odml.embedding_lookup")(ids_N, embedding_VxD)
    return rows


@look_up.defjvp
def look_up_jvp(
    primals: tuple[jax.Array, jax.Array], tangents: tuple[jax.Array, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    """A composite has no derivative of its own; the lookup is linear in the table."""
    embedding_VxD, ids_N = primals
    return look_up(embedding_VxD, ids_N), jnp.take(tangents[0], ids_N, axis=0)


class Decoder(nnx.Module):
    """Embeddings and tokens to logits."""

    def __init__(self, config: TextConfig, *, rngs: nnx.Rngs) -> None:
        self.config = config
        scale = 1 / math.sqrt(config.width)
        self.embedding = nnx.Param(scale * jax.random.normal(rngs.params(), (config.vocabulary, config.width)))
        self.blocks = nnx.List([DecoderBlock(config, rngs=rngs) for _ in range(config.depth)])
        self.norm = RMSNorm(config.width)

    def embed(self, tokens_BxT: jax.Array) -> jax.Array:
        """BxTxD embeddings, scaled by the root of the width (Gemma)."""
        rows = look_up(self.embedding[...], tokens_BxT.reshape(-1))
        return rows.reshape(*tokens_BxT.shape, self.config.width) * math.sqrt(self.config.width)

    def empty_caches(self, batch: int, length: int) -> list[Cache]:
        """Caches of zeros for `length` positions."""
        shape = (batch, length, self.config.kv_heads, self.config.head_dim)
        return [Cache(jnp.zeros(shape), jnp.zeros(shape)) for _ in range(self.config.depth)]

    def __call__(
        self,
        x_BxNxD: jax.Array,
        positions_BxN: jax.Array,
        mask_BxNxC: jax.Array,
        caches: list[Cache],
        start: jax.Array,
    ) -> tuple[jax.Array, list[Cache]]:
        """Returns the normed BxNxD states and the caches with N more positions."""
        x, filled = x_BxNxD, []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, longer = block(x, positions_BxN, mask_BxNxC, cache, start)
            filled.append(longer)
        return self.norm(x), filled

    def logits(self, x_BxNxD: jax.Array) -> jax.Array:
        """BxNxV logits by the tied embedding."""
        return x_BxNxD @ self.embedding[...].T
