"""What the camera does to the picture: shake, exposure, white balance, sensor noise."""

from __future__ import annotations

import cv2
import numpy as np

from .background import MARGIN
from .drift import Drift
from .scene import Scene
from .vectors import Image

_NOISE_MARGIN = 48


class Camera:
    """A camera for one recording.

    Arguments:
        scene: exposure, warmth, noise and shake.
        rng: draws the noise and the shake; the pictures are the same for the same generator state.
    """

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene = scene
        self._levels_256x3 = _grade(scene)
        self._shake_x, self._shake_y = Drift(rng, 0.5, 4.0), Drift(rng, 0.5, 4.0)
        size = (scene.height + _NOISE_MARGIN, scene.width + _NOISE_MARGIN)
        grain = rng.normal(0, scene.noise, (*size, 1)) + rng.normal(0, 0.5 * scene.noise, (*size, 3))
        self._grain_hxwx3 = np.rint(grain).astype(np.int16)

    def shake(self, time_s: float) -> tuple[float, float]:
        """How far the picture has moved, in pixels."""
        limit = MARGIN - 2
        x, y = (self.scene.shake * d.at(time_s) for d in (self._shake_x, self._shake_y))
        return min(max(x, -limit), limit), min(max(y, -limit), limit)

    def expose(self, image_HxWx3: Image, frame: int) -> Image:
        """The picture as recorded; every frame has its own noise."""
        graded = cv2.LUT(image_HxWx3, self._levels_256x3)
        if self.scene.noise > 0:
            # One field of noise, shifted by steps that do not repeat for thousands of frames.
            y, x = frame * 29 % _NOISE_MARGIN, (frame * 17 + frame // 48 * 7) % _NOISE_MARGIN
            height, width = graded.shape[:2]
            graded = cv2.add(graded, self._grain_hxwx3[y : y + height, x : x + width], dtype=cv2.CV_8U)
        return np.asarray(graded, np.uint8)


def _grade(scene: Scene) -> Image:
    """Grey level to grey level [1,256,3] for exposure and white balance, in linear light with a soft shoulder."""
    linear = (np.arange(256) / 255.0) ** 2.2
    gains = 2.0**scene.ev * np.array([1.0 + 0.22 * scene.warmth, 1.0, 1.0 - 0.28 * scene.warmth])
    bright_256x3 = linear[:, None] * gains
    # Above 0.7 the response bends, so that over-exposure loses the whites first, as sensors do.
    over = np.maximum(bright_256x3 - 0.7, 0.0)
    bright_256x3 = np.minimum(bright_256x3, 0.7) + 0.3 * (1 - np.exp(-over / 0.3))
    return np.asarray(np.rint(np.clip(bright_256x3, 0, 1) ** (1 / 2.2) * 255), np.uint8)[None]
