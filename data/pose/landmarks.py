"""Points of the body and of the hands in the region of a person.

Body: BlazePose (Bazarevsky et al. 2020, arXiv:2006.10204, "full"). The region goes into 256 pixels, value / 255. The
model gives a score of the whole body and 39 x 5 numbers: x, y, z in pixels of the crop, a logit of the visibility and
one of the presence (not used). z is scaled like x and y. Points 33 (middle of the hips) and 34 (on the circle that
encloses the person) give the region of the next frame: centre 33, half side 1.25 times the distance, 34 above 33.

Hands: as in MediaPipe Holistic, from three points of the body, wrist w, little p and index i finger:
    middle m = (2 i + p) / 3;  square around m with half side |m - w|, turned such that m lies above w,
    moved up (in the crop) by a tenth of its side, then enlarged 2.7 times;
    256 pixels, value / 255, into the recrop model: two points of the crop in pixels, c and s;
    square around c with half side |s - c|, turned such that s lies BELOW c;
    224 pixels, value / 255, into the landmark model of MediaPipe Hands (Zhang et al. 2020, arXiv:2006.10214, "lite"):
    21 x 3 numbers x, y, z in pixels of the crop, the presence 0..1, the handedness (not used: the body knows it).

A second look at a hand, from its points in this frame or in the one before, as MediaPipe follows a hand:
    direction from the wrist 0 to k = (5 + 13) / 4 + 9 / 2, turned such that k lies above the wrist;
    the smallest rectangle at that angle around the points 0-3, 5, 6, 9, 10, 13, 14, 17 and 18 (not the fingertips);
    its centre moved up by a tenth of its height; a square there whose side is twice its longer side;
    the landmark model once more.

What differs from MediaPipe 0.10.21: a region of the recrop model is not moved up by another tenth (found fewer hands
on clips), a hand is looked for in every frame anew rather than followed, the body's points are not refined by its heat
maps, no hand is dropped for the visibility of its wrist, and nothing is smoothed.

Points of a crop go back to the frame by `Region.restore`; z is multiplied by the region's size over the crop's, that of
a hand by 1 / 0.4, too, as MediaPipe does: the model was taught flattened hands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..video import Image
from .detector import BODY_SCALE
from .models import BODY, HAND, HAND_RECROP, Model, Tensor
from .pose import BodyPoint, HandPoint, Points
from .region import DOWNWARD, Coordinates, Region, align_region, turn_towards

HAND_SCALE = 2.7
HAND_SHIFT = 0.1
HAND_DEPTH = 1 / 0.4
PALM = (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18)  # without the fingertips
PALM_SCALE = 2.0
# Wrist, little finger, index finger of the left and of the right hand.
HAND_ROOTS = (
    (BodyPoint.LEFT_WRIST, BodyPoint.LEFT_LITTLE, BodyPoint.LEFT_INDEX),
    (BodyPoint.RIGHT_WRIST, BodyPoint.RIGHT_LITTLE, BodyPoint.RIGHT_INDEX),
)


@dataclass(frozen=True, slots=True)
class Body:
    """What the body model saw.

    Attributes:
        points_33x4: x, y, z in pixels of the frame, visibility 0..1.
        score: 0..1, that the region holds a person.
        next_region: where to look in the next frame.
    """

    points_33x4: Points
    score: float
    next_region: Region


class BodyLandmarks:
    """The body model, loaded.

    Arguments:
        threads: of the runtime.
    """

    def __init__(self, threads: int = 1) -> None:
        self._model = Model(BODY, threads)

    def locate(self, image_HxWx3: Image, region: Region) -> Body:
        """Points of the person in the region."""
        side = self._model.side
        numbers_195, score_1 = self._model.run(scale_crop(region.crop(image_HxWx3, side)), "Identity", "Identity_1")
        numbers_39x5 = numbers_195.reshape(39, 5)
        xy_39x2 = region.restore(numbers_39x5[:, :2], side)
        z_33 = numbers_39x5[:33, 2] * np.float32(region.size / side)
        visibility_33 = 1 / (1 + np.exp(-np.clip(numbers_39x5[:33, 3], -30, 30)))
        points = np.concatenate([xy_39x2[:33], z_33[:, None], visibility_33[:, None]], axis=1).astype(np.float32)
        return Body(points, float(score_1[0]), align_region(xy_39x2[33], xy_39x2[34]).grow(BODY_SCALE))


class HandLandmarks:
    """The two hand models, loaded.

    Arguments:
        threads: of the runtime.
    """

    def __init__(self, threads: int = 1) -> None:
        self._recrop, self._model = Model(HAND_RECROP, threads), Model(HAND, threads)

    def locate(self, image_HxWx3: Image, body_33x4: Points, hand: int) -> tuple[Points, float]:
        """Points 21x3 of a hand in pixels of the frame, and the presence 0..1.

        Arguments:
            body_33x4: of the same frame.
            hand: LEFT or RIGHT.
        """
        height, width = image_HxWx3.shape[:2]
        region = find_hand_region(body_33x4, hand)
        if not region.is_sound(width, height):
            return _guess_hand(body_33x4, hand), 0.0
        region = self._refine(image_HxWx3, region)
        if not region.is_sound(width, height):
            return _guess_hand(body_33x4, hand), 0.0
        return self._look(image_HxWx3, region)

    def look_again(self, image_HxWx3: Image, points_21x3: Points) -> tuple[Points, float]:
        """`locate` in the region that other points of the same hand give."""
        height, width = image_HxWx3.shape[:2]
        region = find_palm_region(points_21x3)
        return self._look(image_HxWx3, region) if region.is_sound(width, height) else (points_21x3, 0.0)

    def _refine(self, image_HxWx3: Image, region: Region) -> Region:
        """The region of the hand itself in a region that surely holds it."""
        side = self._recrop.side
        (numbers,) = self._recrop.run(scale_crop(region.crop(image_HxWx3, side)), "output_crop")
        centre_2, rim_2 = region.restore(numbers.reshape(2, 2), side)
        return align_region(centre_2, rim_2, DOWNWARD)

    def _look(self, image_HxWx3: Image, region: Region) -> tuple[Points, float]:
        side = self._model.side
        crop = scale_crop(region.crop(image_HxWx3, side))
        numbers_63, presence_1 = self._model.run(crop, "Identity", "Identity_1")
        numbers_21x3 = numbers_63.reshape(21, 3)
        z_21 = numbers_21x3[:, 2] * np.float32(HAND_DEPTH * region.size / side)
        points = np.concatenate([region.restore(numbers_21x3[:, :2], side), z_21[:, None]], axis=1)
        return points.astype(np.float32), float(presence_1[0])


def find_hand_region(body_33x4: Points, hand: int) -> Region:
    """The region in which the recrop model looks for a hand."""
    wrist_2, little_2, index_2 = (body_33x4[point, :2] for point in HAND_ROOTS[hand])
    middle_2: Coordinates = (2 * index_2 + little_2) / np.float32(3)
    upright = align_region(wrist_2, middle_2)
    region = Region(float(middle_2[0]), float(middle_2[1]), upright.size, upright.rotation)
    return region.move(HAND_SHIFT).grow(HAND_SCALE)


def find_palm_region(points_21x3: Points) -> Region:
    """The region of a hand from its points."""
    xy_21x2 = points_21x3[:, :2].astype(np.float64)
    dx, dy = (
        xy_21x2[[HandPoint.INDEX_KNUCKLE, HandPoint.RING_KNUCKLE]].sum(axis=0) / 4
        + xy_21x2[HandPoint.MIDDLE_KNUCKLE] / 2
        - xy_21x2[HandPoint.WRIST]
    )
    rotation = turn_towards(float(dx), float(dy))
    c, s = math.cos(rotation), math.sin(rotation)
    # Columns: the crop's directions to the right and downward.
    axes_2x2 = np.array([[c, -s], [s, c]])
    along_12x2 = xy_21x2[list(PALM)] @ axes_2x2
    low_2, high_2 = along_12x2.min(axis=0), along_12x2.max(axis=0)
    width, height = high_2 - low_2
    x, y = axes_2x2 @ ((low_2 + high_2) / 2 - (0, HAND_SHIFT * height))
    return Region(float(x), float(y), PALM_SCALE * float(max(width, height)), rotation)


def scale_crop(crop_SxSx3: Image) -> Tensor:
    """Pixels as the landmark models take them, 0..1."""
    return crop_SxSx3.astype(np.float32) / np.float32(255)


def _guess_hand(body_33x4: Points, hand: int) -> Points:
    """All points at the wrist, for a hand that cannot be looked at."""
    return np.repeat(body_33x4[HAND_ROOTS[hand][0], :3][None], 21, axis=0)
