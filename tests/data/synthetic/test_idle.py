"""People who do not sign: no truth, and as much movement as the behaviour says."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.synthetic import BEHAVIOURS, Scene, idle

SMALL = Scene(width=160, height=120, noise=1.0)


def movement(behaviour: str, scene: Scene | None = SMALL, seed: int = 0) -> float:
    """Mean change of grey level from frame to frame."""
    frames = np.stack([image for _, image in idle(4.0, behaviour=behaviour, scene=scene, seed=seed).frames()])
    return float(np.abs(np.diff(frames[:, ::2, ::2].astype(np.int16), axis=0)).mean())


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_nothing_is_signed(behaviour: str) -> None:
    performance = idle(1.5, behaviour=behaviour, scene=SMALL)
    assert performance.truth == []
    frames = [image for _, image in performance.frames()]
    assert len(frames) == 45
    again = [image for _, image in idle(1.5, behaviour=behaviour, scene=SMALL).frames()]
    assert np.array_equal(frames, again)


def test_behaviours_differ() -> None:
    empty, still, sway, talk = (movement(b) for b in ("empty", "still", "sway", "talk"))
    assert empty < still < talk
    assert sway > 1.5 * (still - empty) + empty
    assert movement("fidget") > still


def test_talking_is_close_by_default() -> None:
    performance = idle(0.2, behaviour="talk")
    assert performance.scene.zoom > 2
    assert idle(0.2).scene == Scene()


def test_wrong_use_is_named() -> None:
    with pytest.raises(IsyaratError, match=r"dance.*still"):
        idle(1.0, behaviour="dance")
    with pytest.raises(IsyaratError, match="positive"):
        idle(0.0)
