"""Trunk, neck and clothes, painted once as a sprite."""

from __future__ import annotations

import cv2
import numpy as np

from .look import Look
from .paint import (
    CIRCLE_24x2,
    Sprite,
    ToPixels,
    choose_sampling,
    fill,
    fill_any,
    finish_sprite,
    mix,
    shade,
    soften,
    stroke,
)
from .vectors import Array, Image

_HEM = -1.74
_TOP, _BOTTOM, _SIDE = 0.62, -3.2, 0.85  # units around the neck base
SHOULDER = (0.53, -0.18)  # joint of a body of width 1


def half_outline(look: Look) -> Array:
    """Outline of the picture-right half of the shirt, from the neck down, in units (y up)."""
    w = look.shoulder_width
    waist = 0.52 * look.build
    return np.array(
        [
            [0.10, 0.17],
            [0.17, 0.13],
            [0.34 * w, 0.045],
            [0.50 * w, -0.005],
            [0.60 * w, -0.06],
            [0.645 * w, -0.16],
            [0.62 * w, -0.36],
            [0.55 * w, -0.52],
            [max(waist, 0.50 * w), -0.9],
            [max(waist, 0.50 * w) + 0.01, -1.3],
            [max(waist, 0.52 * w) + 0.03, -1.8],
            [max(waist, 0.52 * w) + 0.05, _BOTTOM],
        ]
    )


def paint_torso(look: Look, unit_px: float, light_side: float, depth: float) -> Sprite:
    """The trunk; its origin is the base of the neck.

    Arguments:
        unit_px: pixels a unit.
        light_side: where the light comes from, -1 (picture left) .. 1 (right).
        depth: units below the neck that can come into the picture.
    """
    sampling = choose_sampling(unit_px)
    k = unit_px * sampling
    bottom = max(_BOTTOM, -depth)
    side = _SIDE * max(1.0, look.shoulder_width, look.build)
    height, width = int((_TOP - bottom) * k), int(2 * side * k)
    colour_hxwx3 = np.empty((height, width, 3), np.uint8)
    colour_hxwx3[:] = look.shirt
    mask_hxw = np.zeros((height, width), np.uint8)

    def px(points_Nx2: Array) -> Array:
        return np.stack([(points_Nx2[:, 0] + side) * k, (_TOP - points_Nx2[:, 1]) * k], axis=1)

    half = half_outline(look)
    outline = px(np.concatenate([half, half[::-1] * (-1, 1)]))
    _draw_pattern(colour_hxwx3, look, px, k)
    _draw_trousers(colour_hxwx3, look, px)
    _shade_cloth(colour_hxwx3, look, px, k, light_side)
    neck = px(_neck_outline(look))
    cv2.fillPoly(mask_hxw, [np.rint(neck).astype(np.int32)], 255)
    cv2.fillPoly(mask_hxw, [np.rint(outline).astype(np.int32)], 255)
    _draw_neck(colour_hxwx3, look, px, k)
    _draw_collar(colour_hxwx3, look, px, k)
    return finish_sprite(colour_hxwx3, mask_hxw, (side * k, _TOP * k), k, sampling)


def _neck_outline(look: Look) -> Array:
    n = 0.135 * (0.6 + 0.4 * look.build)
    half = np.array([[n, 0.55], [n, 0.2], [n + 0.02, 0.15], [n + 0.05, 0.1], [0.10, 0.0]])
    return np.concatenate([half, half[::-1] * (-1, 1)])


def _draw_neck(image: Image, look: Look, px: ToPixels, k: float) -> None:
    fill_any(image, px(_neck_outline(look)), shade(look.skin, 0.86))
    # The chin's shadow on the neck.
    shadow = np.array([[-0.2, 0.5], [0.2, 0.5], [0.2, 0.26], [0.0, 0.17], [-0.2, 0.26]])
    upper = image[: int((_TOP + 0.15) * k)]
    patch = upper.copy()
    fill_any(patch, px(shadow), shade(look.skin, 0.62))
    neck = np.zeros(upper.shape[:2], np.uint8)
    cv2.fillPoly(neck, [np.rint(px(_neck_outline(look))).astype(np.int32)], 255)
    blurred = soften(patch, 0.03 * k)
    upper[neck > 0] = blurred[neck > 0]


def _draw_collar(image: Image, look: Look, px: ToPixels, k: float) -> None:
    n = 0.135 * (0.6 + 0.4 * look.build) + 0.055
    if look.collar == "vee":
        vee = np.array([[-n, 0.15], [n, 0.15], [0.0, -0.22]])
        fill(image, px(vee), shade(look.skin, 0.9))
        stroke(image, px(vee[[0, 2, 1]]), shade(look.shirt, 0.7), 0.03 * k)
    elif look.collar == "crew":
        arc = CIRCLE_24x2[12:] * (n, 0.12) + (0, 0.13)
        arc = np.concatenate([arc, [[n, 0.13]]])
        fill_any(image, px(arc), shade(look.skin, 0.9))
        stroke(image, px(arc), shade(look.shirt, 0.75), 0.035 * k)
    else:
        vee = np.array([[-n, 0.16], [n, 0.16], [0.0, -0.05]])
        fill(image, px(vee), shade(look.skin, 0.9))
        lighter = mix(look.shirt, (255, 255, 255), 0.10)
        for sign in (-1, 1):
            flap = np.array([[n - 0.05, 0.22], [n + 0.05, 0.15], [0.13, -0.09], [0.0, -0.04]]) * (sign, 1)
            fill_any(image, px(flap), lighter)
            stroke(image, px(flap), shade(look.shirt, 0.6), 0.008 * k, closed=True)
        stroke(image, px(np.array([[0.0, -0.08], [0.0, -0.36]])), shade(look.shirt, 0.6), 0.012 * k)
        for y in (-0.14, -0.25):
            fill(image, px(CIRCLE_24x2 * 0.018 + (0.015, y)), look.accent)


def _draw_pattern(image: Image, look: Look, px: ToPixels, k: float) -> None:
    if look.pattern == "logo":
        fill(image, px(np.array([[0.2, -0.3], [0.3, -0.29], [0.3, -0.35], [0.2, -0.36]])), look.accent)
    if look.pattern in ("stripes", "checks"):
        for y in np.arange(-1.72, 0.0, 0.16):
            stroke(image, px(np.array([[-1.0, y], [1.0, y]])), mix(look.shirt, look.accent, 0.8), 0.05 * k)
    if look.pattern in ("bars", "checks"):
        for x in np.arange(-0.9, 0.9, 0.15):
            stroke(image, px(np.array([[x, 0.3], [x, -2.3]])), mix(look.shirt, look.accent, 0.6), 0.03 * k)
    if look.pattern == "dots":
        for row, y in enumerate(np.arange(-1.72, 0.05, 0.13)):
            for x in np.arange(-0.9, 0.9, 0.15):
                fill(image, px(CIRCLE_24x2 * 0.028 + (x + 0.075 * (row % 2), y)), look.accent)


def _draw_trousers(image: Image, look: Look, px: ToPixels) -> None:
    """Seen only from afar: the shirt ends at the hips, and below it is darker."""
    colour = mix(shade(look.accent, 0.3), (40, 42, 52), 0.7)
    fill(image, px(np.array([[-1.0, _HEM], [1.0, _HEM + 0.03], [1.0, _BOTTOM], [-1.0, _BOTTOM]])), colour)


def _shade_cloth(image: Image, look: Look, px: ToPixels, k: float, light_side: float) -> None:
    """Round the trunk by light and shadow, and lay a few folds."""
    height, width = image.shape[:2]
    x_w = (np.arange(width) / k - width / 2 / k) / (0.6 * max(look.shoulder_width, look.build))
    side_w = np.clip(1.06 - 0.24 * np.clip(np.abs(x_w + 0.3 * light_side * -1), 0, 1) ** 2.2, 0.6, 1.1)
    light_hxw = np.repeat(side_w[None].astype(np.float32), height, axis=0)
    light_hxw *= (1.08 - 0.07 * np.arange(height, dtype=np.float32) / np.float32(k))[:, None]
    folds = np.zeros((height, width), np.float32)
    for x0, y0, x1, y1, depth in (
        (-0.44, -0.5, -0.2, -0.75, -0.16), (0.44, -0.5, 0.2, -0.75, -0.16), (-0.36, -1.0, 0.1, -1.12, -0.1),
        (0.38, -1.15, -0.1, -1.3, -0.1), (-0.1, -0.5, -0.16, -1.0, -0.08), (0.12, -0.55, 0.14, -1.2, 0.08),
        (-0.3, -0.12, -0.18, -0.4, 0.09), (0.3, -0.12, 0.18, -0.4, -0.08), (-0.3, -1.5, 0.3, -1.62, -0.1),
    ):  # fmt: skip
        ends = np.rint(px(np.array([[x0, y0], [x1, y1]]))).astype(int)
        cv2.line(folds, tuple(ends[0].tolist()), tuple(ends[1].tolist()), depth, max(1, int(0.05 * k)))
    small = cv2.resize(folds, (max(2, width // 4), max(2, height // 4)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(0.5, 0.04 * k / 4))
    light_hxw += cv2.resize(small, (width, height)) * 1.6
    # Dark cloth reflects little: lift it, or folds would not be seen.
    lifted = image.astype(np.float32) + 10.0
    image[:] = np.clip(lifted * light_hxw[..., None], 0, 255).astype(np.uint8)
