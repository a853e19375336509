"""The decoder: its cache gives what teacher forcing gives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from isyarat.training.model.decoder import Decoder, RMSNorm, look_up, rotate
from isyarat.training.model.paligemma import PaliGemma

LENGTH = 6


@pytest.fixture(scope="module")
def decoder(model: PaliGemma) -> Decoder:
    """The toy's."""
    return model.decoder


@pytest.fixture(scope="module")
def tokens_BxT() -> jax.Array:
    """Two rows of text."""
    return jax.random.randint(jax.random.key(0), (2, LENGTH), 0, 40)


def test_cache_step_by_step_equals_teacher_forcing(decoder: Decoder, tokens_BxT: jax.Array) -> None:
    causal = jnp.broadcast_to(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), (2, LENGTH, LENGTH))
    positions = jnp.broadcast_to(jnp.arange(LENGTH), (2, LENGTH))
    x = decoder.embed(tokens_BxT)
    states, _ = decoder(x, positions, causal, decoder.empty_caches(2, LENGTH), jnp.int32(0))
    forced_BxTxV = decoder.logits(states)
    room = LENGTH + 3  # a cache longer than the text changes nothing
    caches = decoder.empty_caches(2, room)
    for t in range(LENGTH):
        mask = jnp.broadcast_to(jnp.arange(room) <= t, (2, 1, room))
        states, caches = decoder(x[:, t : t + 1], positions[:, t : t + 1], mask, caches, jnp.int32(t))
        assert np.allclose(decoder.logits(states)[:, 0], forced_BxTxV[:, t], atol=1e-4)


def test_rotation_keeps_length_and_sees_distance_only() -> None:
    q, k = jax.random.normal(jax.random.key(1), (2, 1, 1, 1, 8))

    def score(at_q: int, at_k: int) -> float:
        a, b = rotate(q, jnp.array([[at_q]])), rotate(k, jnp.array([[at_k]]))
        return float((a * b).sum())

    assert float(jnp.linalg.norm(rotate(q, jnp.array([[7]])))) == pytest.approx(float(jnp.linalg.norm(q)), rel=1e-5)
    assert score(3, 1) == pytest.approx(score(12, 10), abs=1e-4)
    assert score(3, 1) != pytest.approx(score(3, 2), abs=1e-3)
    assert np.array_equal(rotate(q, jnp.array([[0]])), q), "position 0 is not turned"


def test_norm_starts_as_plain_root_mean_square() -> None:
    x = jnp.array([[3.0, 4.0]])
    assert np.allclose(RMSNorm(2)(x), np.array([[3.0, 4.0]]) / np.sqrt(12.5), atol=1e-5)


def test_embedding_is_tied_and_scaled(decoder: Decoder) -> None:
    table_VxD = decoder.embedding[...]
    width = decoder.config.width
    assert np.allclose(decoder.embed(jnp.array([[5]]))[0, 0], table_VxD[5] * np.sqrt(width))
    assert np.allclose(decoder.logits(jnp.eye(width)[None, 3:4])[0, 0], table_VxD[:, 3])


def test_lookup_has_the_gradient_of_its_rows() -> None:
    table = jnp.arange(12.0).reshape(4, 3)
    ids = jnp.array([2, 0, 2])
    gradient = jax.grad(lambda t: look_up(t, ids).sum())(table)
    assert np.array_equal(gradient, np.array([1.0, 0.0, 2.0, 0.0])[:, None] * np.ones(3))
