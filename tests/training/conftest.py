"""A toy model, its tokenizer and a few performances of the synthetic signer, for all tests of training."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.data import synthetic
from isyarat.data.grid_spec import GridSpec
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.video import Frame
from isyarat.training.model.config import ModelConfig, TextConfig, VisionConfig
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recording import Recording, record_frames
from isyarat.training.settings import TrainSettings, load_settings
from numpy.typing import NDArray

# Compiling is most of what these tests do; it takes half the time without optimisation.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

GLOSSES = ("APA", "SAYA", "TERIMA_KASIH")
PROMPT = "isyarat"


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Knows a few words."""
    return Tokenizer.train(["apa", "apa kabar", "saya", "terima kasih", PROMPT] * 20, 48)


@pytest.fixture(scope="session")
def config(tokenizer: Tokenizer) -> ModelConfig:
    """Every part of nano, as small as it can be."""
    vision = VisionConfig(
        stem="cells", image_size=112, patch_size=16, width=32, depth=1, heads=2, mlp_dim=64,
        cell_channels=(8, 16, 32), dropout=0.1,
    )  # fmt: skip
    text = TextConfig(
        vocabulary=tokenizer.size, width=32, depth=2, heads=4, kv_heads=2, head_dim=8, mlp_dim=64, dropout=0.1
    )
    return ModelConfig("toy", vision, text, cache=24)


@pytest.fixture(scope="session")
def model(config: ModelConfig) -> PaliGemma:
    """Untrained, in evaluation mode; not to be changed."""
    built = PaliGemma(config, rngs=nnx.Rngs(0))
    built.eval()
    return built


@pytest.fixture(scope="session")
def settings() -> TrainSettings:
    """Of a run that takes seconds."""
    tiny = {"prompt": PROMPT, "text_length": 12, "steps": 60, "batch": 8, "learning_rate": 4e-3, "negatives": 0.2}
    return load_settings("nano", tiny)


def record(gloss: str, seed: int, spec: GridSpec, origin: str = "synthetic") -> Recording:
    """A performance, small and at a low rate, in memory."""
    scene = synthetic.Scene(width=160, height=120, fps=12, seed=seed)
    if gloss == NO_SIGN:
        show = synthetic.idle(3.0, behaviour="sway", scene=scene, seed=seed)
    else:
        scene = dataclasses.replace(scene, background=("plain", "green", "room")[seed % 3])
        show = synthetic.perform([gloss], scene=scene, rest_s=0.5, seed=seed)
    frames = (Frame(time_s, image) for time_s, image in show.frames())
    recording = record_frames(frames, gloss, spec, "pixels", origin)
    assert recording is not None
    return recording


@pytest.fixture(scope="session")
def recordings(config: ModelConfig) -> list[Recording]:
    """Two performances of each gloss, and two idle ones."""
    return [record(gloss, seed, config.vision.grid) for gloss in (*GLOSSES, NO_SIGN) for seed in (1, 2)]


@pytest.fixture(scope="session")
def build_paligemma() -> Callable[..., PaliGemma]:
    """Builds a random PaliGemma 1 or 2 with every part of the large ones, in evaluation mode."""

    @functools.cache
    def build(version: int, scan: bool, remat: bool, seed: int, dropout: float) -> PaliGemma:
        vision = VisionConfig(image_size=42, patch_size=14, width=16, depth=2, heads=2, mlp_dim=24, dropout=dropout)
        text = TextConfig(
            vocabulary=64, width=16, depth=3, heads=4, kv_heads=version, head_dim=8, mlp_dim=24, dropout=dropout
        )
        if version == 2:
            text = dataclasses.replace(
                text, query_scalar=10.0, attention_cap=5.0, logit_cap=3.0, sliding_window=6, post_norms=True
            )
        config = ModelConfig(f"tiny{version}", vision, text, cache=32, scan=scan, remat=remat)
        if dropout:
            return PaliGemma(config, rngs=nnx.Rngs(seed))
        # Filled by NumPy: JAX would compile the drawing of every shape.
        graph, state = nnx.split(nnx.eval_shape(lambda: PaliGemma(config, rngs=nnx.Rngs(0))))
        rng = np.random.default_rng(seed)
        filled = [
            (path, leaf.replace(jnp.asarray(draw(rng, path, leaf.shape), jnp.float32)))
            for path, leaf in nnx.to_flat_state(state)
        ]
        return nnx.merge(graph, nnx.from_flat_state(filled))  # type: ignore[no-any-return]

    def draw(rng: np.random.Generator, path: tuple[object, ...], shape: tuple[int, ...]) -> NDArray[np.float64]:
        if path[-1] == "scale":
            return 1 + 0.2 * rng.normal(size=shape)
        fan_in = math.prod(shape[:-1]) if "conv" in path else 1 if path[-1] == "bias" else shape[-2]
        return rng.normal(size=shape) / math.sqrt(fan_in)

    def copy(version: int, *, scan: bool = True, remat: bool = False, seed: int = 0, dropout: float = 0.0) -> PaliGemma:
        model: PaliGemma = nnx.clone(build(version, scan, remat, seed, dropout))
        model.eval()
        return model

    return copy


@pytest.fixture(scope="session")
def paligemma_inputs() -> tuple[jax.Array, jax.Array, jax.Array]:
    """Two pictures, two rows of ten tokens, and the lengths of their prefixes, for `build_paligemma`."""
    images = jax.random.uniform(jax.random.key(0), (2, 42, 42, 3), minval=-1.0, maxval=1.0)
    tokens = jax.random.randint(jax.random.key(1), (2, 10), 5, 60)
    return images, tokens, jnp.array([4, 6], jnp.int32)
