"""Writes a performance as a video file."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import av

from ..errors import IsyaratError
from .performance import Performance


def write_clip(path: str | Path, performance: Performance, *, codec: str = "libx264", crf: int = 20) -> Path:
    """Encode a performance (yuv420p); the file appears complete or not at all.

    Arguments:
        path: ends in ".mp4", ".mov" or ".mkv".
        codec: an encoder of FFmpeg.
        crf: quality of x264 and x265, 0 (best) .. 51.
    """
    path = Path(path)
    if path.suffix.lower() not in {".mp4", ".mov", ".mkv"}:
        raise IsyaratError(f"{path}: this is no name for a clip; end it in .mp4.")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    rate = Fraction(performance.fps).limit_denominator(1001)
    try:
        with av.open(str(part), "w") as container:
            try:
                stream = container.add_stream(codec, rate=rate, options={"crf": str(crf)})
            except ValueError as error:  # PyAV knows no such codec
                raise IsyaratError(f'There is no encoder "{codec}"; use "libx264".') from error
            if not isinstance(stream, av.VideoStream):
                raise IsyaratError(f'"{codec}" is no video encoder; use "libx264".')
            stream.width, stream.height = performance.scene.width, performance.scene.height
            stream.pix_fmt = "yuv420p"
            stream.time_base = stream.codec_context.time_base = 1 / rate
            for index, (_, image_HxWx3) in enumerate(performance.frames()):
                frame = av.VideoFrame.from_ndarray(image_HxWx3, format="rgb24")
                frame.pts, frame.time_base = index, 1 / rate
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
