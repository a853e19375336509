"""A signer's body and hands as points in the picture, and the names of the points.

The points are those of BlazePose (Bazarevsky et al. 2020, arXiv:2006.10204, figure 3: 33 of the body) and of MediaPipe
Hands (Zhang et al. 2020, arXiv:2006.10214, figure 3: 21 of a hand). Left and right are the signer's own: somebody who
faces the camera has the left hand on the right side of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float32]

# The hands of `Pose.hands_2x21x3` and `Pose.presence_2`.
LEFT, RIGHT = 0, 1


class BodyPoint(IntEnum):
    """Rows of `Pose.body_33x4`: the face, the arms and the hips (the legs, 25 to 32, are not in the picture)."""

    NOSE = 0
    LEFT_EYE = 2
    RIGHT_EYE = 5
    LEFT_EAR = 7
    RIGHT_EAR = 8
    MOUTH_LEFT = 9
    MOUTH_RIGHT = 10
    LEFT_SHOULDER = 11
    RIGHT_SHOULDER = 12
    LEFT_ELBOW = 13
    RIGHT_ELBOW = 14
    LEFT_WRIST = 15
    RIGHT_WRIST = 16
    LEFT_LITTLE = 17  # knuckles
    RIGHT_LITTLE = 18
    LEFT_INDEX = 19
    RIGHT_INDEX = 20
    LEFT_THUMB = 21
    RIGHT_THUMB = 22
    LEFT_HIP = 23
    RIGHT_HIP = 24


class HandPoint(IntEnum):
    """Columns of `Pose.hands_2x21x3`: the wrist, then knuckle, two joints and tip of each finger."""

    WRIST = 0
    THUMB_BASE = 1
    THUMB_TIP = 4
    INDEX_KNUCKLE = 5
    INDEX_TIP = 8
    MIDDLE_KNUCKLE = 9
    MIDDLE_TIP = 12
    RING_KNUCKLE = 13
    RING_TIP = 16
    LITTLE_KNUCKLE = 17
    LITTLE_TIP = 20


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """One person in one frame. Every number is finite; points may lie outside of the picture.

    Attributes:
        body_33x4: float32 x, y, z in pixels of the upright frame (0, 0 is the centre of its upper left pixel; x to the
            right, y down, z away from the camera, about 0 at the hips) and visibility 0..1.
        hands_2x21x3: float32 x, y, z of the signer's left and right hand, in pixels; z is about 0 at the wrist. Without
            meaning where `presence_2` is low.
        presence_2: float32 0..1, how surely a hand was found there.
        width, height: of the frame, in pixels.
    """

    body_33x4: Points
    hands_2x21x3: Points
    presence_2: Points
    width: int
    height: int
