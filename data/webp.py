"""Animated WebP, frame by frame: FFmpeg reads still ones only, and other readers hold the whole animation in memory.

The container is that of RFC 9649, 2.7: a RIFF file whose ANMF chunks each hold a still picture, its place on the
canvas and how long it stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import av
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from numpy.typing import NDArray

HEADER_BYTES = 30  # RIFF, size, WEBP, VP8X, size, and the ten bytes of VP8X
ANIMATED = 0x02
STRIP_PIXELS = 65_536  # blended at a time: numbers with a point take sixteen times the memory of the picture
MILLISECOND = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class Patch:
    """One ANMF chunk.

    Attributes:
        x, y, width, height: its place on the canvas in pixels.
        duration_ms: how long it stays.
        blend: whether its transparent pixels let the canvas through, or else replace it.
        clear: whether its place is cleared before the next.
        picture: its chunks (ALPH, VP8 or VP8L).
    """

    x: int
    y: int
    width: int
    height: int
    duration_ms: int
    blend: bool
    clear: bool
    picture: bytes


def read_canvas(path: Path) -> tuple[int, int] | None:
    """Width and height of the canvas of an animated WebP; None for any other file, and one that cannot be opened."""
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError:
        return None
    if len(head) < HEADER_BYTES or head[:4] != b"RIFF" or head[8:16] != b"WEBPVP8X" or not head[20] & ANIMATED:
        return None
    return read_24(head, 24) + 1, read_24(head, 27) + 1


class Animation:
    """Frames of an animated WebP with their times; one canvas is held, whatever the length.

    Arguments:
        path: a file that `read_canvas` gave a canvas for.
        canvas: its width and height in pixels.

    Attributes:
        duration_s: of the frames read so far.
        damaged: whether frames were skipped, because they could not be decoded or lie outside the canvas.
        cut_off: whether the file ended inside a chunk.
    """

    def __init__(self, path: Path, canvas: tuple[int, int]) -> None:
        self.path = path
        self.duration_s = 0.0
        self.damaged = self.cut_off = False
        self._width, self._height = canvas

    def __iter__(self) -> Iterator[VideoFrame]:
        canvas = np.zeros((self._height, self._width, 4), np.uint8)
        time_ms = 0
        for patch in self._read_patches():
            pixels = self._decode(patch)
            if pixels is None:
                self.damaged = True
            else:
                place = canvas[patch.y : patch.y + patch.height, patch.x : patch.x + patch.width]
                place[:] = blend(place, pixels) if patch.blend else pixels
                frame = VideoFrame.from_ndarray(canvas, format="rgba")
                frame.pts, frame.time_base = time_ms, MILLISECOND
                frame.duration = patch.duration_ms
                yield frame
                if patch.clear:
                    place[:] = 0
            time_ms += patch.duration_ms
            self.duration_s = time_ms / 1000

    def _read_patches(self) -> Iterator[Patch]:
        with self.path.open("rb") as file:
            file.seek(12)
            while head := file.read(8):
                size = int.from_bytes(head[4:], "little")
                if head[:4] != b"ANMF":
                    file.seek(size + size % 2, 1)
                    continue
                body = read_at_most(file, size)
                self.cut_off = len(body) < size
                if len(body) >= 16:
                    yield parse_patch(body)
                file.seek(size % 2, 1)

    def _decode(self, patch: Patch) -> NDArray[np.uint8] | None:
        """HxWx4 RGBA of a patch, or None."""
        if patch.x + patch.width > self._width or patch.y + patch.height > self._height:
            return None
        try:
            # A decoder of its own for each: FFmpeg's keeps state of the picture before.
            decoder = av.CodecContext.create("webp", "r")
            assert isinstance(decoder, VideoCodecContext)
            # The decoder rounds sizes up; a picture that is larger than it says is turned down before it takes memory.
            decoder.options = {"max_pixels": str(2 * patch.width * patch.height + 65_536)}
            decoder.thread_count = 1
            frames = decoder.decode(av.Packet(wrap_still(patch)))
            if not frames or (frames[0].width, frames[0].height) != (patch.width, patch.height):
                return None
            return np.asarray(frames[0].to_ndarray(format="rgba"), np.uint8)
        except (av.FFmpegError, ValueError):
            return None


def read_at_most(file: BinaryIO, size: int) -> bytes:
    """Up to `size` bytes; asks for no more memory than the file can fill."""
    here = file.tell()
    end = file.seek(0, 2)
    file.seek(here)
    return file.read(min(size, max(0, end - here)))


def parse_patch(body: bytes) -> Patch:
    """The fields of an ANMF chunk (RFC 9649, 2.7.1.1)."""
    return Patch(
        x=2 * read_24(body, 0),
        y=2 * read_24(body, 3),
        width=read_24(body, 6) + 1,
        height=read_24(body, 9) + 1,
        duration_ms=read_24(body, 12),
        blend=not body[15] & 2,
        clear=bool(body[15] & 1),
        picture=body[16:],
    )


def wrap_still(patch: Patch) -> bytes:
    """The patch as a WebP file of its own."""
    picture = patch.picture + b"\0" * (len(patch.picture) % 2)
    if picture.startswith(b"ALPH"):  # a plane of transparency needs the extended header, flag 0x10
        size = (patch.width - 1).to_bytes(3, "little") + (patch.height - 1).to_bytes(3, "little")
        picture = b"VP8X" + (10).to_bytes(4, "little") + bytes([0x10, 0, 0, 0]) + size + picture
    return b"RIFF" + (4 + len(picture)).to_bytes(4, "little") + b"WEBP" + picture


def blend(below: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """HxWx4 RGBA over RGBA, not premultiplied (RFC 9649, 2.7.1.1)."""
    if above[..., 3].min() == 255:
        return above
    rows = max(1, STRIP_PIXELS // above.shape[1])
    strips = range(0, above.shape[0], rows)
    return np.concatenate([blend_strip(below[y : y + rows], above[y : y + rows]) for y in strips])


def blend_strip(below: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`blend` of a few rows."""
    top = above.astype(np.float32)
    bottom = below.astype(np.float32)
    alpha = top[..., 3:] / 255
    rest = bottom[..., 3:] / 255 * (1 - alpha)
    total = alpha + rest
    colour = (top[..., :3] * alpha + bottom[..., :3] * rest) / np.maximum(total, 1e-6)
    return np.concatenate([colour, total * 255], axis=-1).round().astype(np.uint8)


def read_24(data: bytes, at: int) -> int:
    """24 bits, little-endian."""
    return int.from_bytes(data[at : at + 3], "little")
