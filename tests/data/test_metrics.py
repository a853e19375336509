"""Measures against values that were worked out elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data.metrics import (
    Proportion,
    measure_auroc,
    measure_calibration,
    measure_macro_f1,
    measure_percentiles,
)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3 (Wilson, without continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(k: int, n: int, low: float, high: float) -> None:
    assert Proportion(k, n).interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500), st.data())
def test_interval_holds_the_value(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    low, high = Proportion(k, n).interval
    assert 0 <= low <= k / n + 1e-12
    assert k / n - 1e-12 <= high <= 1
    mirrored = Proportion(n - k, n).interval
    assert mirrored == pytest.approx((1 - high, 1 - low))


def test_proportion_in_words_and_json() -> None:
    assert str(Proportion(51, 52)) == "51 of 52 = 98.1 % (95 % interval 89.9-99.7)"
    assert Proportion(1, 2).to_dict() == {"k": 1, "n": 2, "value": 0.5, "interval_95": [0.0945, 0.9055]}


def test_proportion_of_nothing() -> None:
    assert str(Proportion(0, 0)) == "0 of 0"
    assert math.isnan(Proportion(0, 0).value)
    assert Proportion(0, 0).interval == (0.0, 1.0)


def test_auroc() -> None:
    assert measure_auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert measure_auroc([0.1], [0.9]) == 0.0
    assert measure_auroc([0.5, 0.5], [0.5]) == 0.5
    # Pairs won: 0.8 beats both, 0.4 beats 0.3 only: 3 of 4.
    assert measure_auroc([0.8, 0.4], [0.6, 0.3]) == 0.75
    assert math.isnan(measure_auroc([], [0.5]))


def test_calibration() -> None:
    assert measure_calibration([1.0, 1.0], [1, 1]) == 0.0
    assert measure_calibration([1.0, 1.0], [1, 0]) == 0.5
    # Two bins of ten: |1/2 - 0.65| * 2/3 + |1 - 0.95| * 1/3.
    assert measure_calibration([0.63, 0.67, 0.95], [1, 0, 1], bins=10) == pytest.approx(0.35 / 3)
    assert math.isnan(measure_calibration([], []))


def test_calibration_of_a_calibrated_score() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.random(20_000)
    correct = rng.random(20_000) < confidence
    assert measure_calibration(confidence, correct) < 0.02
    assert measure_calibration(confidence, rng.random(20_000) < confidence**3) > 0.1


def test_macro_f1() -> None:
    assert measure_macro_f1(["A", "A", "B"], ["A", "A", "B"]) == 1.0
    # A: precision 1/2, recall 1 -> 2/3; B: never answered -> 0. C is no class of the truth.
    assert measure_macro_f1(["A", "B", "B"], ["A", "A", "C"]) == pytest.approx(1 / 3)
    assert math.isnan(measure_macro_f1([], []))


def test_percentiles() -> None:
    assert measure_percentiles(range(101)) == {"p50": 50.0, "p95": 95.0, "p99": 99.0}
    assert measure_percentiles([]) == {}
