"""Regions of hands, and points of body and hands against the drawn truth."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.pose import LEFT, RIGHT, BodyPoint
from isyarat.data.pose.landmarks import BodyLandmarks, HandLandmarks, find_hand_region, find_palm_region
from isyarat.data.pose.region import Region

from .conftest import Draw


@pytest.fixture(scope="module")
def hands() -> HandLandmarks:
    return HandLandmarks()


def place(wrist: tuple[float, float], little: tuple[float, float], index: tuple[float, float]) -> np.ndarray:
    """A body of which only the right hand matters."""
    body_33x4 = np.zeros((33, 4), np.float32)
    body_33x4[BodyPoint.RIGHT_WRIST, :2] = wrist
    body_33x4[BodyPoint.RIGHT_LITTLE, :2] = little
    body_33x4[BodyPoint.RIGHT_INDEX, :2] = index
    return body_33x4


def test_the_region_of_an_upright_hand() -> None:
    region = find_hand_region(place((100, 200), (106, 170), (97, 170)), RIGHT)
    # The middle is (2 * 97 + 106) / 3 = 100; the side 2 * 30, moved up by a tenth of that, then enlarged.
    assert (region.x, region.y) == pytest.approx((100, 164))
    assert region.size == pytest.approx(162)
    assert region.rotation == pytest.approx(0.0)


def test_the_region_turns_with_the_hand() -> None:
    region = find_hand_region(place((100, 200), (130, 206), (130, 197)), RIGHT)
    assert (region.x, region.y) == pytest.approx((136, 200))
    assert region.rotation == pytest.approx(np.pi / 2)


def test_a_hand_without_extent_is_not_looked_for(hands: HandLandmarks) -> None:
    body_33x4 = place((30, 20), (30, 20), (30, 20))
    points, presence = hands.locate(np.zeros((64, 64, 3), np.uint8), body_33x4, RIGHT)
    assert presence == 0
    assert points.shape == (21, 3)
    assert np.all(points[:, :2] == (30, 20))


def test_a_hand_far_outside_is_not_looked_for(hands: HandLandmarks) -> None:
    body_33x4 = place((5000, 5000), (5003, 4990), (4997, 4990))
    assert hands.locate(np.zeros((64, 64, 3), np.uint8), body_33x4, RIGHT)[1] == 0


def test_the_wall_is_no_hand(hands: HandLandmarks, draw: Draw) -> None:
    drawing = draw("HALO")
    assert hands.locate(drawing.image, place((50, 80), (55, 60), (45, 60)), RIGHT)[1] < 0.2


def test_a_region_without_a_person_scores_low(draw: Draw) -> None:
    image = draw(None).image
    body = BodyLandmarks()
    assert body.locate(image, Region(200, 255, 520)).score > 0.9
    assert body.locate(image, Region(30, 30, 60)).score < 0.5


def test_the_region_around_points() -> None:
    points_21x3 = np.zeros((21, 3), np.float32)
    points_21x3[:, 0], points_21x3[:, 1] = 100, 180
    points_21x3[0, :2] = 100, 200
    points_21x3[[1, 18], 0] = 80, 120
    points_21x3[[8, 12, 16, 20], 1] = 100  # fingertips do not count
    region = find_palm_region(points_21x3)
    # A rectangle of 40 x 20 around (100, 190), moved up by 2; twice the longer side.
    assert (region.x, region.y, region.size, region.rotation) == pytest.approx((100, 188, 80, 0))
    turned = points_21x3.copy()
    turned[:, 0], turned[:, 1] = 300 - points_21x3[:, 1], points_21x3[:, 0]  # a quarter to the right
    region = find_palm_region(turned)
    assert (region.x, region.y, region.size, region.rotation) == pytest.approx((112, 100, 80, np.pi / 2))


def test_a_second_look_finds_the_same_hand(hands: HandLandmarks, draw: Draw) -> None:
    drawing = draw("HALO")
    points_21x3 = np.concatenate([drawing.hands_2x21x2[RIGHT], np.zeros((21, 1))], axis=1).astype(np.float32)
    again, presence = hands.look_again(drawing.image, points_21x3)
    assert presence > 0.5
    assert np.linalg.norm(again[:, :2] - points_21x3[:, :2], axis=1).mean() / drawing.unit_px < 0.12


@pytest.mark.parametrize("hand", [LEFT, RIGHT])
def test_the_points_of_a_hand_lie_on_the_drawn_ones(hands: HandLandmarks, draw: Draw, hand: int) -> None:
    # Drawn roots of the hands stand in for the body model.
    drawing = draw("BINGUNG")
    body_33x4 = np.zeros((33, 4), np.float32)
    for offset, point in enumerate((0, 17, 5)):
        body_33x4[BodyPoint.LEFT_WRIST + hand + 2 * offset, :2] = drawing.hands_2x21x2[hand, point]
    points_21x3, presence = hands.locate(drawing.image, body_33x4, hand)
    assert presence > 0.5
    error = np.linalg.norm(points_21x3[:, :2] - drawing.hands_2x21x2[hand], axis=1) / drawing.unit_px
    assert error.mean() < 0.12
