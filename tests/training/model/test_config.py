"""Sizes: from nano to PaliGemma by one object."""

from __future__ import annotations

import json
import math

import jax
import pytest
from flax import nnx
from isyarat.training.model.config import ModelConfig, nano
from isyarat.training.model.paligemma import PaliGemma


@pytest.mark.parametrize("config", [ModelConfig(), nano(512)], ids=lambda config: config.name)
def test_round_trip(config: ModelConfig) -> None:
    text = json.dumps(config.to_dict())
    assert ModelConfig.from_dict(json.loads(text)) == config


def test_image_tokens() -> None:
    assert nano(512).vision.tokens == 9, "one a cell"
    assert ModelConfig().vision.tokens == 256, "one a patch of 14 px"


def count_parameters(config: ModelConfig) -> int:
    """Numbers in the weights; shapes only, nothing is allocated."""
    shapes = nnx.eval_shape(lambda: nnx.state(PaliGemma(config, rngs=nnx.Rngs(0)), nnx.Param))
    return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(shapes))


def test_paligemma_has_its_published_size() -> None:
    assert count_parameters(ModelConfig()) / 1e9 == pytest.approx(2.92, abs=0.005)


def test_nano_is_about_a_million() -> None:
    assert 0.8e6 < count_parameters(nano(512)) < 1.5e6
