"""The four greetings: SELAMAT, then the time of day."""

from __future__ import annotations

from .pose import Face
from .script import Hand, Key, Sign, shift

_GIVEN = Hand((0.18, -0.12, 0.6), "cupped", "up in front", "back up")


def _selamat(rest: tuple[Key, ...]) -> Sign:
    """Fingertips at the mouth, then the hand comes forward and down; the time of day follows."""
    mouth = Hand((0.04, 0.35, 0.4), "flat", "up in", "back", anchor="tips")
    start = (
        Key(0.2, Hand((0.28, -0.2, 0.45), "flat", "up in", "back"), via=True),
        Key(0.42, mouth, face=Face(smile=0.5, brows=0.2)),
        Key(0.72, mouth),
        Key(1.0, _GIVEN),
    )
    return Sign((*start, *rest))


def _malam() -> Sign:
    """The hand opens beside the head and closes down in front of the neck: it gets dark."""
    closed = Hand((0.2, 0.1, 0.5), "bent", "in in up", "down back", elbow=0.5)
    return _selamat(
        (
            Key(1.28, Hand((0.58, 0.25, 0.45), "open_thumb", "up", "front in"), via=True),
            Key(1.46, Hand((0.52, 0.43, 0.42), "open_thumb", "up", "in front")),
            Key(1.78, closed),
            Key(2.06, shift(closed, 0.0, -0.02)),
        )
    )


def _pagi() -> Sign:
    """A cupped hand rises under the chin, then sinks and closes."""
    under = Hand((0.1, 0.2, 0.45), "cee", "in up", "back down", elbow=0.2)
    return _selamat(
        (
            Key(1.3, under),
            Key(1.58, shift(under, 0.0, 0.05)),
            Key(1.8, Hand((0.1, 0, 0.5), "pinch", "in in up", "down back", elbow=0.3)),
            Key(1.98, Hand((0.1, -0.02, 0.5), "pinch", "in in up", "down back", elbow=0.3)),
        )
    )


def _siang() -> Sign:
    """A fist in front of the belly rises and opens upright beside the chin."""
    upright = Hand((0.34, 0.08, 0.5), "open_thumb", "up", "in front")
    return _selamat(
        (
            Key(1.26, Hand((0.12, -0.6, 0.5), "fist", "in", "back down", elbow=0.2)),
            Key(1.54, Hand((0.18, 0.14, 0.5), "flat", "up in", "in back"), via=True),
            Key(1.78, upright),
            Key(2.1, shift(upright, 0.02, -0.02)),
        )
    )


def _sore() -> Sign:
    """The hand stands up on the other side and bends down: the sun sinks."""
    across = Hand((-0.3, 0.2, 0.5), "open_thumb", "up up in", "in front", elbow=0.4)
    sunk = Hand((0.08, 0.02, 0.55), "bent", "in up front", "front down", elbow=0.3)
    return _selamat(
        (
            Key(1.22, Hand((-0.05, 0.05, 0.5), "open_thumb", "up in", "in front"), via=True),
            Key(1.42, across),
            Key(1.6, across),
            Key(1.84, sunk),
            Key(2.02, shift(sunk, 0.06, -0.08)),
        )
    )


GREETINGS: dict[str, Sign] = {
    "SELAMAT_MALAM": _malam(),
    "SELAMAT_PAGI": _pagi(),
    "SELAMAT_SIANG": _siang(),
    "SELAMAT_SORE": _sore(),
}
