"""The clock: starts at zero, always advances, and survives what recorders write."""

from __future__ import annotations

import itertools
import math

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


@given(st.lists(st.none() | st.floats(-1e6, 1e6), max_size=50))
def test_always_advances(times_s: list[float | None]) -> None:
    kept = [t for t in read_all(times_s) if t is not None]
    assert kept[:1] in ([], [0.0])
    assert all(b > a for a, b in itertools.pairwise(kept))
    assert all(map(math.isfinite, kept))
