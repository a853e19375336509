"""The loop: it learns, and a run that was killed ends like one that was not."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flax import nnx
from isyarat.data.lexicon import NO_SIGN, Lexicon
from isyarat.data.motion_grid import compose_grid
from isyarat.training import train
from isyarat.training.checkpoint import flatten, to_arrays
from isyarat.training.dataset import Dataset
from isyarat.training.encode import encode_answer, encode_prompt
from isyarat.training.model.config import ModelConfig
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recognise import JaxRecogniser
from isyarat.training.recording import Recording
from isyarat.training.settings import TrainSettings
from numpy.typing import NDArray

Weights = dict[tuple[Any, ...], Any]


class KilledError(Exception):
    """Stands for a power cut."""


class FragileDataset(Dataset):
    """Dies when the data of a certain step is asked for."""

    fatal_step: int | None = None

    def draw_batch(self, step: int, size: int) -> dict[str, NDArray[np.generic]]:
        if step == self.fatal_step:
            raise KilledError
        return super().draw_batch(step, size)


def read_log(folder: Path) -> list[dict[str, float]]:
    """Lines of log.jsonl."""
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def test_it_learns_three_words(
    config: ModelConfig, recordings: list[Recording], tokenizer: Tokenizer, settings: TrainSettings, tmp_path: Path
) -> None:
    settings = dataclasses.replace(settings, steps=300, negatives=0.1, smoothing=0.0)
    config = dataclasses.replace(
        config,
        vision=dataclasses.replace(config.vision, dropout=0.0),  # so small a network has nothing to spare
        text=dataclasses.replace(config.text, dropout=0.0),
    )
    dataset = Dataset(recordings, config.vision.grid, tokenizer, settings)
    model = PaliGemma(config, rngs=nnx.Rngs(0))
    train.train_model(model, dataset, settings, tmp_path)
    losses = [line["loss"] for line in read_log(tmp_path)]
    assert len(losses) == 30
    assert np.mean(losses[-3:]) < 0.2 * losses[0]

    entries = {gloss: encode_answer(tokenizer, gloss) for gloss in (*dataset.glosses, NO_SIGN)}
    recogniser = JaxRecogniser(model, encode_prompt(tokenizer, settings.prompt))
    signs = [r for r in recordings if r.gloss != NO_SIGN]
    right = 0
    for recording in signs:
        spec = config.vision.grid
        scores = recogniser.score(compose_grid(recording.draw_cells(spec.cell_size), spec), Lexicon(entries))
        right += max(scores, key=scores.__getitem__) == recording.gloss
    assert right >= len(signs) - 1


def test_killed_and_resumed_is_uninterrupted(
    config: ModelConfig,
    recordings: list[Recording],
    tokenizer: Tokenizer,
    settings: TrainSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(train, "SAVE_EVERY", 4)
    settings = dataclasses.replace(settings, steps=12, batch=4)
    dataset = FragileDataset(recordings, config.vision.grid, tokenizer, settings)

    def run(folder: Path, fatal_step: int | None = None) -> Weights:
        folder.mkdir(exist_ok=True)
        dataset.fatal_step = fatal_step
        return flatten(to_arrays(train.train_model(PaliGemma(config, rngs=nnx.Rngs(0)), dataset, settings, folder)))

    whole = run(tmp_path / "whole")
    with pytest.raises(KilledError):
        run(tmp_path / "killed", fatal_step=7)  # the last checkpoint is that of step 4
    resumed = run(tmp_path / "killed")
    assert whole.keys() == resumed.keys()
    different = [name for name in whole if not np.array_equal(whole[name], resumed[name])]
    assert not different
    first = flatten(to_arrays(PaliGemma(config, rngs=nnx.Rngs(0))))
    assert not all(np.array_equal(whole[name], first[name]) for name in whole), "nothing was trained"
    # A finished run that is started again changes nothing.
    again = run(tmp_path / "whole", fatal_step=0)
    assert all(np.array_equal(whole[name], again[name]) for name in whole)


def test_the_guide_leaves_no_trace_in_the_model(config: ModelConfig) -> None:
    model = PaliGemma(config, rngs=nnx.Rngs(0))
    names = set(flatten(to_arrays(model)))
    trainee = train.Trainee(model, 4, rngs=nnx.Rngs(1))
    assert any("guide" in name for name in flatten(to_arrays(trainee)))
    assert set(flatten(to_arrays(trainee.model))) == names
