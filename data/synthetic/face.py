"""The moving parts of the face: eyes, brows, nose, mouth, glasses."""

from __future__ import annotations

import numpy as np

from .hair import FACE_CENTRE
from .look import Look
from .paint import CIRCLE_24x2, ToPixels, fill, fill_any, mix, moved, shade, stroke
from .pose import FACE_NAMES
from .vectors import Array, Image

_TILT, _TURN, _NOD, _BROWS, _FROWN, _MOUTH, _SMILE, _EYES, _LEAN = range(len(FACE_NAMES))


def draw_face(image_HxWx3: Image, look: Look, face_F: Array, affine_2x3: Array) -> None:
    """Draw the features on a placed head.

    Arguments:
        face_F: numbers of pose.FACE_NAMES; `turn` is positive to the picture's right here.
        affine_2x3: head units (around its joint, y up) to pixels.
    """
    k = float(np.hypot(affine_2x3[0, 0], affine_2x3[1, 0]))
    # Further turned, the flat face would slide off the head.
    turn, nod = float(np.clip(face_F[_TURN], -0.55, 0.55)), float(np.clip(face_F[_NOD], -0.6, 0.6))
    dx, dy = 0.15 * turn, -0.12 * nod
    squeeze = 1.0 - 0.25 * abs(turn)

    def px(points_Nx2: Array) -> Array:
        moved = points_Nx2 * (squeeze, 1.0) + (dx, dy + FACE_CENTRE)
        return np.asarray(moved @ affine_2x3[:, :2].T + affine_2x3[:, 2])

    dark = mix(shade(look.skin, 0.35), (20, 14, 14), 0.5)
    hair = (40, 30, 28) if look.hair_style in ("hijab", "bald") else shade(look.hair, 0.9)
    opened = float(np.clip(face_F[_EYES], 0.0, 1.2))
    for side in (-1, 1):
        centre = np.array([side * 0.09, 0.045])
        if opened > 0.15:
            eye = CIRCLE_24x2[::2] * (0.046, 0.024 * opened) + centre
            fill(image_HxWx3, px(eye), (232, 226, 220))
            fill(
                image_HxWx3,
                px(CIRCLE_24x2[::2] * (0.021, min(0.021, 0.024 * opened)) + centre + (0.03 * turn, 0)),
                (34, 22, 18),
            )
            if k > 140:
                fill(image_HxWx3, px(CIRCLE_24x2[::4] * 0.006 + centre + (0.008, 0.007)), (240, 240, 240))
        lid = np.array(
            [
                [-0.05, -0.004],
                [-0.026, 0.022 * opened],
                [0.0, 0.027 * opened],
                [0.026, 0.022 * opened],
                [0.05, -0.004],
            ]
        )
        stroke(image_HxWx3, px(lid + centre), dark, 0.014 * k)
        raise_by = 0.03 * float(face_F[_BROWS])
        knit = 0.026 * float(face_F[_FROWN])
        brow = np.array(
            [[0.038 - knit * 0.5, 0.112 + raise_by - knit], [0.09, 0.124 + raise_by], [0.142, 0.1 + raise_by]]
        )
        stroke(image_HxWx3, px(brow * (side, 1)), hair, 0.019 * k)
    nose = np.array([[0.012, 0.03], [0.03, -0.05], [0.038, -0.075], [0.0, -0.088], [-0.038, -0.075]])
    stroke(image_HxWx3, px(moved(nose[1:], 0.3 * dx, 0.0)), shade(look.skin, 0.68), 0.014 * k)
    _draw_mouth(image_HxWx3, look, face_F, px, k)
    if look.glasses:
        frame = (30, 30, 34)
        for side in (-1, 1):
            stroke(
                image_HxWx3,
                px(CIRCLE_24x2 * (0.082, 0.062) + (side * 0.094, 0.04)),
                frame,
                0.012 * k,
                closed=True,
            )
        stroke(image_HxWx3, px(np.array([[-0.014, 0.05], [0.014, 0.05]])), frame, 0.012 * k)


def _draw_mouth(image: Image, look: Look, face_F: Array, px: ToPixels, k: float) -> None:
    opened = float(np.clip(face_F[_MOUTH], 0.0, 1.2))
    smile = float(face_F[_SMILE])
    half, y = 0.078 + 0.016 * max(smile, 0) - 0.016 * opened, -0.165
    lip = mix(shade(look.skin, 0.8), (170, 70, 70), 0.4)
    corner = 0.008 + 0.018 * smile
    upper = np.array(
        [
            [-half, y + corner],
            [-half * 0.5, y + 0.014],
            [0.0, y + 0.008],
            [half * 0.5, y + 0.014],
            [half, y + corner],
        ]
    )
    drop = 0.012 + 0.075 * opened
    lower = np.array([[half * 0.55, y - drop], [0.0, y - drop - 0.01], [-half * 0.55, y - drop]])
    outline = np.concatenate([upper, lower])
    fill_any(image, px(outline), lip)
    stroke(image, px(outline), lip, 0.012 * k, closed=True)
    if opened > 0.1:
        inner = (outline - (0, y - drop / 2)) * (0.84, 0.72) + (0, y - drop / 2)
        fill_any(image, px(inner), (58, 22, 24))
        if opened > 0.4:
            teeth = np.array(
                [
                    [-half * 0.6, y + 0.006],
                    [half * 0.6, y + 0.006],
                    [half * 0.5, y - 0.012],
                    [-half * 0.5, y - 0.012],
                ]
            )
            fill(image, px(teeth), (226, 220, 212))
    else:
        stroke(image, px(upper - (0, 0.01)), shade(lip, 0.55), 0.01 * k)
