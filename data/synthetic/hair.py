"""Outlines of hair styles and the hijab, in head units: x right, y up from the joint the head turns in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .paint import CIRCLE_24x2, moved
from .vectors import Array

FACE_CENTRE = 0.36  # of the face, above the joint

Hair = tuple[list[Array], list[Array]]  # outlines behind the face, and in front of it


def rounded(width: float, height: float) -> Array:
    """An ellipse [24,2] with the fuller corners of a head."""
    return np.asarray(np.sign(CIRCLE_24x2) * np.abs(CIRCLE_24x2) ** 0.8 * (width, height))


def arch(width: float, height: float, y: float) -> Array:
    """The upper half of a head's outline [11,2], from the picture's right over the top to its left."""
    return moved(rounded(width, height)[1:12], 0.0, y)


def _mirror(right: list[tuple[float, float]]) -> Array:
    """An outline that is given from its middle to the right, made whole: left to right."""
    half = np.array(right)
    return np.concatenate([half[::-1] * (-1, 1), half])


_SKULL_24x2 = moved(rounded(0.262, 0.37), 0.0, FACE_CENTRE + 0.05)
_UPPER = _SKULL_24x2[_SKULL_24x2[:, 1] > FACE_CENTRE - 0.06]
_HAIRLINE = _mirror([(0.0, 0.585), (0.1, 0.6), (0.2, 0.545), (0.235, 0.44)])


def hair_behind(style: str) -> list[Array]:
    """Outlines of what hangs behind the shoulders."""
    if style == "long":
        return [_mirror([(0.0, 0.5), (0.29, 0.5), (0.36, 0.0), (0.38, -0.55), (0.2, -0.7), (0.0, -0.7)])]
    if style == "bob":
        return [_mirror([(0.0, 0.55), (0.29, 0.55), (0.34, 0.1), (0.27, -0.02), (0.0, -0.02)])]
    return []


def hair_around(style: str) -> Hair:
    """Outlines of the hair behind the face and in front of it."""
    return _STYLES[style]()


def _bald() -> Hair:
    return [], []


def _hijab() -> Hair:
    drape = _mirror([(0.0, -0.85), (0.42, -0.62), (0.48, -0.3), (0.34, 0.0), (0.29, 0.2)])
    outer = np.concatenate([moved(rounded(0.285, 0.40)[:13], 0.0, FACE_CENTRE + 0.03), drape])
    hole = moved(rounded(0.192, 0.262), 0.0, FACE_CENTRE - 0.025)
    return [outer], [np.concatenate([outer, outer[:1], hole[::-1], hole[-1:]])]


def _cropped() -> Hair:
    return [_UPPER * (0.9, 0.97)], [np.concatenate([arch(0.232, 0.335, FACE_CENTRE), moved(_HAIRLINE, 0.0, 0.03)])]


def _curly() -> Hair:
    angles = np.linspace(-0.3, np.pi + 0.3, 11)
    curls = [moved(CIRCLE_24x2 * 0.12, 0.27 * np.cos(a), FACE_CENTRE + 0.13 + 0.27 * np.sin(a)) for a in angles]
    crown = moved(CIRCLE_24x2 * (0.29, 0.38), 0.0, FACE_CENTRE + 0.08)
    return [crown, *curls], [np.concatenate([arch(0.27, 0.4, FACE_CENTRE), _HAIRLINE])]


def _parted() -> Hair:
    parting = np.array([[-0.245, 0.36], [-0.2, 0.5], [-0.08, 0.63], [0.18, 0.6], [0.235, 0.5], [0.24, 0.4]])
    return [_UPPER], [np.concatenate([arch(0.265, 0.37, FACE_CENTRE + 0.03), parting])]


def _curtain() -> Hair:
    inner = _mirror([(0.02, 0.62), (0.15, 0.56), (0.205, 0.4), (0.2, 0.1)])
    outer = np.concatenate([[[0.31, 0.08]], arch(0.285, 0.39, FACE_CENTRE + 0.03), [[-0.31, 0.08]]])
    return [_SKULL_24x2], [np.concatenate([outer, inner])]


def _bun() -> Hair:
    knot = moved(CIRCLE_24x2 * 0.13, 0.0, FACE_CENTRE + 0.45)
    return [knot, _UPPER], [np.concatenate([arch(0.25, 0.36, FACE_CENTRE + 0.02), moved(_HAIRLINE, 0.0, 0.03)])]


def _short() -> Hair:
    fringe = _mirror([(0.0, 0.575), (0.07, 0.61), (0.14, 0.55), (0.2, 0.52), (0.25, 0.45)])
    top = arch(0.262, 0.40, FACE_CENTRE + 0.02)
    top[2:9, 1] += (0.02, -0.01, 0.02, 0.0, 0.025, 0.0, 0.01)  # tousled
    return [_UPPER], [np.concatenate([top, fringe])]


_STYLES: dict[str, Callable[[], Hair]] = {
    "short": _short,
    "cropped": _cropped,
    "curly": _curly,
    "parted": _parted,
    "bob": _curtain,
    "long": _curtain,
    "bun": _bun,
    "bald": _bald,
    "hijab": _hijab,
}
