"""Scripts of the BISINDO words, written after recorded clips.

Places are in the hand's side frame (see script.Hand): (0, 0.4) is the mouth, (0, 0.27) the chin, (0.25, 0.7)
the temple, (0.1, -0.35) the chest. Times are seconds since the hand left its rest.
"""

from __future__ import annotations

from .greetings import GREETINGS
from .pose import Face
from .questions import QUESTIONS
from .script import Hand, Key, Sign, both, shift

SMILING = Face(smile=0.9, brows=0.3)
NEUTRAL = Face()


def _baik() -> Sign:
    chest = Hand((0.3, -0.3, 0.35), "flat", "in in in up", "back", elbow=0.8)
    thumbs = Hand((0.36, -0.25, 0.45), "thumb_up", "in front", "back in", elbow=0.8)
    high = Hand((0.92, 0.27, 0.45), "thumb_up", "front in", "in back", elbow=0.4)
    return Sign(
        (
            both(0.34, chest, face=SMILING),
            both(0.58, shift(chest, 0.05)),
            both(0.82, Hand((0.6, -0.25, 0.4), "open_thumb", "in in up", "back", elbow=0.8), via=True),
            both(1.04, high),
            both(1.22, shift(high, 0.06, 0.05)),
            both(1.54, thumbs),
            both(1.84, shift(thumbs, 0.0, -0.03)),
        )
    )


def _belajar() -> Sign:
    touch = Hand((0.24, 0.77, 0.3), "pinch", "in up", "back in", anchor="tip", elbow=0.4)
    away = Hand((0.48, 0.75, 0.35), "thumb_up", "in front", "back in", elbow=0.4)
    keys = [Key(0.36, touch, face=Face(brows=-0.2))]
    for k in range(3):
        keys += [Key(0.55 + 0.38 * k, away), Key(0.74 + 0.38 * k, touch)]
    keys.append(Key(1.66, shift(away, 0.02, -0.16)))
    return Sign(tuple(keys))


def _bingung() -> Sign:
    temple = Hand((0.25, 0.63, 0.25), "point", "in up", "in front", anchor="tip", elbow=0.2)
    side = Hand((0.82, 0.43, 0.4), "bunch", "up up in", "in back", elbow=0.1)
    keys = [
        both(
            0.26,
            Hand((0.72, 0.28, 0.4), "point", "up", "in front"),
            face=Face(frown=0.8, mouth=0.2),
            via=True,
        ),
        both(0.46, temple),
        both(0.66, temple),
    ]
    for k, t in enumerate((0.9, 1.1, 1.3, 1.5, 1.7)):
        turn = "up up in front" if k % 2 else "up up out"
        hand = Hand((side.at[0] + (0.05 if k % 2 else -0.03), side.at[1] - 0.02 * k, 0.4), "bunch", turn, "in back")
        keys.append(both(t, hand, face=Face(frown=0.9, mouth=0.2, tilt=0.05 * (-1) ** k)))
    return Sign(tuple(keys))


def _dia() -> Sign:
    upright = Hand((0.45, 0.16, 0.5), "point", "up up in", "front in")
    aside = Hand((0.52, 0.14, 0.5), "point", "out up", "front in")
    return Sign(
        (
            Key(0.24, Hand((0.4, 0, 0.5), "point", "up in", "front in"), None, SMILING, via=True),
            Key(0.44, aside),
            Key(0.68, upright),
            Key(0.86, aside),
            Key(1.06, upright),
            Key(1.24, aside),
            Key(1.42, Hand((0.38, 0.06, 0.5), "point", "up in", "front in")),
        )
    )


def _halo() -> Sign:
    salute = Hand((0.3, 0.69, 0.3), "flat", "up in", "front in", anchor="tips", elbow=0.4)
    keys = [
        Key(0.16, Hand((0.85, -0.4, 0.5), "five", "out up", "front"), None, SMILING, via=True),
        Key(0.34, Hand((0.62, 0.28, 0.45), "five", "up", "front"), via=True),
        Key(0.5, salute),
        Key(0.64, salute),
    ]
    for k, t in enumerate((0.9, 1.1, 1.3, 1.5, 1.68)):
        turn = "up up out" if k % 2 == 0 else "up up in"
        keys.append(Key(t, Hand((0.64 if k % 2 == 0 else 0.5, 0.4, 0.5), "five", turn, "front", elbow=0.1)))
    return Sign(tuple(keys))


def _kamu() -> Sign:
    pointing = Hand((0.3, 0.22, 0.8), "point", "front front down in", "down in")
    return Sign(
        (
            Key(0.2, Hand((0.62, 0.05, 0.4), "point", "up", "front in"), via=True),
            Key(0.38, Hand((0.5, 0.35, 0.4), "point", "up", "front in")),
            Key(0.5, Hand((0.46, 0.37, 0.45), "point", "up", "front in")),
            Key(0.72, pointing),
            Key(1.1, shift(pointing, 0.0, -0.03, 0.02)),
        )
    )


def _maaf() -> Sign:
    cheek = Hand((0.3, 0.35, 0.4), "ring", "up", "in front")
    sorry = Face(frown=0.6, smile=-0.3, nod=0.12, eyes=0.6, mouth=0.35)
    keys = [Key(0.24, Hand((0.6, 0.25, 0.4), "ring", "up", "front"), face=Face(frown=0.3), via=True)]
    for k, t in enumerate((0.42, 0.64, 0.86, 1.08, 1.3, 1.5)):
        keys.append(Key(t, shift(cheek, 0.03 * (k % 2), 0.07 * (k % 2)), None, sorry))
    return Sign(tuple(keys))


def _makan() -> Sign:
    mouth = Hand((0.05, 0.37, 0.4), "bunch", "up up in", "back", anchor="tips")
    keys = [Key(0.22, Hand((0.28, -0.1, 0.5), "bunch", "up in", "back"), face=Face(mouth=0.3), via=True)]
    for k, t in enumerate((0.4, 0.6, 0.8, 1.0, 1.2, 1.4)):
        keys.append(Key(t, shift(mouth, 0.02 * (k % 2), -0.09 * (k % 2)), None, Face(mouth=0.7 - 0.5 * (k % 2))))
    return Sign(tuple(keys))


def _marah() -> Sign:
    raised = Hand((0.9, 0.45, 0.4), "open_thumb", "up", "front", elbow=0.3)
    closed = Hand((0.55, 0.27, 0.5), "bunch", "in in front up", "down front", elbow=0.5)
    angry = Face(frown=1.0, brows=-0.6, smile=-0.8, mouth=0.4)
    return Sign(
        (
            Key(0.16, Hand((0.95, -0.4, 0.45), "five", "out", "front"), face=angry, via=True),
            Key(0.36, raised),
            Key(0.5, raised),
            Key(0.76, closed),
            Key(0.98, shift(raised, -0.1)),
            Key(1.1, shift(raised, -0.1)),
            Key(1.34, closed),
            Key(1.48, closed),
        )
    )


def _melihat() -> Sign:
    eyes = Hand((0.04, 0.55, 0.4), "vee", "up up in back", "back", anchor="tips", elbow=0.2)
    away = Hand((0.26, 0.06, 0.75), "vee", "front front in up", "down back")
    return Sign(
        (
            Key(0.18, Hand((0.2, 0.05, 0.5), "vee", "up in", "back"), via=True),
            Key(0.38, eyes),
            Key(0.68, eyes),
            Key(0.96, away),
            Key(1.2, shift(away, 0.0, -0.04, 0.03)),
        )
    )


def _menulis() -> Sign:
    paper = Hand((0.2, -0.22, 0.5), "flat", "in in front", "up", elbow=0.5)
    looking = Face(nod=0.15)
    keys = [Key(0.34, Hand((0.02, -0.02, 0.6), "pinch", "in front down", "down back", elbow=0.6), paper, looking)]
    for k in range(5):
        pen = Hand((0.06 + 0.07 * k, -0.05 - 0.03 * (k % 2), 0.6), "pinch", "in front down", "down back", elbow=0.6)
        keys.append(Key(0.48 + 0.15 * k, pen))
    keys.append(Key(1.32, Hand((0.8, -0.3, 0.5), "pinch", "out front", "down"), None, NEUTRAL))
    return Sign(tuple(keys))


def _sabar() -> Sign:
    chest = Hand((-0.02, -0.08, 0.32), "flat", "in in up", "back", elbow=0.3)
    return Sign(
        (
            Key(0.38, chest, face=Face(nod=0.05, eyes=0.8)),
            Key(0.52, shift(chest, 0.0, -0.04)),
            Key(1.1, shift(chest, 0.05, -0.46)),
            Key(1.26, shift(chest, 0.05, -0.48)),
        )
    )


def _saya() -> Sign:
    chest = Hand((-0.16, -0.2, 0.3), "flat", "in in up", "back", elbow=0.3)
    return Sign(
        (
            Key(0.2, Hand((0.3, -0.6, 0.45), "flat", "in", "back"), via=True),
            Key(0.42, chest),
            Key(1.16, shift(chest, 0.01, 0.01)),
        )
    )


def _tidur() -> Sign:
    cheek = Hand((0.44, 0.18, 0.38), "flat", "up up in", "in in in front")
    other = Hand((-0.35, 0.15, 0.44), "flat", "up up out", "in in in front", elbow=0.1)
    asleep = Face(tilt=0.42, eyes=0.0, turn=0.2, lean=-0.05)
    return Sign(
        (
            both(0.24, Hand((0.12, -0.4, 0.5), "flat", "in front", "back"), via=True),
            Key(0.5, cheek, other, asleep),
            Key(1.3, shift(cheek, 0.02, -0.03), shift(other, -0.02, -0.03), asleep),
        )
    )


def _tinggi() -> Sign:
    return Sign(
        (
            Key(0.22, Hand((0.3, 0.05, 0.45), "flat", "in in down", "down", elbow=0.5), via=True),
            Key(0.4, Hand((0.34, 0.33, 0.45), "bent", "in in up", "down", elbow=0.5)),
            Key(
                0.74,
                Hand((0.68, 0.97, 0.4), "bent", "in up", "down", elbow=0.3),
                face=Face(brows=0.5, nod=-0.08),
            ),
            Key(1.16, Hand((0.69, 0.98, 0.4), "bent", "in up", "down", elbow=0.3)),
        )
    )


def _tuli() -> Sign:
    ear = Hand((0.25, 0.55, 0.25), "point", "in in up", "down front", anchor="tip", elbow=0.4)
    return Sign(
        (
            Key(0.24, Hand((0.8, 0, 0.5), "point", "up out", "front"), via=True),
            Key(0.48, ear),
            Key(0.8, shift(ear, 0.05)),
            Key(0.98, ear),
            Key(1.5, shift(ear, 0.01)),
        )
    )


def _terima_kasih() -> Sign:
    chin = Hand((0.03, 0.25, 0.42), "open_thumb", "up in", "back", anchor="tips")
    given = Hand((0.14, -0.25, 0.65), "open_thumb", "in in front", "up back")
    return Sign(
        (
            Key(0.34, chin, face=SMILING),
            Key(0.5, chin),
            Key(0.82, given, face=Face(smile=0.9, nod=0.1)),
            Key(1.3, shift(given, 0.0, -0.02)),
        )
    )


SIGNS: dict[str, Sign] = {
    **GREETINGS,
    **QUESTIONS,
    "BAIK": _baik(),
    "BELAJAR": _belajar(),
    "BINGUNG": _bingung(),
    "DIA": _dia(),
    "HALO": _halo(),
    "KAMU": _kamu(),
    "MAAF": _maaf(),
    "MAKAN": _makan(),
    "MARAH": _marah(),
    "MELIHAT": _melihat(),
    "MENULIS": _menulis(),
    "SABAR": _sabar(),
    "SAYA": _saya(),
    "TERIMA_KASIH": _terima_kasih(),
    "TIDUR": _tidur(),
    "TINGGI": _tinggi(),
    "TULI": _tuli(),
}
