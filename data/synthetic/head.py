"""Head, hair and head-dress, painted once as two sprites: what hangs behind, and the head itself."""

from __future__ import annotations

import cv2
import numpy as np

from .hair import FACE_CENTRE, hair_around, hair_behind
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

_SIDE, _TOP, _BOTTOM = 0.72, 1.05, -1.0  # units around the pivot, for the largest hair
PIVOT = 0.20  # height of the joint the head turns in, above the base of the neck


def face_outline() -> Array:
    """Outline [24,2] of the face in units around the pivot: a round skull over a narrower jaw."""
    x, y = CIRCLE_24x2[:, 0], CIRCLE_24x2[:, 1]
    jaw = 1.0 - 0.16 * np.maximum(-y, 0.0) ** 1.6
    wide = np.sign(x) * np.abs(x) ** 0.72
    return np.stack([wide * 0.222 * jaw, FACE_CENTRE + np.where(y > 0, y * 0.32, y * 0.295)], axis=1)


def paint_head(look: Look, unit_px: float, light_side: float) -> tuple[Sprite | None, Sprite]:
    """The hair behind the shoulders (None for short hair) and the head; their origin is the head's joint."""
    sampling = choose_sampling(unit_px)
    k = unit_px * sampling * look.head_size
    height, width = int((_TOP - _BOTTOM) * k), int(2 * _SIDE * k)

    def px(points_Nx2: Array) -> Array:
        return np.stack([(points_Nx2[:, 0] + _SIDE) * k, (_TOP - points_Nx2[:, 1]) * k], axis=1)

    def blank() -> tuple[Image, Image]:
        colour = np.empty((height, width, 3), np.uint8)
        colour[:] = look.hair
        return colour, np.zeros((height, width), np.uint8)

    def add(colour: Image, mask: Image, points_Nx2: Array, rgb: tuple[int, int, int]) -> None:
        fill_any(colour, px(points_Nx2), rgb)
        cv2.fillPoly(mask, [np.rint(px(points_Nx2)).astype(np.int32)], 255)

    behind = None
    shapes_behind = hair_behind(look.hair_style)
    if shapes_behind:
        colour, mask = blank()
        for points in shapes_behind:
            add(colour, mask, points, shade(look.hair, 0.8))
        behind = finish_sprite(_texture(colour, look, k), mask, (_SIDE * k, _TOP * k), k, sampling)
    colour, mask = blank()
    if look.hair_style != "hijab":
        for sign in (-1, 1):
            add(
                colour,
                mask,
                CIRCLE_24x2 * (0.042, 0.075) + (sign * 0.235, FACE_CENTRE - 0.0),
                shade(look.skin, 0.8),
            )
    # The skull's hair goes behind the face, the fringe in front of it.
    back, front = hair_around(look.hair_style)
    for points in back:
        add(colour, mask, points, shade(look.hair, 0.92))
    add(colour, mask, face_outline(), look.skin)
    _shade_face(colour, look, px, k, light_side)
    hair = np.zeros((height, width), np.uint8)
    for points in front:
        add(colour, mask, points, look.hair)
        cv2.fillPoly(hair, [np.rint(px(points)).astype(np.int32)], 255)
    textured = _texture(colour, look, k)
    for points in back:
        cv2.fillPoly(hair, [np.rint(px(points)).astype(np.int32)], 255)
    face_only = np.zeros((height, width), np.uint8)
    cv2.fillPoly(face_only, [np.rint(px(face_outline())).astype(np.int32)], 255)
    for points in front:
        cv2.fillPoly(face_only, [np.rint(px(points)).astype(np.int32)], 0)
    hair[face_only > 0] = 0
    colour[hair > 0] = textured[hair > 0]
    return behind, finish_sprite(colour, mask, (_SIDE * k, _TOP * k), k, sampling)


def _texture(image: Image, look: Look, k: float) -> Image:
    """Strands of hair or the fine folds of cloth."""
    rng = np.random.default_rng(7)
    grain = rng.normal(0, 1, (image.shape[0] // 8 + 1, image.shape[1] // 2 + 1)).astype(np.float32)
    if look.hair_style == "curly":
        grain = rng.normal(0, 1.6, (image.shape[0] // 6 + 1, image.shape[1] // 6 + 1)).astype(np.float32)
    strands = cv2.resize(grain, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_CUBIC)
    weight = 5.0 if look.hair_style == "hijab" else 9.0
    sheen = np.linspace(1.18, 0.85, image.shape[0], dtype=np.float32)[:, None, None]
    return np.asarray(np.clip((image + strands[..., None] * weight + 3) * sheen, 0, 255), np.uint8)


def _shade_face(image: Image, look: Look, px: ToPixels, k: float, light_side: float) -> None:
    """Light from one side and above, cheeks, the nose's and the beard's shade."""
    skin_mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(skin_mask, [np.rint(px(face_outline())).astype(np.int32)], 255)
    patch = np.empty_like(image)
    patch[:] = look.skin  # nothing but skin, or the hair's colour would bleed in from the edges
    fill(patch, px(CIRCLE_24x2 * (0.13, 0.1) + (0.06 * light_side, FACE_CENTRE + 0.22)), shade(look.skin, 1.12))
    for sign in (-1, 1):
        lit = 1.08 if sign * light_side > 0 else 0.95
        fill(
            patch,
            px(CIRCLE_24x2 * (0.075, 0.06) + (sign * 0.12, FACE_CENTRE - 0.03)),
            shade(mix(look.skin, (230, 110, 90), 0.12), lit),
        )
        edge = face_outline()[CIRCLE_24x2[:, 0] * sign > 0.55] * 1.0
        stroke(patch, px(edge), shade(look.skin, 0.72 if sign * light_side < 0 else 0.88), 0.07 * k)
        fill(
            patch,
            px(CIRCLE_24x2 * (0.07, 0.035) + (sign * 0.092, FACE_CENTRE + 0.045)),
            shade(look.skin, 0.84),
        )
    fill(patch, px(CIRCLE_24x2 * (0.15, 0.05) + (0, FACE_CENTRE - 0.31)), shade(look.skin, 0.78))
    if look.beard:
        beard = mix(look.skin, look.hair, 0.6)
        jaw = np.concatenate(
            [
                face_outline()[12:] * (0.98, 1.0),
                [[0.2, 0.36], [0.13, 0.22], [0.0, 0.26], [-0.13, 0.22], [-0.2, 0.36]],
            ]
        )
        fill_any(patch, px(jaw), beard)
        fill(patch, px(CIRCLE_24x2 * (0.09, 0.03) + (0, FACE_CENTRE - 0.115)), beard)
    soft = soften(patch, 0.028 * k)
    skin_mask = np.asarray(cv2.dilate(skin_mask, np.ones((3, 3), np.uint8)))
    image[skin_mask > 0] = soft[skin_mask > 0]
