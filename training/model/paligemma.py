"""PaliGemma: image encoder, linear projector, Gemma decoder, prefix-LM mask (arXiv:2407.07726)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import nnx

from .config import ModelConfig
from .decoder import Cache, Decoder
from .encoder import Encoder
from .mask import prefix_mask


class PaliGemma(nnx.Module):
    """A picture and a prompt in, an answer out.

    Arguments:
        config: sizes.
        rngs: seeds of the parameters and of dropout.
    """

    def __init__(self, config: ModelConfig, *, rngs: nnx.Rngs) -> None:
        self.config = config
        self.encoder = Encoder(config.vision, rngs=rngs)
        self.projector = nnx.Linear(config.vision.width, config.text.width, rngs=rngs)
        self.decoder = Decoder(config.text, rngs=rngs)

    def join(self, features_BxNxE: jax.Array, tokens_BxT: jax.Array) -> jax.Array:
        """Projected image tokens, then text embeddings: Bx(N+T)xD."""
        return jnp.concatenate([self.projector(features_BxNxE), self.decoder.embed(tokens_BxT)], 1)

    def logits(self, images_BxHxWx3: jax.Array, tokens_BxT: jax.Array, prefix_lengths_B: jax.Array) -> jax.Array:
        """Teacher-forced logits.

        Arguments:
            images_BxHxWx3: float32 in [-1, 1].
            tokens_BxT: int32 text without the image tokens: BOS, prompt, newline, answer, EOS, padding.
            prefix_lengths_B: int32, text tokens of each row that belong to the prefix (BOS, prompt, newline).

        Returns:
            BxTxV; [b, t] predicts the token after t.
        """
        return self.logits_from_features(self.encoder(images_BxHxWx3), tokens_BxT, prefix_lengths_B)

    def logits_from_features(
        self, features_BxNxE: jax.Array, tokens_BxT: jax.Array, prefix_lengths_B: jax.Array
    ) -> jax.Array:
        """`logits` for pictures that the encoder has read already."""
        x = self.join(features_BxNxE, tokens_BxT)
        B, L, _ = x.shape
        images = self.config.vision.tokens
        mask = prefix_mask(prefix_lengths_B + images, L)
        positions = jnp.broadcast_to(jnp.arange(L), (B, L))
        x, _ = self.decoder(x, positions, mask, self.decoder.empty_caches(B, L), jnp.zeros((), jnp.int32))
        return self.decoder.logits(x[:, images:])

    def prefill(self, images_BxHxWx3: jax.Array, tokens_BxT: jax.Array) -> tuple[jax.Array, list[Cache]]:
        """Reads picture and prompt (every row T tokens, no padding); BxV logits of the first answer token, caches."""
        x = self.join(self.encoder(images_BxHxWx3), tokens_BxT)
        B, N, _ = x.shape
        cache = self.config.cache
        positions = jnp.broadcast_to(jnp.arange(N, dtype=jnp.int32), (B, N))
        mask = jnp.broadcast_to(jnp.arange(cache) < N, (B, N, cache))
        caches = self.decoder.empty_caches(B, cache)
        x, caches = self.decoder(x, positions, mask, caches, jnp.zeros((), jnp.int32))
        return self.decoder.logits(x[:, -1:])[:, 0], caches

    def decode(self, tokens_Bx1: jax.Array, position: jax.Array, caches: list[Cache]) -> tuple[jax.Array, list[Cache]]:
        """Reads one more token at `position` (int32 scalar, counted from the first image token); BxV logits, caches."""
        x = self.decoder.embed(tokens_Bx1)
        B, cache = x.shape[0], caches[0].k.shape[1]
        mask = jnp.broadcast_to(jnp.arange(cache) <= position, (B, 1, cache))
        positions = jnp.broadcast_to(position, (B, 1))
        x, caches = self.decoder(x, positions, mask, caches, position)
        return self.decoder.logits(x)[:, 0], caches
