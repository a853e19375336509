"""The prefix-LM attention mask of PaliGemma, in one place."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def prefix_mask(prefix_lengths_B: jax.Array, length: int) -> jax.Array:
    """Who may look at whom: the prefix sees itself in both directions, the rest is causal.

        query \\ key   | prefix | earlier answer | itself | later answer
        prefix (image,  |  yes   |       -        |  yes   |     no
          prompt)       |        |                |        |
        answer          |  yes   |      yes       |  yes   |     no

    (PaliGemma, arXiv:2407.07726, section 3.1.)

    Arguments:
        prefix_lengths_B: int32, tokens of the prefix (image and prompt) of each row.
        length: L, tokens a row.

    Returns:
        BxLxL bool; [b, q, k] is True where query q may attend to key k.
    """
    position_L = jnp.arange(length)
    causal_LxL = position_L[None, :] <= position_L[:, None]
    in_prefix_Bx1xL = (position_L[None, :] < prefix_lengths_B[:, None])[:, None, :]
    return causal_LxL[None] | in_prefix_Bx1xL
