"""Temperature and threshold."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.lexicon import NO_SIGN
from isyarat.training.calibrate import best_gloss, choose_threshold, fit_temperature


def test_overconfidence_is_cooled() -> None:
    # Nine in ten are right, but every answer claims 99.9 %.
    scores = [{"A": 0.999, "B": 0.001}] * 10
    truth = ["A"] * 9 + ["B"]
    temperature = fit_temperature(scores, truth)
    assert temperature > 2
    odds = (0.999 / 0.001) ** (1 / temperature)
    assert odds / (1 + odds) == pytest.approx(0.9, abs=0.01)


def test_a_perfect_split_asks_for_no_more_confidence() -> None:
    assert fit_temperature([{"A": 0.8, "B": 0.2}] * 5, ["A"] * 5) == 1.0


def test_a_probability_of_zero_is_no_crash() -> None:
    assert fit_temperature([{"A": 1.0, "B": 0.0}, {"A": 1.0, "B": 0.0}], ["A", "B"]) == pytest.approx(4.0)


def test_threshold() -> None:
    assert choose_threshold(np.full(50, 0.99)) == 0.75, "a sure model still answers"
    assert choose_threshold(np.full(50, 0.6)) == pytest.approx(0.48), "a fifth less than what held-out signs reach"
    assert choose_threshold(np.full(50, 0.2)) == 0.3, "an unsure one does not name everything"
    confidences = np.append(np.full(99, 0.6), 0.0)
    assert choose_threshold(confidences, keep=0.98) == pytest.approx(0.48), "one outlier in a hundred is left out"
    assert choose_threshold(confidences, keep=1.0) == 0.3


def test_best_gloss_is_a_sign() -> None:
    assert best_gloss({NO_SIGN: 0.7, "A": 0.1, "B": 0.2}) == ("B", 0.2)
