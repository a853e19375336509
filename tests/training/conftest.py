"""A toy model, its tokenizer and a few performances of the synthetic signer, for all tests of training."""

from __future__ import annotations

import dataclasses
import os

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
