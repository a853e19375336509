"""Sizes: from nano to PaliGemma by one object."""

from __future__ import annotations

import json
import math

import jax
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.model.config import ModelConfig, find_config, nano
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


@pytest.mark.parametrize(
    ("name", "billions"),
    # As the checkpoints on Hugging Face's hub state them.
    [
        ("paligemma-3b-224", 2.92),
        ("paligemma2-3b-448", 3.03),
        ("paligemma2-10b-224", 9.66),
        ("paligemma2-28b-896", 27.7),
    ],
)
def test_paligemma_has_its_published_size(name: str, billions: float) -> None:
    config = find_config(name)
    assert count_parameters(config) / 1e9 == pytest.approx(billions, rel=0.003)
    assert config.vision.tokens == (int(name.rpartition("-")[2]) // 14) ** 2


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(IsyaratError, match=r"paligemma-3b-225.*paligemma2-28b-896"):
        find_config("paligemma-3b-225")


def test_configurations_of_older_bundles_are_read() -> None:
    values = nano(512).to_dict()
    del values["scan"], values["remat"], values["text"]["post_norms"]
    assert ModelConfig.from_dict(values) == nano(512)


def test_nano_is_about_a_million() -> None:
    assert 0.8e6 < count_parameters(nano(512)) < 1.5e6
