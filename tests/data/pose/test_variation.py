"""Other signers out of one."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.pose.pose import BodyPoint
from isyarat.data.pose.signing_space import Motion
from isyarat.data.pose.track import LEFT_HAND, RIGHT_HAND
from isyarat.data.pose.variation import VariationSettings, make_rotation, mirror_motion, vary_motion

STILL = VariationSettings(**dict.fromkeys(VariationSettings.__dataclass_fields__, 0.0))


def make_motion() -> Motion:
    rng = np.random.default_rng(0)
    return Motion(
        rng.normal(0, 1, (9, 75, 3)).astype(np.float32), np.full((9, 2), 0.9, np.float32), np.ones((9, 2), np.bool_)
    )


def test_a_seed_gives_one_variation() -> None:
    first, again, other = (vary_motion(make_motion(), np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first.points_Tx75x3, again.points_Tx75x3)
    assert np.array_equal(first.presence_Tx2, again.presence_Tx2)
    assert not np.allclose(first.points_Tx75x3, other.points_Tx75x3, atol=0.05)


def test_the_original_stays() -> None:
    motion = make_motion()
    before = motion.points_Tx75x3.copy(), motion.presence_Tx2.copy()
    vary_motion(motion, np.random.default_rng(0))
    assert np.array_equal(motion.points_Tx75x3, before[0])
    assert np.array_equal(motion.presence_Tx2, before[1])


def test_without_settings_nothing_moves() -> None:
    motion = make_motion()
    assert np.allclose(
        vary_motion(motion, np.random.default_rng(0), STILL).points_Tx75x3, motion.points_Tx75x3, atol=1e-5
    )


@pytest.mark.parametrize("name", [n for n in VariationSettings.__dataclass_fields__ if n != "mirror"])
def test_every_setting_moves_something(name: str) -> None:
    settings = VariationSettings(**{**dict.fromkeys(VariationSettings.__dataclass_fields__, 0.0), name: 0.2})
    motion = make_motion()
    assert (
        np.abs(vary_motion(motion, np.random.default_rng(3), settings).points_Tx75x3 - motion.points_Tx75x3).max()
        > 0.01
    )


def test_missed_hands() -> None:
    rng = np.random.default_rng(0)
    missed = np.mean([(vary_motion(make_motion(), rng).presence_Tx2 == 0).mean() for _ in range(300)])
    assert missed == pytest.approx(0.11, abs=0.03)  # 0.3 x 0.1 + 0.2 x 0.4


def test_mirror() -> None:
    motion = make_motion()
    mirrored = mirror_motion(motion)
    assert np.allclose(
        mirrored.points_Tx75x3[:, BodyPoint.LEFT_WRIST], motion.points_Tx75x3[:, BodyPoint.RIGHT_WRIST] * (-1, 1, 1)
    )
    assert np.allclose(mirrored.points_Tx75x3[:, LEFT_HAND], motion.points_Tx75x3[:, RIGHT_HAND] * (-1, 1, 1))
    assert np.array_equal(mirror_motion(mirrored).points_Tx75x3, motion.points_Tx75x3)


def test_rotations_keep_lengths() -> None:
    turn = make_rotation(0.3, -0.7, 1.1)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    assert np.allclose(make_rotation(0, 0, np.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-6)
