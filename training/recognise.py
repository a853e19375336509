"""The recogniser of a model in JAX: the reference that exported bundles are compared with."""

from __future__ import annotations

from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from numpy.typing import NDArray

from ..data.lexicon import Lexicon
from ..data.motion_grid import scale_pixels
from ..data.video import Image
from .model.decoder import Cache
from .model.paligemma import PaliGemma

Logits = NDArray[np.float32]


class JaxRecogniser:
    """Picture to probabilities of glosses, by the model's own prefill and decode.

    Arguments:
        model: in evaluation mode while this is used.
        prompt: tokens of the prompt (`encode_prompt`).
    """

    def __init__(self, model: PaliGemma, prompt: list[int]) -> None:
        model.eval()
        self.prompt = jnp.asarray([prompt], jnp.int32)
        self.start = model.config.vision.tokens + len(prompt)
        graph, state = nnx.split(model)
        self._prefill = jax.jit(lambda s, images, tokens: nnx.merge(graph, s).prefill(images, tokens))
        self._decode = jax.jit(lambda s, token, position, caches: nnx.merge(graph, s).decode(token, position, caches))
        self._state = state

    def prefill(self, image: Image) -> tuple[Logits, list[Cache]]:
        """V logits of the first answer token, and the caches."""
        logits, caches = self._prefill(self._state, jnp.asarray(scale_pixels(image[None])), self.prompt)
        return np.asarray(logits[0]), caches

    def step(self, state: object, token: int, depth: int) -> tuple[Logits, list[Cache]]:
        """V logits after one more answer token (`Lexicon.score`'s step)."""
        caches = cast(list[Cache], state)
        position = jnp.asarray(self.start + depth, jnp.int32)
        logits, caches = self._decode(self._state, jnp.asarray([[token]], jnp.int32), position, caches)
        return np.asarray(logits[0]), caches

    def score(self, image: Image, lexicon: Lexicon) -> dict[str, float]:
        """Probability of every entry of the lexicon; they add up to one."""
        logits, caches = self.prefill(image)
        return lexicon.score(logits, caches, self.step)
