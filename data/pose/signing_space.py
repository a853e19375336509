"""Signing space: the signer's points measured by the signer's own body, wherever and however large they are filmed.

The origin is the middle between the shoulders, the unit their distance (both medians over the sign, so that a shaky
frame moves nothing). Measured on 22 clips of five unseen signers: what generalises from one signer to others is this
geometry, not pixels.

A hand that hangs down or is out of the picture says nothing about the sign, but looks different in a portrait and in a
close-up; it is put to one place of rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .pose import BodyPoint, Points
from .track import HANDS, PoseTrack

# A wrist lower than this below the shoulders, in shoulder widths, is at rest. 1.2 lay between the belly, where signs
# end, and the lap; of 1.2, 1.4 and 1.6 it gave the best likelihood of unseen signers.
REST_Y = 1.2

# Where the arms of a resting hand are put: elbow and wrist, for the left side; the right is its mirror image.
REST_ELBOW, REST_WRIST = (0.6, 0.95), (0.55, 1.9)

# Least visibility of a wrist that is believed.
LEAST_VISIBLE = 0.3

# From the side the shoulders come together; the head's distance keeps the unit from shrinking with them.
HEAD_UNITS = 0.88

ELBOWS = (BodyPoint.LEFT_ELBOW, BodyPoint.RIGHT_ELBOW)
WRISTS = (BodyPoint.LEFT_WRIST, BodyPoint.RIGHT_WRIST)
KNUCKLES = (
    (BodyPoint.LEFT_LITTLE, BodyPoint.LEFT_INDEX, BodyPoint.LEFT_THUMB),
    (BodyPoint.RIGHT_LITTLE, BodyPoint.RIGHT_INDEX, BodyPoint.RIGHT_THUMB),
)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One sign in signing space.

    Attributes:
        points_Tx75x3: float32 in shoulder widths: body, left hand, right hand (`PoseTrack`'s order); x to the right of
            the picture, y down, z away from the camera.
        presence_Tx2: float32 0..1, how surely each hand was found; 0 for a hand at rest.
        active_Tx2: bool, whether each hand is raised and in the picture.
    """

    points_Tx75x3: Points
    presence_Tx2: Points
    active_Tx2: np.ndarray

    @property
    def signs(self) -> bool:
        """Whether any hand is raised at any time; without one there is nothing to recognise."""
        return bool(self.active_Tx2.any())


def enter_signing_space(track: PoseTrack) -> Motion:
    """Measures the frames of one sign by the signer's shoulders.

    Arguments:
        track: the T frames chosen for the motion grid.

    Returns:
        The motion; nothing but zeros when no frame shows a person.
    """
    if not track.found_N.any():
        count = len(track)
        return Motion(
            np.zeros((count, 75, 3), np.float32), np.zeros((count, 2), np.float32), np.zeros((count, 2), np.bool_)
        )
    points = track.points_Nx75x3
    left, right = points[:, BodyPoint.LEFT_SHOULDER, :2], points[:, BodyPoint.RIGHT_SHOULDER, :2]
    middle = (left + right) / 2
    width = np.median(np.linalg.norm(left - right, axis=-1))
    head = np.median(np.linalg.norm(points[:, BodyPoint.NOSE, :2] - middle, axis=-1))
    unit = max(float(width), HEAD_UNITS * float(head), 1e-3)
    moved = points.copy()
    moved[..., :2] -= np.median(middle, axis=0)
    moved /= np.float32(unit)
    return rest_hands(Motion(moved, track.presence_Nx2, find_active(track, moved)))


def find_active(track: PoseTrack, moved_Tx75x3: Points) -> np.ndarray:
    """Tx2 bool: which hands are raised, in the picture and visible."""
    wrists = track.points_Nx75x3[:, list(WRISTS), :2]
    inside = (
        (wrists[..., 1] < 1.02 * track.height)
        & (wrists[..., 0] > -0.05 * track.width)
        & (wrists[..., 0] < 1.05 * track.width)
    )
    raised = moved_Tx75x3[:, list(WRISTS), 1] < REST_Y
    active: np.ndarray = inside & raised & (track.visibility_Nx33[:, list(WRISTS)] > LEAST_VISIBLE)
    return active


def rest_hands(motion: Motion) -> Motion:
    """Puts every hand that is not active to its place of rest."""
    points = motion.points_Tx75x3.copy()
    for hand, side in enumerate((1.0, -1.0)):
        resting = ~motion.active_Tx2[:, hand]
        wrist = np.array(REST_WRIST, np.float32) * (side, 1)
        points[resting, ELBOWS[hand], :2] = np.array(REST_ELBOW, np.float32) * (side, 1)
        for point in (WRISTS[hand], *KNUCKLES[hand]):
            points[resting, point, :2] = wrist
        points[resting, HANDS[hand], :2] = wrist
    presence = np.where(motion.active_Tx2, motion.presence_Tx2, 0).astype(np.float32)
    return replace(motion, points_Tx75x3=points, presence_Tx2=presence)
