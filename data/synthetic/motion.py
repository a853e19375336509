"""Movement through key poses: minimum jerk between stops, smooth passage through via points."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from .pose import STRONG, TURN, WEAK
from .vectors import Array


@dataclass(frozen=True)
class Motion:
    """Key poses in time.

    Arguments:
        times: seconds of the K keys, rising.
        poses: the pose [K,P] at each time.
        speeds: the change per second there [K,P]; 0 where the movement stops.
    """

    times: tuple[float, ...]
    poses: Array
    speeds: Array

    def pose(self, time_s: float) -> Array:
        """The pose [P] at a time; before the first and after the last key it holds."""
        k = bisect_right(self.times, time_s) - 1
        if k < 0:
            return np.array(self.poses[0])
        if k >= len(self.times) - 1:
            return np.array(self.poses[-1])
        span: float = self.times[k + 1] - self.times[k]
        u = (time_s - self.times[k]) / span
        u3, u4, u5 = u**3, u**4, u**5
        # Quintic Hermite with no acceleration at the keys; with no speed there it is the minimum-jerk curve.
        return np.asarray(
            (1 - 10 * u3 + 15 * u4 - 6 * u5) * self.poses[k]
            + (10 * u3 - 15 * u4 + 6 * u5) * self.poses[k + 1]
            + (u - 6 * u3 + 8 * u4 - 3 * u5) * span * self.speeds[k]
            + (-4 * u3 + 7 * u4 - 3 * u5) * span * self.speeds[k + 1]
        )


def join_keys(times: list[float], poses: list[Array], via: list[bool]) -> Motion:
    """A Motion through key poses; `via` keys are passed without stopping, keys closer than 1 ms are merged."""
    kept = [k for k in range(len(times)) if k == 0 or times[k] - times[k - 1] > 1e-3]
    times_K = [times[k] for k in kept]
    poses_KxP = np.array([poses[k] for k in kept])
    for hand in (STRONG, WEAK):
        turns = slice(hand.start + TURN.start, hand.start + TURN.stop)
        for k in range(1, len(poses_KxP)):  # q and -q are the same turn: take the nearer
            if poses_KxP[k, turns] @ poses_KxP[k - 1, turns] < 0:
                poses_KxP[k, turns] *= -1
    speeds_KxP = np.zeros_like(poses_KxP)
    for k in range(1, len(kept) - 1):
        if via[kept[k]]:
            speeds_KxP[k] = (poses_KxP[k + 1] - poses_KxP[k - 1]) / (times_K[k + 1] - times_K[k - 1])
    return Motion(tuple(times_K), poses_KxP, speeds_KxP)
