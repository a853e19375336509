"""Follows one person through the frames of a clip, as MediaPipe Holistic does.

The detector (detector.py, after BlazePose, arXiv:2006.10204) is run only while nobody is followed. Then:
    frame larger than 640 pixels on its longer side: scaled down to that (area averaging), the points scaled back:
        x = (x' + 1/2) * longer / 640 - 1/2,  y alike,  z = z' * longer / 640;
    body in the region that the previous frame gave (the detector's in the first one); a score below 0.5 means that the
        person is lost: the detector looks again in the same frame, and nobody is there when that fails, too;
    both hands (landmarks.py), from the body of this very frame;
    with `second_look`, a hand whose presence is below 0.5 and whose wrist is in the picture is looked for again around
        its points of the frame before (if it was there), then around those of this frame; the surer answer counts.
Nothing is smoothed over time.
"""

from __future__ import annotations

import cv2
import numpy as np

from ..errors import IsyaratError
from ..video import Image
from .detector import Detector
from .landmarks import Body, BodyLandmarks, HandLandmarks
from .pose import LEFT, RIGHT, BodyPoint, Points, Pose
from .region import Region

LONGEST = 640  # pixels; the crop of the body has 256, and a reader of clips gives no more either
SCORE = 0.5  # of the body; MediaPipe's threshold
PRESENCE = 0.5  # of a hand; MediaPipe's threshold
WRISTS = (BodyPoint.LEFT_WRIST, BodyPoint.RIGHT_WRIST)


class PoseTracker:
    """Estimates the pose of the signer, frame after frame. One tracker per clip or stream, one thread at a time.

    Arguments:
        threads: of the runtime.
        second_look: looks again for hands that were not found. On frames of signers it raises the share of raised
            hands that are found from 83 to 90 % (n = 235) and the mean time by 7 %.

    Raises:
        IsyaratError: a model file is missing or damaged.
    """

    def __init__(self, threads: int = 1, *, second_look: bool = False) -> None:
        self._detector, self._body, self._hands = Detector(threads), BodyLandmarks(threads), HandLandmarks(threads)
        self._second_look = second_look
        self._region: Region | None = None
        self._hands_before: dict[int, Points] = {}  # those that were found, in pixels of the scaled frame

    def reset(self) -> None:
        """Forgets the person: the next frame may show another clip."""
        self._region = None
        self._hands_before = {}

    def estimate(self, image_HxWx3: Image) -> Pose | None:
        """The pose of the person that is followed, or of the most certain one; None when nobody is there.

        Arguments:
            image_HxWx3: uint8 RGB, upright; HxW and HxWx1 are grey.

        Raises:
            IsyaratError: this is no picture.
        """
        image, scale = prepare_image(image_HxWx3)
        body = self._follow(image)
        if body is None:
            self._hands_before = {}
            return None
        points_33x4 = body.points_33x4
        found = [self._find_hand(image, points_33x4, hand) for hand in (LEFT, RIGHT)]
        self._hands_before = {hand: points for hand, (points, presence) in enumerate(found) if presence >= PRESENCE}
        height, width = image_HxWx3.shape[:2]
        hands_2x21x3 = np.stack([points for points, _ in found])
        presence_2 = np.array([presence for _, presence in found], np.float32)
        return Pose(_scale(points_33x4, scale), _scale(hands_2x21x3, scale), presence_2, width, height)

    def _find_hand(self, image_HxWx3: Image, body_33x4: Points, hand: int) -> tuple[Points, float]:
        """The points of a hand and its presence, after a second look where one is wanted."""
        best = self._hands.locate(image_HxWx3, body_33x4, hand)
        height, width = image_HxWx3.shape[:2]
        x, y = body_33x4[WRISTS[hand], :2]
        if self._second_look and 0 <= x < width and 0 <= y < height:
            starts = [self._hands_before[hand]] if hand in self._hands_before else []
            for points_21x3 in (*starts, best[0]):
                if best[1] < PRESENCE:
                    best = max(best, self._hands.look_again(image_HxWx3, points_21x3), key=lambda answer: answer[1])
        return best

    def _follow(self, image_HxWx3: Image) -> Body | None:
        """The body in the known region, or in one that the detector finds."""
        if self._region is not None:
            body = self._locate(image_HxWx3, self._region)
            if body is not None:
                return body
        found = self._detector.detect(image_HxWx3)
        return None if found is None else self._locate(image_HxWx3, found)

    def _locate(self, image_HxWx3: Image, region: Region) -> Body | None:
        """The body in the region, which becomes the one to follow; None, and nobody is followed, if it is not there."""
        height, width = image_HxWx3.shape[:2]
        body = self._body.locate(image_HxWx3, region)
        sound = body.score >= SCORE and body.next_region.is_sound(width, height)
        self._region = body.next_region if sound else None
        return body if sound and bool(np.isfinite(body.points_33x4).all()) else None


def prepare_image(image_HxWx3: Image) -> tuple[Image, float]:
    """The picture in three channels, at most LONGEST pixels long, and by how much it was shrunk (1 or more)."""
    if image_HxWx3.dtype != np.uint8 or image_HxWx3.ndim not in (2, 3) or not image_HxWx3.size:
        raise IsyaratError(
            f"A frame of {image_HxWx3.shape} {image_HxWx3.dtype} was given to the pose; HxWx3 uint8 is needed."
        )
    grey = image_HxWx3.ndim == 2 or image_HxWx3.shape[2] == 1
    if not grey and image_HxWx3.shape[2] != 3:
        raise IsyaratError(f"A frame of {image_HxWx3.shape[2]} channels was given to the pose; RGB or grey is needed.")
    scale = max(image_HxWx3.shape[:2]) / LONGEST
    image = image_HxWx3
    if scale > 1:
        height, width = image.shape[:2]
        size = (max(1, round(width / scale)), max(1, round(height / scale)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    if grey:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2RGB), np.uint8)
    return image, max(1.0, scale)


def _scale(points: Points, scale: float) -> Points:
    """Points with x, y, z in front, in pixels of the frame as it was given."""
    if scale == 1:
        return points
    scaled = points.copy()
    scaled[..., :3] *= np.float32(scale)
    scaled[..., :2] += np.float32((scale - 1) / 2)
    return scaled
