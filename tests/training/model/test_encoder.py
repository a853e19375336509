"""The encoder: a cell is read by itself, gutters not at all."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.training.model.config import VisionConfig
from isyarat.training.model.encoder import CellStem, Encoder
from isyarat.training.model.paligemma import PaliGemma


@pytest.fixture(scope="module")
def image_1xHxWx3() -> jax.Array:
    """Noise: nothing is alike by chance."""
    return jax.random.uniform(jax.random.key(0), (1, 112, 112, 3), minval=-1.0, maxval=1.0)


@pytest.fixture(scope="module")
def stem(model: PaliGemma) -> CellStem:
    """The toy's."""
    assert isinstance(model.encoder.stem, CellStem)
    return model.encoder.stem


def test_gutters_are_not_read(model: PaliGemma, image_1xHxWx3: jax.Array) -> None:
    before = model.encoder(image_1xHxWx3)
    # 112 px in patches of 16: cells of 32 px at 0, 32 and 80; one gutter, at 64.
    assert model.config.vision.grid.origins()[2] == (0, 80)
    changed = image_1xHxWx3.at[:, :, 64:80].set(1.0).at[:, 64:80].set(-1.0)
    assert np.array_equal(model.encoder(changed), before)
    assert not np.array_equal(model.encoder(image_1xHxWx3.at[:, :, 63].set(1.0)), before)


@pytest.mark.parametrize("cell", [0, 4, 8])
def test_a_cell_changes_its_token_only(stem: CellStem, image_1xHxWx3: jax.Array, cell: int) -> None:
    before = np.asarray(stem(image_1xHxWx3))[0]
    y, x = stem.origins[cell]
    changed = image_1xHxWx3.at[:, y : y + stem.cell, x : x + stem.cell].multiply(-1.0)
    after = np.asarray(stem(changed))[0]
    assert [i for i in range(9) if not np.array_equal(before[i], after[i])] == [cell]


def test_all_cells_share_one_network(stem: CellStem) -> None:
    picture = jnp.zeros((1, 112, 112, 3))
    cell = jax.random.normal(jax.random.key(2), (32, 32, 3))
    for y, x in stem.origins:
        picture = picture.at[0, y : y + 32, x : x + 32].set(cell)
    tokens_FxD = np.asarray(stem(picture))[0]
    assert np.allclose(tokens_FxD, tokens_FxD[0], atol=1e-5)
    assert tokens_FxD.std(axis=1).min() > 0


def test_patch_stem() -> None:
    config = VisionConfig(image_size=56, patch_size=14, width=8, depth=1, heads=2, mlp_dim=16)
    encoder = Encoder(config, rngs=nnx.Rngs(0))
    images = jax.random.normal(jax.random.key(3), (2, 56, 56, 3))
    assert encoder(images).shape == (2, 16, 8)
    before = np.asarray(encoder.stem(images))
    after = np.asarray(encoder.stem(images.at[:, 14:28, 28:42].set(0.0)))
    assert before.shape == (2, 16, 8)
    assert np.flatnonzero((before != after).any(axis=(0, 2))).tolist() == [4 + 2], "row by row"


def test_training_mode_differs_from_evaluation(config: object, model: PaliGemma) -> None:
    trained = nnx.clone(model)
    image = jax.random.normal(jax.random.key(4), (2, 112, 112, 3))
    still = np.asarray(trained.encoder(image))
    assert np.array_equal(trained.encoder(image), still), "evaluation is deterministic"
    trained.train()
    assert not np.allclose(trained.encoder(image), still, atol=1e-3), "batch norm and dropout are on"
