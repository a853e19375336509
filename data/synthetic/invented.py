"""Invented signs that are no word of the vocabulary: what a recogniser has to refuse."""

from __future__ import annotations

import math

from .pose import Face
from .script import Hand, Key, Sign, both, shift


def _circle() -> Sign:
    """A large circle drawn in the air with the index finger."""
    keys = []
    for k in range(9):
        angle = math.pi / 2 + 2 * math.pi * k / 8
        at = (0.25 - 0.35 * math.cos(angle), -0.25 + 0.4 * math.sin(angle), 0.6)
        keys.append(Key(0.4 + 0.14 * k, Hand(at, "point", "up front", "front down"), via=0 < k < 8))
    return Sign(tuple(keys))


def _clap() -> Sign:
    apart = Hand((0.35, -0.5, 0.55), "flat", "up front", "in")
    keys = [both(0.36, apart, face=Face(smile=0.6))]
    for k in range(3):
        keys += [both(0.5 + 0.34 * k, shift(apart, -0.31)), both(0.67 + 0.34 * k, apart)]
    return Sign(tuple(keys))


def _cross() -> Sign:
    """Forearms crossed in front of the chest, twice."""
    crossed = Hand((-0.28, -0.05, 0.5), "fist", "up up in", "back")
    return Sign((both(0.42, crossed), both(0.7, shift(crossed, 0.3)), both(0.95, crossed), both(1.3, crossed)))


def _roll() -> Sign:
    """Both hands roll around each other."""
    keys = []
    for k in range(13):
        angle = 2 * math.pi * k / 4
        near = Hand(
            (0.06, -0.4 + 0.2 * math.sin(angle), 0.55 + 0.15 * math.cos(angle)),
            "fist",
            "in",
            "back",
            elbow=0.6,
        )
        far = Hand(
            (0.06, -0.4 - 0.2 * math.sin(angle), 0.55 - 0.15 * math.cos(angle)),
            "fist",
            "in",
            "back",
            elbow=0.6,
        )
        keys.append(Key(0.38 + 0.09 * k, near, far, via=0 < k < 12))
    return Sign(tuple(keys))


def _zigzag() -> Sign:
    """A zigzag down the picture with a stretched little finger."""
    keys = [
        Key(
            0.4 + 0.22 * k,
            Hand((0.55 if k % 2 else 0.05, 0.3 - 0.22 * k, 0.6), "little", "up front", "front down"),
        )
        for k in range(6)
    ]
    return Sign(tuple(keys))


def _pat() -> Sign:
    """Both hands pat the top of the head."""
    top = Hand((0.12, 1.01, 0.2), "flat", "in", "down", elbow=0.8)
    keys = [both(0.46, top)]
    for k in range(2):
        keys += [both(0.66 + 0.36 * k, shift(top, 0.03, 0.16)), both(0.84 + 0.36 * k, top)]
    return Sign(tuple(keys))


def _push() -> Sign:
    """Both palms push away from the chest."""
    near = Hand((0.32, -0.2, 0.3), "five", "up", "front", elbow=0.3)
    far = Hand((0.42, -0.1, 0.95), "five", "up", "front")
    return Sign((both(0.4, near), both(0.64, far), both(0.88, near), both(1.12, far), both(1.3, far)))


def _flap() -> Sign:
    """Stretched arms flap like wings."""
    keys = [
        both(0.42 + 0.22 * k, Hand((1.3, 0.1 if k % 2 else -0.45, 0.25), "flat", "out", "down", elbow=0.2))
        for k in range(6)
    ]
    return Sign(tuple(keys))


def _pull() -> Sign:
    """Fists pull a rope down from above, hand over hand."""
    high = Hand((0.1, 0.48, 0.55), "fist", "up", "in")
    low = Hand((0.1, -0.55, 0.5), "fist", "up", "in")
    keys = [Key(0.4, high, low)]
    for k in range(4):
        keys.append(Key(0.72 + 0.3 * k, low, high) if k % 2 == 0 else Key(0.72 + 0.3 * k, high, low))
    return Sign(tuple(keys))


def _stack() -> Sign:
    """Fists are stacked on each other, alternately, going up."""
    keys = []
    for k in range(4):
        upper = Hand((0.03, -0.5 + 0.2 * k, 0.5), "fist", "in front", "back", elbow=0.3)
        lower = Hand((0.03, -0.7 + 0.2 * k, 0.5), "fist", "in front", "back", elbow=0.3)
        keys.append(Key(0.4 + 0.26 * k, upper, lower) if k % 2 == 0 else Key(0.4 + 0.26 * k, lower, upper))
    return Sign(tuple(keys))


def _slide() -> Sign:
    """The flat hand strokes along the other forearm."""
    arm = Hand((0.0, -0.55, 0.45), "flat", "in in up", "down", elbow=0.5)
    start = Hand((-0.55, -0.5, 0.6), "flat", "in up", "down back", elbow=0.2)
    end = Hand((0.25, -0.35, 0.6), "flat", "in up", "down back", elbow=0.4)
    return Sign((Key(0.42, start, arm), Key(0.78, end), Key(1.06, start), Key(1.42, end)))


def _antlers() -> Sign:
    """Horn hands at both sides of the head tilt together."""
    side = Hand((0.45, 0.88, 0.3), "horns", "up out", "front", elbow=0.5)
    return Sign(
        (
            both(0.46, side),
            both(0.72, side, face=Face(tilt=0.2)),
            both(1.0, side, face=Face(tilt=-0.2)),
            both(1.26, side),
        )
    )


INVENTED: dict[str, Sign] = {
    "X_ANTLERS": _antlers(),
    "X_CIRCLE": _circle(),
    "X_CLAP": _clap(),
    "X_CROSS": _cross(),
    "X_FLAP": _flap(),
    "X_PAT": _pat(),
    "X_PULL": _pull(),
    "X_PUSH": _push(),
    "X_ROLL": _roll(),
    "X_SLIDE": _slide(),
    "X_STACK": _stack(),
    "X_ZIGZAG": _zigzag(),
}
