"""Frames of a request, within its limits: from a clip, or from pictures with times. Runs in a worker process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import av
import cv2
import numpy as np

from ..data.errors import ClipError
from ..data.video import CONTAINERS, MAX_SIDE, Frame, Image, VideoReader
from .limits import DecodeLimits
from .problem import ProblemError


class JobCancelledError(Exception):
    """Nobody waits for the answer any more."""


class LimitedFrames:
    """The frames of a source, until one of the limits is passed.

    Arguments:
        source: frames in the order of time.
        is_cancelled: asked before every frame.

    Raises:
        ProblemError: the clip is too long or costs too much.
        JobCancelledError: nobody waits any more.
    """

    def __init__(self, source: Iterable[Frame], limits: DecodeLimits, is_cancelled: Callable[[], bool]) -> None:
        self.source, self.limits, self.is_cancelled = source, limits, is_cancelled

    @property
    def warnings(self) -> Sequence[str]:
        """What the source says about damage."""
        warnings: Sequence[str] = getattr(self.source, "warnings", ())
        return warnings

    def __iter__(self) -> Iterator[Frame]:
        started = time.process_time()
        for count, frame in enumerate(self.source, start=1):
            if self.is_cancelled():
                raise JobCancelledError
            if frame.time_s > self.limits.max_duration_s or count > self.limits.max_frames:
                raise ProblemError(
                    "clip-too-long",
                    f"The clip is longer than {self.limits.max_duration_s:g} s or {self.limits.max_frames} frames.",
                )
            if time.process_time() - started > self.limits.cpu_s:
                raise ProblemError(
                    "clip-too-costly", f"The clip takes more than {self.limits.cpu_s:g} s of processor time."
                )
            yield frame


def open_clip(path: Path, limits: DecodeLimits) -> VideoReader:
    """The reader of a clip whose header stays within the limits.

    Raises:
        ProblemError: the header claims too many pixels or too long a time.
        ClipError: the file is no clip at all.
    """
    reader = VideoReader(path)
    try:
        with av.open(str(path), options={"format_whitelist": CONTAINERS}, metadata_errors="replace") as container:
            for stream in container.streams.video:
                context = stream.codec_context
                if context is not None and context.width * context.height > limits.max_pixels:
                    raise ProblemError(
                        "clip-too-fine",
                        f"The clip has {context.width} x {context.height} pixels; {limits.max_pixels} are accepted.",
                    )
            # A header may promise less than there is (then the frames are counted), or damaged rubbish: a day is none.
            if container.duration and limits.max_duration_s < container.duration / av.time_base < 86_400:
                raise ProblemError(
                    "clip-too-long",
                    f"The clip lasts {container.duration / av.time_base:.0f} s; "
                    f"{limits.max_duration_s:g} s are accepted.",
                )
    except (av.FFmpegError, ValueError, OSError):
        pass  # the reader finds out why, and says it well
    return reader


def read_pictures(pictures: Sequence[bytes], times_s: Sequence[float]) -> Iterator[Frame]:
    """Frames from JPEG or PNG pictures.

    Arguments:
        times_s: increasing, one a picture; the first counts as zero.

    Raises:
        ProblemError: a picture is damaged.
    """
    for number, (data, time_s) in enumerate(zip(pictures, times_s, strict=True), start=1):
        image = decode_picture(data)
        if image is None:
            raise ProblemError("picture-unreadable", f"Frame {number} is no picture that can be read.")
        yield Frame(time_s - times_s[0], shrink_picture(image))


def decode_picture(data: bytes) -> Image | None:
    """HxWx3 uint8 RGB, or None when it is no picture."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def shrink_picture(image: Image) -> Image:
    """The picture with no side above that of decoded clips, so that both ways give the same frames."""
    height, width = image.shape[:2]
    scale = MAX_SIDE / max(height, width)
    if scale >= 1:
        return image
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def explain_clip(error: ClipError) -> ProblemError:
    """A clip's fault without the server's own name for the file."""
    reason = error.reason[0].upper() + error.reason[1:]
    return ProblemError("clip-unreadable", f"{reason}; {error.way_out}.")
