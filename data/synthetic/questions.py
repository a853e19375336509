"""Scripts of the question words. How places and times are written: see signs.py."""

from __future__ import annotations

from .pose import Face
from .script import REST, Hand, Key, Sign, both, shift

_ASKING = Face(brows=0.8, nod=-0.06)
_SMILING = Face(smile=0.9, brows=0.3)


def _apa() -> Sign:
    shoulder = Hand((0.64, -0.08, 0.3), "bent", "in in up", "down back", elbow=-0.3)
    opened = Hand((0.92, -0.42, 0.5), "cupped", "out out front front up", "up in")
    return Sign(
        (
            both(0.17, Hand((0.9, -0.9, 0.5), "cupped", "out front", "up"), face=_ASKING, via=True),
            both(0.34, Hand((0.72, -0.1, 0.5), "flat", "up", "back"), via=True),
            both(0.50, shoulder),
            both(0.90, shift(shoulder, 0.02, 0.01)),
            both(1.08, Hand((0.76, 0, 0.55), "flat", "up up out", "back in"), via=True),
            both(1.26, opened),
            both(1.42, shift(opened, 0.05, -0.04), face=Face(brows=0.8, nod=-0.1)),
        )
    )


def _bagaimana() -> Sign:
    outer = Hand((1.0, -0.42, 0.45), "cupped", "out out out up front", "up")
    inner = Hand((0.42, -0.42, 0.5), "cupped", "up front front in", "up back")
    keys = [Key(0.2, Hand((0.45, -0.5, 0.5), "flat", "in up", "back"), None, _ASKING, via=True)]
    for k, t in enumerate((0.48, 0.74, 1.0, 1.26)):
        keys.append(Key(t, outer, inner) if k % 2 == 0 else Key(t, inner, outer))
    return Sign(tuple(keys))


def _berapa() -> Sign:
    closed = Hand((0.16, 0.2, 0.45), "fist", "up", "back")
    return Sign(
        (
            Key(0.26, Hand((0.3, -0.1, 0.45), "fist", "up in", "back"), None, _ASKING, via=True),
            Key(0.42, closed),
            Key(0.56, Hand((0.16, 0.23, 0.45), "point", "up", "back"), via=True),
            Key(0.68, Hand((0.18, 0.23, 0.47), "vee", "up", "back"), via=True),
            Key(0.80, Hand((0.2, 0.24, 0.5), "claw", "up in front", "back up"), via=True),
            Key(1.04, Hand((0.3, -0.14, 0.6), "five", "in in in up front", "up up back")),
            Key(1.3, Hand((0.32, -0.18, 0.6), "five", "in in in up front", "up up back")),
        )
    )


def _siapa() -> Sign:
    chin = Hand((0.03, 0.23, 0.42), "hook", "up in", "in back", anchor="tip")
    return Sign(
        (
            Key(0.18, Hand((0.25, -0.1, 0.5), "thumb_up", "in front", "in back"), None, _ASKING, via=True),
            Key(0.36, chin),
            Key(0.54, shift(chin, 0.02, 0.06)),
            Key(0.72, chin),
            Key(0.9, shift(chin, 0.02, 0.06)),
            Key(1.12, Hand((0.18, 0.06, 0.5), "thumb_up", "in front", "in back")),
        )
    )


def _apa_kabar() -> Sign:
    chest = Hand((0.5, -0.25, 0.4), "flat", "up in", "back", elbow=0.2)
    asked = Hand((0.46, -0.62, 0.6), "cupped", "front in", "up")
    brow = Hand((0.2, 0.69, 0.32), "flat", "in up", "down back", anchor="tips", elbow=0.4)
    return Sign(
        (
            both(0.24, Hand((0.62, -0.5, 0.4), "flat", "in", "back", elbow=0.5), face=_ASKING, via=True),
            both(0.42, chest),
            both(0.7, asked),
            both(0.86, asked),
            Key(
                1.1,
                Hand((0.4, 0.1, 0.5), "flat", "up in", "back"),
                Hand((0.5, -0.9, 0.4), "relaxed", "down in"),
                via=True,
            ),
            Key(1.34, brow, REST, Face(brows=0.5, tilt=0.06)),
            Key(1.52, brow),
            Key(1.86, Hand((0.9, 0.1, 0.6), "flat", "up out", "back up"), via=True),
            Key(2.04, Hand((0.95, -0.2, 0.6), "cupped", "out front up", "up"), face=_SMILING),
        )
    )


QUESTIONS: dict[str, Sign] = {
    "APA": _apa(),
    "APA_KABAR": _apa_kabar(),
    "BAGAIMANA": _bagaimana(),
    "BERAPA": _berapa(),
    "SIAPA": _siapa(),
}
