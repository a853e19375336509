"""Decoding of clips: upright RGB frames by presentation time, whatever the container, rate or rotation."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import av
from av.stream import Disposition

from .clip_file import check_file, count_threads, explain_refusal, is_cut_off
from .clock import Clock
from .convert import Converter, Image, halve_image
from .errors import ClipError, IsyaratError
from .image_sequence import list_pictures
from .webcam import parse_camera, read_camera
from .webp import Animation, read_canvas

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.format import VideoFormat
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

__all__ = ["MAX_SIDE", "Frame", "Image", "VideoReader"]

# FFmpeg writes to stderr behind Python's back; what matters is said in errors and warnings.
av.logging.set_level(None)

# Longest side of a decoded frame in pixels: more than any grid cell needs, and it bounds memory on 4K clips.
MAX_SIDE = 640

# Frames a second where nothing says so: most cameras'.
DEFAULT_FPS = 30

# Largest picture that is decoded, in pixels of 8 bits with colour at half size: 5.3K passes. A decoder holds up to 24
# of them, so that a clip made to fill the memory (20 kB, black, 16 reference pictures) stays below 1 GB.
MAX_PIXELS = 20_000_000

# Each thread of a decoder holds a picture of its own, 12 MB at 4K; more than four hardly decode faster.
MAX_THREADS = 4

# A last picture that claims to stay longer has a damaged duration.
LONGEST_FRAME_S = 60.0

# Read errors after which a file is given up; each may be one damaged spot in the middle.
MAX_READ_ERRORS = 16

# Containers that hold their own data. Play lists (m3u8, ffconcat, sdp …) name other files or addresses, which an
# uploaded "clip" must never make us open. Sound files are there to be told apart from damaged ones.
CONTAINERS = (
    "mov,matroska,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,gif,apng,mjpeg,m4v,h264,hevc,ivf,obu,yuv4mpegpipe,nut,"
    "webp_pipe,png_pipe,jpeg_pipe,bmp_pipe,mp3,wav,flac,aac"
)


class Frame:
    """One upright frame. Its picture is converted when it is first asked for: a frame nobody looks at costs nothing.

    Arguments:
        time_s: presentation time in seconds since the first frame.
        image: HxWx3 uint8 RGB, as a viewer would see it (display matrix and pixel aspect applied).
    """

    __slots__ = ("__weakref__", "_converter", "_image", "_picture", "time_s")

    def __init__(self, time_s: float, image: Image | None = None) -> None:
        self.time_s = time_s
        self._image = image
        self._picture: VideoFrame | None = None
        self._converter: Converter | None = None

    @classmethod
    def from_picture(cls, time_s: float, picture: VideoFrame, converter: Converter, image: Image | None) -> Frame:
        """A frame whose image is made from a decoder's picture, or already was."""
        frame = cls(time_s, image)
        frame._picture, frame._converter = picture, converter
        return frame

    @property
    def image(self) -> Image:
        """HxWx3 uint8 RGB, no side above the reader's `max_side`."""
        if self._image is None:
            assert self._picture is not None and self._converter is not None
            self._image = self._converter.convert(self._picture)
        return self._image

    def reduce(self, least_side: int) -> Image:
        """HxWx3 uint8 RGB, halved as often as no side falls below `least_side` pixels: for who scales it again anyway.

        A frame that is smaller keeps its size. This is the cheapest way to thumbnails; means of 2x2 pixels leave no
        aliasing.
        """
        if self._picture is None or self._converter is None:
            return halve_image(self.image, least_side)
        return self._converter.reduce(self._picture, least_side)

    def shed(self) -> None:
        """Lets go of a picture much larger than the image: 12 MB at 4K. The image stays the same to the last bit."""
        if self._picture is not None and self._converter is not None:
            self._picture = self._converter.shrink(self._picture)

    def __reduce__(self) -> tuple[type[Frame], tuple[float, Image]]:
        """Lets a frame travel between processes."""
        return type(self), (self.time_s, self.image)


class VideoReader:
    """Frames of a clip, one at a time (memory does not grow with the length).

    Timestamps come from the container alone, never from a count or a rate; frames that do not advance in time
    (duplicates, disorder, a damaged timestamp) are skipped. `warnings` is complete once the iteration has ended.

    Arguments:
        path: the clip; a folder of frames in natural order; or "camera:0", the first camera, which never ends.
        max_side: longest side of the frames in pixels; larger frames are scaled down.
        fps: frames a second of a folder of frames, which has no clock; clips and cameras bring their own.

    Raises:
        ClipError: the file is missing, empty, a folder without pictures, has no picture, or cannot be decoded at all.
        IsyaratError: `fps` is no rate.
    """

    def __init__(self, path: str | Path, *, max_side: int = MAX_SIDE, fps: float | None = None) -> None:
        self.path = Path(path)
        self.max_side = max_side
        self.fps = fps
        self.warnings: list[str] = []
        self.duration_s = 0.0
        self.frame_count = 0
        self._damaged = False
        if fps is not None and not 0 < fps <= 1000:
            raise IsyaratError(f"{path}: {fps:g} frames a second is no rate; give one above 0 and up to 1000.")
        self._camera = parse_camera(str(path))
        if self._camera is None and self.path.is_dir():
            list_pictures(self.path)
        elif self._camera is None:
            check_file(self.path)

    def __iter__(self) -> Iterator[Frame]:
        self.warnings, self.duration_s, self.frame_count, self._damaged = [], 0.0, 0, False
        # A consumer's loop still holds a frame when it asks for the next; one older than that is being kept.
        recent: deque[weakref.ref[Frame]] = deque(maxlen=2)
        for frame in self._read():
            kept = recent[0]() if len(recent) == 2 else None
            if kept is not None:
                kept.shed()
            recent.append(weakref.ref(frame))
            self.frame_count += 1
            yield frame
            del kept, frame

    def _read(self) -> Iterator[Frame]:
        """The frames of whatever `path` names."""
        if self._camera is not None:
            return self._convert(read_camera(self._camera), Converter(None, self.max_side), 1 / 30)
        if self.path.is_dir():
            return self._read_folder()
        canvas = read_canvas(self.path)
        return self._read_container() if canvas is None else self._read_animation(canvas)

    def _read_folder(self) -> Iterator[Frame]:
        """Pictures at a fixed rate; one that cannot be read leaves a gap in time."""
        pictures = list_pictures(self.path)
        frame_s = 1 / (self.fps or DEFAULT_FPS)
        skipped = 0
        for index, picture in enumerate(pictures):
            try:
                first = next(iter(VideoReader(picture, max_side=self.max_side)))
            except ClipError:
                skipped += 1
                continue
            self.duration_s = (index + 1) * frame_s
            first.time_s = index * frame_s
            yield first
        if skipped == len(pictures):
            raise ClipError(self.path, "none of its pictures can be read", "export the frames again as PNG or JPEG")
        if skipped:
            self.warnings.append(f"{skipped} of its {len(pictures)} pictures cannot be read and were skipped")
        if self.fps is None and len(pictures) > 1:
            self.warnings.append(f"a folder has no clock: {DEFAULT_FPS} frames a second were assumed")

    def _read_animation(self, canvas: tuple[int, int]) -> Iterator[Frame]:
        """Frames of an animated WebP."""
        if canvas[0] * canvas[1] > MAX_PIXELS:
            raise self._refuse_size(*canvas)
        animation = Animation(self.path, canvas)
        yield from self._convert(animation, Converter(None, self.max_side), 1 / DEFAULT_FPS)
        self.duration_s = max(self.duration_s, animation.duration_s)
        if animation.cut_off:
            self.warnings.append(f"the file is cut off: {self.duration_s:.1f} s can be read")
        elif self._damaged or animation.damaged:
            self.warnings.append("parts of the file are damaged and were skipped")

    def _read_container(self) -> Iterator[Frame]:
        """Frames of the video stream of a file."""
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
            stream = self._choose_stream(container)
            rate = stream.average_rate or stream.base_rate
            stream.thread_type = "AUTO"
            stream.codec_context.thread_count = self._count_threads(stream)
            stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
            converter = Converter(stream.sample_aspect_ratio, self.max_side)
            yield from self._convert(self._read_frames(container, stream), converter, 1 / float(rate or DEFAULT_FPS))
            self._warn(container, stream)

    def _choose_stream(self, container: InputContainer) -> VideoStream:
        """The first stream of moving pictures; the cover of a sound file is none."""
        streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
        if not streams:
            found = "it has sound but no video" if container.streams.audio else "it holds no video"
            raise ClipError(self.path, found, "choose a file with video")
        stream = streams[0]
        if stream.codec_context is None:  # the stubs promise one, but FFmpeg may lack the decoder
            raise ClipError(self.path, "there is no decoder for its video format", "convert it to MP4 (H.264)")
        context = stream.codec_context
        if context.width * context.height * weigh_pixel(context.format) > MAX_PIXELS:
            raise self._refuse_size(context.width, context.height)
        return stream

    def _refuse_size(self, width: int, height: int) -> ClipError:
        reason = f"its picture of {width} x {height} pixels is too large"
        return ClipError(self.path, reason, "scale it down to 1080p")

    def _count_threads(self, stream: VideoStream) -> int:
        """Threads for the decoder; each holds pictures of its own."""
        pixels = stream.codec_context.width * stream.codec_context.height
        return count_threads(max(1, min(MAX_THREADS, MAX_PIXELS // max(1, pixels))))

    def _convert(self, pictures: Iterable[VideoFrame], converter: Converter, frame_s: float) -> Iterator[Frame]:
        """Frames with their times.

        Arguments:
            pictures: in the order of presentation.
            converter: what makes images of them.
            frame_s: seconds a frame lasts, where nothing else says so.
        """
        clock = Clock(frame_s)
        count = 0
        last: VideoFrame | None = None
        for time_s, picture in clock.time_frames(pictures):
            try:
                image = converter.prove(picture)
            except (av.FFmpegError, ValueError):
                self._damaged = True
                continue
            count += 1
            self.duration_s = time_s
            yield Frame.from_picture(time_s, picture, converter, image)
            last = picture
        if last is None:
            cut = is_cut_off(self.path)
            reason = "the file is cut off before its first frame" if cut else "no frame of it can be decoded"
            raise ClipError(self.path, reason, "record it again or convert it to MP4")
        own_s = float(last.duration * last.time_base) if last.duration and last.time_base else 0.0
        # WebM of a browser claims 1000 frames a second: the last frame lasts no less than half of what the others did.
        mean_s = self.duration_s / (count - 1) if count > 1 else frame_s
        self.duration_s += own_s if mean_s / 2 <= own_s <= LONGEST_FRAME_S else mean_s

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
        if "mov" in container.format.name:
            pass  # its boxes tell whether anything is missing, and recorders get its duration wrong
        elif stream.duration and stream.time_base:
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


def weigh_pixel(format: VideoFormat | None) -> int:
    """How many times the memory of plain video (4:2:0, 8 bits) a pixel of this format takes, roughly."""
    if format is None or format.is_rgb or format.has_palette or len(format.components) < 3:
        return 1  # formats of still pictures: their decoders hold no others
    deep = format.components[0].bits > 8
    full_colour = format.chroma_width(2) == 2 and format.chroma_height(2) == 2
    return (2 if deep else 1) * (2 if full_colour else 1)
