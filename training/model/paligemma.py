"""PaliGemma 1 and 2: image encoder, linear projector, Gemma decoder, prefix-LM mask (arXiv:2407.07726, 2412.03555)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import Mesh
from jax.typing import DTypeLike

from . import generate
from .config import ModelConfig
from .decoder import Cache, Decoder
from .encoder import Encoder
from .mask import prefix_mask

if TYPE_CHECKING:
    from ..lora import LoraConfig
    from ..pretrained.artefact import Origin


class PaliGemma(nnx.Module):
    """A picture and a prompt in, an answer out.

    Arguments:
        config: sizes.
        rngs: seeds of the parameters and of dropout.
        dtype: of the computation, e.g. bfloat16 (norms, attention scores, softmax and logits stay in float32);
            None: that of the parameters.

    Attributes:
        origin: the checkpoint it was read from.
        adapter: what `add_lora` has added.
    """

    def __init__(self, config: ModelConfig, *, rngs: nnx.Rngs, dtype: DTypeLike | None = None) -> None:
        self.config = config
        self.origin: Origin | None = None
        self.adapter: LoraConfig | None = None
        scan, remat = config.scan, config.remat
        self.encoder = Encoder(config.vision, rngs=rngs, scan=scan, remat=remat, dtype=dtype)
        self.projector = nnx.Linear(config.vision.width, config.text.width, rngs=rngs, dtype=dtype)
        self.decoder = Decoder(config.text, rngs=rngs, scan=scan, remat=remat, dtype=dtype)

    @classmethod
    def from_pretrained(
        cls,
        path: str | Path,
        dtype: DTypeLike | None = None,
        mesh: Mesh | None = None,
        *,
        scan: bool = True,
        remat: bool = False,
    ) -> PaliGemma:
        """Reads a checkpoint, tensor by tensor, straight onto the devices.

        Arguments:
            path: a folder in the layout of Hugging Face (config.json, *.safetensors), or big_vision's .npz.
            dtype: of the parameters and of the computation; None: as in the file.
            mesh: where the parameters go, by `model.sharding`; None: onto the first device.
            scan, remat: see `ModelConfig`.

        Returns:
            The model in evaluation mode.

        Raises:
            IsyaratError: the path holds no model (an adapter is none), or tensors are missing, unexpected or of
                another shape; they are named.
        """
        from ..pretrained import load_pretrained

        return load_pretrained(Path(path), dtype, mesh, scan=scan, remat=remat)

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
            BxTxV float32; [b, t] predicts the token after t.
        """
        return self.logits_from_features(self.encoder(images_BxHxWx3), tokens_BxT, prefix_lengths_B)

    def logits_from_features(
        self, features_BxNxE: jax.Array, tokens_BxT: jax.Array, prefix_lengths_B: jax.Array
    ) -> jax.Array:
        """`logits` for pictures that the encoder has read already."""
        x = self.join(features_BxNxE, tokens_BxT)
        B, L, _ = x.shape
        images = self.config.vision.tokens
        lengths, window = prefix_lengths_B + images, self.find_window(L)
        positions = jnp.broadcast_to(jnp.arange(L), (B, L))
        sliding = None if window is None else prefix_mask(lengths, L, window)
        x, _ = self.decoder(x, positions, prefix_mask(lengths, L), sliding_BxNxC=sliding)
        return self.decoder.logits(x[:, images:])

    def generate(
        self,
        images_BxHxWx3: jax.Array,
        tokens_BxT: jax.Array,
        prefix_lengths_B: jax.Array | None = None,
        *,
        steps: int = 32,
        temperature: float = 0.0,
        top_k: int | None = None,
        key: jax.Array | None = None,
    ) -> jax.Array:
        """Writes answers, with a KV cache.

        Arguments:
            images_BxHxWx3: float32 in [-1, 1].
            tokens_BxT: int32 prompts (BOS, prompt, newline), padded at the end; any id may be the padding.
            prefix_lengths_B: int32, tokens of each prompt; None: all T.
            steps: most tokens of an answer.
            temperature: 0 takes the likeliest token; else logits are divided by it and a token is drawn.
            top_k: draws among so many likeliest tokens only.
            key: of the drawing, needed where there is any.

        Returns:
            B x steps int32: the answer, then EOS, then padding.

        Raises:
            IsyaratError: the arguments do not fit together.
        """
        return generate.generate(
            self, images_BxHxWx3, tokens_BxT, prefix_lengths_B, steps=steps, temperature=temperature, top_k=top_k,
            key=key,
        )  # fmt: skip

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
        B, cache = x.shape[0], caches[0].k.shape[-3]
        mask = jnp.broadcast_to(jnp.arange(cache) <= position, (B, 1, cache))
        window = self.find_window(cache)
        sliding = None if window is None else mask & (position - jnp.arange(cache) < window)
        positions = jnp.broadcast_to(position, (B, 1))
        x, caches = self.decoder(x, positions, mask, caches, position, sliding)
        return self.decoder.logits(x)[:, 0], caches

    def find_window(self, length: int) -> int | None:
        """The sliding window, where `length` tokens outgrow it."""
        window = self.config.text.sliding_window
        return window if window is not None and length > window else None
