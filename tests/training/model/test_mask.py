"""The mask, entry by entry."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from isyarat.training.model.mask import decode_mask, prefix_mask


def test_truth_table() -> None:
    # Two tokens of prefix, then three of answer; a row is a query, a column is a key.
    table = [
        [1, 1, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 1, 0],
        [1, 1, 1, 1, 1],
    ]
    assert np.array_equal(prefix_mask(jnp.array([2]), 5)[0], np.array(table, bool))


def test_every_row_has_its_own_prefix() -> None:
    mask_BxLxL = np.asarray(prefix_mask(jnp.array([0, 1, 4]), 4))
    assert np.array_equal(mask_BxLxL[0], np.tril(np.ones((4, 4), bool)))  # no prefix: causal
    assert np.array_equal(mask_BxLxL[1], np.tril(np.ones((4, 4), bool)))  # one token sees itself anyway
    assert mask_BxLxL[2].all()  # nothing but prefix: everybody sees everybody


def test_a_window_narrows_the_answer_only() -> None:
    # Three tokens of prefix, then three of answer; a window of two.
    table = [
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 1],
    ]
    assert np.array_equal(prefix_mask(jnp.array([3]), 6, window=2)[0], np.array(table, bool))


def test_decoding_asks_row_by_row_what_the_whole_mask_says() -> None:
    prefix, padded, steps = 3, 5, 4  # two slots of padding between the prompt and the answer
    kept = [0, 1, 2, *range(padded, padded + steps)]
    for window in (None, 2, 4, 100):
        whole = np.asarray(prefix_mask(jnp.array([prefix]), prefix + steps, window))[0]
        for step in range(steps):
            row = np.asarray(decode_mask(jnp.array([prefix]), padded, jnp.int32(step), padded + steps, window))[0, 0]
            assert np.array_equal(row[kept], whole[prefix + step]), (window, step)
            assert not row[prefix:padded].any(), "padding is seen"
