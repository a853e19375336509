"""Motion grids: nine frames of one sign in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .grid_spec import GridSpec
from .video import Image

# Grey of the gutters: zero once pixels are scaled to [-1, 1], so that they carry no signal.
GUTTER = 128


@dataclass(frozen=True, slots=True)
class MotionGrid:
    """The picture of one sign.

    Attributes:
        image: SxSx3 uint8 RGB.
        spec: its geometry.
        times_s: presentation time of the frame in each cell, in seconds.
        empty: no cell shows a hand, as far as its rendering can tell.
    """

    image: Image
    spec: GridSpec
    times_s: tuple[float, ...]
    empty: bool = False


def compose_grid(cells: Sequence[Image] | Image, spec: GridSpec) -> Image:
    """Lays `spec.frames` cells (each CxCx3 uint8) out into one SxSx3 picture."""
    picture = np.full((spec.image_size, spec.image_size, 3), GUTTER, np.uint8)
    size = spec.cell_size
    for cell, (y, x) in zip(cells, spec.origins(), strict=True):
        picture[y : y + size, x : x + size] = cell
    return picture


def split_grid(image: Image, spec: GridSpec) -> Image:
    """The cells of a picture again: FxCxCx3 uint8, in the order of time."""
    size = spec.cell_size
    return np.stack([image[y : y + size, x : x + size] for y, x in spec.origins()])


def select_frames(times_s: NDArray[np.float64], start_s: float, end_s: float, count: int) -> NDArray[np.intp]:
    """Picks the frame nearest in time to each of `count` slots spread evenly over [start_s, end_s].

    Slots are moments, never frame numbers: a variable-rate clip and its constant-rate twin give the same choice.
    On a tie the earlier frame is taken. A frame may stand twice where the clip has fewer frames than slots.

    Arguments:
        times_s: N increasing presentation times.
        start_s, end_s: the moving part.
        count: number of slots.

    Returns:
        `count` indices into `times_s`, not decreasing.
    """
    slots = np.linspace(start_s, end_s, count)
    after = np.clip(np.searchsorted(times_s, slots), 1, max(1, len(times_s) - 1))
    before = after - 1
    after = np.minimum(after, len(times_s) - 1)
    closer_after = times_s[after] - slots < slots - times_s[before]
    return np.where(closer_after, after, before)


def scale_pixels(images: Image) -> NDArray[np.float32]:
    """uint8 to float32 in [-1, 1], the range that PaliGemma's encoder reads."""
    return images.astype(np.float32) / np.float32(127.5) - np.float32(1)
