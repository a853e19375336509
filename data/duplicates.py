"""Copies of clips, found by what they show: re-encoded, re-scaled, trimmed, brightened or mirrored, under any label.

A clip's *track* is a perceptual hash of its movement over the cells of its grid: every 40 ms, the change of an 8x8 grey
thumbnail within 160 ms. Walls and the resting body cancel out; brightness and scale are divided out by the comparison,
which slides one track along the other, so that a trimmed copy lies somewhere inside. Another take of the same sign by
the same signer moves alike, but not to the pixel at the same moment.

Measured on 206 clips of two signers (699 pairs of the same signer and gloss) and 15 of them copied in seven ways
(re-encoded, scaled to 40 %, trimmed by 15 and 10 % at the ends or 30 % at the start, brightened, at half the rate,
mirrored): all copies score 0.93 and more, other takes 0.57 in the median and 0.93 at the 99th percentile. So 10 of the
699 pairs of true takes are taken for copies, too; they then stay on one side of a split, which costs little. The other
error would be a leak. What is missed: 2 of 15 copies cropped to 92 % of their sides; a few at a third of the frame
rate (0.90 and more), most at a sixth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from .rendering import Rendering
from .video import Frame, Image

Track = NDArray[np.int8]
Energy = NDArray[np.float32]

THUMBNAIL = 8
STEP_S = 0.04
LAG_S = 0.16
SMOOTH_S = 0.04

# Least correlation of two tracks that makes a copy.
COPY = 0.92

# Least correlation of two maps of energy (where in the picture anything moves, whenever) for a closer look;
# the lowest of the measured copies is at 0.85.
LOOK = 0.8

# Share of the movement of the shorter and of the longer clip that must overlap: a copy may be one sign of several.
SHORTER, LONGER = 0.8, 0.15

# Of a longer clip only the beginning is tracked: memory is bounded.
MOST_S = 120.0

# Clips compared at once: bounds memory.
BLOCK = 1024


class Tracker:
    """Watches the frames of a clip on their way to its grid.

    The whole clip counts, not its sign alone: a copy that begins within the sign is segmented elsewhere.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._times_s: list[float] = []
        self._thumbnails: list[Image] = []

    def watch(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Passes frames on, and notes their times."""
        for frame in frames:
            self._now_s = frame.time_s
            yield frame

    def watch_rendering(self, rendering: Rendering) -> Rendering:
        """The same rendering; what it keeps is noted."""

        def keep(image: Image, size: int) -> Image:
            kept = rendering.keep(image, size)
            if self._now_s <= MOST_S:
                self._times_s.append(self._now_s)
                small = cv2.resize(kept, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA)
                self._thumbnails.append(np.asarray(small, np.uint8))
            return kept

        return replace(rendering, keep=keep)

    def track(self) -> Track:
        """The track of what was seen."""
        if not self._times_s:
            return np.zeros((0, THUMBNAIL**2), np.int8)
        return track_motion(np.array(self._times_s), np.stack(self._thumbnails))


def track_motion(times_s: NDArray[np.float64], thumbnails: Image) -> Track:
    """N x 64 int8, one row every `STEP_S`, scaled to the largest change; no rows when the clip is too short.

    Arguments:
        times_s: F presentation times.
        thumbnails: Fx8x8x3 uint8 RGB.
    """
    edge_s = LAG_S / 2 + SMOOTH_S
    moments = np.arange(times_s[0] + edge_s, times_s[-1] - edge_s, STEP_S)
    if len(times_s) < 2 or len(moments) < 4:
        return np.zeros((0, THUMBNAIL**2), np.int8)
    flat = thumbnails.reshape(len(thumbnails), -1, 3).astype(np.float32)
    grey = flat @ np.array([0.299, 0.587, 0.114], np.float32)

    def interpolate(at_s: NDArray[np.float64]) -> NDArray[np.float32]:
        """The thumbnail at any moment."""
        after = np.clip(np.searchsorted(times_s, at_s), 1, len(times_s) - 1)
        gap_s = times_s[after] - times_s[after - 1]
        share = np.clip((at_s - times_s[after - 1]) / gap_s, 0, 1)[:, None].astype(np.float32)
        return np.asarray(grey[after - 1] * (1 - share) + grey[after] * share, np.float32)

    def look(at_s: NDArray[np.float64]) -> NDArray[np.float32]:
        """The same, smoothed, so that clips of different rates are comparable."""
        around = interpolate(at_s - SMOOTH_S) + interpolate(at_s + SMOOTH_S)
        return np.asarray((around + 2 * interpolate(at_s)) / 4, np.float32)

    change = look(moments + LAG_S / 2) - look(moments - LAG_S / 2)
    largest = float(np.abs(change).max())
    return np.asarray(np.rint(change * (127 / max(largest, 1e-6))), np.int8)


def flip_track(track: Track) -> Track:
    """The track of the mirror image."""
    turned: Track = track.reshape(-1, THUMBNAIL, THUMBNAIL)[:, :, ::-1].reshape(len(track), -1)
    return turned


def map_energy(track: Track) -> Energy:
    """64 float32 of length 1 and mean 0: where anything moves, whenever; zeros for an empty track."""
    if not len(track):
        return np.zeros(THUMBNAIL**2, np.float32)
    energy = np.sqrt(np.mean(track.astype(np.float32) ** 2, axis=0))
    energy -= energy.mean()
    return np.asarray(energy / max(float(np.linalg.norm(energy)), 1e-6), np.float32)


def flip_energy(energy: NDArray[np.float32]) -> NDArray[np.float32]:
    """...x64, of the mirror image."""
    return energy.reshape(*energy.shape[:-1], THUMBNAIL, THUMBNAIL)[..., ::-1].reshape(energy.shape)


def match_tracks(first: Track, second: Track) -> float:
    """Largest correlation of two tracks over all shifts in time with enough overlap; -1 when there is none."""
    if not len(first) or not len(second):
        return -1.0
    a, b = first.astype(np.float32), second.astype(np.float32)
    # Row i of a meets row j of b at the shift i - j: sums over the diagonals of a b^T.
    rows, columns = np.indices((len(a), len(b)))
    shift = (rows - columns + len(b) - 1).ravel()
    together = np.bincount(shift, (a @ b.T).ravel(), len(a) + len(b) - 1)
    sums_a = np.concatenate([[0.0], np.cumsum(np.sum(a * a, 1, dtype=np.float64))])
    sums_b = np.concatenate([[0.0], np.cumsum(np.sum(b * b, 1, dtype=np.float64))])
    shifts = np.arange(len(together)) - len(b) + 1
    low, high = np.maximum(0, shifts), np.minimum(len(a), shifts + len(b))
    energy_a, energy_b = sums_a[high] - sums_a[low], sums_b[high - shifts] - sums_b[low - shifts]
    share_a, share_b = energy_a / max(sums_a[-1], 1e-9), energy_b / max(sums_b[-1], 1e-9)
    enough = (np.maximum(share_a, share_b) >= SHORTER) & (np.minimum(share_a, share_b) >= LONGER)
    if not enough.any():
        return -1.0
    return float(np.max(together[enough] / np.sqrt(energy_a[enough] * energy_b[enough] + 1e-9)))


def find_copies(energies: NDArray[np.float32], read_track: Callable[[int], Track]) -> Iterator[tuple[int, int, float]]:
    """Yields (i, j, correlation) for every pair i < j of which one is a copy of the other, mirrored or not.

    Arguments:
        energies: Nx64, `map_energy` of every clip.
        read_track: track of a clip by its index; asked for pairs whose energies are alike only.
    """
    moving = np.any(energies != 0, axis=1)
    for start in range(0, len(energies), BLOCK):
        block = energies[start : start + BLOCK]
        flipped = flip_energy(block)
        for other in range(start, len(energies), BLOCK):
            others = energies[other : other + BLOCK]
            for turned, mirrored in ((block, False), (flipped, True)):
                for i, j in zip(*np.nonzero(turned @ others.T >= LOOK), strict=True):
                    a, b = start + int(i), other + int(j)
                    if a >= b or not (moving[a] and moving[b]):
                        continue
                    first = flip_track(read_track(a)) if mirrored else read_track(a)
                    score = match_tracks(first, read_track(b))
                    if score >= COPY:
                        yield a, b, score


def join_groups(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[str]:
    """The group of every name: the least name of all that are linked to it (union-find with path halving)."""
    parent = list(range(len(names)))

    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for i, j in pairs:
        a, b = find(i), find(j)
        if a != b:
            low, high = sorted((a, b), key=lambda k: names[k])
            parent[high] = low
    return [names[find(index)] for index in range(len(names))]


def link_equal(keys: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs that link all indices with the same key, unless it is empty."""
    seen: dict[str, list[int]] = {}
    for index, key in enumerate(keys):
        if key:
            seen.setdefault(key, []).append(index)
    return [(same[0], index) for same in seen.values() for index in same[1:]]
