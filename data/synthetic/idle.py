"""People who do not sign, and empty rooms: nothing may be recognised in them."""

from __future__ import annotations

import numpy as np

from ..errors import IsyaratError
from .drift import Blinks, Drift
from .hand import SHAPES
from .look import Look
from .motion import Motion, join_keys
from .performance import Liveliness, Performance
from .pose import FACE, FACE_NAMES, STRONG, WEAK, pack_hand, rest_pose
from .scene import Scene
from .script import fit_place
from .style import Style
from .vectors import Array, orient_hand

BEHAVIOURS = ("still", "sway", "talk", "fidget", "empty")
CLOSE_UP = Scene(zoom=2.3, background="gradient", colour=(150, 160, 166))
_TILT, _TURN, _NOD, _BROWS, _FROWN, _MOUTH, _SMILE, _EYES, _LEAN = range(len(FACE_NAMES))


def idle(
    duration_s: float,
    *,
    behaviour: str = "still",
    look: Look = Look(),  # noqa: B008  frozen
    scene: Scene | None = None,
    seed: int = 0,
) -> Performance:
    """A recording without signs.

    Arguments:
        behaviour: "still" (breathing, blinking), "sway" (shifting from side to side), "talk" (mouth, brows and
            strong movement of the head), "fidget" (weight shifts, small movements of low hands) or "empty"
            (no person).
        scene: by default a standing person, for "talk" a close-up of the face.
    """
    if behaviour not in BEHAVIOURS:
        raise IsyaratError(f'There is no idle behaviour "{behaviour}"; use one of {", ".join(BEHAVIOURS)}.')
    if not duration_s > 0:
        raise IsyaratError(f"idle was asked for {duration_s} s; use a positive duration.")
    if scene is None:
        scene = CLOSE_UP if behaviour == "talk" else Scene()
    rng = np.random.default_rng([seed, 3])
    motion = None if behaviour == "empty" else _idle_motion(duration_s, behaviour, look, rng)
    return Performance(
        scene.fps, duration_s, [], look, scene, Style(), seed, motion, _idle_life(behaviour, duration_s, rng)
    )


def _idle_motion(duration_s: float, behaviour: str, look: Look, rng: np.random.Generator) -> Motion:
    """Hands that hang, or stir below the waist."""
    rest_P = rest_pose(look.arm_length, look.shoulder_width)
    times, poses = [0.0], [rest_P]
    if behaviour == "fidget":
        now = float(rng.uniform(0.2, 0.8))
        while now < duration_s:
            pose_P = rest_P.copy()
            for part in (STRONG, WEAK) if rng.random() < 0.4 else ((STRONG,) if rng.random() < 0.6 else (WEAK,)):
                x, y, z = rng.uniform(0.1, 0.7), rng.uniform(-1.55, -1.15), rng.uniform(0.2, 0.4)
                fingers = str(rng.choice(["down", "in down", "in down front", "down front"]))
                wrist_3 = fit_place(np.array([x, y, z]), look)
                shape = str(rng.choice(["relaxed", "fist", "cupped"]))
                pose_P[part] = pack_hand(wrist_3, 0.1, orient_hand(fingers, "back"), SHAPES[shape])
            hold = float(rng.uniform(0.2, 1.5))
            times += [now, now + (go := float(rng.uniform(0.4, 0.9))), now + go + hold, now + 2 * go + hold]
            poses += [poses[-1], pose_P, pose_P, rest_P]
            now = times[-1] + float(rng.uniform(0.2, 2.0))
    return join_keys(times, poses, [False] * len(times))


def _idle_life(behaviour: str, duration_s: float, rng: np.random.Generator) -> Liveliness:
    blinks = Blinks(rng, duration_s)
    slow = [Drift(rng, 0.1, 0.5) for _ in range(4)]
    quick = [Drift(rng, 0.25, 1.3) for _ in range(6)]
    syllable, phrase = Drift(rng, 2.0, 5.0), Drift(rng, 0.15, 0.6)
    reach = {"still": 0.006, "sway": 0.14, "talk": 0.05, "fidget": 0.06, "empty": 0.0}[behaviour]
    strength = float(rng.uniform(0.6, 1.3))

    def enliven(time_s: float, pose_P: Array) -> float:
        face_F = pose_P[FACE]
        face_F[_EYES] *= blinks.openness(time_s)
        face_F[_TURN] += 0.05 * slow[0].at(time_s)
        if behaviour == "sway":
            face_F[_LEAN] += 0.05 * slow[1].at(time_s)
            face_F[_TILT] += 0.05 * slow[2].at(time_s)
        if behaviour == "fidget":
            face_F[_LEAN] += 0.025 * slow[1].at(time_s)
            face_F[_TURN] += 0.2 * slow[2].at(time_s)
        if behaviour == "talk":
            face_F[_TURN] += 0.26 * strength * quick[0].at(time_s)
            face_F[_TILT] += 0.11 * strength * quick[1].at(time_s)
            face_F[_NOD] += 0.22 * strength * quick[2].at(time_s)
            face_F[_LEAN] += 0.025 * strength * quick[3].at(time_s)
            face_F[_BROWS] += 0.6 * quick[4].at(time_s)
            face_F[_SMILE] += 0.5 * quick[5].at(time_s)
            speaking = min(1.0, max(0.0, 0.7 + phrase.at(time_s)))
            face_F[_MOUTH] += speaking * max(0.0, 0.35 + 0.4 * syllable.at(time_s))
        return reach * slow[3].at(time_s)

    return enliven
