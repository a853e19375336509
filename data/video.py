"""Decoding of clips: upright RGB frames by presentation time, whatever the container, rate or rotation."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import av
import numpy as np
from numpy.typing import NDArray

from .errors import ClipError

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

Image = NDArray[np.uint8]

# Longest side of a decoded frame in pixels: more than any grid cell needs, and it bounds memory on 4K clips.
MAX_SIDE = 640

# Containers that hold their own data. Play lists (m3u8, ffconcat, sdp …) name other files or addresses, which an
# uploaded "clip" must never make us open.
CONTAINERS = (
    "mov,matroska,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,gif,apng,mjpeg,m4v,h264,hevc,ivf,yuv4mpegpipe,nut,"
    "webp_pipe,png_pipe,jpeg_pipe"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One upright frame.

    Attributes:
        time_s: presentation time in seconds since the first frame.
        image: HxWx3 uint8 RGB, as a viewer would see it (display matrix and pixel aspect applied).
    """

    time_s: float
    image: Image


class VideoReader:
    """Frames of a clip, one at a time (memory does not grow with the length).

    Timestamps come from the container alone, never from a count or a rate; frames that do not advance in time
    (duplicates, disorder) are skipped. `warnings` is complete once the iteration has ended.

    Arguments:
        path: the clip.
        max_side: longest side of the frames in pixels; larger frames are scaled down while decoding.

    Raises:
        ClipError: the file is missing, empty, a folder, has no picture, or cannot be decoded at all.
    """

    def __init__(self, path: str | Path, *, max_side: int = MAX_SIDE) -> None:
        self.path = Path(path)
        self.max_side = max_side
        self.warnings: list[str] = []
        self.duration_s = 0.0
        self.frame_count = 0
        check_file(self.path)

    def __iter__(self) -> Iterator[Frame]:
        try:
            container = av.open(str(self.path), options={"format_whitelist": CONTAINERS})
        except (av.FFmpegError, ValueError, OSError) as error:
            raise ClipError(
                self.path,
                "it is not a video that can be read (wrong format, cut off, or damaged)",
                "record it again or convert it to MP4",
            ) from error
        with container:
            if not container.streams.video:
                raise ClipError(self.path, "it has sound but no picture", "choose a file with video")
            yield from self._decode(container)
        if self.frame_count == 0:
            raise ClipError(self.path, "no frame of it can be decoded", "record it again or convert it to MP4")

    def _decode(self, container: av.container.InputContainer) -> Iterator[Frame]:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        rate = stream.average_rate or stream.base_rate
        frame_s = 1 / float(rate) if rate else 1 / 30
        origin_s: float | None = None
        last_s = -1.0
        damaged = False
        packets = container.demux(stream)
        while True:
            try:
                packet = next(packets)
                frames = packet.decode()
            except StopIteration:
                break
            except av.EOFError:
                break
            except av.FFmpegError:
                # A damaged packet: keep what can be decoded around it, and say so.
                damaged = True
                if packets.gi_frame is None:  # the demuxer itself gave up
                    break
                continue
            for frame in frames:
                time_s = frame.time
                if time_s is None:  # raw streams carry no timestamps
                    time_s = (origin_s or 0.0) + last_s + frame_s if last_s >= 0 else 0.0
                origin_s = time_s if origin_s is None else origin_s
                time_s -= origin_s
                if time_s <= last_s:
                    continue
                last_s = time_s
                self.frame_count += 1
                self.duration_s = time_s + frame_s
                yield Frame(time_s, convert(frame, stream.sample_aspect_ratio, self.max_side))
        if damaged:
            self.warnings.append("parts of the file are damaged and were skipped")
        promised_s = float(stream.duration * stream.time_base) if stream.duration and stream.time_base else 0.0
        if promised_s and damaged and self.duration_s < 0.8 * promised_s:
            self.warnings.append(f"the file is cut off: {self.duration_s:.1f} s of {promised_s:.1f} s can be read")


def check_file(path: Path) -> None:
    """Raises ClipError when `path` is not a readable, non-empty file."""
    try:
        if path.is_dir():
            raise ClipError(path, "this is a folder, not a clip", "name the files in it")
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise ClipError(path, "there is no such file", "check the name") from None
    except PermissionError:
        raise ClipError(path, "reading it is not permitted", "change its permissions") from None
    except OSError as error:
        raise ClipError(path, f"it cannot be opened ({error.strerror})", "check the name") from error
    if size == 0:
        raise ClipError(path, "the file is empty (0 bytes)", "record or copy it again")


def convert(frame: VideoFrame, aspect: object, max_side: int) -> Image:
    """Turns a decoded frame into an upright RGB image with square pixels and no side above `max_side`."""
    ratio = float(aspect) if aspect else 1.0  # type: ignore[arg-type]
    width, height = frame.width * (ratio if ratio > 0 else 1.0), float(frame.height)
    scale = min(1.0, max_side / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    if size != (frame.width, frame.height):
        frame = frame.reformat(width=size[0], height=size[1], interpolation="AREA")
    image = frame.to_ndarray(format="rgb24")
    matrix = frame.side_data.get("DISPLAYMATRIX")
    return image if matrix is None else turn(image, bytes(matrix))


def turn(image: Image, matrix: bytes) -> Image:
    """Applies a display matrix (nine int32, ISO/IEC 14496-12, 8.3.2: x' = a x + c y, y' = b x + d y).

    Arguments:
        image: HxWx3.
        matrix: 36 bytes; turns by multiples of 90 degrees and flips are applied, others rounded to them.
    """
    a, b, _, c, d = struct.unpack("<5i", matrix[:20])
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
