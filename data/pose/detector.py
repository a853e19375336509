"""Finds a person in a picture: the detector of BlazePose (Bazarevsky et al. 2020, arXiv:2006.10204, section 2.2).

The whole frame goes into a square of 224 pixels (its longer side fills it, black around it), pixels are value / 127.5
- 1. The model looks from 2254 anchors: the centres ((column + 1/2) / n, (row + 1/2) / n) of grids of n = 28, 14 and 7
cells, row by row, with 2, 2 and 6 anchors in every cell, one after the other. For each it gives a logit of the score,
and 12 numbers: a box of the face (4, not used), then x, y of four points in pixels of the 224 around the anchor. Point
0 is the middle of the hips, point 1 lies on the circle around it that encloses the person, above the head.

The anchor of the highest score is taken; MediaPipe averages those that overlap with it, which is of no use here because
the landmarks give the next region anyway.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..video import Image
from .models import DETECTOR, Model, Tensor
from .region import Region, align_region

SCORE = 0.4  # a sigmoid; MediaPipe asks for 0.5, and so does the body's score, which is surer
BODY_SCALE = 1.25  # of the circle: the margin that the landmark model was trained with
GRIDS = ((28, 2), (14, 2), (7, 6))  # strides 8, 16 and three times 32


class Detector:
    """The detector, loaded.

    Arguments:
        threads: of the runtime.
    """

    def __init__(self, threads: int = 1) -> None:
        self._model = Model(DETECTOR, threads)

    def detect(self, image_HxWx3: Image) -> Region | None:
        """The region of the most certain person; None when nobody is there."""
        height, width = image_HxWx3.shape[:2]
        side = self._model.side
        frame = Region((width - 1) / 2, (height - 1) / 2, float(max(width, height)))
        crop = frame.crop(image_HxWx3, side).astype(np.float32) / np.float32(127.5) - np.float32(1)
        boxes_Nx12, logits_Nx1 = self._model.run(crop, "Identity", "Identity_1")
        best = int(logits_Nx1[:, 0].argmax())
        # The score is 1 / (1 + exp(-logit)).
        if logits_Nx1[best, 0] < np.log(SCORE / (1 - SCORE)):
            return None
        points_4x2 = boxes_Nx12[best, 4:].reshape(4, 2) + list_anchors()[best] * side
        hips_2, rim_2 = frame.restore(points_4x2[:2], side)
        region = align_region(hips_2, rim_2).grow(BODY_SCALE)
        return region if region.is_sound(width, height) else None


@cache
def list_anchors() -> Tensor:
    """2254x2: x, y of the anchors as shares of the square."""
    grids = []
    for cells, per_cell in GRIDS:
        centres = (np.arange(cells, dtype=np.float32) + np.float32(0.5)) / np.float32(cells)
        y, x = np.meshgrid(centres, centres, indexing="ij")
        grids.append(np.repeat(np.stack([x.ravel(), y.ravel()], axis=1), per_cell, axis=0))
    return np.concatenate(grids)
