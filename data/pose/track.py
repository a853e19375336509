"""The poses of many frames as arrays, so that a whole clip can be held, cut and changed at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pose import Points, Pose

# Rows of `PoseTrack.points_Nx75x3`: the body's 33, then 21 of the left and 21 of the right hand.
BODY, LEFT_HAND, RIGHT_HAND = slice(0, 33), slice(33, 54), slice(54, 75)
HANDS = (LEFT_HAND, RIGHT_HAND)


@dataclass(frozen=True, slots=True, eq=False)
class PoseTrack:
    """One person through N frames. Frames without a person repeat the nearest one that has one.

    Attributes:
        points_Nx75x3: float32 x, y, z in pixels: body, left hand, right hand.
        visibility_Nx33: float32 0..1, of the body's points.
        presence_Nx2: float32 0..1, how surely each hand was found.
        found_N: bool, whether there was a person in the frame itself.
        width, height: of the frames in pixels.
    """

    points_Nx75x3: Points
    visibility_Nx33: Points
    presence_Nx2: Points
    found_N: NDArray[np.bool_]
    width: int
    height: int

    def __len__(self) -> int:
        return len(self.found_N)

    def __getitem__(self, frames: NDArray[np.intp]) -> PoseTrack:
        """The chosen frames, in the order given."""
        return PoseTrack(
            self.points_Nx75x3[frames],
            self.visibility_Nx33[frames],
            self.presence_Nx2[frames],
            self.found_N[frames],
            self.width,
            self.height,
        )


def stack_poses(poses: Sequence[Pose | None]) -> PoseTrack:
    """The track of the poses of a clip's frames (None: nobody in the frame)."""
    count = len(poses)
    points = np.zeros((count, 75, 3), np.float32)
    visibility, presence = np.zeros((count, 33), np.float32), np.zeros((count, 2), np.float32)
    found = np.array([pose is not None for pose in poses], np.bool_)
    width = height = 1
    for i, pose in enumerate(poses):
        if pose is not None:
            points[i, BODY] = pose.body_33x4[:, :3]
            points[i, LEFT_HAND], points[i, RIGHT_HAND] = pose.hands_2x21x3
            visibility[i], presence[i] = pose.body_33x4[:, 3], pose.presence_2
            width, height = pose.width, pose.height
    if found.any():
        known = np.flatnonzero(found)
        nearest = known[np.abs(np.arange(count)[:, None] - known).argmin(1)]
        points, visibility, presence = points[nearest], visibility[nearest], presence[nearest]
    return PoseTrack(points, visibility, presence, found, width, height)
