"""A pose as one vector of numbers, so that a whole body is interpolated in one go."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .hand import SHAPE_SIZE, SHAPES
from .vectors import Array, orient_hand

# One hand: wrist x, y, z; elbow lift (0 hangs down, 1 points outward, -1 tucks in); quaternion; shape.
WRIST = slice(0, 3)
ELBOW = 3
TURN = slice(4, 8)
SHAPE = slice(8, 8 + SHAPE_SIZE)
HAND_SIZE = 8 + SHAPE_SIZE
STRONG = slice(0, HAND_SIZE)  # the dominant hand
WEAK = slice(HAND_SIZE, 2 * HAND_SIZE)


@dataclass(frozen=True)
class Face:
    """Face, head and trunk. Angles are radians, positive to the dominant side; the rest are factors."""

    tilt: float = 0.0
    turn: float = 0.0
    nod: float = 0.0  # positive looks down
    brows: float = 0.0  # 1 raised, -1 lowered
    frown: float = 0.0  # 1 drawn together
    mouth: float = 0.0  # 0 closed .. 1 wide open
    smile: float = 0.0  # 1 smiling, -1 corners down
    eyes: float = 1.0  # 1 open, 0 shut
    lean: float = 0.0  # of the trunk


FACE_NAMES = tuple(field.name for field in fields(Face))
FACE = slice(2 * HAND_SIZE, 2 * HAND_SIZE + len(FACE_NAMES))
POSE_SIZE = 2 * HAND_SIZE + len(FACE_NAMES)


def pack_face(face: Face) -> Array:
    """Numbers [9] of a face, in the order of FACE_NAMES."""
    return np.array([getattr(face, name) for name in FACE_NAMES])


def pack_hand(wrist_3: Array, elbow: float, turn_4: Array, shape_12: Array) -> Array:
    """Numbers [20] of one hand."""
    return np.concatenate([wrist_3, [elbow], turn_4, shape_12])


def rest_hand(arm_length: float = 1.0, shoulder_width: float = 1.0) -> Array:
    """Numbers [20] of a hand that hangs at the side."""
    wrist_3 = np.array([0.55 * shoulder_width + 0.14, -0.15 - 1.64 * arm_length, 0.12])
    return pack_hand(wrist_3, 0.0, orient_hand("down", "in in back"), SHAPES["relaxed"])


def rest_pose(arm_length: float = 1.0, shoulder_width: float = 1.0) -> Array:
    """Numbers [P] of a body that stands still, hands at the sides."""
    hand_20 = rest_hand(arm_length, shoulder_width)
    return np.concatenate([hand_20, hand_20, pack_face(Face())])
