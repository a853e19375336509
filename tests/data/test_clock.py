"""The clock: starts at zero, always advances, and survives what recorders write."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data.clock import Clock


def read_all(times_s: list[float | None], frame_s: float = 0.04) -> list[float | None]:
    clock = Clock(frame_s)
    return [clock.read(time_s) for time_s in times_s]


def test_starts_at_zero() -> None:
    assert read_all([7.5, 7.6]) == pytest.approx([0.0, 0.1])


def test_negative_start() -> None:
    assert read_all([-0.1, 0.0]) == pytest.approx([0.0, 0.1])


def test_duplicates_and_disorder_are_skipped() -> None:
    assert read_all([0.0, 0.1, 0.1, 0.05, 0.2]) == [0.0, 0.1, None, None, 0.2]


def test_without_timestamps_it_goes_on_by_the_rate() -> None:
    assert read_all([None, None, None]) == pytest.approx([0.0, 0.04, 0.08])


def test_a_missing_timestamp_in_between() -> None:
    assert read_all([5.0, 5.1, None, 5.2]) == pytest.approx([0.0, 0.1, 0.14, 0.2])


def test_a_clock_that_begins_anew_goes_on() -> None:
    """Two recordings joined byte by byte: the second counts from zero again, and none of it is lost."""
    assert read_all([0.0, 1.0, 2.0, 0.0, 1.0]) == pytest.approx([0.0, 1.0, 2.0, 2.04, 3.04])


@dataclass
class Stamp:
    """A frame as far as the clock sees it."""

    time: float | None


def time_all(times_s: list[float | None], frame_s: float = 0.04) -> list[float]:
    return [time_s for time_s, _ in Clock(frame_s).time_frames(Stamp(t) for t in times_s)]


def test_frames_keep_their_times() -> None:
    frames = [Stamp(t) for t in (3.0, 3.04, 3.04, 3.02, 3.08)]
    timed = list(Clock(0.04).time_frames(frames))
    assert [t for t, _ in timed] == pytest.approx([0.0, 0.04, 0.08])
    assert [frame for _, frame in timed] == [frames[0], frames[1], frames[4]]


@pytest.mark.parametrize("damaged", [5000.0, -5000.0, 26.5 * 3600, math.nan, math.inf])
def test_one_damaged_timestamp_moves_nothing_else(damaged: float) -> None:
    times = time_all([0.0, 0.04, damaged, 0.12, 0.16])
    assert [t for t in times if t not in (0.08,)] == pytest.approx([0.0, 0.04, 0.12, 0.16])


def test_two_damaged_timestamps() -> None:
    assert time_all([0.0, 0.04, 5000.0, 0.12, -900.0, 0.2]) == pytest.approx([0.0, 0.04, 0.12, 0.2])


def test_a_long_pause_is_believed() -> None:
    assert time_all([0.0, 0.04, 65.0, 65.04, 130.0]) == pytest.approx([0.0, 0.04, 65.0, 65.04, 130.0])


def test_a_recorder_that_counts_anew_goes_on() -> None:
    times = [i / 25 for i in range(60)]
    assert time_all(times + times) == pytest.approx([i / 25 for i in range(120)])


def test_damage_at_the_start_and_at_the_end() -> None:
    assert time_all([None, 0.04, None]) == pytest.approx([0.0, 0.04, 0.08])
    assert time_all([7.0, 0.0, 0.04])[0] == 0.0


@given(st.lists(st.none() | st.floats(-1e6, 1e6), max_size=50))
def test_always_advances(times_s: list[float | None]) -> None:
    kept = [t for t in read_all(times_s) if t is not None]
    assert kept[:1] in ([], [0.0])
    assert all(b > a for a, b in itertools.pairwise(kept))
    assert all(map(math.isfinite, kept))


@given(st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True), max_size=50))
def test_timed_frames_always_advance(times_s: list[float | None]) -> None:
    times = time_all(times_s)
    assert bool(times) == bool(times_s)
    assert times[:1] in ([], [0.0])
    assert all(b > a for a, b in itertools.pairwise(times))
    assert all(map(math.isfinite, times))
