"""Recordings: the sign is found where it is, as the translator would find it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.clip import ClipRecord
from isyarat.data.errors import IsyaratError
from isyarat.data.grid_spec import GridSpec
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.motion_grid import compose_grid
from isyarat.data.rendering import find_rendering
from isyarat.data.sign import cut_signs
from isyarat.data.video import Frame, VideoReader
from isyarat.training.recording import (
    Recording,
    name_language,
    record_clip,
    record_clips,
    record_frames,
    record_performance,
    record_performances,
)

SPEC = GridSpec(112, 16)
POSE_SPEC = GridSpec(24, 8)
SCENE = synthetic.Scene(width=160, height=120, fps=15)


def film(show: synthetic.Performance) -> list[Frame]:
    """All frames of a performance."""
    return [Frame(time_s, image) for time_s, image in show.frames()]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipRecord:
    """One sign in a file."""
    path = tmp_path_factory.mktemp("clips") / "saya.mp4"
    synthetic.write_clip(path, synthetic.perform(["SAYA"], scene=SCENE))
    return ClipRecord(path=path, label="SAYA")


def test_the_sign_is_found() -> None:
    show = synthetic.perform(["SAYA"], scene=SCENE)
    recording = record_frames(film(show), "SAYA", SPEC, "pixels")
    assert recording is not None
    assert recording.gloss == "SAYA"
    assert recording.view.shape == (show.frame_count, 32, 32, 3)
    assert len(recording.times_s) == show.frame_count
    (truth,) = show.truth
    assert recording.segment.start_s == pytest.approx(truth.start_s, abs=0.2)
    assert recording.segment.end_s == pytest.approx(truth.end_s, abs=0.2)


def test_of_several_movements_the_longest_counts() -> None:
    show = synthetic.perform(["SAYA", "HALO"], scene=SCENE)
    recording = record_frames(film(show), "HALO", SPEC, "pixels")
    assert recording is not None
    longest = max(show.truth, key=lambda t: t.end_s - t.start_s)
    assert recording.segment.start_s == pytest.approx(longest.start_s, abs=0.2)


def test_nothing_moves() -> None:
    frames = film(synthetic.idle(1.5, scene=SCENE))
    assert record_frames(frames, "SAYA", SPEC, "pixels") is None
    idle = record_frames(frames, NO_SIGN, SPEC, "pixels")
    assert idle is not None
    assert idle.segment.start_s == 0
    assert idle.segment.end_s == pytest.approx(frames[-1].time_s)


def test_training_draws_the_grid_that_translating_draws(clip: ClipRecord) -> None:
    recording = record_clip(clip, SPEC, "pixels")
    assert recording is not None
    (sign,) = cut_signs(VideoReader(clip.path), SPEC, find_rendering("pixels"))
    assert np.array_equal(compose_grid(recording.draw_cells(SPEC.cell_size), SPEC), sign.draw_grid(SPEC).image)


def test_training_sees_the_poses_that_translating_sees(clip: ClipRecord) -> None:
    """Not to the bit: training follows the person through every frame, translating through the nine of the grid."""
    recording = record_clip(clip, POSE_SPEC, "pose")
    assert recording is not None
    (sign,) = cut_signs(VideoReader(clip.path), POSE_SPEC, find_rendering("pose"))
    trained = recording.draw_cells(8).astype(int)
    seen = sign.draw_cells(sign.choose_frames(POSE_SPEC), 8).astype(int)
    other_order = np.abs(trained - np.roll(trained, 4, axis=0)).mean()
    assert np.abs(trained - seen).mean() < other_order / 3


def test_languages_of_clips(clip: ClipRecord) -> None:
    assert name_language(clip) == ""
    british = ClipRecord.model_validate({"path": clip.path, "label": "eat", "language": "BSL", "family": "banz"})
    assert name_language(british) == "banz"


def test_performances_repeat_and_vary() -> None:
    first, again, other = (record_performance(("SAYA", seed), SPEC, "pixels") for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first.view, again.view)
    assert first.origin == "synthetic"
    assert first.view.shape != other.view.shape or not np.array_equal(first.view, other.view)


def test_unknown_words_are_not_performed(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[tuple[str, int]] = []

    def note(function: partial[Recording | None], given: list[tuple[str, int]], name: str) -> list[None]:
        jobs.extend(given)
        return [None] * len(given)

    monkeypatch.setattr("isyarat.training.recording.run_all", note)
    assert record_performances(["SAYA", "KUCING"], 2, 5, SPEC, "pixels") == []
    assert jobs[:2] == [("SAYA", 5), ("SAYA", 6)]
    assert len(jobs) > 2
    assert jobs[2:] == [(NO_SIGN, seed) for seed in range(5, 3 + len(jobs))], "each idles in another way"
    jobs.clear()
    assert record_performances(["SAYA"], 0, 5, SPEC, "pixels") == []
    assert not jobs


def test_a_clip_that_cannot_be_read_is_named_across_processes(clip: ClipRecord, tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("not a video", encoding="utf-8")
    broken = ClipRecord(path=tmp_path / "text.mp4", label="SAYA")
    with pytest.raises(IsyaratError, match=r"text\.mp4.*text file"):
        record_clips([clip, broken], SPEC, "pixels")
