"""The mask, entry by entry."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from isyarat.training.model.mask import prefix_mask


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
