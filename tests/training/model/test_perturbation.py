"""What may depend on what in PaliGemma 1 and 2: changes one input and looks at which outputs move."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from isyarat.training.model.paligemma import PaliGemma
from numpy.typing import NDArray

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]
ENDS = 8  # tokens before the padding


@pytest.fixture(scope="module", params=[1, 2])
def answer(request: pytest.FixtureRequest, build_paligemma: Build) -> Callable[..., NDArray[np.float32]]:
    """Teacher-forced logits of PaliGemma 1 and 2."""
    model = build_paligemma(request.param)
    compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    return lambda *inputs: np.asarray(compute(model, *inputs))


def measure_loss(logits_BxTxV: NDArray[np.float32], tokens_BxT: jax.Array, lengths_B: jax.Array) -> float:
    """Of the answers."""
    place = jnp.arange(tokens_BxT.shape[1])[None]
    weights = (place >= lengths_B[:, None]) & (place < ENDS)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits_BxTxV[:, :-1], tokens_BxT[:, 1:])
    return float((losses * weights[:, 1:]).sum())


def test_padding_never_moves_the_loss(answer: Callable[..., NDArray[np.float32]], paligemma_inputs: Inputs) -> None:
    images, tokens, lengths = paligemma_inputs
    before = measure_loss(answer(images, tokens, lengths), tokens, lengths)
    for padding in (0, 7, 63):
        padded = tokens.at[:, ENDS:].set(padding)
        assert measure_loss(answer(images, padded, lengths), padded, lengths) == before
    changed = tokens.at[:, ENDS - 1].add(1)
    assert measure_loss(answer(images, changed, lengths), changed, lengths) != before, "the loss sees the answer"


def test_a_later_answer_never_moves_earlier_logits(
    answer: Callable[..., NDArray[np.float32]], paligemma_inputs: Inputs
) -> None:
    images, tokens, lengths = paligemma_inputs
    before = answer(images, tokens, lengths)
    for t in range(6, 10):
        after = answer(images, tokens.at[:, t].add(1), lengths)
        assert np.array_equal(before[:, :t], after[:, :t])
        assert np.abs(before[:, t] - after[:, t]).max() > 1e-4


def test_the_prompt_sees_the_picture_and_itself(
    answer: Callable[..., NDArray[np.float32]], paligemma_inputs: Inputs
) -> None:
    images, tokens, lengths = paligemma_inputs
    before = answer(images, tokens, lengths)
    for corner in ((0, 0), (28, 28)):
        after = answer(images.at[:, corner[0], corner[1]].add(1.0), tokens, lengths)
        assert (np.abs(before - after).max(-1) > 1e-6).all(), "a token does not see the picture"
    after = answer(images, tokens.at[0, 3].add(1), lengths)
    assert (np.abs(before - after).max(-1) > 1e-6)[0].all(), "an early prompt token does not see the last one"
    assert np.array_equal(before[1], after[1]), "rows mix"


def test_the_sliding_window_forgets(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    images, tokens, lengths = paligemma_inputs
    model = build_paligemma(2)
    assert model.find_window(9 + 10) == 6, "longer than the window"
    assert model.find_window(6) is None
    narrow = model.logits(images, tokens, lengths)
    object.__setattr__(model.config.text, "sliding_window", None)
    try:
        wide = model.logits(images, tokens, lengths)
    finally:
        object.__setattr__(model.config.text, "sliding_window", 6)
    prompt = slice(0, 4)
    assert np.allclose(narrow[:, prompt], wide[:, prompt], atol=1e-5), "the prefix sees itself whole"
    assert np.abs(narrow[:, 6:] - wide[:, 6:]).max() > 1e-4


def test_bfloat16_computes_the_same_roughly(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    for version in (1, 2):
        full = build_paligemma(version)
        shapes = nnx.eval_shape(lambda full=full: PaliGemma(full.config, rngs=nnx.Rngs(0), dtype=jnp.bfloat16))
        half = nnx.merge(nnx.split(shapes)[0], nnx.state(full))
        half.eval()
        compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
        wanted, found = compute(full, *paligemma_inputs), compute(half, *paligemma_inputs)
        assert found.dtype == jnp.float32
        assert half.encoder(paligemma_inputs[0]).dtype == jnp.bfloat16
        assert 0 < np.abs(wanted - found).max() < 0.05 * np.ptp(wanted)
