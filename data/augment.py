"""Augmentation of the cells of one sign: the same change for all nine, as another camera or room would make it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .video import Image

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """Ranges; shares of the cell's side, degrees, stops.

    Attributes:
        zoom: largest factor by which the camera is nearer or farther.
        shift: largest move of the signer, as a share of the cell.
        rotation: largest tilt in degrees.
        exposure: largest change of light in EV (stops).
        tint: largest change of a colour channel's gain: another white balance.
        contrast: largest relative change.
        blur: probability of a soft picture.
        background: probability that a green screen is replaced.
    """

    zoom: float = 0.22
    shift: float = 0.09
    rotation: float = 7.0
    exposure: float = 0.7
    tint: float = 0.12
    contrast: float = 0.25
    blur: float = 0.25
    background: float = 0.9


def augment_cells(cells: Image, rng: np.random.Generator, settings: AugmentSettings | None = None) -> Image:
    """Another camera, light and room for the same sign.

    Arguments:
        cells: FxCxCx3 uint8 RGB.
        rng: all randomness comes from it, so a seed reproduces the picture.

    Returns:
        FxCxCx3 uint8 RGB.
    """
    s = settings or AugmentSettings()
    if rng.random() < s.background:
        cells = replace_green(cells, rng)
    rotation, zoom = rng.uniform(-s.rotation, s.rotation), float(np.exp(rng.uniform(-s.zoom, s.zoom)))
    shift_x, shift_y = rng.uniform(-s.shift, s.shift, 2)
    sigma = rng.uniform(0.4, 1.1) if rng.random() < s.blur else 0.0
    table = tone_table(rng, s)
    cells = warp_cells(cells, rotation, zoom, float(shift_x), float(shift_y))
    if sigma:
        cells = blur_cells(cells, sigma)
    return map_tones(cells, table)


def warp_cells(cells: Image, rotation: float, zoom: float, shift_x: float, shift_y: float) -> Image:
    """Another place of the camera: turned by degrees, nearer by a factor, moved by shares of the picture (FxHxWx3)."""
    height, width = cells.shape[1:3]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), rotation, zoom)
    matrix[:, 2] += np.array([shift_x, shift_y]) * (width, height)
    warped = [
        cv2.warpAffine(cell, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for cell in cells
    ]
    return np.stack(warped).astype(np.uint8, copy=False)


def blur_cells(cells: Image, sigma: float) -> Image:
    """A soft picture: Gaussian of `sigma` pixels in every cell (FxHxWx3)."""
    return np.stack([cv2.GaussianBlur(cell, (0, 0), sigma) for cell in cells]).astype(np.uint8, copy=False)


def map_tones(cells: Image, table: NDArray[np.uint8]) -> Image:
    """Applies a 1x256x3 look-up table to FxHxWx3 cells."""
    return cv2.LUT(cells.reshape(-1, cells.shape[2], 3), table).reshape(cells.shape).astype(np.uint8, copy=False)


def tone_table(rng: np.random.Generator, settings: AugmentSettings) -> NDArray[np.uint8]:
    """A 1x256x3 look-up table: exposure, contrast and white balance in one step."""
    s = settings
    gain = 2 ** rng.uniform(-s.exposure, s.exposure) * (1 + rng.uniform(-s.tint, s.tint, 3))
    contrast = 1 + rng.uniform(-s.contrast, s.contrast)
    level = np.arange(256)[:, None] / 255
    return np.clip(255 * ((level * gain - 0.5) * contrast + 0.5), 0, 255).astype(np.uint8)[None]


def find_green(cells: Image) -> Mask:
    """Where a green screen shows: ...xHxW bool."""
    flat = np.ascontiguousarray(cells).reshape(-1, cells.shape[-2], 3)
    hue_saturation = cv2.cvtColor(flat, cv2.COLOR_RGB2HSV)
    green = (hue_saturation[..., 0] > 40) & (hue_saturation[..., 0] < 80) & (hue_saturation[..., 1] > 80)
    return green.reshape(cells.shape[:-1])


def replace_green(cells: Image, rng: np.random.Generator) -> Image:
    """Puts a random wall behind a signer who stands before a green screen; other pictures stay as they are."""
    mask = find_green(cells)
    if mask.mean() < 0.15:  # a shirt or a plant, not a screen
        return cells
    return np.where(mask[..., None], draw_wall(cells.shape[1], rng), cells)


def draw_wall(size: int, rng: np.random.Generator) -> Image:
    """A size x size x 3 background: two colours in a gradient of any direction, sometimes with blotches or edges."""
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:size, 0:size] / size - 0.5
    ramp = np.clip(0.5 + x * np.cos(angle) + y * np.sin(angle), 0, 1)[..., None]
    first = rng.uniform(40, 245, 3) * np.ones(3)
    if rng.random() < 0.6:  # walls are mostly near grey
        first = first.mean() + rng.uniform(-18, 18, 3)
    second = first + rng.uniform(-45, 45, 3)
    wall = first * ramp + second * (1 - ramp)
    if rng.random() < 0.4:
        blotches = cv2.resize(
            rng.normal(0, 14, (6, 6, 3)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC
        )
        wall = wall + blotches
    if rng.random() < 0.3:  # furniture, a door
        left, top = rng.integers(0, size, 2)
        wall[top:, left : left + rng.integers(4, size)] = rng.uniform(30, 240, 3)
    return np.asarray(np.clip(wall, 0, 255), np.uint8)
