"""Points as colours: one frame of a motion in 8 x 8 blocks of a cell, which a patch encoder reads without loss.

A skeleton drawn with lines spends most of its pixels on black and has to be measured again by the encoder; here every
point is one block whose red, green and blue say x, y and z (skeleton images, Yang et al. 2018, arXiv:1805.11790, lay a
whole clip out in that way). Byte = round(127.5 + 127.5 clip(value / range, -1, 1)); 128 is zero or "not there".

Blocks, row by row:
    0-8    nose, left and right ear, shoulders, elbows, wrists: x, y by 2.2 shoulder widths
    9-33   left hand, 34-58 right hand:
           20 points but the wrist, relative to the wrist, by 2.2 palms: x, y, z (0 where no hand was found)
           wrist x, y by 2.2 shoulder widths; blue: whether the hand was found
           knuckle of the middle finger x, y; blue: how surely it was found
           tip of the index finger x, y;  tip of the thumb x, y
           wrist relative to the nose, by 1 shoulder width: finer near the face
    59     left wrist relative to the right one, by 1.5 shoulder widths
    60-63  free
A palm is the longer of wrist to middle knuckle and index to little knuckle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import IsyaratError
from ..video import Image
from .pose import BodyPoint, HandPoint, Points
from .signing_space import KNUCKLES, WRISTS, Motion
from .track import HANDS

BLOCKS = 8  # a side

# Shoulder widths (or palms) at which a channel is full.
SPACE, PALMS, NEAR_FACE, APART = 2.2, 2.2, 1.0, 1.5

# Least presence of a hand whose fingers are shown.
LEAST_PRESENCE = 0.15

UPPER_BODY = [
    BodyPoint.NOSE, BodyPoint.LEFT_EAR, BodyPoint.RIGHT_EAR, BodyPoint.LEFT_SHOULDER, BodyPoint.RIGHT_SHOULDER,
    BodyPoint.LEFT_ELBOW, BodyPoint.RIGHT_ELBOW, BodyPoint.LEFT_WRIST, BodyPoint.RIGHT_WRIST,
]  # fmt: skip
HAND_BLOCKS = (9, 34)
PRESENCE_BLOCK = 21  # of a hand's blocks
APART_BLOCK = 59


def colour_motion(motion: Motion, size: int) -> Image:
    """Cells of the motion: TxSxSx3 uint8; blocks of size // 8 pixels, spare pixels grey.

    Raises:
        IsyaratError: a cell is smaller than 8 pixels.
    """
    if size < BLOCKS:
        raise IsyaratError(f"A cell of {size} px is too small for 8 x 8 points; choose a larger picture.")
    values = measure_blocks(motion)
    colours = np.round(127.5 + 127.5 * np.clip(values, -1, 1)).astype(np.uint8)
    count, block = len(colours), size // BLOCKS
    squares = colours.reshape(count, BLOCKS, BLOCKS, 3).repeat(block, axis=1).repeat(block, axis=2)
    cells = np.full((count, size, size, 3), 128, np.uint8)
    cells[:, : BLOCKS * block, : BLOCKS * block] = squares
    return cells


def shows_hand(cells_TxSxSx3: Image) -> bool:
    """Whether any cell shows a raised hand that was found more likely than not."""
    block = cells_TxSxSx3.shape[1] // BLOCKS
    for first in HAND_BLOCKS:
        row, column = divmod(first + PRESENCE_BLOCK, BLOCKS)
        if (cells_TxSxSx3[:, row * block, column * block, 2] > 128).any():
            return True
    return False


def measure_blocks(motion: Motion) -> NDArray[np.float32]:
    """Tx64x3 values of the blocks; full at -1 and 1."""
    points = motion.points_Tx75x3
    values = np.zeros((len(points), BLOCKS * BLOCKS, 3), np.float32)
    values[:, : len(UPPER_BODY), :2] = points[:, UPPER_BODY, :2] / SPACE
    for hand in (0, 1):
        values[:, HAND_BLOCKS[hand] : HAND_BLOCKS[hand] + 25] = measure_hand(points, motion.presence_Tx2[:, hand], hand)
    left, right = WRISTS
    values[:, APART_BLOCK, :2] = (points[:, left, :2] - points[:, right, :2]) / APART
    return values


def measure_hand(points_Tx75x3: Points, presence_T: Points, hand: int) -> NDArray[np.float32]:
    """Tx25x3 values of one hand's blocks."""
    fingers = points_Tx75x3[:, HANDS[hand]]
    shown = (presence_T > LEAST_PRESENCE)[:, None]
    little, index, thumb = (points_Tx75x3[:, point, :2] for point in KNUCKLES[hand])
    wrist = np.where(shown, fingers[:, HandPoint.WRIST, :2], points_Tx75x3[:, WRISTS[hand], :2])
    values = np.zeros((len(fingers), 25, 3), np.float32)
    relative = (fingers[:, 1:] - fingers[:, :1]) / measure_palm(fingers)[:, None, None]
    values[:, :20] = np.where(shown[..., None], relative / PALMS, 0)
    values[:, 20, :2] = wrist / SPACE
    values[:, 20, 2] = np.where(shown[:, 0], 1, -1)
    middle = little * np.float32(0.33) + index * np.float32(0.67)
    values[:, 21, :2] = np.where(shown, fingers[:, HandPoint.MIDDLE_KNUCKLE, :2], middle) / SPACE
    values[:, PRESENCE_BLOCK, 2] = presence_T * 2 - 1
    values[:, 22, :2] = np.where(shown, fingers[:, HandPoint.INDEX_TIP, :2], index) / SPACE
    values[:, 23, :2] = np.where(shown, fingers[:, HandPoint.THUMB_TIP, :2], thumb) / SPACE
    values[:, 24, :2] = (wrist - points_Tx75x3[:, BodyPoint.NOSE, :2]) / NEAR_FACE
    return values


def measure_palm(fingers_Tx21x3: Points) -> Points:
    """T lengths of the palm, in shoulder widths; never 0."""
    flat = fingers_Tx21x3[..., :2]
    length = np.linalg.norm(flat[:, HandPoint.MIDDLE_KNUCKLE] - flat[:, HandPoint.WRIST], axis=-1)
    width = np.linalg.norm(flat[:, HandPoint.INDEX_KNUCKLE] - flat[:, HandPoint.LITTLE_KNUCKLE], axis=-1)
    palm: Points = np.maximum(np.maximum(length, width), 1e-3).astype(np.float32)
    return palm
