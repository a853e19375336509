"""Regions: which way they turn, and that crops and points agree."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from isyarat.data.pose.region import DOWNWARD, Region, align_region, turn_towards


def points(*pairs: tuple[float, float]) -> np.ndarray:
    return np.array(pairs, np.float32)


@pytest.mark.parametrize(
    ("direction", "rotation"),
    [((0, -5), 0.0), ((5, 0), math.pi / 2), ((-5, 0), -math.pi / 2), ((1, -1), math.pi / 4)],
)
def test_the_direction_becomes_upward(direction: tuple[float, float], rotation: float) -> None:
    assert turn_towards(*direction) == pytest.approx(rotation)


def test_a_half_turn_stays_in_range() -> None:
    assert abs(turn_towards(0.0, 5.0)) == pytest.approx(math.pi)
    assert turn_towards(0.0, 5.0, DOWNWARD) == pytest.approx(0.0)


def test_the_rim_lies_at_the_upper_edge_of_the_crop() -> None:
    centre, rim = points((40, 50), (70, 90))
    region = align_region(centre, rim)
    assert region.size == pytest.approx(100)
    restored = region.restore(points((31.5, 31.5), (31.5, -0.5)), 64)
    assert restored == pytest.approx(np.stack([centre, rim]), abs=1e-3)


def test_it_moves_towards_its_upper_side() -> None:
    region = align_region(*points((40, 50), (70, 90)))
    moved = region.move(0.5)
    assert (moved.x, moved.y) == pytest.approx((70, 90))
    assert moved.grow(2).size == 200


def test_an_upright_crop_of_the_same_size_is_the_picture() -> None:
    image = np.random.default_rng(0).integers(0, 256, (20, 20, 3)).astype(np.uint8)
    assert np.array_equal(Region(9.5, 9.5, 20).crop(image, 20), image)


def test_outside_of_the_frame_is_black() -> None:
    image = np.full((20, 20, 3), 255, np.uint8)
    crop = Region(9.5, 9.5, 40).crop(image, 40)
    assert crop[:9].max() == 0
    assert crop[11:29, 11:29].min() == 255


@pytest.mark.parametrize("rotation", [0.0, 0.7, -2.5])
def test_what_a_crop_shows_is_restored_to_its_place(rotation: float) -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    cv2.circle(image, (170, 80), 9, (255, 255, 255), -1)
    region = Region(150.0, 100.0, 130.0, rotation)
    crop = region.crop(image, 256)[..., 0]
    y, x = np.nonzero(crop > 127)
    assert region.restore(points((x.mean(), y.mean())), 256)[0] == pytest.approx((170, 80), abs=0.2)


@pytest.mark.parametrize(
    "region",
    [
        Region(math.nan, 5, 10),
        Region(5, 5, math.inf),
        Region(5, 5, 0.0),
        Region(5, 5, 1e6),
        Region(500, 5, 10),
        Region(5, -300, 10),
    ],
)
def test_a_region_that_shows_nothing_is_not_sound(region: Region) -> None:
    assert not region.is_sound(100, 100)
    assert Region(50, 50, 80, 0.1).is_sound(100, 100)
