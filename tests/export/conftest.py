"""A toy model on disk and its bundle, for all tests of export."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import jax
import pytest
from flax import nnx
from isyarat.data.lexicon import NO_SIGN
from isyarat.export.bundle import Bundle
from isyarat.export.litert import write_bundle
from isyarat.training.checkpoint import save_model
from isyarat.training.encode import encode_answer
from isyarat.training.model.config import ModelConfig, TextConfig, VisionConfig
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer

# Compiling is most of what these tests do; it takes half the time without optimisation.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# APA is how APA_KABAR begins, so decoding has a choice in the middle of an answer.
GLOSSES = ("APA", "APA_KABAR", "SAYA", NO_SIGN)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Knows a few words."""
    return Tokenizer.train(["apa", "apa kabar", "saya", "isyarat"] * 20, 40)


@pytest.fixture(scope="session")
def model(tokenizer: Tokenizer) -> PaliGemma:
    """Untrained, but with batch norms as if it had seen pictures; not to be changed."""
    vision = VisionConfig(
        stem="cells", image_size=112, patch_size=16, width=32, depth=1, heads=2, mlp_dim=64, cell_channels=(8, 16)
    )
    text = TextConfig(vocabulary=tokenizer.size, width=32, depth=2, heads=4, kv_heads=2, head_dim=8, mlp_dim=64)
    built = PaliGemma(ModelConfig("toy", vision, text, cache=20), rngs=nnx.Rngs(0))
    keys = iter(jax.random.split(jax.random.key(7), 100))
    norms = [module for _, module in nnx.iter_graph(built) if isinstance(module, nnx.BatchNorm)]
    assert norms
    for norm in norms:
        assert norm.scale is not None
        assert norm.bias is not None
        for values in (norm.mean, norm.bias):
            values[...] = 0.3 * jax.random.normal(next(keys), values.shape)
        for values in (norm.var, norm.scale):
            values[...] = jax.random.uniform(next(keys), values.shape, minval=0.5, maxval=2.0)
    built.eval()
    return built


@pytest.fixture(scope="session")
def model_folder(model: PaliGemma, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model as a training run leaves it."""
    folder = tmp_path_factory.mktemp("run") / "model"
    source = {
        "signer": "T1", "licence": "CC0", "source": "the tests", "clips": 3, "words": 3, "backgrounds": ["green"],
    }  # fmt: skip
    facts = {
        "prompt": "isyarat",
        "rendering": "pixels",
        "lexicon": {gloss: encode_answer(tokenizer, gloss) for gloss in GLOSSES},
        "sources": [source],
        "temperature": 1.5,
        "threshold": 0.2,
    }
    save_model(folder, model, tokenizer, facts)
    return folder


@pytest.fixture(scope="session")
def exported(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle in f32 and int8; not to be changed."""
    folder = tmp_path_factory.mktemp("exported") / "bundle"
    figures = {"cross_signer": {"top-1": {"k": 7, "n": 22, "interval_95": [0.164, 0.526]}}}
    write_bundle(model_folder, folder, ("f32", "int8"), "int8", figures)
    return folder


@pytest.fixture
def copied(exported: Path, tmp_path: Path) -> Path:
    """A copy of the bundle, to be damaged."""
    return Path(shutil.copytree(exported, tmp_path / "bundle"))


@pytest.fixture
def bundle(exported: Path) -> Bundle:
    """The bundle, opened afresh."""
    return Bundle.open(exported)
