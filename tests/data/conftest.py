"""Small clips, written on the fly: no test needs a real person or a file from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import av
import numpy as np
import pytest
from isyarat.data.video import Image

MILLISECOND = Fraction(1, 1000)


def paint_quarters(width: int, height: int) -> Image:
    """Red, green / blue, white: no turn or flip of it looks like another."""
    image = np.full((height, width, 3), 230, np.uint8)
    image[: height // 2, : width // 2] = 220, 30, 30
    image[: height // 2, width // 2 :] = 30, 200, 30
    image[height // 2 :, : width // 2] = 30, 30, 220
    return image


def paint_noise(index: int) -> Image:
    """A picture that does not compress: damage at any byte hits one."""
    return np.random.default_rng(index).integers(0, 255, (48, 64, 3), np.uint8)


class Film(Protocol):
    """Writes a clip below the test's folder."""

    def __call__(
        self,
        name: str,
        *,
        codec: str = ...,
        size: tuple[int, int] = ...,
        times_ms: Sequence[int] = ...,
        draw: Callable[[int], Image] | None = ...,
        pix_fmt: str = ...,
        matrix: Sequence[int] | None = ...,
        aspect: Fraction | None = ...,
        options: dict[str, str] | None = ...,
        muxer: dict[str, str] | None = ...,
    ) -> Path: ...


@pytest.fixture
def film(tmp_path: Path) -> Film:
    def write(
        name: str,
        *,
        codec: str = "libx264",
        size: tuple[int, int] = (64, 48),
        times_ms: Sequence[int] = tuple(range(0, 400, 40)),
        draw: Callable[[int], Image] | None = None,
        pix_fmt: str = "yuv420p",
        matrix: Sequence[int] | None = None,
        aspect: Fraction | None = None,
        options: dict[str, str] | None = None,
        muxer: dict[str, str] | None = None,
    ) -> Path:
        path = tmp_path / name
        with av.open(str(path), "w", options=muxer) as container:
            stream = container.add_stream(codec, rate=25, options=options or {})
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height = size
            stream.pix_fmt = pix_fmt
            if aspect is not None:
                stream.codec_context.sample_aspect_ratio = aspect
            if matrix is not None:
                stream.set_display_matrix(matrix)
            rate = codec in ("mpeg4", "gif", "mjpeg", "png", "flv")  # encoders that count in frames
            stream.codec_context.time_base = Fraction(1, 25) if rate else MILLISECOND
            for index, time_ms in enumerate(times_ms):
                image = draw(index) if draw else paint_quarters(*size)
                frame = av.VideoFrame.from_ndarray(image, format="rgb24")
                frame.pts, frame.time_base = (index, Fraction(1, 25)) if rate else (time_ms, MILLISECOND)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return path

    return write
