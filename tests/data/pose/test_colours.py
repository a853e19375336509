"""Points as colours."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.pose.colours import BLOCKS, HAND_BLOCKS, SPACE, colour_motion, shows_hand
from isyarat.data.pose.pose import BodyPoint
from isyarat.data.pose.signing_space import Motion
from isyarat.data.pose.track import LEFT_HAND


def make_motion(presence: float = 0.9) -> Motion:
    rng = np.random.default_rng(0)
    return Motion(
        rng.normal(0, 0.6, (9, 75, 3)).astype(np.float32),
        np.full((9, 2), presence, np.float32),
        np.ones((9, 2), np.bool_),
    )


def read_block(cell: np.ndarray, block: int, size: int = 8) -> np.ndarray:
    side = size // BLOCKS
    y, x = divmod(block, BLOCKS)
    return cell[y * side, x * side].astype(float) / 127.5 - 1


def test_the_nose_can_be_read_back() -> None:
    motion = make_motion()
    cells = colour_motion(motion, 8)
    assert cells.shape == (9, 8, 8, 3)
    assert cells.dtype == np.uint8
    nose = motion.points_Tx75x3[4, BodyPoint.NOSE, :2]
    assert np.allclose(read_block(cells[4], 0)[:2] * SPACE, nose, atol=SPACE / 127)


@pytest.mark.parametrize("size", [8, 16, 70, 64])
def test_larger_cells_hold_the_same_blocks(size: int) -> None:
    small, large = colour_motion(make_motion(), 8), colour_motion(make_motion(), size)
    side = size // BLOCKS
    assert large.shape == (9, size, size, 3)
    assert np.array_equal(large[:, : side * BLOCKS : side, : side * BLOCKS : side], small)


def test_size_of_the_hand_plays_no_part() -> None:
    motion = make_motion()
    points = motion.points_Tx75x3.copy()
    wrist = points[:, LEFT_HAND][:, :1]
    points[:, LEFT_HAND] = (points[:, LEFT_HAND] - wrist) * 1.7 + wrist
    larger = Motion(points, motion.presence_Tx2, motion.active_Tx2)
    fingers = slice(HAND_BLOCKS[0], HAND_BLOCKS[0] + 20)
    before, after = (colour_motion(m, 8).reshape(9, 64, 3)[:, fingers].astype(int) for m in (motion, larger))
    assert np.abs(before - after).max() <= 1


def test_fingers_of_a_hand_that_was_not_found_are_grey() -> None:
    cells = colour_motion(make_motion(presence=0.1), 8).reshape(9, 64, 3)
    for first in HAND_BLOCKS:
        assert (np.abs(cells[:, first : first + 20].astype(int) - 128) <= 1).all()


def test_too_small_cells() -> None:
    with pytest.raises(IsyaratError, match="too small"):
        colour_motion(make_motion(), 7)


@pytest.mark.parametrize("size", [8, 20])
def test_cells_tell_whether_a_hand_was_found(size: int) -> None:
    assert shows_hand(colour_motion(make_motion(presence=0.9), size))
    assert not shows_hand(colour_motion(make_motion(presence=0.4), size))
    one = make_motion(presence=0.1)
    one.presence_Tx2[4, 1] = 0.8
    assert shows_hand(colour_motion(one, size))
