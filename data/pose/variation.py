"""Other signers out of one: a motion as another body, another camera and another hand would have made it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pose import BodyPoint, Points
from .signing_space import ELBOWS, KNUCKLES, WRISTS, Motion
from .track import BODY, HANDS, LEFT_HAND, RIGHT_HAND

# Body points of the face; the pairs that change places in a mirror are every two neighbours from the ears on.
FACE = slice(0, 11)
MIRRORED_BODY = [0, 4, 5, 6, 1, 2, 3, 8, 7, 10, 9, *(p for k in range(11, 33, 2) for p in (k + 1, k))]


@dataclass(frozen=True, slots=True)
class VariationSettings:
    """Standard deviations, in shoulder widths, radians or relative, unless said otherwise.

    Attributes:
        pitch, yaw, roll: of the camera around the signer.
        scale: of width and height, each on its own: other proportions.
        head, head_shift: size and place of the face relative to the shoulders.
        place: of the whole hand for the whole sign: where another signer would put it.
        jitter: of the whole hand from frame to frame.
        elbow: of the elbow for the whole sign.
        hand: size of the hand.
        hand_turn, hand_roll: of the hand around its wrist.
        joint: of each joint of a hand: the error of the landmarks.
        shift: of everything.
        mirror: probability of the mirror image: left-handed signers, mirrored recordings.
    """

    pitch: float = 0.12
    yaw: float = 0.2
    roll: float = 0.08
    scale: float = 0.12
    head: float = 0.12
    head_shift: float = 0.05
    place: float = 0.08
    jitter: float = 0.02
    elbow: float = 0.08
    hand: float = 0.12
    hand_turn: float = 0.15
    hand_roll: float = 0.12
    joint: float = 0.008
    shift: float = 0.05
    mirror: float = 0.25


def vary_motion(motion: Motion, rng: np.random.Generator, settings: VariationSettings | None = None) -> Motion:
    """A variation of the motion; the same `rng` state gives the same one."""
    s = settings or VariationSettings()
    if rng.random() < s.mirror:
        motion = mirror_motion(motion)
    turn = make_rotation(rng.normal(0, s.pitch), rng.normal(0, s.yaw), rng.normal(0, s.roll))
    points: Points = motion.points_Tx75x3 @ turn.T
    points[..., :2] *= np.exp(rng.normal(0, s.scale, 2)).astype(np.float32)
    points[:, FACE, :2] *= np.float32(np.exp(rng.normal(0, s.head)))
    points[:, FACE, :2] += rng.normal(0, s.head_shift, 2).astype(np.float32)
    presence = motion.presence_Tx2.copy()
    for hand in (0, 1):
        vary_hand(points, hand, rng, s)
        # Landmarks fail for a blurred or hidden hand: never, now and then, or often.
        missed = rng.random(len(points)) < rng.choice([0, 0.1, 0.4], p=[0.5, 0.3, 0.2])
        presence[missed, hand] = 0
    points[..., :2] += rng.normal(0, s.shift, 2).astype(np.float32)
    return Motion(points, presence, motion.active_Tx2)


def vary_hand(points_Tx75x3: Points, hand: int, rng: np.random.Generator, settings: VariationSettings) -> None:
    """Moves, turns and sizes one hand and its elbow, in place."""
    s, count = settings, len(points_Tx75x3)
    moves = (rng.normal(0, s.place, 2) + rng.normal(0, s.jitter, (count, 2))).astype(np.float32)[:, None]
    fingers = points_Tx75x3[:, HANDS[hand]]
    wrist = fingers[:, :1].copy()
    turn = make_rotation(rng.normal(0, s.hand_turn), rng.normal(0, s.hand_turn), rng.normal(0, s.hand_roll))
    turn *= np.float32(np.exp(rng.normal(0, s.hand)))
    fingers = np.asarray((fingers - wrist) @ turn.T + wrist, np.float32)
    fingers[..., :2] += moves
    fingers += rng.normal(0, s.joint, fingers.shape).astype(np.float32)
    points_Tx75x3[:, HANDS[hand]] = fingers
    points_Tx75x3[:, [WRISTS[hand], *KNUCKLES[hand]], :2] += moves
    elbow_shift = moves[:, 0] / 2 + rng.normal(0, s.elbow, 2).astype(np.float32)
    points_Tx75x3[:, ELBOWS[hand], :2] += elbow_shift


def mirror_motion(motion: Motion) -> Motion:
    """The mirror image: left and right change places, in the picture and by name."""
    points = motion.points_Tx75x3 * np.array([-1, 1, 1], np.float32)
    swapped = np.concatenate([points[:, BODY][:, MIRRORED_BODY], points[:, RIGHT_HAND], points[:, LEFT_HAND]], axis=1)
    return Motion(swapped, motion.presence_Tx2[:, ::-1].copy(), motion.active_Tx2[:, ::-1].copy())


def make_rotation(pitch: float, yaw: float, roll: float) -> NDArray[np.float32]:
    """3x3 rotation around x, then y, then z, in radians."""
    (cx, cy, cz), (sx, sy, sz) = np.cos([pitch, yaw, roll]), np.sin([pitch, yaw, roll])
    around_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    around_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    around_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(around_z @ around_y @ around_x, np.float32)


assert MIRRORED_BODY[BodyPoint.LEFT_WRIST] == BodyPoint.RIGHT_WRIST
