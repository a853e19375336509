"""The hand's geometry: sizes, thumbs on the right side, shapes that differ."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from isyarat.data.synthetic.hand import PALM_CENTRE_3, SHAPES, anchor_of, place_joints
from isyarat.data.synthetic.vectors import orient_hand, quaternion_of, reach, rotation_of


def test_a_stretched_hand_has_length_one() -> None:
    joints_5x4x3 = place_joints(SHAPES["flat"])
    assert np.linalg.norm(joints_5x4x3[2, 3]) == pytest.approx(1.0, abs=0.05)
    assert np.allclose(anchor_of(SHAPES["flat"], "palm"), PALM_CENTRE_3)


def test_shapes_differ() -> None:
    for first, second in itertools.combinations(SHAPES, 2):
        gap = np.abs(place_joints(SHAPES[first])[:, 3] - place_joints(SHAPES[second])[:, 3]).max()
        assert gap > 0.08, f"{first} looks like {second}"


@pytest.mark.parametrize(
    ("fingers", "palm", "thumb"),
    [("up", "front", (-1, 0, 0)), ("up", "back", (1, 0, 0)), ("in", "back", (0, 1, 0)), ("front", "in", (0, 1, 0))],
)
def test_the_thumb_is_where_it_is_on_a_real_hand(fingers: str, palm: str, thumb: tuple[int, int, int]) -> None:
    """Palm to the viewer: thumb inside. Hand on the chest, or ready to be shaken: thumb up."""
    tip_3 = rotation_of(orient_hand(fingers, palm)) @ place_joints(SHAPES["thumb_up"])[0, 3]
    assert tip_3 @ np.array(thumb) > 0.3


def test_rotations_survive_quaternions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        q_4 = rng.normal(size=4)
        q_4 /= np.linalg.norm(q_4)
        assert np.allclose(rotation_of(quaternion_of(rotation_of(q_4))), rotation_of(q_4))


def test_arms_keep_their_length() -> None:
    shoulder = (0.5, -0.2, 0.0)
    for wrist in ((0.0, 0.3, 0.4), (1.0, 0.5, 0.3), (0.6, -1.6, 0.1), (5.0, 5.0, 0.0)):
        elbow, reached = reach(shoulder, wrist, 0.86, 0.84, (0.3, -1.0, 0.4))
        assert np.linalg.norm(np.subtract(elbow, shoulder)) == pytest.approx(0.86, abs=1e-6)
        assert np.linalg.norm(np.subtract(reached, elbow)) == pytest.approx(0.84, abs=1e-6)
        if wrist[0] < 5:
            assert np.allclose(reached, wrist)
