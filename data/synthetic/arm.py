"""Arms and hands, drawn anew in every frame from the pose."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from .hand import PALM_16x3, place_joints
from .look import Colour, Look
from .paint import CIRCLE_24x2, View, fill, fixed, limb, mix, shade, stroke
from .pose import ELBOW, SHAPE, TURN, WRIST
from .script import HAND_LENGTH
from .torso import SHOULDER
from .vectors import Array, Image, Vec3, reach, rotation_of

UPPER_ARM, FOREARM = 0.86, 0.84  # units, of an arm of length 1
_NEARNESS = 0.10  # how much larger a thing is one unit nearer to the camera
_THUMB_WIDTH, _FINGER_WIDTH = 0.13, 0.112  # of the hand's length


@dataclass(frozen=True)
class ArmJoints:
    """An arm in the side frame.

    Arguments:
        shoulder, elbow, wrist: units.
        fingers_5x4x3, palm_16x3: joints and outline of the hand, units.
        normal_z: how far the palm faces the viewer, -1 .. 1.
    """

    shoulder: Vec3
    elbow: Vec3
    wrist: Vec3
    fingers_5x4x3: Array
    palm_16x3: Array
    normal_z: float


def solve_arm(hand_20: Array, look: Look) -> ArmJoints:
    """Joints of an arm whose hand is where the pose says."""
    lift = float(hand_20[ELBOW])
    wx, wy, wz = hand_20[WRIST].tolist()
    raised = min(max((wy + 0.1) / 0.9, 0.0), 1.0)  # a raised hand takes its shoulder along
    shoulder = (SHOULDER[0] * look.shoulder_width, SHOULDER[1] + 0.06 * raised, 0.0)
    pole = (0.34 + 0.5 * lift, -1.0 + 0.4 * max(lift, 0.0), 0.4)
    links = (UPPER_ARM * look.arm_length, FOREARM * look.arm_length)
    _, wrist = reach(shoulder, (wx, wy, wz), *links, pole)
    # A raised forearm leans towards the viewer, which lets the elbow hang low, as signers hold it.
    forward = 0.5 * min(max((wy + 0.5) / 0.5, 0.0), 1.0)
    elbow, _ = reach(shoulder, (wx, wy, wz + forward), *links, pole)
    rotation_3x3 = rotation_of(hand_20[TURN])
    size = HAND_LENGTH * look.arm_length
    fingers_5x4x3 = place_joints(hand_20[SHAPE]) @ rotation_3x3.T * size + wrist
    palm_16x3 = PALM_16x3 @ rotation_3x3.T * size + wrist
    return ArmJoints(shoulder, elbow, wrist, fingers_5x4x3, palm_16x3, float(rotation_3x3[2, 2]))


def project(points_Nx3: Array, side: int, affine_2x3: Array) -> Array:
    """Pixels [N,2] of side-frame points; `side` is -1 for the arm on the picture's left."""
    near_N = 1.0 + _NEARNESS * points_Nx3[:, 2]
    x_N = points_Nx3[:, 0] * (side * near_N)
    y_N = points_Nx3[:, 1] * near_N
    flat_Nx2 = np.stack([x_N, y_N], axis=1)
    return np.asarray(flat_Nx2 @ affine_2x3[:, :2].T + affine_2x3[:, 2])


def draw_arm(image_HxWx3: Image, look: Look, arm: ArmJoints, side: int, view: View) -> None:
    """Draw upper arm, sleeve, forearm, watch and hand; `side` is -1 on the picture's left."""
    joints_3x3 = np.array([arm.shoulder, arm.elbow, arm.wrist])
    shoulder_2, elbow_2, wrist_2 = project(joints_3x3, side, view.affine_2x3)
    height, width = image_HxWx3.shape[:2]
    build = view.unit_px * (0.55 + 0.45 * look.build)
    r_shoulder, r_elbow, r_wrist = 0.140 * build, 0.118 * build, 0.082 * build
    if look.sleeves != "long":
        # Under a sleeve nothing bare may peep out at the shoulder.
        begin = 0.0 if look.sleeves == "none" else 0.35
        root_2 = shoulder_2 + begin * (elbow_2 - shoulder_2)
        bare = _Limbs([root_2, elbow_2, wrist_2], [r_shoulder, r_elbow, r_wrist])
        _draw_limbs(image_HxWx3, bare, look.skin, view, _ON_SKIN)
    r, g, b = (min(255, c + 10) for c in look.shirt)  # as the trunk's cloth
    cloth = (r, g, b)
    if look.sleeves == "short":
        cuff_2 = _cut_short(shoulder_2, elbow_2, 0.58, r_shoulder)
        sleeve = _Limbs([shoulder_2, cuff_2], [r_shoulder * 1.06, r_shoulder * 1.16])
        _draw_limbs(image_HxWx3, sleeve, cloth, view, _ON_CLOTH)
        _draw_sleeve_pattern(image_HxWx3, sleeve, look, view)
    elif look.sleeves != "none":
        share = 0.95 if look.sleeves == "long" else 0.5
        r_cuff = (r_elbow + (r_wrist - r_elbow) * share) * 1.22
        cuff_2 = _cut_short(elbow_2, wrist_2, share, r_cuff)
        sleeve = _Limbs([shoulder_2, elbow_2, cuff_2], [r_shoulder * 1.06, r_elbow * 1.22, r_cuff])
        _draw_limbs(image_HxWx3, sleeve, cloth, view, _ON_CLOTH)
        _draw_sleeve_pattern(image_HxWx3, sleeve, look, view)
    if look.watch and side == 1:
        _draw_watch(image_HxWx3, elbow_2, wrist_2, r_wrist)
    reach_px = HAND_LENGTH * view.unit_px
    if -reach_px < wrist_2[0] < width + reach_px and wrist_2[1] < height + reach_px:
        draw_hand(image_HxWx3, look, arm, side, view)


def _cut_short(start_2: Array, end_2: Array, share: float, radius: float) -> Array:
    """Where a sleeve that covers a share of a limb has to end, given its round end."""
    length = max(float(np.hypot(*(end_2 - start_2))), 1e-6)
    return np.asarray(start_2 + (end_2 - start_2) * max(0.05, share - 0.5 * radius / length))


# Layers of a limb, the dark rim first: size, shift to the light, brightness, where it begins. A sleeve's rim
# begins below the shoulder, where no seam to the trunk's cloth may show.
_Layers = tuple[tuple[float, float, float, float], ...]
_ON_SKIN: _Layers = (
    (1.0, 0.0, 0.68, 0.0),
    (0.88, 0.1, 0.86, 0.0),
    (0.68, 0.18, 0.97, 0.0),
    (0.34, 0.3, 1.05, 0.0),
)
_ON_CLOTH: _Layers = (
    (1.0, 0.0, 0.74, 0.45),
    (0.9, 0.04, 0.92, 0.2),
    (0.8, 0.1, 1.0, 0.0),
    (0.4, 0.26, 1.05, 0.1),
)


@dataclass(frozen=True)
class _Limbs:
    """One or two limbs in a row: their joints (pixels) and the radii there."""

    joints: list[Array]
    radii: list[float]


def _draw_limbs(image: Image, limbs: _Limbs, colour: Colour, view: View, layers: _Layers) -> None:
    """Draw layer by layer, so that no seam shows at the elbow."""
    for grow, shift, factor, begin in layers:
        tone = shade(colour, factor)
        joints = [joint_2 + view.light * (shift * r) for joint_2, r in zip(limbs.joints, limbs.radii, strict=True)]
        joints[0] = joints[0] + begin * (joints[1] - joints[0])
        for k in range(len(joints) - 1):
            fill(image, limb(joints[k], joints[k + 1], limbs.radii[k] * grow, limbs.radii[k + 1] * grow), tone)


def _draw_sleeve_pattern(image: Image, sleeve: _Limbs, look: Look, view: View) -> None:
    """Carry the trunk's pattern on: rings, lengthwise lines or dots."""
    if look.pattern in ("plain", "logo"):
        return
    colour = mix(shade(look.shirt, 0.95), look.accent, 0.7)
    pairs = zip(sleeve.joints, sleeve.joints[1:], sleeve.radii, sleeve.radii[1:], strict=False)
    for start_2, end_2, start_r, end_r in pairs:
        axis_2 = end_2 - start_2
        length = max(float(np.hypot(*axis_2)), 1e-6)
        across_2 = np.array([-axis_2[1], axis_2[0]]) / length
        if look.pattern in ("bars", "checks"):
            for offset in (-0.4, 0.2):
                line = np.stack([start_2 + across_2 * offset * start_r, end_2 + across_2 * offset * end_r])
                stroke(image, line, colour, 0.025 * view.unit_px)
        step = 0.16 * view.unit_px / length
        for share in np.arange(0.5 * step, 1.0, step):
            centre_2, radius = start_2 + axis_2 * share, (start_r + (end_r - start_r) * share) * 0.86
            if look.pattern == "dots":
                for offset in (-0.4, 0.4):
                    fill(image, centre_2 + across_2 * offset * radius + CIRCLE_24x2 * 0.028 * view.unit_px, colour)
            elif look.pattern != "bars":
                ring = np.stack([centre_2 - across_2 * radius, centre_2 + across_2 * radius])
                stroke(image, ring, colour, 0.045 * view.unit_px)


def _draw_watch(image: Image, elbow_2: Array, wrist_2: Array, r_wrist: float) -> None:
    axis_2 = wrist_2 - elbow_2
    length = float(np.hypot(*axis_2))
    if length < r_wrist:
        return
    axis_2 = axis_2 / length
    centre_2 = wrist_2 - axis_2 * r_wrist * 1.1
    across_2 = np.array([-axis_2[1], axis_2[0]])
    band = np.stack([centre_2 + across_2 * r_wrist * 1.05, centre_2 - across_2 * r_wrist * 1.05])
    stroke(image, band, (36, 32, 32), 0.75 * r_wrist)
    fill(image, centre_2 + CIRCLE_24x2 * 0.62 * r_wrist, (24, 24, 26))
    fill(image, centre_2 + CIRCLE_24x2 * 0.42 * r_wrist, (190, 190, 186))


def draw_hand(image_HxWx3: Image, look: Look, arm: ArmJoints, side: int, view: View) -> None:
    """Draw palm and fingers, far ones first."""
    size_px = HAND_LENGTH * look.arm_length * view.unit_px * (1 + _NEARNESS * arm.wrist[2])
    fingers_5x4x2 = project(arm.fingers_5x4x3.reshape(20, 3), side, view.affine_2x3).reshape(5, 4, 2)
    palm_16x2 = project(arm.palm_16x3, side, view.affine_2x3)
    # The palm is lighter and pinker than the back of the hand.
    inner = mix(look.skin, (236, 184, 164), 0.30)
    tone = mix(look.skin, inner, min(max(arm.normal_z * 1.5 + 0.5, 0.0), 1.0))
    rim, lit = shade(tone, 0.66), shade(tone, 1.08)
    depth_6 = [float(arm.fingers_5x4x3[finger, 1:, 2].mean()) for finger in range(5)]
    depth_6.append(float(arm.palm_16x3[:, 2].mean()))
    wrist_2 = project(np.array([arm.wrist]), side, view.affine_2x3)[0]
    step_2 = view.light * (0.022 * size_px)
    for part in sorted(range(6), key=lambda p: depth_6[p]):
        if part == 5:
            hull = np.asarray(cv2.convexHull(fixed(palm_16x2)))
            cv2.polylines(image_HxWx3, [hull], True, rim, max(1, round(0.035 * size_px)), cv2.LINE_AA, 4)
            cv2.fillConvexPoly(image_HxWx3, hull, tone, cv2.LINE_AA, 4)
            centre_2 = palm_16x2.mean(axis=0)
            fill(image_HxWx3, limb(wrist_2, centre_2, 0.1 * size_px, 0.08 * size_px), tone)  # no line at the wrist
            fill(image_HxWx3, centre_2 + (palm_16x2[:8] - centre_2) * 0.55 + step_2, lit)
        else:
            width = (_THUMB_WIDTH if part == 0 else _FINGER_WIDTH) * size_px
            stroke(image_HxWx3, fingers_5x4x2[part], rim, width + max(1.0, 0.025 * size_px))
            stroke(image_HxWx3, fingers_5x4x2[part], tone, width * 0.88)
            stroke(image_HxWx3, fingers_5x4x2[part] + step_2, lit, width * 0.34)
