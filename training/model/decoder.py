"""The Gemma decoder with an explicit KV cache."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.typing import DTypeLike

from .blocks import build_blocks, build_dropout, run_blocks
from .config import TextConfig

ROPE_BASE = 10_000.0  # Su et al. 2021 (RoFormer), as in Gemma 1


class Cache(NamedTuple):
    """Keys and values of one block, each BxCxKxD (C positions, K heads); of stacked blocks with a leading axis."""

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


def cap_softly(x: jax.Array, cap: float | None) -> jax.Array:
    """Gemma 2's soft cap (arXiv:2408.00118, section 2)."""
    return x if cap is None else cap * jnp.tanh(x / cap)


class DecoderBlock(nnx.Module):
    """Grouped-query attention and a gated MLP, both with a norm before them and, in Gemma 2, one after them."""

    def __init__(self, config: TextConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        self.config = config
        linear = functools.partial(nnx.Linear, use_bias=False, rngs=rngs, dtype=dtype)
        self.norm1, self.norm2 = RMSNorm(config.width), RMSNorm(config.width)
        if config.post_norms:
            self.post_norm1, self.post_norm2 = RMSNorm(config.width), RMSNorm(config.width)
        self.q = linear(config.width, config.heads * config.head_dim)
        self.k = linear(config.width, config.kv_heads * config.head_dim)
        self.v = linear(config.width, config.kv_heads * config.head_dim)
        self.o = linear(config.heads * config.head_dim, config.width)
        self.gate = linear(config.width, config.mlp_dim)
        self.up = linear(config.width, config.mlp_dim)
        self.down = linear(config.mlp_dim, config.width)
        self.dropout = build_dropout(config.dropout, rngs)

    def __call__(
        self,
        x_BxNxD: jax.Array,
        positions_BxN: jax.Array,
        mask_BxNxC: jax.Array,
        cache: Cache | None,
        start: jax.Array | None,
    ) -> tuple[jax.Array, Cache | None]:
        """Writes N keys and values into the cache from `start` on, and attends to all C of it under the mask.

        Without a cache it attends to the N tokens themselves.
        """
        y, cache = self.attend(self.norm1(x_BxNxD), positions_BxN, mask_BxNxC, cache, start)
        x = x_BxNxD + self.dropout(self.post_norm1(y) if self.config.post_norms else y)
        h = self.norm2(x)
        y = self.down(nnx.gelu(self.gate(h)) * self.up(h))
        return x + self.dropout(self.post_norm2(y) if self.config.post_norms else y), cache

    def attend(
        self,
        h_BxNxD: jax.Array,
        positions_BxN: jax.Array,
        mask_BxNxC: jax.Array,
        cache: Cache | None,
        start: jax.Array | None,
    ) -> tuple[jax.Array, Cache | None]:
        """Attention of the normed states; scores and softmax in float32."""
        c = self.config
        B, N, _ = h_BxNxD.shape
        q = rotate(self.q(h_BxNxD).reshape(B, N, c.heads, c.head_dim), positions_BxN)
        k = rotate(self.k(h_BxNxD).reshape(B, N, c.kv_heads, c.head_dim), positions_BxN)
        v = self.v(h_BxNxD).reshape(B, N, c.kv_heads, c.head_dim)
        if cache is not None:
            zero = jnp.zeros((), jnp.int32)
            at = (zero, zero if start is None else start, zero, zero)
            cache = Cache(jax.lax.dynamic_update_slice(cache.k, k, at), jax.lax.dynamic_update_slice(cache.v, v, at))
            k, v = cache
        q = q.reshape(B, N, c.kv_heads, c.heads // c.kv_heads, c.head_dim)
        scores = jnp.einsum("bnkgd,bckd->bkgnc", q, k, preferred_element_type=jnp.float32)
        scores = cap_softly(scores / math.sqrt(c.query_scalar or c.head_dim), c.attention_cap)
        # A finite mask value: LiteRT's converter does not keep infinities.
        scores = jnp.where(mask_BxNxC[:, None, None], scores, -1e9)
        weights = jax.nn.softmax(scores, -1).astype(v.dtype)
        return self.o(jnp.einsum("bkgnc,bckd->bnkgd", weights, v).reshape(B, N, -1)), cache


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
    """Embeddings and tokens to logits.

    Arguments:
        config: sizes.
        scan, remat: see `ModelConfig`.
        dtype: of the computation; None: that of the parameters.
    """

    def __init__(
        self,
        config: TextConfig,
        *,
        rngs: nnx.Rngs,
        scan: bool = False,
        remat: bool = False,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.config, self.scan, self.remat, self.dtype = config, scan, remat, dtype
        scale = 1 / math.sqrt(config.width)
        self.embedding = nnx.Param(scale * jax.random.normal(rngs.params(), (config.vocabulary, config.width)))
        self.blocks = build_blocks(lambda r: DecoderBlock(config, rngs=r, dtype=dtype), config.depth, scan, rngs)
        self.norm = RMSNorm(config.width)

    def embed(self, tokens_BxT: jax.Array) -> jax.Array:
        """BxTxD embeddings, scaled by the root of the width (Gemma)."""
        rows = look_up(self.embedding[...], tokens_BxT.reshape(-1))
        if self.dtype is not None:
            rows = rows.astype(self.dtype)
        return rows.reshape(*tokens_BxT.shape, self.config.width) * math.sqrt(self.config.width)

    def empty_caches(self, batch: int, length: int) -> list[Cache]:
        """Caches of zeros for `length` positions: one a block, or a stacked one for all."""
        c = self.config
        stacked = (c.depth,) if self.scan else ()
        zeros = jnp.zeros((*stacked, batch, length, c.kv_heads, c.head_dim), self.dtype or self.embedding.dtype)
        return [Cache(zeros, zeros) for _ in range(1 if self.scan else c.depth)]

    def __call__(
        self,
        x_BxNxD: jax.Array,
        positions_BxN: jax.Array,
        mask_BxNxC: jax.Array,
        caches: list[Cache] | None = None,
        start: jax.Array | None = None,
        sliding_BxNxC: jax.Array | None = None,
    ) -> tuple[jax.Array, list[Cache]]:
        """Runs the blocks.

        Arguments:
            caches: filled up to `start`; None: the N tokens are all there is, and C = N.
            sliding_BxNxC: mask of the blocks with a sliding window, where it differs from the other.

        Returns:
            The normed BxNxD states, and the caches with N more positions (an empty list without).
        """

        def apply(block: DecoderBlock, x: jax.Array, mine: tuple[Any, Cache | None]) -> tuple[jax.Array, Any]:
            slides, cache = mine
            mask = mask_BxNxC if sliding_BxNxC is None else jnp.where(slides, sliding_BxNxC, mask_BxNxC)
            return block(x, positions_BxN, mask, cache, start)

        slides = [layer % 2 == 0 for layer in range(self.config.depth)]  # as in Gemma 2, from the first on
        flags = [jnp.array(slides)] if self.scan else slides
        each = list(zip(flags, [None] * len(flags) if caches is None else caches, strict=True))
        x, filled = run_blocks(self.blocks, apply, x_BxNxD, each, self.remat)
        return self.norm(x), [] if caches is None else filled

    def logits(self, x_BxNxD: jax.Array) -> jax.Array:
        """BxNxV float32 logits by the tied embedding."""
        table_DxV = self.embedding[...].T.astype(x_BxNxD.dtype)
        logits = jnp.matmul(x_BxNxD, table_DxV, preferred_element_type=jnp.float32)
        return cap_softly(logits, self.config.logit_cap)
