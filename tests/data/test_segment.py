"""Segments of performances whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from isyarat.data.segment import Segment, Segmenter, State, shrink
from isyarat.data.synthetic import Performance, Scene, Style, idle, perform
from isyarat.data.video import Image

SMALL = Scene(width=160, height=120, fps=30.0)


def segment(frames: Iterable[tuple[float, Image]]) -> list[Segment]:
    segmenter = Segmenter()
    found = [s for time_s, image in frames for s in segmenter.push(image, time_s)]
    return found + segmenter.flush()


def assert_true(performance: Performance, found: list[Segment], tolerance_s: float = 0.25) -> None:
    assert len(found) == len(performance.truth)
    for got, wanted in zip(found, performance.truth, strict=True):
        assert got.start_s == pytest.approx(wanted.start_s, abs=tolerance_s)
        assert got.end_s == pytest.approx(wanted.end_s, abs=tolerance_s)


@pytest.mark.parametrize("gloss", ["HALO", "TERIMA_KASIH", "MAKAN", "KAMU"])
def test_one_sign(gloss: str) -> None:
    performance = perform([gloss], scene=SMALL, seed=1)
    assert_true(performance, segment(performance.frames()))


def test_two_signs_with_a_rest() -> None:
    performance = perform(["HALO", "SAYA"], scene=SMALL, rest_s=0.8, seed=1)
    assert_true(performance, segment(performance.frames()))


def test_the_same_sign_twice() -> None:
    performance = perform(["MAKAN", "MAKAN"], scene=SMALL, rest_s=0.8, seed=2)
    assert_true(performance, segment(performance.frames()))


def test_hands_that_only_touch_the_rest() -> None:
    """A rest shorter than it takes to settle still parts two signs."""
    performance = perform(["TERIMA_KASIH", "TERIMA_KASIH"], scene=SMALL, rest_s=[0.6, 0.1, 0.6], seed=1)
    assert_true(performance, segment(performance.frames()))


@pytest.mark.parametrize("shift", [0.05, -0.08])
def test_film_that_was_cut_between_signs(shift: float) -> None:
    """After the cut the signer stands elsewhere: the new posture is rest, not a sign that goes on."""
    first = perform(["HALO"], scene=SMALL, seed=1)
    second = perform(["MAKAN"], scene=replace(SMALL, offset_x=shift), seed=2)
    later = [(first.duration_s + time_s, image) for time_s, image in second.frames()]
    found = segment([*first.frames(), *later])
    assert len(found) == 2
    assert found[0].end_s == pytest.approx(first.truth[0].end_s, abs=0.25)
    assert found[1].start_s == pytest.approx(first.duration_s + second.truth[0].start_s, abs=0.25)


def test_slow_sign_is_one() -> None:
    performance = perform(["TERIMA_KASIH"], scene=SMALL, style=Style(speed=0.5), seed=1)
    assert_true(performance, segment(performance.frames()))


def hold(performance: Performance, at_s: float, for_s: float) -> list[tuple[float, Image]]:
    """The performance with the frame at `at_s` held for `for_s`."""
    frames = list(performance.frames())
    fps = performance.fps
    index = round(at_s * fps)
    still = [(frames[index][0] + k / fps, frames[index][1]) for k in range(1, round(for_s * fps) + 1)]
    return frames[: index + 1] + still + [(t + for_s, image) for t, image in frames[index + 1 :]]


@pytest.mark.parametrize("gloss", ["SAYA", "TERIMA_KASIH"])
@pytest.mark.parametrize("for_s", [0.8, 3.0])
def test_held_sign_counts_once(gloss: str, for_s: float) -> None:
    performance = perform([gloss], scene=SMALL, seed=1)
    truth = performance.truth[0]
    found = segment(hold(performance, (truth.start_s + truth.end_s) / 2, for_s))
    assert len(found) == 1
    assert found[0].start_s == pytest.approx(truth.start_s, abs=0.25)


@pytest.mark.parametrize("behaviour", ["still", "empty"])
def test_idle_gives_nothing(behaviour: str) -> None:
    performance = replace(idle(20, behaviour=behaviour, scene=SMALL, seed=1), fps=15.0)
    assert segment(performance.frames()) == []


def test_no_frames() -> None:
    assert segment([]) == []


def test_still_picture_gives_nothing() -> None:
    image = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    assert segment((k / 10, image) for k in range(100)) == []


@pytest.mark.parametrize("fps", [15.0, 60.0])
def test_rate_does_not_matter(fps: float) -> None:
    """At 30 fps and at others the same segments come out, within two frames of the slower one."""
    glosses = ["KAMU", "MAKAN"]
    usual = segment(perform(glosses, scene=SMALL, seed=3).frames())
    other = segment(perform(glosses, scene=replace(SMALL, fps=fps), seed=3).frames())
    assert len(usual) == len(other) == 2
    for a, b in zip(usual, other, strict=True):
        assert b.start_s == pytest.approx(a.start_s, abs=2 / 15)
        assert b.end_s == pytest.approx(a.end_s, abs=2 / 15)


def test_dropped_frames_do_not_matter() -> None:
    performance = perform(["KAMU"], scene=SMALL, seed=3)
    frames = list(performance.frames())
    kept = np.random.default_rng(0).random(len(frames)) > 0.3
    assert_true(performance, segment(f for f, keep in zip(frames, kept, strict=True) if keep))


def test_light_that_changes_is_no_sign() -> None:
    """The camera's exposure rises by half a stop within a second."""
    frames = idle(4, scene=SMALL, seed=1).frames()
    gains = (1 + 0.41 * min(max(time_s - 1, 0), 1) for time_s in np.arange(0, 9, 1 / 30))
    lit = ((t, np.clip(image * gain, 0, 255).astype(np.uint8)) for (t, image), gain in zip(frames, gains, strict=False))
    assert segment(lit) == []


def test_size_of_the_picture_does_not_matter() -> None:
    small = segment(perform(["SAYA"], scene=SMALL, seed=4).frames())
    large = segment(perform(["SAYA"], scene=replace(SMALL, width=640, height=480), seed=4).frames())
    assert len(small) == len(large) == 1
    assert large[0].start_s == pytest.approx(small[0].start_s, abs=0.1)
    assert large[0].end_s == pytest.approx(small[0].end_s, abs=0.1)


def test_segments_are_causal_and_apart() -> None:
    """Each comes soon after its end, and none begins before the last has ended."""
    performance = perform(["HALO", "SAYA", "MAKAN"], scene=SMALL, seed=5)
    segmenter, last_s = Segmenter(), 0.0
    for time_s, image in performance.frames():
        for found in segmenter.push(image, time_s):
            assert last_s <= found.start_s < found.end_s <= time_s
            assert time_s - found.end_s < 0.6
            last_s = found.end_s
    assert last_s > 0


def test_state_and_what_to_keep() -> None:
    performance = perform(["HALO"], scene=SMALL, rest_s=1.0, seed=1)
    segmenter, states = Segmenter(), []
    for time_s, image in performance.frames():
        segmenter.push(image, time_s)
        states.append(segmenter.state)
        assert segmenter.keep_from_s <= time_s
    assert states[0] is State.IDLE
    assert State.SIGNING in states
    assert states[-1] is State.IDLE
    assert segmenter.peak_motion > 0.05
    assert segmenter.keep_from_s > performance.truth[0].end_s


def test_thumbnail() -> None:
    image = np.full((90, 160, 3), 40, np.uint8)
    assert shrink(image).shape == (32, 32)
    assert shrink(image).mean() == pytest.approx(110, abs=0.5)
    assert shrink(np.zeros((9, 9, 3), np.uint8)).max() == 0
    dark = np.full((90, 160, 3), 4, np.uint8)  # its noise must not be blown up
    assert shrink(dark).mean() == pytest.approx(16, abs=0.5)
