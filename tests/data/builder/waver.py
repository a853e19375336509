"""A quick stand-in for a signer: a hand that leaves its rest, wanders and returns; another way for every seed.

A clip takes 15 ms to make, a hundredth of one of the synthetic signer, and the segmenter finds exactly one sign in it.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from isyarat.data.video import Image

FPS = 20


def draw_frames(
    seed: int, *, size: int = 96, wall: tuple[int, int, int] = (150, 160, 170), fps: int = FPS
) -> list[Image]:
    """HxWx3 uint8 RGB: 0.4 s of rest, 1.6 s of movement through four places, 0.5 s of rest."""
    rng = np.random.default_rng(seed)
    rest = np.array([0.62, 0.9])
    places = np.vstack([rest, rest, rng.uniform((0.15, 0.15), (0.85, 0.6), (4, 2)), rest, rest])
    times = np.array([0, 0.4, *(0.4 + 1.6 * np.array([0.2, 0.45, 0.65, 0.85])), 2.0, 2.5])
    frames = []
    for k in range(round(times[-1] * fps)):
        x, y = (np.interp(k / fps, times, places[:, axis]) for axis in (0, 1))
        image = np.empty((size, size, 3), np.uint8)
        image[:] = wall
        scale = size / 96
        cv2.circle(image, (size // 2, size // 4), round(11 * scale), (205, 165, 140), -1, cv2.LINE_AA)
        cv2.rectangle(image, (size // 3, round(size * 0.42)), (2 * size // 3, size), (60, 70, 110), -1)
        cv2.circle(image, (round(x * size), round(y * size)), round(9 * scale), (220, 175, 150), -1, cv2.LINE_AA)
        frames.append(image)
    return frames


def write_frames(path: Path, frames: list[Image], *, fps: int = FPS, crf: int = 23) -> Path:
    """Encodes frames as H.264."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": str(crf), "preset": "ultrafast"})
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.codec_context.thread_count = 1
        for index, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_waver(path: Path, seed: int, *, size: int = 96, wall: tuple[int, int, int] = (150, 160, 170)) -> Path:
    """Writes one clip."""
    return write_frames(path, draw_frames(seed, size=size, wall=wall))
