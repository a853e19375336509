"""Square regions of a picture, turned and scaled so that what is looked for stands upright in them.

The geometry is that of MediaPipe's graphs (AlignmentPointsRects and RectTransformation of MediaPipe Holistic). Angles
are radians, positive clockwise as seen, because y points down. The pixel i of a crop of n pixels shows the point

    centre + R (i - (n / 2 - 1/2)) * size / n,    R = [[cos r, -sin r], [sin r, cos r]]

of the frame, in both axes, where (0, 0) is the centre of the upper left pixel in crop and frame. Pixels are
interpolated linearly between the four nearest; outside of the frame is black.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..video import Image

Coordinates = NDArray[np.float32]

UPWARD, DOWNWARD = math.pi / 2, -math.pi / 2


@dataclass(frozen=True, slots=True)
class Region:
    """A square.

    Attributes:
        x, y: centre, in pixels of the frame.
        size: side, in pixels.
        rotation: radians, -pi .. pi; at 0 it is upright.
    """

    x: float
    y: float
    size: float
    rotation: float = 0.0

    def is_sound(self, width: int, height: int) -> bool:
        """Whether it is finite and can show something of a frame of that size."""
        values = (self.x, self.y, self.size, self.rotation)
        longest = max(width, height)
        return (
            all(map(math.isfinite, values))
            and 1.0 <= self.size <= 16 * longest
            and -self.size < self.x < width + self.size
            and -self.size < self.y < height + self.size
        )

    def move(self, up: float) -> Region:
        """The region moved towards its own upper side, by a share of its size."""
        step = up * self.size
        return Region(
            self.x + step * math.sin(self.rotation), self.y - step * math.cos(self.rotation), self.size, self.rotation
        )

    def grow(self, factor: float) -> Region:
        """The region enlarged around its centre."""
        return Region(self.x, self.y, self.size * factor, self.rotation)

    def crop(self, image_HxWx3: Image, side: int) -> Image:
        """What the region shows: side x side x 3 uint8."""
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cropped = cv2.warpAffine(
            image_HxWx3, self._matrix(side), (side, side), flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=(0,)
        )
        return np.asarray(cropped, np.uint8)

    def restore(self, points_Nx2: Coordinates, side: int) -> Coordinates:
        """Nx2 points of the frame from those of a crop of `side` pixels."""
        matrix_2x3 = self._matrix(side)
        return np.asarray(points_Nx2 @ matrix_2x3[:, :2].T + matrix_2x3[:, 2], np.float32)

    def _matrix(self, side: int) -> NDArray[np.float64]:
        """2x3, from pixels of the crop to pixels of the frame."""
        scale = self.size / side
        c, s = math.cos(self.rotation) * scale, math.sin(self.rotation) * scale
        middle = side / 2 - 0.5
        return np.array([[c, -s, self.x - middle * (c - s)], [s, c, self.y - middle * (s + c)]])


def align_region(centre_2: Coordinates, rim_2: Coordinates, target: float = UPWARD) -> Region:
    """The region around `centre_2` whose half side is the distance to `rim_2`.

    Arguments:
        target: UPWARD turns it such that `rim_2` lies above the centre in the crop, DOWNWARD below it.
    """
    dx, dy = float(rim_2[0] - centre_2[0]), float(rim_2[1] - centre_2[1])
    return Region(float(centre_2[0]), float(centre_2[1]), 2 * math.hypot(dx, dy), turn_towards(dx, dy, target))


def turn_towards(dx: float, dy: float, target: float = UPWARD) -> float:
    """The rotation -pi .. pi after which the direction (dx, dy) of the frame points to `target` in the crop."""
    angle = target - math.atan2(-dy, dx)
    return angle - 2 * math.pi * math.floor((angle + math.pi) / (2 * math.pi))
