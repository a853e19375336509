"""Cameras of this computer: frames as they come, timed by a clock that never goes back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from fractions import Fraction

import cv2
import numpy as np
from av.video.frame import VideoFrame
from cv2.utils import logging

from .errors import ClipError

MICROSECOND = Fraction(1, 1_000_000)

# Reads that may fail in a row before a camera counts as gone; some deliver nothing while they adjust to the light.
MAX_MISSES = 10


def parse_camera(source: str) -> int | None:
    """The number in "camera:0"; None when the source is something else."""
    match = re.fullmatch(r"camera:(\d{1,3})", source)
    return int(match[1]) if match else None


def read_camera(number: int) -> Iterator[VideoFrame]:
    """Frames as they come, without end; their timestamps say when each arrived, by a monotonic clock.

    The picture is not mirrored: what a preview shows is no business of a model's input. One frame waits at the most
    where the driver allows it, so that a slow reader gets the newest one and its delay does not grow.

    Arguments:
        number: 0 is the first camera.

    Raises:
        ClipError: there is no such camera, or it stopped.
    """
    name = f"camera:{number}"
    level = logging.getLogLevel()
    logging.setLogLevel(logging.LOG_LEVEL_SILENT)  # OpenCV would tell the terminal what the error below says
    capture = cv2.VideoCapture(number)
    logging.setLogLevel(level)
    try:
        if not capture.isOpened():
            raise ClipError(
                name, "there is no such camera, or another program uses it", "plug it in, or close the other program"
            )
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        misses = 0
        while misses < MAX_MISSES:
            there, image_HxWx3 = capture.read()
            arrived_s = time.monotonic()
            if there:
                misses = 0
                frame = VideoFrame.from_ndarray(np.ascontiguousarray(image_HxWx3, np.uint8), format="bgr24")
                frame.pts, frame.time_base = round(arrived_s * 1e6), MICROSECOND
                yield frame
            else:
                misses += 1
        raise ClipError(name, "the camera stopped delivering pictures", "plug it in again")
    finally:
        capture.release()
