"""The whole model: one answer by teacher forcing and by decoding, and the prefix-LM mask at work."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.training.model.paligemma import PaliGemma
from numpy.typing import NDArray

PROMPT, TEXT = 4, 8  # tokens of the prompt; of prompt and answer


@pytest.fixture(scope="module")
def images() -> jax.Array:
    """Two pictures."""
    return jax.random.uniform(jax.random.key(0), (2, 112, 112, 3), minval=-1.0, maxval=1.0)


@pytest.fixture(scope="module")
def tokens() -> jax.Array:
    """Two rows of prompt and answer."""
    return jax.random.randint(jax.random.key(1), (2, TEXT), 5, 40)


@nnx.jit
def answer(model: PaliGemma, images: jax.Array, tokens: jax.Array, prefix: jax.Array) -> jax.Array:
    """Teacher-forced logits."""
    return model.logits(images, tokens, prefix)


def force(model: PaliGemma, images: jax.Array, tokens: jax.Array, prefix: int = PROMPT) -> NDArray[np.float32]:
    """Teacher-forced BxTxV logits."""
    return np.asarray(answer(model, images, tokens, jnp.full(len(tokens), prefix, jnp.int32)))


def test_decoding_equals_teacher_forcing(model: PaliGemma, images: jax.Array, tokens: jax.Array) -> None:
    forced = force(model, images, tokens)
    logits, caches = model.prefill(images, tokens[:, :PROMPT])
    assert np.allclose(logits, forced[:, PROMPT - 1], atol=1e-4)
    assert caches[0].k.shape == (2, model.config.cache, 2, 8)
    for t in range(PROMPT, TEXT):
        position = jnp.int32(model.config.vision.tokens + t)
        logits, caches = model.decode(tokens[:, t : t + 1], position, caches)
        assert np.allclose(logits, forced[:, t], atol=1e-4), t


def test_the_prefix_sees_both_ways(model: PaliGemma, images: jax.Array, tokens: jax.Array) -> None:
    changed = tokens.at[:, PROMPT - 1].set(tokens[:, PROMPT - 1] + 1)
    before, after = force(model, images, tokens), force(model, images, changed)
    for t in range(PROMPT - 1):
        assert np.abs(before[:, t] - after[:, t]).max() > 1e-3, "an earlier prompt token does not see a later one"
    # The same token as part of the answer is out of sight of what comes before it.
    before, after = force(model, images, tokens, PROMPT - 1), force(model, images, changed, PROMPT - 1)
    assert np.allclose(before[:, : PROMPT - 1], after[:, : PROMPT - 1], atol=1e-6)


def test_the_answer_is_causal(model: PaliGemma, images: jax.Array, tokens: jax.Array) -> None:
    for t in range(PROMPT, TEXT):
        after = force(model, images, tokens.at[:, t].set(tokens[:, t] + 1))
        before = force(model, images, tokens)
        assert np.allclose(before[:, :t], after[:, :t], atol=1e-6), "a later answer token is seen"
        assert np.abs(before[:, t:] - after[:, t:]).max() > 1e-3


def test_the_picture_is_seen(model: PaliGemma, images: jax.Array, tokens: jax.Array) -> None:
    swapped = force(model, images[::-1], tokens)
    assert np.abs(swapped - force(model, images, tokens)).max() > 1e-3


def test_rows_do_not_mix(model: PaliGemma, images: jax.Array, tokens: jax.Array) -> None:
    both = np.asarray(answer(model, images, tokens, jnp.array([3, 5])))
    for row, prefix in enumerate((3, 5)):
        alone = force(model, images[row : row + 1], tokens[row : row + 1], prefix)
        assert np.allclose(both[row], alone[0], atol=1e-5)
