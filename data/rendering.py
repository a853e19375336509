"""What is drawn into a cell of the motion grid: named strategies, one of which is stored in a bundle."""

from __future__ import annotations

from collections.abc import Callable

import cv2

from .errors import IsyaratError
from .video import Image

# (upright HxWx3 uint8 RGB frame, side of the cell in pixels) -> SxSx3 uint8 RGB
Rendering = Callable[[Image, int], Image]


def render_pixels(image: Image, size: int) -> Image:
    """The centre square of the frame, scaled by pixel area relation.

    Arguments:
        image: HxWx3 uint8 RGB.
        size: side of the cell in pixels.

    Returns:
        size x size x 3 uint8 RGB.
    """
    height, width = image.shape[:2]
    side = min(height, width)
    y, x = (height - side) // 2, (width - side) // 2
    square = image[y : y + side, x : x + side]
    # Area averaging is exact for shrinking; enlarging (a 32-px clip) needs interpolation.
    method = cv2.INTER_AREA if side >= size else cv2.INTER_LINEAR
    return cv2.resize(square, (size, size), interpolation=method).astype("uint8", copy=False)


RENDERINGS: dict[str, Rendering] = {"pixels": render_pixels}


def find_rendering(name: str) -> Rendering:
    """The rendering of that name.

    Raises:
        IsyaratError: there is none; the message lists those there are.
    """
    if name not in RENDERINGS:
        raise IsyaratError(f"There is no rendering {name!r}; choose one of: {', '.join(sorted(RENDERINGS))}.")
    return RENDERINGS[name]
