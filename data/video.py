"""Decoding of clips: upright RGB frames by presentation time, whatever the container, rate or rotation."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import av
import numpy as np
from av.stream import Disposition
from av.video.reformatter import Interpolation, VideoReformatter
from numpy.typing import NDArray

from .clip_file import check_file, count_threads, explain_refusal, is_cut_off
from .clock import Clock
from .errors import ClipError

if TYPE_CHECKING:
    from av.buffer import Buffer
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

Image = NDArray[np.uint8]

# FFmpeg writes to stderr behind Python's back; what matters is said in errors and warnings.
av.logging.set_level(None)

# Longest side of a decoded frame in pixels: more than any grid cell needs, and it bounds memory on 4K clips.
MAX_SIDE = 640

# Largest picture that is decoded: 8K passes, a few bytes that claim 30000x30000 do not.
MAX_PIXELS = 8192 * 8192

# Each thread of a decoder holds a picture of its own, 12 MB at 4K; more than four hardly decode faster.
MAX_THREADS = 4

# Read errors after which a file is given up; each may be one damaged spot in the middle.
MAX_READ_ERRORS = 16

# Containers that hold their own data. Play lists (m3u8, ffconcat, sdp …) name other files or addresses, which an
# uploaded "clip" must never make us open. Sound files are there to be told apart from damaged ones.
CONTAINERS = (
    "mov,matroska,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,gif,apng,mjpeg,m4v,h264,hevc,ivf,obu,yuv4mpegpipe,nut,"
    "webp_pipe,png_pipe,jpeg_pipe,bmp_pipe,mp3,wav,flac,aac"
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
        self._damaged = False
        check_file(self.path)

    def __iter__(self) -> Iterator[Frame]:
        self.warnings, self.duration_s, self.frame_count, self._damaged = [], 0.0, 0, False
        try:
            # The path is made absolute so that no part of it reads as a protocol ("concat:a.mp4").
            container = av.open(
                str(self.path.absolute()),
                options={"format_whitelist": CONTAINERS, "max_pixels": str(MAX_PIXELS)},
                metadata_errors="replace",
            )
        except (av.FFmpegError, ValueError, OSError) as error:
            raise explain_refusal(self.path) from error
        with container:
            yield from self._decode(container, self._choose_stream(container))

    def _choose_stream(self, container: InputContainer) -> VideoStream:
        """The first stream of moving pictures; the cover of a sound file is none."""
        streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
        if not streams:
            found = "it has sound but no video" if container.streams.audio else "it holds no video"
            raise ClipError(self.path, found, "choose a file with video")
        stream = streams[0]
        if stream.codec_context is None:  # the stubs promise one, but FFmpeg may lack the decoder
            raise ClipError(self.path, "there is no decoder for its video format", "convert it to MP4 (H.264)")
        if stream.codec_context.width * stream.codec_context.height > MAX_PIXELS:
            raise ClipError(
                self.path,
                f"its picture of {stream.codec_context.width} x {stream.codec_context.height} pixels is too large",
                "scale it down to 4K or less",
            )
        return stream

    def _decode(self, container: InputContainer, stream: VideoStream) -> Iterator[Frame]:
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = count_threads(MAX_THREADS)
        stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        rate = stream.average_rate or stream.base_rate
        frame_s = 1 / float(rate) if rate else 1 / 30
        clock = Clock(frame_s)
        converter = Converter(stream, self.max_side)
        for decoded in self._read_frames(container, stream):
            # The stubs promise a time, but raw streams carry none.
            time_s = clock.read(decoded.time)
            if time_s is None:
                continue
            try:
                image = converter.convert(decoded)
            except (av.FFmpegError, ValueError):
                self._damaged = True
                continue
            self.frame_count += 1
            lasts_s = float(decoded.duration * decoded.time_base) if decoded.duration and decoded.time_base else frame_s
            self.duration_s = time_s + lasts_s
            yield Frame(time_s, image)
        if self.frame_count == 0:
            cut = is_cut_off(self.path)
            reason = "the file is cut off before its first frame" if cut else "no frame of it can be decoded"
            raise ClipError(self.path, reason, "record it again or convert it to MP4")
        self._warn(container, stream)

    def _read_frames(self, container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
        """All frames that can be decoded, whatever is damaged between them."""
        for packet in self._read_packets(container, stream):
            try:
                frames = stream.decode(packet)
            except av.EOFError:  # flushed twice
                return
            except (av.FFmpegError, ValueError):
                self._damaged = True
                continue
            for frame in frames:
                self._damaged = self._damaged or frame.is_corrupt
                yield frame

    def _read_packets(self, container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream] | None]:
        """All packets, then one None or empty packet that flushes the decoder."""
        for _ in range(MAX_READ_ERRORS):
            try:
                # The demuxer's own generator ends at an error; a new one goes on behind it.
                yield from container.demux(stream)
            except (av.FFmpegError, ValueError, IndexError):  # IndexError: a damaged header made up a new stream
                self._damaged = True
            else:
                return
        yield None

    def _warn(self, container: InputContainer, stream: VideoStream) -> None:
        """Says what is missing."""
        promised_s = 0.0
        if stream.duration and stream.time_base:
            promised_s = float(stream.duration * stream.time_base)
        elif container.duration:
            # Matroska states the end, not the length.
            promised_s = (container.duration - max(container.start_time or 0, 0)) / av.time_base
        if is_cut_off(self.path) or self.duration_s < 0.8 * promised_s:
            self.warnings.append(
                f"the file is cut off: {self.duration_s:.1f} s"
                + (f" of {promised_s:.1f} s" if promised_s > self.duration_s else "")
                + " can be read"
            )
        elif self._damaged:
            self.warnings.append("parts of the file are damaged and were skipped")


class Converter:
    """Turns decoded frames into upright RGB images with square pixels and no side above `max_side`."""

    def __init__(self, stream: VideoStream, max_side: int) -> None:
        ratio = float(stream.sample_aspect_ratio or 1)
        # Pixels outside 1:8 to 8:1 are a damaged header, not a lens.
        self._pixel_aspect = ratio if 1 / 8 <= ratio <= 8 else 1.0
        self._max_side = max_side
        self._reformatter = VideoReformatter()  # kept: setting the scaler up costs more than using it
        self._matrix: bytes | None = None
        self._is_first = True

    def convert(self, frame: VideoFrame) -> Image:
        """HxWx3 uint8 RGB."""
        width, height = frame.width * self._pixel_aspect, float(frame.height)
        scale = min(1.0, self._max_side / max(width, height))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        shrinks = size[0] <= frame.width and size != (frame.width, frame.height)
        method = Interpolation.AREA if shrinks else Interpolation.BILINEAR
        rgb = self._reformatter.reformat(frame, *size, format="rgb24", interpolation=method)
        image = np.asarray(rgb.to_ndarray(), np.uint8)
        if self._is_first:
            # A frame and its side data hold each other, so asking every frame would keep them all until a collection
            # of garbage: 12 MB a frame at 4K. The stubs know one kind of side data only.
            matrix = cast("Mapping[str, Buffer]", frame.side_data).get("DISPLAYMATRIX")
            self._matrix = None if matrix is None else bytes(matrix)
            self._is_first = False
        return image if self._matrix is None else turn(image, self._matrix)


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
