"""Smooth random signals and events of life: sway, breath, blinks."""

from __future__ import annotations

import math

import numpy as np


class Drift:
    """A smooth random signal of about unit size: a sum of a few slow waves.

    Arguments:
        rng: draws the waves.
        low_hz, high_hz: range of their frequencies.
    """

    def __init__(self, rng: np.random.Generator, low_hz: float, high_hz: float, waves: int = 4) -> None:
        hz = np.exp(rng.uniform(np.log(low_hz), np.log(high_hz), waves))
        phase = rng.uniform(0, 2 * np.pi, waves)
        size = rng.uniform(0.5, 1.0, waves)
        size *= math.sqrt(2) / np.linalg.norm(size)
        turns: list[float] = (2 * np.pi * hz).tolist()
        self._waves = list(zip(turns, phase.tolist(), size.tolist(), strict=True))

    def at(self, time_s: float) -> float:
        """The signal's value; its root mean square is 1."""
        return math.fsum(size * math.sin(turn * time_s + phase) for turn, phase, size in self._waves)


class Blinks:
    """When the eyes shut: every few seconds, for a fifth of a second."""

    def __init__(self, rng: np.random.Generator, duration_s: float) -> None:
        gaps = rng.uniform(1.2, 5.0, max(2, int(duration_s / 1.2) + 2))
        self._times_N = np.cumsum(gaps)

    def openness(self, time_s: float) -> float:
        """1 with open eyes, 0 in the middle of a blink."""
        k = int(np.searchsorted(self._times_N, time_s))
        nearest = min(abs(time_s - float(t)) for t in self._times_N[max(0, k - 1) : k + 1])
        return min(1.0, max(0.0, (nearest - 0.03) / 0.08))
