"""The signer's points, measured by the signer's own shoulders."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from isyarat.data.pose.pose import BodyPoint
from isyarat.data.pose.signing_space import REST_WRIST, enter_signing_space
from isyarat.data.pose.track import LEFT_HAND, RIGHT_HAND, PoseTrack, stack_poses

FRAMES = 9


def make_track(unit: float = 100.0, x: float = 320.0, y: float = 200.0) -> PoseTrack:
    """Somebody whose right hand rises from the lap to the chin and sinks again; the left arm hangs."""
    rng = np.random.default_rng(0)
    points = rng.normal(0, 0.05, (FRAMES, 75, 3))
    places = {
        BodyPoint.NOSE: (0, -0.7), BodyPoint.LEFT_SHOULDER: (0.5, 0), BodyPoint.RIGHT_SHOULDER: (-0.5, 0),
        BodyPoint.LEFT_ELBOW: (0.6, 0.9), BodyPoint.RIGHT_ELBOW: (-0.7, 0.8), BodyPoint.LEFT_WRIST: (0.6, 1.7),
    }  # fmt: skip
    for point, place in places.items():
        points[:, point, :2] = place
    height = np.concatenate([np.linspace(1.8, -0.3, 5), np.linspace(0.2, 1.8, 4)])
    points[:, BodyPoint.RIGHT_WRIST, :2] = np.stack([np.full(FRAMES, -0.2), height], 1)
    points[:, RIGHT_HAND, :2] += points[:, BodyPoint.RIGHT_WRIST, None, :2]
    points[..., :2] = points[..., :2] * unit + (x, y)
    points[..., 2] *= unit
    return PoseTrack(
        points.astype(np.float32), np.full((FRAMES, 33), 0.9, np.float32), np.full((FRAMES, 2), 0.8, np.float32),
        np.ones(FRAMES, np.bool_), 640, 480,
    )  # fmt: skip


def test_place_and_distance_of_the_camera_play_no_part() -> None:
    near = enter_signing_space(make_track())
    far = enter_signing_space(make_track(unit=60, x=200, y=150))
    assert np.allclose(near.points_Tx75x3, far.points_Tx75x3, atol=1e-4)
    assert near.points_Tx75x3[0, BodyPoint.LEFT_SHOULDER, 0] == pytest.approx(0.5, abs=1e-4)


def test_hands_at_rest_are_put_to_one_place() -> None:
    motion = enter_signing_space(make_track())
    assert not motion.active_Tx2[:, 0].any(), "the left arm hangs"
    assert motion.active_Tx2[2:7, 1].all(), "the right hand is raised"
    assert not motion.active_Tx2[[0, -1], 1].any(), "it starts and ends in the lap"
    assert np.allclose(motion.points_Tx75x3[:, BodyPoint.LEFT_WRIST, :2], REST_WRIST)
    assert np.allclose(motion.points_Tx75x3[:, LEFT_HAND, :2], REST_WRIST)
    assert np.allclose(motion.points_Tx75x3[0, BodyPoint.RIGHT_WRIST, :2], np.multiply(REST_WRIST, (-1, 1)))
    assert (motion.presence_Tx2[~motion.active_Tx2] == 0).all()
    assert motion.signs


def test_hands_out_of_the_picture_or_unseen_are_at_rest() -> None:
    track = make_track()
    outside = dataclasses.replace(track, height=150)
    unseen = dataclasses.replace(track, visibility_Nx33=np.zeros_like(track.visibility_Nx33))
    assert not enter_signing_space(unseen).signs
    assert enter_signing_space(outside).active_Tx2.sum() < enter_signing_space(track).active_Tx2.sum()


def test_nobody() -> None:
    motion = enter_signing_space(stack_poses([None] * FRAMES))
    assert not motion.signs
    assert not motion.points_Tx75x3.any()


def test_from_the_side_the_unit_does_not_collapse() -> None:
    track = make_track()
    points = track.points_Nx75x3.copy()
    points[:, [BodyPoint.LEFT_SHOULDER, BodyPoint.RIGHT_SHOULDER], 0] = 320  # one behind the other
    motion = enter_signing_space(dataclasses.replace(track, points_Nx75x3=points))
    assert np.abs(motion.points_Tx75x3[..., :2]).max() < 4
