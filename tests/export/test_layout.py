"""Folding and transposing change no result."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from isyarat.export.layout import prepare_model
from isyarat.training.checkpoint import flatten, to_arrays
from isyarat.training.model.paligemma import PaliGemma


@nnx.jit
def answer(model: PaliGemma, images: jax.Array, tokens: jax.Array, prefix: jax.Array) -> jax.Array:
    """Teacher-forced logits."""
    return model.logits(images, tokens, prefix)


def test_the_same_logits(model: PaliGemma) -> None:
    before = {name: np.asarray(value) for name, value in flatten(to_arrays(model)).items()}
    prepared = prepare_model(model)
    images = jax.random.uniform(jax.random.key(0), (2, 112, 112, 3), minval=-1.0, maxval=1.0)
    tokens = jax.random.randint(jax.random.key(1), (2, 7), 0, 30)
    prefix = jnp.array([3, 4])
    expected = answer(model, images, tokens, prefix)
    assert np.allclose(answer(prepared, images, tokens, prefix), expected, atol=1e-5)
    assert np.abs(expected).max() > 1
    after = flatten(to_arrays(model))
    assert all(np.array_equal(before[name], after[name]) for name in before), "the model itself must stay as it is"


def test_the_layout_is_what_converts_best(model: PaliGemma) -> None:
    prepared = prepare_model(model)
    assert not [m for _, m in nnx.iter_graph(prepared) if isinstance(m, nnx.BatchNorm)]
    config = model.config.text
    assert prepared.decoder.blocks[0].gate.kernel.shape == (config.mlp_dim, config.width)


def test_a_patch_stem_passes(model: PaliGemma) -> None:
    # Only the cell-by-cell stem has norms to fold.
    vision = dataclasses.replace(model.config.vision, stem="patch", patch_size=28, cell_channels=())
    patched = PaliGemma(dataclasses.replace(model.config, vision=vision), rngs=nnx.Rngs(0))
    patched.eval()
    images = jax.random.normal(jax.random.key(0), (1, 112, 112, 3))
    tokens, prefix = jnp.zeros((1, 4), jnp.int32), jnp.array([2])
    expected = answer(patched, images, tokens, prefix)
    assert np.allclose(answer(prepare_model(patched), images, tokens, prefix), expected, atol=1e-5)
