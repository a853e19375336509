"""Measures of recognition, each with what is needed to judge it: n and an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Proportion:
    """k of n with its Wilson 95 % interval (Wilson 1927, equation for the score interval)."""

    k: int
    n: int

    @property
    def value(self) -> float:
        """k / n; not a number when n is 0."""
        return self.k / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper end."""
        if not self.n:
            return 0.0, 1.0
        z = 1.959964
        centre = (self.k + z * z / 2) / (self.n + z * z)
        half = z / (self.n + z * z) * math.sqrt(self.k * (self.n - self.k) / self.n + z * z / 4)
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        if not self.n:
            return "0 of 0"
        low, high = self.interval
        return f"{self.k} of {self.n} = {100 * self.value:.1f} % (95 % interval {100 * low:.1f}-{100 * high:.1f})"

    def to_dict(self) -> dict[str, float | int | list[float]]:
        """For JSON."""
        return {
            "k": self.k,
            "n": self.n,
            "value": round(self.value, 4),
            "interval_95": [round(x, 4) for x in self.interval],
        }


def measure_auroc(inside: ArrayLike, outside: ArrayLike) -> float:
    """Probability that a score from inside the vocabulary is above one from outside (Mann-Whitney U; ties half)."""
    a, b = np.asarray(inside, float), np.asarray(outside, float)
    if not len(a) or not len(b):
        return math.nan
    wins = (a[:, None] > b[None]).mean() + 0.5 * (a[:, None] == b[None]).mean()
    return float(wins)


def measure_calibration(confidence: ArrayLike, correct: ArrayLike, bins: int = 15) -> float:
    """Expected calibration error over equal-width bins (Guo et al. 2017, equation 3)."""
    p, ok = np.asarray(confidence, float), np.asarray(correct, float)
    if not len(p):
        return math.nan
    which = np.minimum((p * bins).astype(int), bins - 1)
    gaps = [abs(ok[which == b].mean() - p[which == b].mean()) * (which == b).mean() for b in np.unique(which)]
    return float(sum(gaps))


def measure_macro_f1(truth: list[str], answers: list[str]) -> float:
    """Mean F1 over the classes that occur in the truth."""
    scores = []
    for label in sorted(set(truth)):
        hits = sum(t == a == label for t, a in zip(truth, answers, strict=True))
        scores.append(2 * hits / (truth.count(label) + answers.count(label)))
    return float(np.mean(scores)) if scores else math.nan


def measure_percentiles(values: ArrayLike) -> dict[str, float]:
    """p50, p95 and p99."""
    array: NDArray[np.float64] = np.asarray(values, float)
    if not len(array):
        return {}
    return {f"p{q}": round(float(np.percentile(array, q)), 2) for q in (50, 95, 99)}
