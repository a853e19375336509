"""Answers of any length, greedy or drawn, for prompts of different lengths in one batch."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from flax import nnx

from ...data.errors import IsyaratError
from .decoder import Cache
from .mask import decode_mask, prefix_mask
from .tokenizer import END, PAD

if TYPE_CHECKING:
    from .paligemma import PaliGemma


def generate(
    model: PaliGemma,
    images_BxHxWx3: jax.Array,
    tokens_BxT: jax.Array,
    prefix_lengths_B: jax.Array | None,
    *,
    steps: int,
    temperature: float,
    top_k: int | None,
    key: jax.Array | None,
) -> jax.Array:
    """See `PaliGemma.generate`."""
    batch, length = tokens_BxT.shape
    if images_BxHxWx3.shape[0] != batch:
        raise IsyaratError(f"There are {images_BxHxWx3.shape[0]} pictures for {batch} prompts; give as many of both.")
    if steps < 1 or temperature < 0 or (top_k is not None and top_k < 1):
        raise IsyaratError("Give steps and top_k of at least 1, and a temperature of at least 0.")
    if temperature > 0 and key is None:
        raise IsyaratError("Drawing answers (temperature above 0) needs a key; give jax.random.key(seed).")
    if prefix_lengths_B is None:
        prefix_lengths_B = jnp.full(batch, length, jnp.int32)
    graph, state = nnx.split(model)
    answers: jax.Array = write_answers(
        graph, state, images_BxHxWx3, jnp.asarray(tokens_BxT), jnp.asarray(prefix_lengths_B), steps, temperature > 0,
        jnp.float32(temperature or 1), top_k, jax.random.key(0) if key is None else key,
    )  # fmt: skip
    return answers


@functools.partial(jax.jit, static_argnames=("graph", "steps", "draws", "top_k"))
def write_answers(
    graph: Any,
    state: Any,
    images_BxHxWx3: jax.Array,
    tokens_BxT: jax.Array,
    prefix_lengths_B: jax.Array,
    steps: int,
    draws: bool,
    temperature: jax.Array,
    top_k: int | None,
    key: jax.Array,
) -> jax.Array:
    """Reads the prefixes, then a token at a time until every row has ended."""
    model: PaliGemma = nnx.merge(graph, state)
    x = model.join(model.encoder(images_BxHxWx3), tokens_BxT)
    B, padded, _ = x.shape
    lengths_B = prefix_lengths_B + model.config.vision.tokens
    slots = padded + steps - 1  # the last token is never read
    window = model.find_window(slots)

    def choose(logits_BxV: jax.Array, step: jax.Array) -> jax.Array:
        if not draws:
            return jnp.argmax(logits_BxV, -1).astype(jnp.int32)
        if top_k is not None:
            least_Bx1 = jax.lax.top_k(logits_BxV, min(top_k, logits_BxV.shape[-1]))[0][:, -1:]
            logits_BxV = jnp.where(logits_BxV < least_Bx1, -jnp.inf, logits_BxV)
        return jax.random.categorical(jax.random.fold_in(key, step), logits_BxV / temperature).astype(jnp.int32)

    prefix = jnp.pad(prefix_mask(lengths_B, padded), ((0, 0), (0, 0), (0, slots - padded)))
    positions = jnp.broadcast_to(jnp.arange(padded), (B, padded))
    # Queries of the prefix see it whole, whatever the window; those of the padding are never asked.
    x, caches = model.decoder(x, positions, prefix, model.decoder.empty_caches(B, slots), jnp.int32(0))
    last = jnp.take_along_axis(x, lengths_B[:, None, None] - 1, 1)
    token_B = choose(model.decoder.logits(last)[:, 0], jnp.int32(0))
    answers = jnp.full((B, steps), PAD, jnp.int32).at[:, 0].set(token_B)

    def goes_on(carry: tuple[jax.Array, jax.Array, list[Cache]]) -> jax.Array:
        step, answers, _ = carry
        return (step < steps) & ~(answers == END).any(1).all()

    def read_one(
        carry: tuple[jax.Array, jax.Array, list[Cache]],
    ) -> tuple[jax.Array, jax.Array, list[Cache]]:
        step, answers, caches = carry
        asks = step - 1
        token_Bx1 = jax.lax.dynamic_slice_in_dim(answers, asks, 1, 1)
        mask = decode_mask(lengths_B, padded, asks, slots)
        sliding = None if window is None else decode_mask(lengths_B, padded, asks, slots, window)
        x, caches = model.decoder(
            model.decoder.embed(token_Bx1), lengths_B[:, None] + asks, mask, caches, padded + asks, sliding
        )
        ended_B = (answers == END).any(1)
        token_B = jnp.where(ended_B, PAD, choose(model.decoder.logits(x)[:, 0], step))
        return step + 1, jax.lax.dynamic_update_slice_in_dim(answers, token_B[:, None], step, 1), caches

    _, answers, _ = jax.lax.while_loop(goes_on, read_one, (jnp.int32(1), answers, caches))
    return answers
