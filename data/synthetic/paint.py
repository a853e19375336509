"""Drawing primitives: smooth polygons, tapered limbs, and sprites (painted once, placed every frame)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from .look import Colour
from .vectors import Array, Image

_SHIFT = 4  # cv2 takes fixed-point coordinates with so many fractional bits
_ONE = 1 << _SHIFT
_ARC = np.linspace(-np.pi / 2, np.pi / 2, 8)
_CAP_8x2 = np.stack([np.cos(_ARC), np.sin(_ARC)], axis=1)
_TURN = np.linspace(0, 2 * np.pi, 24, endpoint=False)
CIRCLE_24x2 = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)


ToPixels = Callable[[Array], Array]  # places in units to places in a picture, [N,2] each


@dataclass(frozen=True)
class View:
    """How bodies come into the picture.

    Arguments:
        affine_2x3: body units (x right, y up) to pixels.
        unit_px: pixels a unit.
        light: direction to the light in the picture (x right, y down).
    """

    affine_2x3: Array
    unit_px: float
    light: Array


def moved(points_Nx2: Array, dx: float, dy: float) -> Array:
    """The same outline elsewhere."""
    return np.asarray(points_Nx2 + np.array([dx, dy]))


def shade(colour: Colour, factor: float) -> Colour:
    """The colour made darker (factor < 1) or lighter (> 1)."""
    r, g, b = (int(min(255.0, c * factor)) for c in colour)
    return r, g, b


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """A colour between two; share 1 is the second."""
    r, g, b = (int(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return r, g, b


def fixed(points_Nx2: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Points as cv2's fixed-point integers."""
    return np.rint(points_Nx2 * _ONE).astype(np.int32)


def fill(image_HxWx3: Image, points_Nx2: Array, colour: Colour) -> None:
    """Fill a convex polygon with smooth edges."""
    cv2.fillConvexPoly(image_HxWx3, fixed(points_Nx2), colour, cv2.LINE_AA, _SHIFT)


def fill_any(image_HxWx3: Image, points_Nx2: Array, colour: Colour) -> None:
    """Fill any polygon with smooth edges."""
    cv2.fillPoly(image_HxWx3, [fixed(points_Nx2)], colour, cv2.LINE_AA, _SHIFT)


def stroke(image_HxWx3: Image, points_Nx2: Array, colour: Colour, width: float, closed: bool = False) -> None:
    """Draw a smooth line with round ends; `width` in pixels, at least 1."""
    cv2.polylines(image_HxWx3, [fixed(points_Nx2)], closed, colour, max(1, round(width)), cv2.LINE_AA, _SHIFT)


def choose_sampling(unit_px: float) -> int:
    """How many times too large a sprite is painted before it is shrunk: large ones need it less."""
    return 3 if unit_px <= 130 else 2


def soften(image_HxWx3: Image, sigma: float) -> Image:
    """Gaussian blur, for wide ones on a smaller picture."""
    step = max(1, int(sigma / 2.5))
    height, width = image_HxWx3.shape[:2]
    size = (max(2, width // step), max(2, height // step))
    small = cv2.resize(image_HxWx3, size, interpolation=cv2.INTER_AREA) if step > 1 else image_HxWx3
    small = cv2.GaussianBlur(small, (0, 0), sigma / step)
    return np.asarray(cv2.resize(small, (width, height)) if step > 1 else small, np.uint8)


def limb(start_2: Array, end_2: Array, start_r: float, end_r: float) -> Array:
    """Outline [16,2] of a limb with round ends that narrows from one radius to the other."""
    dx, dy = float(end_2[0] - start_2[0]), float(end_2[1] - start_2[1])
    length = max((dx * dx + dy * dy) ** 0.5, 1e-6)
    c, s = dx / length, dy / length
    cap_8x2 = _CAP_8x2 @ np.array([[c, s], [-s, c]])
    return np.concatenate([end_2 + end_r * cap_8x2, start_2 - start_r * cap_8x2])


@dataclass(frozen=True)
class Sprite:
    """A painted, partly transparent picture.

    Arguments:
        colour_hxwx3: RGB multiplied by the opacity.
        opacity_hxwx3: 0 .. 255, the same value in three channels (cheap to blend).
        origin: pixel of the body point it is placed by.
        scale: pixels a unit.
    """

    colour_hxwx3: Image
    opacity_hxwx3: Image
    origin: tuple[float, float]
    scale: float


def finish_sprite(
    colour_hxwx3: Image, mask_hxw: Image, origin: tuple[float, float], scale: float, sampling: int
) -> Sprite:
    """A sprite from a picture painted `sampling` times too large."""
    opacity = cv2.merge([mask_hxw] * 3)
    size = (colour_hxwx3.shape[1] // sampling, colour_hxwx3.shape[0] // sampling)
    # cv2.resize keeps area averages, so edges come out smooth.
    colour = cv2.resize(cv2.multiply(colour_hxwx3, opacity, scale=1 / 255), size, interpolation=cv2.INTER_AREA)
    opacity = cv2.resize(opacity, size, interpolation=cv2.INTER_AREA)
    return Sprite(
        np.asarray(colour, np.uint8),
        np.asarray(opacity, np.uint8),
        (origin[0] / sampling, origin[1] / sampling),
        scale / sampling,
    )


def place_sprite(image_HxWx3: Image, sprite: Sprite, affine_2x3: Array) -> None:
    """Blend a sprite into the picture.

    Arguments:
        affine_2x3: body units (x right, y up, from the sprite's origin) to pixels.
    """
    # Sprite pixel -> units -> picture pixel.
    k = 1 / sprite.scale
    matrix = np.array(
        [
            [affine_2x3[0, 0] * k, -affine_2x3[0, 1] * k, 0.0],
            [affine_2x3[1, 0] * k, -affine_2x3[1, 1] * k, 0.0],
        ]
    )
    matrix[:, 2] = affine_2x3[:, 2] - matrix[:, :2] @ np.array(sprite.origin)
    h, w = sprite.opacity_hxwx3.shape[:2]
    corners = matrix[:, :2] @ np.array([[0, w, w, 0], [0, 0, h, h]]) + matrix[:, 2:]
    height, width = image_HxWx3.shape[:2]
    x0, y0 = (max(0, int(v)) for v in np.floor(corners.min(axis=1)))
    x1 = min(width, int(np.ceil(corners[0].max())) + 1)
    y1 = min(height, int(np.ceil(corners[1].max())) + 1)
    if x1 <= x0 or y1 <= y0:
        return
    matrix[:, 2] -= (x0, y0)
    size = (x1 - x0, y1 - y0)
    colour = cv2.warpAffine(sprite.colour_hxwx3, matrix, size, flags=cv2.INTER_LINEAR)
    opacity = cv2.warpAffine(sprite.opacity_hxwx3, matrix, size, flags=cv2.INTER_LINEAR)
    view = image_HxWx3[y0:y1, x0:x1]
    cv2.multiply(view, cv2.bitwise_not(opacity), view, scale=1 / 255)
    cv2.add(view, colour, view)
