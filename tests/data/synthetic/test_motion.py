"""Movement between key poses."""

from __future__ import annotations

import numpy as np
from isyarat.data.synthetic.motion import join_keys
from isyarat.data.synthetic.pose import POSE_SIZE, TURN


def test_minimum_jerk_between_stops() -> None:
    motion = join_keys([1.0, 2.0], [np.zeros(POSE_SIZE), np.ones(POSE_SIZE)], [False, False])
    path_N = np.array([motion.pose(t)[0] for t in np.linspace(0.5, 2.5, 201)])
    assert path_N[0] == 0
    assert path_N[-1] == 1
    assert (np.diff(path_N) >= 0).all()
    assert motion.pose(1.5)[0] == 0.5
    speed_N = np.diff(path_N) * 100
    assert abs(speed_N.max() - 1.875) < 0.01, "the peak speed of the minimum-jerk curve"


def test_via_keys_are_passed_without_a_stop() -> None:
    poses = [np.full(POSE_SIZE, v) for v in (0.0, 1.0, 2.0)]
    for via, moving in ((True, True), (False, False)):
        motion = join_keys([0.0, 1.0, 2.0], poses, [False, via, False])
        speed = (motion.pose(1.01)[0] - motion.pose(0.99)[0]) / 0.02
        assert (speed > 0.5) == moving


def test_turns_take_the_shorter_way() -> None:
    first, second = np.zeros(POSE_SIZE), np.zeros(POSE_SIZE)
    first[TURN] = (1, 0, 0, 0)
    second[TURN] = (-0.99, -0.14, 0, 0)  # nearly the same turn, written with the other sign
    middle_4 = join_keys([0.0, 1.0], [first, second], [False, False]).pose(0.5)[TURN]
    assert np.linalg.norm(middle_4) > 0.9
