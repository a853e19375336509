"""The names of the points."""

from __future__ import annotations

from isyarat.data.pose import LEFT, RIGHT, BodyPoint, HandPoint


def test_left_and_right_alternate() -> None:
    names = {point.name for point in BodyPoint}
    for point in BodyPoint:
        if point.name.startswith("LEFT_"):
            other = point.name.replace("LEFT_", "RIGHT_")
            assert other in names
            assert abs(BodyPoint[other] - point) in (1, 3)  # the eyes have three points each
    assert (LEFT, RIGHT) == (0, 1)


def test_a_finger_has_four_points() -> None:
    assert HandPoint.WRIST == 0
    for finger in ("INDEX", "MIDDLE", "RING", "LITTLE"):
        assert HandPoint[f"{finger}_TIP"] - HandPoint[f"{finger}_KNUCKLE"] == 3
    assert HandPoint.LITTLE_TIP == 20
