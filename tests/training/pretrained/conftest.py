"""Checkpoints of tiny models in both formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_big_vision, save_huggingface


@pytest.fixture(scope="module", params=[1, 2], ids=["paligemma1", "paligemma2"])
def model(request: pytest.FixtureRequest, build_paligemma: Callable[..., PaliGemma]) -> PaliGemma:
    """A PaliGemma 1 and a PaliGemma 2."""
    return build_paligemma(request.param)


@pytest.fixture(scope="module")
def folder(model: PaliGemma, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hugging Face's layout, in several files."""
    path = tmp_path_factory.mktemp("huggingface") / "model"
    save_huggingface(model, path, shard_bytes=24_000)
    assert len(list(path.glob("model-0000?-of-0000?.safetensors"))) > 2
    return path


@pytest.fixture(scope="module")
def npz(model: PaliGemma, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """big_vision's layout."""
    path = tmp_path_factory.mktemp("big_vision") / "model.npz"
    save_big_vision(model, path)
    return path
