"""The hand: named shapes as joint angles, and where its joints are (forward kinematics).

Local frame: first axis to the little-finger side, second along the fingers, third out of the palm; the wrist is
the origin and 1 is the length from the wrist to the tip of the stretched middle finger. Both hands share it.
"""

from __future__ import annotations

import numpy as np

from .vectors import Array

# A shape is 12 angles in radians (the spread is a factor): 4 knuckle bends, 4 middle-joint bends (index ..
# little), spread of the fingers, thumb away from the fingers, thumb towards the palm side, thumb bend.
SHAPE_SIZE = 12


def _shape(
    knuckles: tuple[float, float, float, float] | float,
    middles: tuple[float, float, float, float] | float,
    spread: float,
    thumb: tuple[float, float, float],
) -> Array:
    four = (knuckles,) * 4 if isinstance(knuckles, float) else knuckles
    next_four = (middles,) * 4 if isinstance(middles, float) else middles
    return np.array([*four, *next_four, spread, *thumb])


_THUMB_OVER = (0.35, 0.95, 1.0)  # across the curled fingers
_THUMB_BESIDE = (0.45, 0.15, 0.1)
SHAPES: dict[str, Array] = {
    "relaxed": _shape((0.25, 0.35, 0.4, 0.45), 0.4, 0.25, (0.5, 0.4, 0.2)),
    "flat": _shape(0.06, 0.06, 0.05, _THUMB_BESIDE),
    "open_thumb": _shape(0.05, 0.08, 0.15, (1.15, 0.2, 0.0)),
    "five": _shape(0.05, 0.08, 1.0, (1.0, 0.15, 0.0)),
    "bent": _shape(1.1, 0.15, 0.0, (0.5, 0.6, 0.1)),
    "fist": _shape(1.4, 1.75, 0.0, _THUMB_OVER),
    "point": _shape((0.0, 1.4, 1.4, 1.4), (0.0, 1.75, 1.75, 1.75), 0.0, _THUMB_OVER),
    "hook": _shape((0.35, 1.4, 1.4, 1.4), (1.3, 1.75, 1.75, 1.75), 0.0, _THUMB_OVER),
    "vee": _shape((0.05, 0.05, 1.4, 1.4), (0.0, 0.0, 1.75, 1.75), 1.1, (0.3, 1.0, 0.9)),
    "thumb_up": _shape(1.4, 1.75, 0.0, (1.35, 0.1, -0.1)),
    "ell": _shape((0.0, 1.4, 1.4, 1.4), (0.0, 1.75, 1.75, 1.75), 0.0, (1.35, 0.1, 0.0)),
    "ring": _shape((0.85, 0.15, 0.1, 0.1), (1.15, 0.1, 0.1, 0.15), 0.9, (0.45, 0.75, 0.35)),
    "pinch": _shape((0.8, 1.1, 1.3, 1.4), (0.8, 1.2, 1.4, 1.5), 0.0, (0.4, 0.75, 0.2)),
    "bunch": _shape((0.6, 0.62, 0.6, 0.55), 0.62, -0.9, (0.3, 0.62, 0.1)),
    "cupped": _shape(0.4, 0.7, 0.1, (0.7, 0.55, 0.3)),
    "cee": _shape(0.55, 0.75, 0.15, (0.75, 0.85, 0.35)),
    "claw": _shape(0.1, 1.2, 0.9, (1.0, 0.5, 0.4)),
    "little": _shape((1.4, 1.4, 1.4, 0.0), (1.75, 1.75, 1.75, 0.0), 0.3, _THUMB_OVER),
    "horns": _shape((0.0, 1.4, 1.4, 0.0), (0.0, 1.75, 1.75, 0.0), 0.5, _THUMB_OVER),
    "shaka": _shape((1.4, 1.4, 1.4, 0.0), (1.75, 1.75, 1.75, 0.0), 0.6, (1.3, 0.1, 0.0)),
}

_KNUCKLES_4x2 = np.array([[-0.165, 0.50], [-0.05, 0.52], [0.065, 0.50], [0.165, 0.45]])
_BONES_4x3 = np.array([[0.22, 0.14, 0.11], [0.24, 0.15, 0.11], [0.22, 0.14, 0.11], [0.17, 0.11, 0.09]])
_FAN_4 = np.radians([13.0, 3.0, -8.0, -20.0])
_FAN_CLOSED_4 = np.radians([2.0, 0.0, -2.0, -4.0])
_THUMB_ROOT_3 = np.array([-0.12, 0.12, 0.03])
_THUMB_BONES_3 = (0.20, 0.17, 0.13)
PALM_CENTRE_3 = np.array([0.0, 0.30, 0.0])
# Corners of the palm, front and back, for its outline from any side.
_PALM_OUTLINE = np.array(
    [
        [-0.105, -0.02],
        [-0.20, 0.30],
        [-0.20, 0.50],
        [-0.06, 0.55],
        [0.08, 0.54],
        [0.21, 0.47],
        [0.2, 0.2],
        [0.105, -0.02],
    ]
)
PALM_16x3 = np.concatenate([np.column_stack([_PALM_OUTLINE, np.full(8, depth)]) for depth in (-0.07, 0.07)])


def place_joints(shape_12: Array) -> Array:
    """Joints [5,4,3] of thumb, index, middle, ring, little finger, from root to tip, in the local frame."""
    knuckle_4, middle_4 = shape_12[:4], shape_12[4:8]
    spread, away, across, bend = shape_12[8:].tolist()
    fan_4 = _FAN_CLOSED_4 + (_FAN_4 - _FAN_CLOSED_4) * spread
    angles_4x3 = np.stack([knuckle_4, knuckle_4 + middle_4, knuckle_4 + 1.6 * middle_4], axis=1)
    along_4x3 = np.cos(angles_4x3) * _BONES_4x3
    joints_5x4x3 = np.zeros((5, 4, 3))
    joints_5x4x3[1:, 0, :2] = _KNUCKLES_4x2
    # The fan angle turns a finger in the palm's plane, the bends turn it out of the palm.
    steps_4x3x3 = np.stack(
        [
            -np.sin(fan_4)[:, None] * along_4x3,
            np.cos(fan_4)[:, None] * along_4x3,
            np.sin(angles_4x3) * _BONES_4x3,
        ],
        axis=2,
    )
    joints_5x4x3[1:, 1:] = joints_5x4x3[1:, :1] + np.cumsum(steps_4x3x3, axis=1)
    joints_5x4x3[0, 0] = _THUMB_ROOT_3
    for bone, length in enumerate(_THUMB_BONES_3):
        angle = away - bend * bone * 0.6
        rise = across * (1.0 - 0.25 * bone)
        step = np.array([-np.sin(angle) * np.cos(rise), np.cos(angle) * np.cos(rise), np.sin(rise)])
        joints_5x4x3[0, bone + 1] = joints_5x4x3[0, bone] + length * step
    return joints_5x4x3


def anchor_of(shape_12: Array, anchor: str) -> Array:
    """Local point [3] that a script places: "wrist", "palm", "tip" (index), "tips" (two fingers), "thumb"."""
    if anchor == "wrist":
        return np.zeros(3)
    if anchor == "palm":
        return PALM_CENTRE_3
    joints_5x4x3 = place_joints(shape_12)
    if anchor == "thumb":
        return np.asarray(joints_5x4x3[0, 3])
    if anchor == "tips":
        return np.asarray((joints_5x4x3[1, 3] + joints_5x4x3[2, 3]) / 2)
    if anchor == "tip":
        return np.asarray(joints_5x4x3[1, 3])
    raise ValueError(f"no such anchor: {anchor}")
