"""The prefix-LM attention mask of PaliGemma, in one place."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def prefix_mask(prefix_lengths_B: jax.Array, length: int, window: int | None = None) -> jax.Array:
    """Who may look at whom: the prefix sees itself in both directions, the rest is causal.

        query \\ key             | prefix | earlier answer | itself | later answer or padding
        prefix (image, prompt)  |  yes   |       -        |  yes   |     no
        answer                  |  yes   |      yes       |  yes   |     no
        answer, with a window   |  near  |     near       |  yes   |     no

    (PaliGemma, arXiv:2407.07726, section 3.1.) *near*: fewer than `window` tokens back; so Gemma 2's sliding window
    never narrows the prefix. Padding comes after the answer, so that nothing that counts can see it.

    Arguments:
        prefix_lengths_B: int32, tokens of the prefix (image and prompt) of each row.
        length: L, tokens a row.
        window: of a sliding block.

    Returns:
        BxLxL bool; [b, q, k] is True where query q may attend to key k.
    """
    position_L = jnp.arange(length)
    back_LxL = position_L[:, None] - position_L[None, :]
    causal_LxL = back_LxL >= 0 if window is None else (back_LxL >= 0) & (back_LxL < window)
    in_prefix_BxL = position_L[None, :] < prefix_lengths_B[:, None]
    return causal_LxL[None] | (in_prefix_BxL[:, :, None] & in_prefix_BxL[:, None, :])


def decode_mask(
    prefix_lengths_B: jax.Array, padded: int, step: jax.Array, slots: int, window: int | None = None
) -> jax.Array:
    """The row of `prefix_mask` that belongs to one answer token, over a cache in which prompts are padded.

        slot of the cache   | prefix | padding of the prompt | answer up to itself | not written yet
        answer token `step` |  yes   |          no           |         yes         |       no

    Arguments:
        prefix_lengths_B: int32, tokens of the prefix of each row, without padding.
        padded: slots that prefix and padding take together; the answer begins there.
        step: int32 scalar, which answer token asks; the first is 0.
        slots: C, length of the cache.
        window: of a sliding block.

    Returns:
        Bx1xC bool.
    """
    slot_C = jnp.arange(slots)
    seen_BxC = (slot_C < prefix_lengths_B[:, None]) | ((slot_C >= padded) & (slot_C <= padded + step))
    if window is not None:
        answer_BxC = prefix_lengths_B[:, None] + slot_C - padded
        position_BxC = jnp.where(slot_C >= padded, answer_BxC, slot_C)
        seen_BxC &= prefix_lengths_B[:, None] + step - position_BxC < window
    return seen_BxC[:, None]
