"""Writes one and the same sequence of pictures in every way that cameras, phones and browsers write clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from isyarat.data.video import Image
from numpy.typing import NDArray

MILLISECOND = Fraction(1, 1000)
# AVColorSpace of a matrix beside the name FFmpeg's scaler has for it.
SPACES = {6: Colorspace.ITU601, 1: Colorspace.ITU709, 9: Colorspace.BT2020}
X265_NAMES = {ColorTrc.SMPTE2084: "smpte2084", ColorTrc.ARIB_STD_B67: "arib-std-b67", ColorTrc.BT709: "bt709"}


@dataclass(frozen=True)
class Format:
    """How to write.

    Attributes:
        codec, pix_fmt: encoder of FFmpeg and the format of its pixels.
        space: AVColorSpace of the YUV: 1 BT.709, 6 BT.601, 9 BT.2020; `tagged` says whether the file names it.
        full: whether YUV uses the full range.
        trc, primaries: HDR transfer and primaries; the pictures must be uint16 then.
        matrix: display matrix (nine numbers), or None.
        options, muxer: options of the encoder and of the container.
        in_frames: whether the encoder counts frames at 25 a second and takes no other times.
    """

    codec: str = "libx264"
    pix_fmt: str = "yuv420p"
    space: int = 6
    tagged: bool = True
    full: bool = False
    trc: ColorTrc | None = None
    primaries: ColorPrimaries | None = None
    matrix: Sequence[int] | None = None
    options: dict[str, str] = field(default_factory=dict)
    muxer: dict[str, str] = field(default_factory=dict)
    in_frames: bool = False


def record(
    path: Path, pictures: Sequence[Image | NDArray[np.uint16]], times_ms: Sequence[int], form: Format = Format()
) -> Path:
    """Writes the pictures (HxWx3 RGB, uint8 or uint16) at their times."""
    with av.open(str(path), "w", options=form.muxer) as container:
        stream = container.add_stream(form.codec, rate=25, options=form.options)
        assert isinstance(stream, av.VideoStream)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = form.pix_fmt
        context = stream.codec_context
        context.thread_count = 1  # with more, some encoders write other bytes in every run
        context.time_base = Fraction(1, 25) if form.in_frames else MILLISECOND
        is_yuv = form.pix_fmt.startswith("yuv")
        if is_yuv and form.tagged:
            context.colorspace = form.space
            context.color_range = ColorRange.JPEG if form.full else ColorRange.MPEG
            if form.trc is not None and form.primaries is not None:
                context.color_trc, context.color_primaries = form.trc, form.primaries
        if form.matrix is not None:
            stream.set_display_matrix(form.matrix)
        for index, (picture, time_ms) in enumerate(zip(pictures, times_ms, strict=True)):
            deep = picture.dtype == np.uint16
            frame = av.VideoFrame.from_ndarray(picture, format="rgb48le" if deep else "rgb24")
            if is_yuv:
                frame = frame.reformat(
                    format=form.pix_fmt,
                    dst_colorspace=SPACES[form.space],
                    dst_color_range=ColorRange.JPEG if form.full else ColorRange.MPEG,
                    threads=1,
                )
            frame.pts = index if form.in_frames else time_ms
            frame.time_base = context.time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def quiet(**more: str) -> dict[str, str]:
    """Options of x265 that keep it from talking."""
    params = "log-level=none:bframes=0" + "".join(f":{name}={value}" for name, value in more.items())
    return {"x265-params": params, "crf": "14", "preset": "ultrafast"}


# The light of HDR, written from the standards once more, apart from the code under test.
def to_pq(nits: NDArray[np.float64]) -> NDArray[np.float64]:
    """SMPTE ST 2084: cd/m2 to signal."""
    y = (nits / 10_000) ** 0.1593017578125
    return ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y)) ** 78.84375


def to_hlg(scene: NDArray[np.float64]) -> NDArray[np.float64]:
    """ARIB STD-B67: scene light 0..1 to signal."""
    low = np.sqrt(3 * scene)
    high = 0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073
    return np.where(scene <= 1 / 12, low, high)


# BT.709 to BT.2020 primaries, linear light (BT.2087-0, annex 1).
TO_2020 = np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]])


def grade_hdr(picture: Image, trc: ColorTrc) -> NDArray[np.uint16]:
    """An SDR picture in an HDR programme, its white at 203 cd/m2 (BT.2408-7, 5.1): HxWx3 uint16."""
    nits = 203 * ((picture / 255) ** 2.4 @ TO_2020.T)
    if trc is ColorTrc.SMPTE2084:
        signal = to_pq(nits)
    else:
        # The inverse of the OOTF of a 1000 cd/m2 screen (BT.2100-2, note 5i): its gamma is 1.2.
        luminance = nits @ np.array([0.2627, 0.6780, 0.0593]) / 1000
        signal = to_hlg(nits / 1000 * np.maximum(luminance, 1e-9)[..., None] ** (1 / 1.2 - 1))
    return np.round(65535 * np.clip(signal, 0, 1)).astype(np.uint16)
