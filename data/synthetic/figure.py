"""Draws a body in a pose onto a picture."""

from __future__ import annotations

import math

import cv2
import numpy as np

from .arm import ArmJoints, draw_arm, project, solve_arm
from .face import draw_face
from .hair import FACE_CENTRE
from .head import PIVOT, paint_head
from .look import Look
from .paint import CIRCLE_24x2, Sprite, View, finish_sprite, place_sprite
from .pose import FACE, FACE_NAMES, STRONG, TURN, WEAK, WRIST
from .scene import Scene
from .script import HAND_LENGTH
from .torso import half_outline, paint_torso
from .vectors import Array, Image

_TILT, _TURN, _NOD, _LEAN = (FACE_NAMES.index(name) for name in ("tilt", "turn", "nod", "lean"))
_HIP = -1.9  # the trunk leans around this height
_GHOST_PX = 4.0  # a blurred hand is drawn once per so many pixels of movement
_GHOSTS = 7


class Figure:
    """A signer, painted for one scene.

    Arguments:
        look: the signer.
        scene: gives size, place and light.
        handed: "right" puts the dominant hand on the picture's left side.
    """

    def __init__(self, look: Look, scene: Scene, handed: str = "right") -> None:
        self.look, self.scene = look, scene
        self.strong_side = -1 if handed == "right" else 1
        self.unit_px = scene.unit_px * look.scale
        # Half a unit more than is seen leaves room for swaying and leaning.
        depth = (scene.height - scene.neck_px[1]) / self.unit_px + 0.5
        self._torso = paint_torso(look, self.unit_px, scene.light_side, depth)
        self._hair, self._head = paint_head(look, self.unit_px, scene.light_side)
        self._shadow = _paint_shadow(look, self.unit_px)

    def body_affine(self, pose_P: Array, sway_x: float, breath: float, shake: tuple[float, float]) -> Array:
        """Body units (x right, y up) to pixels [2,3], with lean, sway and a shaking camera."""
        k = self.unit_px
        lean = self.strong_side * float(pose_P[FACE.start + _LEAN])
        c, s = math.cos(lean), math.sin(lean)
        neck_x, neck_y = self.scene.neck_px
        # A small body stands on the same ground: its neck is lower.
        neck_y += (1 - self.look.scale) * 0.6 * self.scene.unit_px
        x = neck_x + shake[0] + k * (sway_x - s * _HIP)
        y = neck_y + shake[1] - k * (_HIP - c * _HIP + 0.012 * breath)
        return np.array([[k * c, k * s, x], [k * s, -k * c, y]])

    def draw_body(self, image_HxWx3: Image, pose_P: Array, affine_2x3: Array) -> None:
        """Draw everything but the arms."""
        face_F = pose_P[FACE].copy()
        side = self.strong_side
        face_F[_TURN] *= side
        head_2x3 = self._head_affine(float(face_F[_TILT]) * side, float(face_F[_NOD]), affine_2x3)
        shadow_2x3 = affine_2x3.copy()
        shadow_2x3[:, 2] += np.array([-0.16 * self.scene.light_side, 0.06]) * self.unit_px
        place_sprite(image_HxWx3, self._shadow, shadow_2x3)
        if self._hair is not None:
            place_sprite(image_HxWx3, self._hair, head_2x3)
        place_sprite(image_HxWx3, self._torso, affine_2x3)
        place_sprite(image_HxWx3, self._head, head_2x3)
        grown_2x3 = head_2x3.copy()
        grown_2x3[:, :2] *= self.look.head_size
        draw_face(image_HxWx3, self.look, face_F, grown_2x3)

    def draw_arms(self, image_HxWx3: Image, arms: tuple[ArmJoints, ArmJoints], affine_2x3: Array) -> None:
        """Draw both arms, the nearer hand last."""
        light = np.array([0.7 * self.scene.light_side, -0.5])
        view = View(affine_2x3, self.unit_px, light)
        pairs = [(arms[0], self.strong_side), (arms[1], -self.strong_side)]
        for arm, side in sorted(pairs, key=lambda pair: pair[0].wrist[2]):
            draw_arm(image_HxWx3, self.look, arm, side, view)

    def solve_arms(self, pose_P: Array) -> tuple[ArmJoints, ArmJoints]:
        """Joints of the dominant and the other arm."""
        return solve_arm(pose_P[STRONG], self.look), solve_arm(pose_P[WEAK], self.look)

    def locate_fingers(self, pose_P: Array) -> Array:
        """Pixels [2*5,4,2] of the fingers' joints, of the dominant hand first, for a body that stands still."""
        affine_2x3 = self.body_affine(pose_P, 0.0, 0.0, (0.0, 0.0))
        sides = (self.strong_side, -self.strong_side)
        return np.concatenate(
            [
                project(arm.fingers_5x4x3.reshape(20, 3), side, affine_2x3).reshape(5, 4, 2)
                for arm, side in zip(self.solve_arms(pose_P), sides, strict=True)
            ]
        )

    def draw(self, image_HxWx3: Image, pose_P: Array, late_P: Array, affine_2x3: Array) -> Image:
        """Draw the whole figure.

        Arguments:
            pose_P, late_P: the poses when the shutter opens and when it closes; hands between them are blurred.
        """
        self.draw_body(image_HxWx3, pose_P, affine_2x3)
        travel = max(_fingertip_travel(pose_P[part], late_P[part]) for part in (STRONG, WEAK))
        ghosts = min(_GHOSTS, 1 + int(travel * self.unit_px / _GHOST_PX))
        if ghosts == 1:
            self.draw_arms(image_HxWx3, self.solve_arms(pose_P), affine_2x3)
            return image_HxWx3
        total: Image | None = None
        for ghost in range(ghosts):
            share = (ghost + 0.5) / ghosts
            canvas = image_HxWx3.copy()
            self.draw_arms(canvas, self.solve_arms(pose_P + (late_P - pose_P) * share), affine_2x3)
            # A running mean in 8 bits: each picture ends up with the same weight.
            weight = 1 / (ghost + 1)
            total = (
                canvas if total is None else np.asarray(cv2.addWeighted(total, 1 - weight, canvas, weight, 0), np.uint8)
            )
        assert total is not None
        return total

    def _head_affine(self, tilt: float, nod: float, affine_2x3: Array) -> Array:
        """Head units around its joint to pixels; the head tilts over the neck and sinks when it nods."""
        c, s = math.cos(tilt), math.sin(tilt)
        turned = affine_2x3[:, :2] @ np.array([[c, s], [-s, c]]) @ np.diag([1.0, 1.0 - 0.06 * abs(nod)])
        joint = affine_2x3[:, :2] @ np.array([0.0, PIVOT - 0.12 * nod]) + affine_2x3[:, 2]
        return np.concatenate([turned, joint[:, None]], axis=1)


def _fingertip_travel(early_20: Array, late_20: Array) -> float:
    """About how far the fingertips move, in units."""
    moved = float(np.linalg.norm(late_20[WRIST] - early_20[WRIST]))
    return moved + 2 * HAND_LENGTH * float(np.linalg.norm(late_20[TURN] - early_20[TURN]))


def _paint_shadow(look: Look, unit_px: float) -> Sprite:
    """The soft shadow a body throws on the wall behind it."""
    k = unit_px / 3  # it is blurred anyway
    side, top, bottom = 1.0, 1.5, -3.2
    mask = np.zeros((int((top - bottom) * k), int(2 * side * k)), np.uint8)
    half = half_outline(look)
    head = CIRCLE_24x2 * (0.26 * look.head_size, 0.36 * look.head_size) + (0, PIVOT + FACE_CENTRE)
    for points in (
        np.concatenate([half, half[::-1] * (-1, 1)]),
        head,
        np.array([[-0.1, 0.6], [0.1, 0.6], [0.2, 0.0], [-0.2, 0.0]]),
    ):
        pixels = np.stack([(points[:, 0] + side) * k, (top - points[:, 1]) * k], axis=1)
        cv2.fillPoly(mask, [np.rint(pixels).astype(np.int32)], 62)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), max(0.5, 0.11 * k)), np.uint8)
    return finish_sprite(np.zeros((*mask.shape, 3), np.uint8), mask, (side * k, top * k), k, 1)
