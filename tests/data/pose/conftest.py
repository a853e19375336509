"""Pictures of the synthetic signer with the true places of its joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.pose import LEFT, RIGHT, PoseTracker
from isyarat.data.synthetic.arm import project
from isyarat.data.synthetic.figure import Figure
from isyarat.data.video import Image
from numpy.typing import NDArray


@dataclass(frozen=True)
class Drawing:
    """One frame and its truth.

    Attributes:
        image: HxWx3 uint8 RGB.
        arms_2x3x2: pixels of shoulder, elbow and wrist of the signer's left and right arm.
        hands_2x21x2: pixels of the points of a hand, in the order of `HandPoint`.
        unit_px: pixels of a body unit (the shoulders are about one apart).
    """

    image: Image
    arms_2x3x2: NDArray[np.float64]
    hands_2x21x2: NDArray[np.float64]
    unit_px: float


Draw = Callable[..., Drawing]


@pytest.fixture(scope="session")
def draw() -> Draw:
    """Draws the signer in the middle of a sign, or at another share of it; None is a signer at rest."""

    @cache
    def make(gloss: str | None, *, share: float = 0.5, handed: str = "right", **scene: object) -> Drawing:
        settings = {"blur": 0.0, "fps": 5.0, **scene}
        style = synthetic.Style(sway=0.0, handed=handed)
        glosses = [] if gloss is None else [gloss]
        show = synthetic.perform(glosses, scene=synthetic.Scene(**settings), style=style)  # type: ignore[arg-type]
        interval = show.truth[0] if glosses else synthetic.Interval("", 0.0, show.duration_s)
        wanted = interval.start_s + share * (interval.end_s - interval.start_s)
        time_s, image = next(frame for frame in show.frames() if frame[0] >= wanted)
        assert show.motion is not None
        pose_P = show.motion.pose(time_s)
        figure = Figure(show.look, show.scene, handed)
        breath = float(np.sin(2 * np.pi * 0.25 * time_s))
        affine_2x3 = figure.body_affine(pose_P, show.enliven(time_s, pose_P), breath, (0.0, 0.0))
        arms, hands = np.zeros((2, 3, 2)), np.zeros((2, 21, 2))
        # The signer's left arm is on the picture's right, where the figure's side is 1.
        for arm, side in zip(figure.solve_arms(pose_P), (figure.strong_side, -figure.strong_side), strict=True):
            hand = LEFT if side == 1 else RIGHT
            arms[hand] = project(np.array([arm.shoulder, arm.elbow, arm.wrist]), side, affine_2x3)
            points = np.concatenate([np.array([arm.wrist]), arm.fingers_5x4x3.reshape(20, 3)])
            hands[hand] = project(points, side, affine_2x3)
        return Drawing(image, arms, hands, figure.unit_px)

    return make


@pytest.fixture(scope="session")
def loaded() -> PoseTracker:
    return PoseTracker()


@pytest.fixture
def tracker(loaded: PoseTracker) -> PoseTracker:
    """A tracker that follows nobody yet; loading the models once is enough."""
    loaded.reset()
    return loaded
