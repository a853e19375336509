"""Small vector helpers: named directions, hand rotations as quaternions, two-link inverse kinematics.

Side frame, used by every script: x points outward to the hand's own side, y up, z to the viewer; the origin is
the base of the neck and one unit is a third of the default picture's height (about 33 cm of a real person).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Vec3 = tuple[float, float, float]

DIRECTIONS: dict[str, Vec3] = {
    "out": (1.0, 0.0, 0.0),
    "in": (-1.0, 0.0, 0.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "front": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
}


def read_direction(words: str) -> Array:
    """The unit vector of words such as "up" or "up up in" (a repeated word weighs more)."""
    vector_3 = np.sum([DIRECTIONS[word] for word in words.split()], axis=0)
    return np.asarray(vector_3 / np.linalg.norm(vector_3), dtype=np.float64)


def orient_hand(fingers: str, palm: str) -> Array:
    """Quaternion (w, x, y, z) of a hand whose fingers and palm point as named.

    The fingers' direction is kept exactly. The rotation's columns are (little-finger side, fingers, palm), so the
    thumb lies on the negative first axis: fingers up and palm to the viewer put it on the inner side, as on a real
    hand.
    """
    f_3 = read_direction(fingers)
    n_3 = read_direction(palm)
    n_3 = n_3 - f_3 * float(f_3 @ n_3)
    n_3 /= np.linalg.norm(n_3)
    return quaternion_of(np.stack([np.cross(f_3, n_3), f_3, n_3], axis=1))


def quaternion_of(rotation_3x3: Array) -> Array:
    """Quaternion (w, x, y, z) of a rotation matrix."""
    (a, b, c), (d, e, f), (g, h, i) = rotation_3x3.tolist()
    candidates = [
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    ]
    best = max(range(4), key=lambda k: candidates[k][k])  # the largest diagonal: no division by a small number
    quaternion_4 = np.array(candidates[best], dtype=np.float64)
    return np.asarray(quaternion_4 / np.linalg.norm(quaternion_4), dtype=np.float64)


def rotation_of(quaternion_4: Array) -> Array:
    """Rotation matrix [3,3] of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = quaternion_4.tolist()
    k = 2.0 / max(w * w + x * x + y * y + z * z, 1e-12)
    return np.array(
        [
            [1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)],
            [k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x)],
            [k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)],
        ]
    )


def reach(shoulder_3: Vec3, wrist_3: Vec3, upper: float, fore: float, pole_3: Vec3) -> tuple[Vec3, Vec3]:
    """Elbow and wrist of a two-link arm.

    Arguments:
        shoulder_3, wrist_3: ends, in the side frame; a wrist out of reach is pulled in along the line.
        upper, fore: lengths of the two links.
        pole_3: the direction the elbow bends to.
    """
    dx, dy, dz = (w - s for w, s in zip(wrist_3, shoulder_3, strict=True))
    distance = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-6)
    dx, dy, dz = dx / distance, dy / distance, dz / distance
    span = min(max(distance, abs(upper - fore) + 0.02), (upper + fore) * 0.999)
    along = (upper * upper - fore * fore + span * span) / (2 * span)
    off = math.sqrt(max(upper * upper - along * along, 0.0))
    px, py, pz = pole_3
    dot = px * dx + py * dy + pz * dz
    px, py, pz = px - dot * dx, py - dot * dy, pz - dot * dz
    norm = max(math.sqrt(px * px + py * py + pz * pz), 1e-6)
    sx, sy, sz = shoulder_3
    elbow = (
        sx + along * dx + off * px / norm,
        sy + along * dy + off * py / norm,
        sz + along * dz + off * pz / norm,
    )
    return elbow, (sx + span * dx, sy + span * dy, sz + span * dz)
