"""The language signs are written in, and its translation to key poses of a certain body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .hand import SHAPES, anchor_of
from .head import PIVOT
from .look import Look
from .pose import FACE, STRONG, WEAK, Face, pack_face, pack_hand, rest_hand, rest_pose
from .style import Style
from .vectors import Array, Vec3, orient_hand, rotation_of

HAND_LENGTH = 0.60  # in units, wrist to middle fingertip
# In the recorded clips a hand moves from the side to the chest in about 0.35 s and falls back in as much.
LOWER_S = 0.40


@dataclass(frozen=True)
class Hand:
    """Where one hand is.

    Arguments:
        at: side frame (x outward to the hand's own side, y up, z to the viewer), in units from the neck's base.
        shape: a name of hand.SHAPES.
        fingers, palm: the directions the fingers and the palm point to, in words ("up in").
        anchor: the part of the hand that is `at`: "palm", "wrist", "tip", "tips" or "thumb".
        elbow: 0 hangs down, 1 points outward, -1 tucked in.
    """

    at: Vec3
    shape: str = "flat"
    fingers: str = "up"
    palm: str = "back"
    anchor: str = "palm"
    elbow: float = 0.0


REST = "rest"  # the hand hangs at the side


@dataclass(frozen=True)
class Key:
    """One moment of a sign. What is left out (None) stays as it was.

    Arguments:
        t: seconds since the hand left its rest.
        strong, weak: the dominant and the other hand.
        face: head and face.
        via: pass through without stopping.
    """

    t: float
    strong: Hand | str | None = None
    weak: Hand | str | None = None
    face: Face | None = None
    via: bool = False


@dataclass(frozen=True)
class Sign:
    """A scripted sign: its moments, and how long the hands take back to rest."""

    keys: tuple[Key, ...]
    lower_s: float = LOWER_S


def both(t: float, hand: Hand, *, face: Face | None = None, via: bool = False) -> Key:
    """A moment in which the weak hand mirrors the dominant one."""
    return Key(t, hand, hand, face, via)


def shift(hand: Hand, dx: float = 0.0, dy: float = 0.0, dz: float = 0.0) -> Hand:
    """The same hand a little further on."""
    x, y, z = hand.at
    return replace(hand, at=(x + dx, y + dy, z + dz))


def fit_place(at_3: Array, look: Look) -> Array:
    """A scripted place at the same spot of another body: the mouth stays the mouth, the chest the chest."""
    x, y, z = at_3.tolist()
    near_face = min(max((y - 0.05) / 0.3, 0.0), 1.0) * min(max((1.1 - abs(x)) / 0.5, 0.0), 1.0)
    x *= look.shoulder_width + (look.head_size - look.shoulder_width) * near_face
    if y > PIVOT:
        y = PIVOT + (y - PIVOT) * look.head_size
    return np.array([x, y, z])


def compile_sign(
    sign: Sign, look: Look, style: Style, rng: np.random.Generator
) -> tuple[list[float], list[Array], list[bool]]:
    """Key times (s, first and last are rest), poses [P] and via flags of a sign by this signer.

    Variation (place, tempo) is drawn from `rng`; two performances of a sign are never quite alike.
    """
    rest_P = rest_pose(look.arm_length, look.shoulder_width)
    centres = {name: _centre(sign, name) for name in ("strong", "weak")}
    drift_3 = rng.normal(0.0, style.jitter, 3)  # the whole sign is made a little elsewhere
    times, poses, via = [0.0], [rest_P.copy()], [False]
    pose_P = rest_P.copy()
    before = 0.0
    for key in sign.keys:
        pose_P = pose_P.copy()
        for name, part in (("strong", STRONG), ("weak", WEAK)):
            hand = getattr(key, name)
            if hand == REST:
                pose_P[part] = rest_hand(look.arm_length, look.shoulder_width)
            elif isinstance(hand, Hand):
                at_3 = centres[name] + (np.array(hand.at) - centres[name]) * style.amplitude
                at_3 = at_3 + drift_3 + rng.normal(0.0, style.jitter / 2, 3)
                pose_P[part] = _solve_hand(hand, fit_place(at_3, look), look)
        if key.face is not None:
            pose_P[FACE] = _express(key.face, style)
        stretch = float(np.exp(rng.normal(0.0, style.tempo))) / style.speed
        times.append(times[-1] + (key.t - before) * stretch)
        before = key.t
        poses.append(pose_P)
        via.append(key.via)
    times.append(times[-1] + sign.lower_s * float(np.exp(rng.normal(0.0, style.tempo))) / style.speed)
    poses.append(rest_P.copy())
    via.append(False)
    return times, poses, via


def _solve_hand(hand: Hand, at_3: Array, look: Look) -> Array:
    shape_12 = SHAPES[hand.shape]
    turn_4 = orient_hand(hand.fingers, hand.palm)
    offset_3 = rotation_of(turn_4) @ anchor_of(shape_12, hand.anchor) * HAND_LENGTH * look.arm_length
    return pack_hand(at_3 - offset_3, hand.elbow, turn_4, shape_12)


def _centre(sign: Sign, name: str) -> Array:
    places = [getattr(key, name).at for key in sign.keys if isinstance(getattr(key, name), Hand)]
    return np.mean(places, axis=0) if places else np.zeros(3)


def _express(face: Face, style: Style) -> Array:
    face_F = pack_face(face)
    shut = 1.0 - face.eyes
    face_F *= style.expression
    face_F[7] = 1.0 - shut  # eyes are open by default, whatever the strength
    face_F[0] = face.tilt  # a head laid on the hands has to reach them
    face_F[8] = face.lean
    return face_F
