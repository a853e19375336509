"""A filmed performance: frames that are drawn when asked for, and the truth about what was signed when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from ..errors import IsyaratError
from .background import MARGIN, paint_background
from .camera import Camera
from .drift import Blinks, Drift
from .figure import Figure
from .invented import INVENTED
from .look import Look
from .motion import Motion, join_keys
from .pose import FACE, FACE_NAMES, rest_pose
from .scene import Scene
from .script import Sign, compile_sign
from .signs import SIGNS
from .style import Style
from .vectors import Array, Image

GLOSSES: tuple[str, ...] = tuple(sorted(SIGNS))
DISTRACTORS: tuple[str, ...] = tuple(sorted(INVENTED))

_TURN, _MOUTH, _EYES = (FACE_NAMES.index(name) for name in ("turn", "mouth", "eyes"))
# Changes a pose at a time (s); returns the trunk's sideways drift in units.
Liveliness = Callable[[float, Array], float]


@dataclass(frozen=True)
class Interval:
    """When a sign was made: from the hand leaving its rest to its return, in seconds."""

    gloss: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Performance:
    """A recording of a synthetic signer.

    Arguments:
        fps, duration_s: frames a second, seconds.
        truth: the signs, in order.
        look, scene, style, seed: what it was made from; the same values give the same frames.
        motion: the movement; None shows an empty room.
        enliven: small life added to every pose.
    """

    fps: float
    duration_s: float
    truth: list[Interval]
    look: Look
    scene: Scene
    style: Style
    seed: int
    motion: Motion | None = field(repr=False)
    enliven: Liveliness = field(repr=False)

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return max(1, round(self.duration_s * self.fps))

    def frames(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds, picture [H,W,3] RGB) one by one; nothing is kept, and each call starts anew."""
        scene = self.scene
        camera = Camera(scene, np.random.default_rng([self.seed, 1]))
        wall = paint_background(scene)
        figure = Figure(self.look, scene, self.style.handed) if self.motion is not None else None
        breath_hz = 0.25
        for frame in range(self.frame_count):
            time_s = frame / self.fps
            dx, dy = camera.shake(time_s)
            image_HxWx3 = _cut(wall, scene, dx, dy)
            if figure is not None and self.motion is not None:
                pose_P, late_P = self.motion.pose(time_s), self.motion.pose(time_s + scene.blur / self.fps)
                sway_x = self.enliven(time_s, pose_P)
                self.enliven(time_s, late_P)
                breath = float(np.sin(2 * np.pi * breath_hz * time_s))
                affine_2x3 = figure.body_affine(pose_P, sway_x, breath, (dx, dy))
                image_HxWx3 = figure.draw(image_HxWx3, pose_P, late_P, affine_2x3)
            yield time_s, camera.expose(image_HxWx3, frame)


def _cut(wall: Image, scene: Scene, dx: float, dy: float) -> Image:
    """The part of the background the camera sees, moved by (dx, dy) pixels."""
    if dx == 0 and dy == 0:
        return wall[MARGIN : MARGIN + scene.height, MARGIN : MARGIN + scene.width].copy()
    matrix = np.array([[1.0, 0.0, dx - MARGIN], [0.0, 1.0, dy - MARGIN]])
    return np.asarray(cv2.warpAffine(wall, matrix, (scene.width, scene.height), flags=cv2.INTER_LINEAR), np.uint8)


def find_sign(gloss: str) -> Sign:
    """The script of a gloss or of an invented sign."""
    sign = SIGNS.get(gloss) or INVENTED.get(gloss)
    if sign is None:
        known = ", ".join((*GLOSSES, *DISTRACTORS))
        raise IsyaratError(f'The synthetic signer has no script for "{gloss}"; it knows {known}.')
    return sign


def perform(
    glosses: Sequence[str],
    *,
    look: Look = Look(),  # noqa: B008  frozen
    scene: Scene = Scene(),  # noqa: B008  frozen
    style: Style = Style(),  # noqa: B008  frozen
    rest_s: float | Sequence[float] = 0.8,
    seed: int = 0,
) -> Performance:
    """A performance of signs, one after the other.

    Arguments:
        glosses: names of GLOSSES or DISTRACTORS; a name may come twice, an empty list gives a person at rest.
        rest_s: seconds of rest before, between and after the signs; one number, or len(glosses) + 1 of them.
        seed: draws the small variation of this performance and the noise.
    """
    if isinstance(glosses, str):
        raise IsyaratError(f'perform takes a list of glosses, not the text "{glosses}"; use ["{glosses}"].')
    rests = [float(rest_s)] * (len(glosses) + 1) if isinstance(rest_s, int | float) else [float(r) for r in rest_s]
    if len(rests) != len(glosses) + 1 or min(rests) < 0:
        want = len(glosses) + 1
        raise IsyaratError(
            f"rest_s holds {len(rests)} values for {len(glosses)} signs; give {want}, none of them negative."
        )
    signs = [find_sign(gloss) for gloss in glosses]
    rng = np.random.default_rng([seed, 0])
    times, poses, via = [0.0], [rest_pose(look.arm_length, look.shoulder_width)], [False]
    truth: list[Interval] = []
    now = rests[0]
    for gloss, sign, rest in zip(glosses, signs, rests[1:], strict=True):
        sign_times, sign_poses, sign_via = compile_sign(sign, look, style, rng)
        times += [now + t for t in sign_times]
        poses += sign_poses
        via += sign_via
        truth.append(Interval(gloss, now, now + sign_times[-1]))
        now += sign_times[-1] + rest
    motion = join_keys(times, poses, via)
    return Performance(scene.fps, now, truth, look, scene, style, seed, motion, _be_alive(style, truth, now, seed))


def _be_alive(style: Style, truth: list[Interval], duration_s: float, seed: int) -> Liveliness:
    """Blinking, swaying a little, and mouthing the word while it is signed."""
    rng = np.random.default_rng([seed, 2])
    blinks, sway, look_around = Blinks(rng, duration_s), Drift(rng, 0.08, 0.4), Drift(rng, 0.1, 0.6)
    syllables = [max(2, sum(letter in "AEIOU" for letter in i.gloss)) for i in truth]

    def enliven(time_s: float, pose_P: Array) -> float:
        face_F = pose_P[FACE]
        face_F[_EYES] *= blinks.openness(time_s)
        face_F[_TURN] += 0.04 * look_around.at(time_s)
        for interval, count in zip(truth, syllables, strict=True):
            share = (time_s - interval.start_s) / max(interval.end_s - interval.start_s, 1e-6)
            if 0.2 < share < 0.8:
                face_F[_MOUTH] += 0.6 * style.mouthing * float(np.sin(np.pi * count * (share - 0.2) / 0.6)) ** 2
        return style.sway * sway.at(time_s)

    return enliven
