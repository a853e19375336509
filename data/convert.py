"""From a decoder's picture to upright RGB: halving, colour, tone, size and turn, at the least cost.

Large pictures are first halved as they are (YUV, 2x2 means), and everything after it works on a fraction of the pixels:
from 720p to 360p that takes half the time of FFmpeg's scaler alone.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, cast

import cv2
import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorPrimaries, Colorspace, ColorTrc, Interpolation, VideoReformatter
from numpy.typing import NDArray

from .tone import BT709, BT2020, P3, Primaries, Transfer, map_tones

if TYPE_CHECKING:
    from fractions import Fraction

    from av.buffer import Buffer
    from av.video.plane import VideoPlane

Image = NDArray[np.uint8]
Deep = NDArray[np.uint16]
Pixels = TypeVar("Pixels", Image, Deep, "Image | Deep")

# Formats whose planes can be halved as they are: type of a sample, and by how much the chroma planes are narrower and
# lower. Anything else takes the way through FFmpeg's scaler alone.
HALVABLE: dict[str, tuple[type[np.uint8] | type[np.uint16], int, int]] = {
    "yuv420p": (np.uint8, 2, 2),
    "yuvj420p": (np.uint8, 2, 2),
    "yuv422p": (np.uint8, 2, 1),
    "yuvj422p": (np.uint8, 2, 1),
    "yuv444p": (np.uint8, 1, 1),
    "yuvj444p": (np.uint8, 1, 1),
    "yuv420p10le": (np.uint16, 2, 2),
    "yuv422p10le": (np.uint16, 2, 1),
    "yuv444p10le": (np.uint16, 1, 1),
}

# Colour matrices by FFmpeg's AVColorSpace, which is that of ITU-T H.273, table 4.
MATRICES = {
    1: Colorspace.ITU709,
    4: Colorspace.FCC,
    5: Colorspace.ITU601,
    6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M,
    9: Colorspace.BT2020,
    10: Colorspace.BT2020,
}
# Where no matrix is named, players take BT.709 from this height on and BT.601 below.
HD_HEIGHT = 720
BT709_SPACE, BT601_SPACE = 1, 6

WIDE: dict[int, Primaries] = {ColorPrimaries.BT2020: BT2020, ColorPrimaries.SMPTE431: P3, ColorPrimaries.SMPTE432: P3}
TRANSFERS: dict[int, Transfer] = {ColorTrc.SMPTE2084: Transfer.PQ, ColorTrc.ARIB_STD_B67: Transfer.HLG}


class Converter:
    """Turns the pictures of one stream into upright RGB images with square pixels.

    Safe to use from several threads; their conversions take turns.

    Arguments:
        pixel_aspect: width of a pixel over its height, or None.
        max_side: longest side of the images in pixels.
    """

    def __init__(self, pixel_aspect: Fraction | None, max_side: int) -> None:
        ratio = float(pixel_aspect or 1)
        # Pixels outside 1:8 to 8:1 are a damaged header, not a lens.
        self._pixel_aspect = ratio if 1 / 8 <= ratio <= 8 else 1.0
        self._max_side = max_side
        self._reformatter = VideoReformatter()  # kept: setting the scaler up costs more than using it
        self._lock = threading.Lock()  # the scaler works outside Python's own lock
        self._matrix: bytes | None = None
        self._is_first = True
        self._proven: tuple[object, ...] | None = None

    def prove(self, frame: VideoFrame) -> Image | None:
        """Converts the first picture and the first of every new kind, so that later ones cannot fail unseen.

        Raises:
            av.FFmpegError, ValueError: pictures of this kind cannot be converted.
        """
        if self._is_first:
            # A frame and its side data hold each other, so asking every frame would keep them all until a collection
            # of garbage: 12 MB a frame at 4K. The stubs know one kind of side data only.
            matrix = cast("Mapping[str, Buffer]", frame.side_data).get("DISPLAYMATRIX")
            self._matrix = None if matrix is None else bytes(matrix)
            self._is_first = False
        kind = (frame.format.name, frame.width, frame.height, frame.colorspace, frame.color_range, frame.color_trc)
        if kind == self._proven:
            return None
        image = self.convert(frame)
        self._proven = kind
        return image

    def convert(self, frame: VideoFrame) -> Image:
        """HxWx3 uint8 RGB, no side above `max_side`."""
        width, height = self._fit(frame)
        return self._turn(show(self._scale(halve(frame, width, height), width, height), frame))

    def reduce(self, frame: VideoFrame, least_side: int) -> Image:
        """HxWx3 uint8 RGB, halved as long as no side falls below `least_side`; the cheapest way to a small picture."""
        if self._pixel_aspect != 1:
            return halve_image(self.convert(frame), least_side)
        halved = halve(frame, least_side, least_side)
        pixels_HxWx3 = halve_image(self._scale(halved, halved.width, halved.height), least_side)
        return self._turn(show(pixels_HxWx3, frame))

    def shrink(self, frame: VideoFrame) -> VideoFrame:
        """A picture below twice `max_side` (where its format allows) that `convert` gives the same of."""
        return halve(frame, *self._fit(frame))

    def _fit(self, frame: VideoFrame) -> tuple[int, int]:
        """Width and height of its image before it is turned."""
        width, height = frame.width * self._pixel_aspect, float(frame.height)
        scale = min(1.0, self._max_side / max(width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))

    def _scale(self, frame: VideoFrame, width: int, height: int) -> Image | Deep:
        """HxWx3 R'G'B' as it was encoded: uint8, or uint16 where `show` has more to do."""
        shrinks = width <= frame.width and (width, height) != (frame.width, frame.height)
        has_matrix = not (frame.format.is_rgb or frame.format.has_palette)
        with self._lock:
            scaled = self._reformatter.reformat(
                frame,
                width,
                height,
                format="rgb24" if is_plain(frame) else "rgb48le",
                src_colorspace=MATRICES[find_space(frame)] if has_matrix else None,
                interpolation=Interpolation.AREA if shrinks else Interpolation.BILINEAR,
                threads=1,  # starting threads costs more than these sizes take
            )
        return cast("Image | Deep", scaled.to_ndarray())

    def _turn(self, image: Image) -> Image:
        return image if self._matrix is None else turn(image, self._matrix)


def is_plain(frame: VideoFrame) -> bool:
    """Whether its colours are those of an SDR screen."""
    return frame.color_trc not in TRANSFERS and frame.color_primaries not in WIDE


def show(pixels_HxWx3: Image | Deep, frame: VideoFrame) -> Image:
    """The pixels of a frame in the colours of an SDR screen."""
    if is_plain(frame):
        return cast("Image", pixels_HxWx3)
    transfer = TRANSFERS.get(frame.color_trc, Transfer.SDR)
    primaries = WIDE.get(frame.color_primaries, BT709 if transfer is Transfer.SDR else BT2020)
    return map_tones(cast("Deep", pixels_HxWx3), transfer, primaries)


def find_space(frame: VideoFrame) -> int:
    """AVColorSpace of its YUV: what the stream names, or else what players assume by its height."""
    if frame.colorspace in MATRICES:
        return frame.colorspace
    return BT709_SPACE if frame.height >= HD_HEIGHT else BT601_SPACE


def halve(frame: VideoFrame, least_width: int, least_height: int) -> VideoFrame:
    """The picture halved (2x2 means in each plane) as often as it stays even and not smaller than asked."""
    if frame.format.name not in HALVABLE:
        return frame
    sample, narrower, lower = HALVABLE[frame.format.name]
    times = 0
    while (
        frame.width >> (times + 1) >= least_width
        and frame.height >> (times + 1) >= least_height
        and (frame.width >> times) % (2 * narrower) == 0
        and (frame.height >> times) % (2 * lower) == 0
    ):
        times += 1
    if times == 0 or any(plane.line_size <= 0 for plane in frame.planes):
        return frame
    small = VideoFrame(frame.width >> times, frame.height >> times, frame.format.name)
    for source, target in zip(frame.planes, small.planes, strict=True):
        plane = view_plane(source, sample)
        for _ in range(times - 1):
            size = plane.shape[1] // 2, plane.shape[0] // 2
            plane = np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), sample)
        out = view_plane(target, sample)
        cv2.resize(plane, (out.shape[1], out.shape[0]), dst=out, interpolation=cv2.INTER_AREA)
    small.colorspace = find_space(frame)  # the guess goes by the height that the picture had
    small.color_range, small.color_trc = frame.color_range, frame.color_trc
    small.color_primaries = frame.color_primaries
    return small


def view_plane(plane: VideoPlane, sample: type[np.uint8] | type[np.uint16]) -> NDArray[np.uint8 | np.uint16]:
    """HxW view of a plane's memory."""
    pixels = np.frombuffer(plane, sample)  # type: ignore[call-overload]  # a plane is a buffer; the stubs do not say so
    per_line = plane.line_size // pixels.itemsize
    return np.asarray(pixels.reshape(-1, per_line)[: plane.height, : plane.width])


def halve_image(image: Pixels, least_side: int) -> Pixels:
    """HxWx3 halved as long as it stays even and no side falls below `least_side`."""
    height, width = image.shape[:2]
    while min(height, width) // 2 >= least_side and height % 2 == 0 and width % 2 == 0:
        height, width = height // 2, width // 2
        image = cast("Pixels", cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA))
    return image


def turn(image: Image, matrix: bytes) -> Image:
    """Applies a display matrix (nine int32, ISO/IEC 14496-12, 8.3.2: x' = a x + c y, y' = b x + d y).

    Arguments:
        image: HxWx3.
        matrix: 36 bytes in the byte order of the machine; turns by multiples of 90 degrees and flips are applied,
            others rounded to them.
    """
    a, b, _, c, d = struct.unpack("=5i", matrix[:20])
    if abs(a) >= abs(b):
        flip_x, flip_y = a < 0, d < 0
    else:
        image = image.transpose(1, 0, 2)
        flip_x, flip_y = c < 0, b < 0
    if flip_x:
        image = image[:, ::-1]
    if flip_y:
        image = image[::-1]
    return np.ascontiguousarray(image)
