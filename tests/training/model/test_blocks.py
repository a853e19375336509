"""Scanning and rematerialisation change speed and memory, never a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.training.model.blocks import stack_modules
from isyarat.training.model.paligemma import PaliGemma

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]


@nnx.jit
def measure(model: PaliGemma, images: jax.Array, tokens: jax.Array, prefix: jax.Array) -> tuple[Any, jax.Array]:
    """The gradient of a loss with respect to the embedding, and the logits."""

    def loss(model: PaliGemma) -> tuple[jax.Array, jax.Array]:
        logits = model.logits(images, tokens, prefix)
        return jnp.square(logits).mean(), logits

    gradients, logits = nnx.grad(loss, has_aux=True)(model)
    return gradients["decoder"]["embedding"][...], logits


@pytest.mark.parametrize("version", [1, 2])
def test_every_way_gives_the_same(version: int, build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    listed = build_paligemma(version, scan=False)
    gradient, logits = measure(listed, *paligemma_inputs)
    assert np.abs(gradient).max() > 0
    stacked = nnx.clone(listed)
    for tower in (stacked.encoder, stacked.decoder):
        tower.blocks = stack_modules(list(tower.blocks))
    for scan, remat in ((True, False), (False, True), (True, True)):
        model = build_paligemma(version, scan=scan, remat=remat)
        nnx.update(model, nnx.state(stacked if scan else listed))
        other_gradient, other_logits = measure(model, *paligemma_inputs)
        assert np.allclose(logits, other_logits, atol=1e-5), (scan, remat)
        assert np.allclose(gradient, other_gradient, atol=1e-5), (scan, remat)


def test_stacked_blocks_are_one_block(build_paligemma: Build) -> None:
    model = build_paligemma(2)
    assert model.decoder.blocks.gate.kernel.shape == (3, 16, 24)
    assert model.encoder.blocks.attention.q.kernel.shape == (2, 16, 16)


@pytest.mark.parametrize(("scan", "remat"), [(False, True), (True, False), (True, True)])
def test_dropout_goes_on_drawing(scan: bool, remat: bool, build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    model = build_paligemma(1, scan=scan, remat=remat, dropout=0.5)
    still = measure(model, *paligemma_inputs)[1]
    assert np.array_equal(measure(model, *paligemma_inputs)[1], still), "evaluation is deterministic"
    model.train()
    first, second = (np.asarray(measure(model, *paligemma_inputs)[1]) for _ in range(2))
    assert not np.allclose(first, second, atol=1e-3), "every step drops something else"
    nnx.reseed(model, default=7, policy="match_shape")
    again = np.asarray(measure(model, *paligemma_inputs)[1])
    nnx.reseed(model, default=7, policy="match_shape")
    assert np.array_equal(measure(model, *paligemma_inputs)[1], again), "a resumed run drops the same"


def test_blocks_drop_apart(build_paligemma: Build) -> None:
    model = build_paligemma(1, dropout=0.5)
    keys = jax.random.key_data(model.decoder.blocks.dropout.rngs.key[...])
    assert len(np.unique(np.asarray(keys), axis=0)) == 3, "each block has a stream of its own"
