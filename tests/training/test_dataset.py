"""Training examples: the same for the same step, every word as often, a share without a sign."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.motion_grid import GUTTER
from isyarat.data.segment import Segment
from isyarat.training.dataset import Dataset, draw_rest, draw_sign
from isyarat.training.model.config import ModelConfig
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recording import Recording
from isyarat.training.settings import TrainSettings


@pytest.fixture(scope="module")
def dataset(recordings: list[Recording], config: ModelConfig, tokenizer: Tokenizer, settings: TrainSettings) -> Dataset:
    """The performances, one of the three words five times as often as the others."""
    more = [dataclasses.replace(recordings[0]) for _ in range(8)]
    return Dataset([*recordings, *more], config.vision.grid, tokenizer, settings)


def test_a_step_has_its_data(dataset: Dataset) -> None:
    first, again, next_one = dataset.draw_batch(3, 4), dataset.draw_batch(3, 4), dataset.draw_batch(4, 4)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["images"], next_one["images"])


def test_another_seed_has_other_data(
    dataset: Dataset, recordings: list[Recording], tokenizer: Tokenizer, settings: TrainSettings
) -> None:
    other = Dataset(recordings, dataset.spec, tokenizer, dataclasses.replace(settings, seed=1))
    assert not np.array_equal(other.draw_batch(3, 4)["images"], dataset.draw_batch(3, 4)["images"])


def test_shapes_and_ranges(dataset: Dataset) -> None:
    batch = dataset.draw_batch(0, 6)
    assert {name: (array.shape, array.dtype.name) for name, array in batch.items()} == {
        "images": ((6, 112, 112, 3), "float32"),
        "tokens": ((6, 12), "int32"),
        "prefix": ((6,), "int32"),
        "weights": ((6, 12), "float32"),
        "classes": ((6,), "int32"),
    }
    assert batch["images"].min() >= -1
    assert batch["images"].max() <= 1
    gutter = GUTTER / 127.5 - 1
    assert np.allclose(batch["images"][:, :, 64:80], gutter, atol=1e-6), "augmentation stays within the cells"
    for tokens_T, label in zip(batch["tokens"], batch["classes"], strict=True):
        gloss = list(dataset.classes)[int(label)]
        assert np.array_equal(tokens_T, dataset.encoded[gloss].tokens_T)


def test_words_and_negatives_have_their_share(dataset: Dataset, settings: TrainSettings) -> None:
    rng = np.random.default_rng(0)
    n = 600
    counts = Counter(dataset.draw_example(rng)[0] for _ in range(n))
    assert {gloss for _, gloss in counts} == {"APA", "SAYA", "TERIMA_KASIH", NO_SIGN}
    # Three standard deviations of a binomial.
    assert counts["", NO_SIGN] / n == pytest.approx(settings.negatives, abs=0.05)
    for gloss in dataset.glosses:
        assert counts["", gloss] / n == pytest.approx((1 - settings.negatives) / 3, abs=0.06), gloss


def test_synthetic_and_recorded_clips_have_their_share(
    recordings: list[Recording], config: ModelConfig, tokenizer: Tokenizer, settings: TrainSettings
) -> None:
    cells = np.zeros_like(recordings[0].view)
    real = [dataclasses.replace(recordings[0], origin="real", view=cells) for _ in range(3)]
    mixed = dataclasses.replace(settings, negatives=0.0, synthetic=0.3)
    dataset = Dataset([*recordings[:2], *real], config.vision.grid, tokenizer, mixed)
    rng = np.random.default_rng(0)
    black = [dataset.draw_example(rng)[1].max() < 40 for _ in range(300)]
    assert np.mean(black) == pytest.approx(0.7, abs=0.08)


def test_a_sign_is_drawn_in_order_from_its_moving_part(recordings: list[Recording]) -> None:
    recording = recordings[0]
    # Every frame is filled with its number, so the cells tell which frames they are.
    numbers = np.arange(len(recording.times_s), dtype=np.uint8)
    recording = dataclasses.replace(recording, view=np.tile(numbers[:, None, None, None], (1, 4, 4, 3)))
    start, end = recording.segment.start_s, recording.segment.end_s
    assert recording.times_s[-1] - end > 0.3
    drawn = set()
    for seed in range(20):
        frames = draw_sign(recording, 9, np.random.default_rng(seed))[:, 0, 0, 0]
        assert (np.diff(frames.astype(int)) >= 0).all()
        times = recording.times_s[frames]
        # 0.13 s of jitter, one frame of it (1/12 s), and half a frame of rounding.
        assert (times > start - 0.27).all()
        assert (times < end + 0.27).all()
        drawn.add(tuple(frames.tolist()))
        rest = recording.times_s[draw_rest(recording, 9, np.random.default_rng(seed))[:, 0, 0, 0]]
        assert ((rest < start) | (rest > end)).all()
    assert len(drawn) > 15, "timing does not vary"


def test_movements_of_idling_are_what_it_learns_to_refuse(
    recordings: list[Recording], config: ModelConfig, tokenizer: Tokenizer, settings: TrainSettings
) -> None:
    """The segmenter takes fidgeting for signs, so exactly these movements must be among the negatives."""
    cells = np.zeros((40, 64, 64, 3), np.uint8)
    cells[18:32] = 200  # the one movement, and around it the jitter of its boundaries
    times_s = np.arange(40) / 10
    idle = Recording(NO_SIGN, times_s, cells, Segment(0.0, 3.9), "synthetic", moves=(Segment(2.2, 2.7),))
    signs = [recording for recording in recordings if recording.gloss != NO_SIGN]
    dataset = Dataset([*signs, idle], config.vision.grid, tokenizer, settings)
    rng = np.random.default_rng(0)
    drawn = [dataset.draw_idle(recordings[0], rng) for _ in range(200)]
    share = np.mean([bool((picture == 200).all()) for picture in drawn])
    assert 0.3 < share < 0.6, "0.6 of the negatives idle, 0.75 of those show a movement"
