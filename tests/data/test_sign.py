"""One stream in, one sign after the other out, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from isyarat.data.grid_spec import GridSpec
from isyarat.data.motion_grid import split_grid
from isyarat.data.rendering import find_rendering, render_pixels
from isyarat.data.segment import Segmenter
from isyarat.data.sign import MARGIN_S, MOST_KEPT, cut_signs, drop_old
from isyarat.data.synthetic import Performance, Scene, idle, perform
from isyarat.data.video import Frame, Image

SMALL = Scene(width=160, height=120, fps=30.0)
SPEC = GridSpec()
PIXELS = find_rendering("pixels")


def read(performance: Performance) -> Iterator[Frame]:
    return (Frame(time_s, image) for time_s, image in performance.frames())


def test_signs_of_a_performance() -> None:
    performance = perform(["HALO", "SAYA"], scene=SMALL, seed=1)
    signs = list(cut_signs(read(performance), SPEC, PIXELS))
    assert len(signs) == 2
    for sign, truth in zip(signs, performance.truth, strict=True):
        assert len(sign.kept) == len(sign.times_s)
        assert sign.kept[0].shape == (SPEC.cell_size, SPEC.cell_size, 3)
        assert sign.kept[0].dtype == np.uint8
        assert np.all(np.diff(sign.times_s) > 0)
        assert sign.segment.start_s == pytest.approx(truth.start_s, abs=0.25)
        assert sign.times_s[0] == pytest.approx(sign.segment.start_s - MARGIN_S, abs=0.04)
        assert sign.times_s[-1] == pytest.approx(sign.segment.end_s + MARGIN_S, abs=0.04)


def test_cells_are_the_rendered_frames() -> None:
    performance = perform(["SAYA"], scene=SMALL, seed=1)
    images = {round(frame.time_s, 6): frame.image for frame in read(performance)}
    (sign,) = cut_signs(read(performance), SPEC, PIXELS)
    for time_s, cell in zip(sign.times_s, sign.kept, strict=True):
        assert np.array_equal(cell, render_pixels(images[round(float(time_s), 6)], SPEC.cell_size))


def test_grid_of_a_sign() -> None:
    (sign,) = cut_signs(read(perform(["SAYA"], scene=SMALL, seed=1)), SPEC, PIXELS)
    grid = sign.draw_grid(SPEC)
    assert grid.image.shape == (224, 224, 3)
    assert grid.spec == SPEC
    assert len(grid.times_s) == 9
    assert list(grid.times_s) == sorted(grid.times_s)
    slots_s = np.linspace(sign.segment.start_s, sign.segment.end_s, 9)
    assert np.abs(np.array(grid.times_s) - slots_s).max() <= 1 / 30
    first = sign.times_s.tolist().index(grid.times_s[0])
    assert np.array_equal(split_grid(grid.image, SPEC)[0], sign.kept[first])


def test_signs_come_as_soon_as_they_have_ended() -> None:
    performance = perform(["HALO", "SAYA"], scene=SMALL, seed=1)
    seen_s = 0.0

    def watch() -> Iterator[Frame]:
        nonlocal seen_s
        for frame in read(performance):
            seen_s = frame.time_s
            yield frame

    delays_s = [seen_s - sign.segment.end_s for sign in cut_signs(watch(), SPEC, PIXELS)]
    assert len(delays_s) == 2
    assert max(delays_s) < 0.6


def test_memory_stays_bounded() -> None:
    """A minute of waiting and signing: at no time are more cells alive than one sign and its margins hold."""
    performance = perform(["HALO"] + ["SAYA"] * 4, scene=SMALL, rest_s=[8, 1, 6, 1, 1, 8], seed=1)
    rendered = 0
    segmenter = Segmenter()
    alive: deque[int] = deque()

    def keep(image: Image, size: int) -> Image:
        nonlocal rendered
        rendered += 1
        alive.append(rendered)
        return render_pixels(image, size)

    longest = 0
    signs = cut_signs(read(performance), SPEC, replace(PIXELS, keep=keep), segmenter)
    kept_most = 0
    for sign in signs:
        longest = max(longest, len(sign.times_s))
        kept = signs.gi_frame.f_locals["kept"]  # type: ignore[attr-defined]  # a generator
        kept_most = max(kept_most, len(kept))
    assert rendered == performance.frame_count  # each frame is looked at once
    assert kept_most <= longest + 30 * 0.6
    assert kept_most < performance.frame_count / 5


def test_endless_movement_is_thinned_out() -> None:
    """Of a movement without an end no more frames are kept than the bound, spread over all of it."""
    frames = []
    for i in range(60 * 12):  # a square that goes round and round, 60 frames a second
        image = np.full((48, 64, 3), 60, np.uint8)
        x, y = int(32 + 18 * np.cos(i / 4)), int(24 + 14 * np.sin(i / 4))
        image[y - 6 : y + 6, x - 6 : x + 6] = 220
        frames.append(Frame(i / 60, image))
    sign = next(cut_signs(frames, SPEC, PIXELS))
    assert sign.segment.end_s - sign.segment.start_s > MOST_KEPT / 60, "longer than what is kept at this rate"
    assert len(sign.kept) <= MOST_KEPT
    assert np.diff(sign.times_s).max() <= 4 / 60 + 1e-6
    assert sign.times_s[-1] - sign.times_s[0] > 0.95 * (sign.segment.end_s - sign.segment.start_s)


def test_nothing_is_signed() -> None:
    segmenter = Segmenter()
    assert list(cut_signs(read(idle(4, scene=SMALL, seed=1)), SPEC, PIXELS, segmenter)) == []
    assert segmenter.peak_motion < 0.05
    assert list(cut_signs([], SPEC, PIXELS)) == []


def test_clip_that_ends_within_a_sign() -> None:
    performance = perform(["SAYA"], scene=SMALL, seed=1)
    truth = performance.truth[0]
    cut_s = truth.end_s - 0.3  # the hand is on its way down
    (sign,) = cut_signs((f for f in read(performance) if f.time_s < cut_s), SPEC, PIXELS)
    assert sign.segment.start_s == pytest.approx(truth.start_s, abs=0.25)
    assert sign.segment.end_s == pytest.approx(cut_s, abs=0.1)


def test_drop_old() -> None:
    cell = np.zeros((1, 1, 3), np.uint8)
    kept = deque((float(k), cell) for k in range(5))
    drop_old(kept, 2.5)
    assert [time_s for time_s, _ in kept] == [3.0, 4.0]
