"""Poses of many frames as arrays."""

from __future__ import annotations

import numpy as np
from isyarat.data.pose.pose import Pose
from isyarat.data.pose.track import LEFT_HAND, RIGHT_HAND, stack_poses


def make_pose(value: float) -> Pose:
    return Pose(
        np.full((33, 4), value, np.float32),
        np.stack([np.full((21, 3), value + 1, np.float32), np.full((21, 3), value + 2, np.float32)]),
        np.array([0.1, 0.9], np.float32),
        640,
        480,
    )


def test_points_are_in_their_places() -> None:
    track = stack_poses([make_pose(1.0), make_pose(10.0)])
    assert len(track) == 2
    assert (track.width, track.height) == (640, 480)
    assert (track.points_Nx75x3[1, :33] == 10).all()
    assert (track.points_Nx75x3[1, LEFT_HAND] == 11).all()
    assert (track.points_Nx75x3[1, RIGHT_HAND] == 12).all()
    assert (track.visibility_Nx33[0] == 1).all()
    assert np.allclose(track.presence_Nx2, [[0.1, 0.9]] * 2)


def test_frames_without_a_person_repeat_the_nearest() -> None:
    track = stack_poses([None, make_pose(1.0), None, None, make_pose(5.0), None])
    assert track.points_Nx75x3[:, 0, 0].tolist() == [1, 1, 1, 5, 5, 5]
    assert track.found_N.tolist() == [False, True, False, False, True, False]


def test_nobody_at_all() -> None:
    track = stack_poses([None, None])
    assert not track.found_N.any()
    assert not track.points_Nx75x3.any()


def test_chosen_frames() -> None:
    track = stack_poses([make_pose(float(i)) for i in range(4)])[np.array([2, 2, 0])]
    assert len(track) == 3
    assert track.points_Nx75x3[:, 0, 0].tolist() == [2, 2, 0]
