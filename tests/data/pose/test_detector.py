"""The detector finds the person, and nobody in an empty room."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.pose.detector import Detector, list_anchors

from .conftest import Draw


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def test_anchors() -> None:
    anchors = list_anchors()
    assert anchors.shape == (2254, 2)
    assert anchors[:3] * 28 == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5], [1.5, 0.5]]))
    assert anchors[2 * 28] * 28 == pytest.approx([0.5, 1.5])
    assert anchors[-7] * 7 == pytest.approx([5.5, 6.5])
    assert anchors[-1] * 7 == pytest.approx([6.5, 6.5])


@pytest.mark.parametrize("size", [(400, 300), (240, 426)])
def test_the_region_holds_the_signer(detector: Detector, draw: Draw, size: tuple[int, int]) -> None:
    drawing = draw(None, width=size[0], height=size[1])
    region = detector.detect(drawing.image)
    assert region is not None
    assert abs(region.rotation) < 0.2
    assert region.x == pytest.approx(size[0] / 2, abs=0.4 * drawing.unit_px)
    half = region.size / 2
    for x, y in drawing.arms_2x3x2[:, 0]:
        assert abs(x - region.x) < half
        assert abs(y - region.y) < half


@pytest.mark.parametrize("background", ["plain", "green", "wall", "room"])
def test_an_empty_room(detector: Detector, background: str) -> None:
    show = synthetic.idle(0.1, behaviour="empty", scene=synthetic.Scene(background=background))
    assert all(detector.detect(image) is None for _, image in show.frames())
