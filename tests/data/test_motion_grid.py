"""Frames are chosen by time, and the picture gives its cells back unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data.grid_spec import GridSpec
from isyarat.data.motion_grid import GUTTER, compose_grid, scale_pixels, select_frames, split_grid


def test_variable_rate_twin_gives_the_same_moments() -> None:
    """The twin lacks frames that no slot is nearest to, and has others in between."""
    constant_s = np.arange(0, 2.001, 0.04)
    wanted_s = constant_s[select_frames(constant_s, 0.4, 1.6, 9)]
    extra_s = np.array([0.013, 0.07, 0.31, 1.91, 1.99])  # farther from every slot than the frames of the twin
    twin_s = np.sort(np.concatenate([wanted_s, extra_s]))
    assert np.allclose(twin_s[select_frames(twin_s, 0.4, 1.6, 9)], wanted_s)


def test_dropped_frames_move_a_slot_by_one_frame_at_most() -> None:
    constant_s = np.arange(0, 2.001, 0.04)
    kept = np.random.default_rng(0).random(len(constant_s)) > 0.3
    kept[[0, -1]] = True
    twin_s = constant_s[kept]
    gap_s = np.diff(twin_s).max()
    slots_s = np.linspace(0.2, 1.8, 9)
    assert np.abs(twin_s[select_frames(twin_s, 0.2, 1.8, 9)] - slots_s).max() <= gap_s / 2 + 1e-9


@given(
    st.lists(st.integers(0, 10_000), min_size=1, max_size=60, unique=True),
    st.integers(0, 10_000),
    st.integers(0, 5_000),
    st.integers(1, 16),
)
def test_every_slot_gets_the_nearest_frame(times_ms: list[int], start_ms: int, length_ms: int, count: int) -> None:
    times_s = np.array(sorted(times_ms)) / 1000
    start_s, end_s = start_ms / 1000, (start_ms + length_ms) / 1000
    chosen = select_frames(times_s, start_s, end_s, count)
    slots_s = np.linspace(start_s, end_s, count)
    assert chosen.shape == (count,)
    assert np.all(np.diff(chosen) >= 0)
    nearest_s = np.abs(times_s[None] - slots_s[:, None]).min(axis=1)
    assert np.allclose(np.abs(times_s[chosen] - slots_s), nearest_s)


def test_ties_go_to_the_earlier_frame() -> None:
    assert select_frames(np.array([0.0, 1.0]), 0.5, 0.5, 1).tolist() == [0]


def test_fewer_frames_than_slots() -> None:
    assert select_frames(np.array([0.0]), 0.0, 1.0, 3).tolist() == [0, 0, 0]
    assert select_frames(np.array([0.0, 1.0]), 0.0, 1.0, 4).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("spec", [GridSpec(), GridSpec(224, 14), GridSpec(96, 8, 2, 3)])
def test_compose_and_split(spec: GridSpec) -> None:
    size = spec.cell_size
    cells = np.random.default_rng(0).integers(0, 256, (spec.frames, size, size, 3), np.uint8)
    picture = compose_grid(cells, spec)
    assert picture.shape == (spec.image_size, spec.image_size, 3)
    assert picture.dtype == np.uint8
    assert np.array_equal(split_grid(picture, spec), cells)
    gutters = np.ones(picture.shape[:2], bool)
    for y, x in spec.origins():
        gutters[y : y + size, x : x + size] = False
    assert np.all(picture[gutters] == GUTTER)


def test_compose_wants_one_cell_a_place() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        compose_grid(np.zeros((8, 64, 64, 3), np.uint8), GridSpec())


def test_scale_pixels() -> None:
    scaled = scale_pixels(np.array([0, GUTTER, 255], np.uint8))
    assert scaled.dtype == np.float32
    assert scaled.tolist() == pytest.approx([-1.0, 1 / 255, 1.0], abs=1e-6)
