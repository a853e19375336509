"""Decoding: every clip as a player shows it, or one clear sentence."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from isyarat.data.video import Frame, Image, VideoReader

from .conftest import Film, paint_quarters

ONE = 1 << 16  # 1.0 in the 16.16 numbers of a display matrix
CLOSE = 30  # grey levels: what lossy codecs and coarse palettes change at the most in the middle of a quarter


def read(path: Path, *, max_side: int = 640) -> list[Frame]:
    return list(VideoReader(path, max_side=max_side))


def sample_quarters(image: Image) -> Image:
    """The colours in the middle of the quarters: 2x2x3."""
    height, width = image.shape[:2]
    return image[np.ix_((height // 4, 3 * height // 4), (width // 4, 3 * width // 4))]


def assert_quarters(image: Image, wanted: Image) -> None:
    assert np.abs(sample_quarters(image).astype(int) - wanted).max() <= CLOSE


QUARTERS = sample_quarters(paint_quarters(64, 48))


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt"),
    [
        ("a.mp4", "libx264", "yuv420p"),
        ("a.mov", "libx264", "yuv420p"),
        ("a.mkv", "libx264", "yuv444p"),
        ("a.ts", "libx264", "yuv420p"),
        ("a.flv", "libx264", "yuv420p"),
        ("vp8.webm", "libvpx", "yuv420p"),
        ("vp9.webm", "libvpx-vp9", "yuv420p"),
        ("hevc.mp4", "libx265", "yuv420p"),
        ("hevc10.mov", "libx265", "yuv420p10le"),
        ("a.avi", "mpeg4", "yuv420p"),
        ("full_range.mkv", "mjpeg", "yuvj420p"),
        ("av1.mp4", "libsvtav1", "yuv420p"),
        ("av1.webm", "libsvtav1", "yuv420p10le"),
        ("prores.mov", "prores", "yuv422p10le"),
        ("lossless.mkv", "ffv1", "bgr0"),
        ("upside_down.avi", "rawvideo", "bgr24"),
        ("a.apng", "apng", "rgb24"),
    ],
)
def test_containers_and_codecs(film: Film, name: str, codec: str, pix_fmt: str) -> None:
    quiet = {"x265-params": "log-level=none"} if codec == "libx265" else None
    reader = VideoReader(film(name, codec=codec, pix_fmt=pix_fmt, options=quiet))
    frames = list(reader)
    assert [f.time_s for f in frames] == pytest.approx([i / 25 for i in range(10)], abs=0.002)
    assert all(f.image.shape == (48, 64, 3) and f.image.dtype == np.uint8 for f in frames)
    assert_quarters(frames[-1].image, QUARTERS)
    assert reader.warnings == []
    assert reader.frame_count == 10
    assert reader.duration_s == pytest.approx(0.4, abs=0.01)


def test_gif(film: Film) -> None:
    frames = read(film("a.gif", codec="gif", pix_fmt="rgb8"))
    assert len(frames) == 10
    # A GIF's palette is coarse: blue has four levels.
    assert np.abs(sample_quarters(frames[0].image).astype(int) - QUARTERS).max() <= 60


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".webp"])
def test_still_picture_is_one_frame(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"still{suffix}"
    cv2.imwrite(str(path), paint_quarters(64, 48)[..., ::-1])
    frames = read(path)
    assert [f.time_s for f in frames] == [0.0]
    assert_quarters(frames[0].image, QUARTERS)


def test_one_frame(film: Film) -> None:
    frames = read(film("one.mp4", times_ms=[0]))
    assert [f.time_s for f in frames] == [0.0]


def test_raw_stream_goes_on_by_its_rate(film: Film) -> None:
    frames = read(film("raw.h264", options={"bf": "0"}))
    steps = np.diff([f.time_s for f in frames])
    assert len(frames) == 10
    assert steps.min() > 0
    assert np.allclose(steps, steps[0])


def test_times_start_at_zero_and_follow_the_container(film: Film) -> None:
    reader = VideoReader(film("vfr.mkv", times_ms=[500, 510, 700, 1500]))
    assert [f.time_s for f in reader] == pytest.approx([0.0, 0.01, 0.2, 1.0])
    assert reader.warnings == []


def test_duplicate_times_are_skipped(film: Film) -> None:
    frames = read(film("dup.mkv", times_ms=[0, 40, 40, 80, 80, 120]))
    assert [f.time_s for f in frames] == pytest.approx([0.0, 0.04, 0.08, 0.12])


# a, b, c, d of x' = a x + c y, y' = b x + d y (ISO/IEC 14496-12), and what it makes of the quarters.
TURNS = {
    "none": ((1, 0, 0, 1), lambda q: q),
    # What a phone held upright writes: ffprobe calls it rotation -90, players turn the picture clockwise.
    "clockwise": ((0, 1, -1, 0), lambda q: np.rot90(q, -1)),
    "half": ((-1, 0, 0, -1), lambda q: np.rot90(q, 2)),
    "counter-clockwise": ((0, -1, 1, 0), lambda q: np.rot90(q, 1)),
    "mirror": ((-1, 0, 0, 1), lambda q: q[:, ::-1]),
    "upside down": ((1, 0, 0, -1), lambda q: q[::-1]),
    "transpose": ((0, 1, 1, 0), lambda q: q.transpose(1, 0, 2)),
    "transverse": ((0, -1, -1, 0), lambda q: np.rot90(q, 2).transpose(1, 0, 2)),
}


@pytest.mark.parametrize("name", TURNS)
def test_display_matrix(film: Film, name: str) -> None:
    (a, b, c, d), turn_quarters = TURNS[name]
    matrix = [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30]
    image = read(film("turned.mp4", matrix=matrix))[-1].image
    assert image.shape[:2] == ((64, 48) if a == 0 else (48, 64))
    assert image.flags.c_contiguous
    assert_quarters(image, turn_quarters(QUARTERS))


@pytest.mark.parametrize(("degrees", "turns"), [(90, 1), (180, 2), (270, 3)])
def test_rotation_tag_agrees_with_ffmpeg(tmp_path: Path, degrees: int, turns: int) -> None:
    """FFmpeg names angles counter-clockwise, as np.rot90 does."""
    path = tmp_path / "rotated.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.set_display_rotation(degrees)
        container.mux(stream.encode(av.VideoFrame.from_ndarray(paint_quarters(64, 48), format="rgb24")))
        container.mux(stream.encode(None))
    assert_quarters(read(path)[0].image, np.rot90(QUARTERS, turns))


@pytest.mark.parametrize(("aspect", "size"), [(Fraction(2), (48, 128)), (Fraction(1, 2), (48, 32))])
def test_pixel_aspect(film: Film, aspect: Fraction, size: tuple[int, int]) -> None:
    image = read(film("wide.mp4", aspect=aspect))[0].image
    assert image.shape[:2] == size
    assert_quarters(image, QUARTERS)


@pytest.mark.parametrize("size", [(33, 47), (47, 33), (17, 17)])
@pytest.mark.parametrize("codec", ["libvpx-vp9", "mpeg4"])
def test_odd_sizes(film: Film, size: tuple[int, int], codec: str) -> None:
    image = read(film("odd.mkv", codec=codec, size=size))[0].image
    assert image.shape == (size[1], size[0], 3)


def test_tiny(film: Film) -> None:
    assert read(film("tiny.mp4", size=(8, 8)))[0].image.shape == (8, 8, 3)


def test_large_frames_are_scaled(film: Film) -> None:
    path = film("4k.mp4", size=(3840, 2160), times_ms=range(0, 160, 40), options={"preset": "ultrafast"})
    frames = read(path)
    assert [f.image.shape for f in frames] == [(360, 640, 3)] * 4
    assert_quarters(frames[-1].image, QUARTERS)
    assert read(path, max_side=100)[0].image.shape == (56, 100, 3)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_length(film: Film) -> None:
    """A frame of 4K holds 12 MB; 30 of them must never be held at once."""
    path = film("long.mp4", size=(3840, 2160), times_ms=range(0, 1200, 40), options={"preset": "ultrafast"})
    code = (
        "import sys\nfrom pathlib import Path\nfrom isyarat.data.video import VideoReader\n"
        "print(sum(1 for _ in VideoReader(sys.argv[1])))\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, peak_kb = map(int, done.stdout.split())
    assert count == 30
    assert peak_kb < 250_000
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_kept_frames_shed_what_is_larger_than_their_image(film: Film) -> None:
    """Somebody keeps all frames of a 4K clip: not 12 MB each."""
    path = film("long.mp4", size=(3840, 2160), times_ms=range(0, 1000, 40), options={"preset": "ultrafast"})
    code = (
        "import sys\nfrom pathlib import Path\nfrom isyarat.data.video import VideoReader\n"
        "frames = list(VideoReader(sys.argv[1]))\n"
        "print(len(frames), frames[20].image.shape[1])\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, width, peak_kb = map(int, done.stdout.split())
    assert (count, width) == (25, 640)
    assert peak_kb < 250_000


def test_browser_recording(film: Film) -> None:
    """WebM of a browser: no length, and a rate that says 1000."""
    times_ms = [0, 31, 70, 98, 140, 166, 203]
    path = film("a.webm", codec="libvpx", times_ms=times_ms, muxer={"live": "1"})
    with av.open(str(path)) as container:
        assert container.duration is None
        assert container.streams.video[0].frames == 0
    reader = VideoReader(path)
    assert [f.time_s for f in reader] == pytest.approx([t / 1000 for t in times_ms])
    assert 0.22 < reader.duration_s < 0.3
    assert reader.warnings == []


def test_edit_list_cuts_frames_away(film: Film) -> None:
    times_ms = range(-200, 200, 40)
    path = film("a.mp4", times_ms=times_ms, options={"bf": "0"})
    assert b"elst" in path.read_bytes()
    reader = VideoReader(path)
    assert [f.time_s for f in reader] == pytest.approx([i / 25 for i in range(5)])
    assert reader.warnings == []


def patch_duration(path: Path, factor: float) -> Path:
    """Changes the length in every header of an MP4 (ISO/IEC 14496-12: fields of version 0)."""
    data = bytearray(path.read_bytes())
    for box, offset in ((b"mvhd", 20), (b"tkhd", 24), (b"mdhd", 20)):
        at = data.index(box) + offset
        data[at : at + 4] = int(int.from_bytes(data[at : at + 4], "big") * factor).to_bytes(4, "big")
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize("factor", [1 / 30, 30])
def test_recorder_that_writes_a_wrong_length(film: Film, factor: float) -> None:
    reader = VideoReader(patch_duration(film("a.mp4", options={"bf": "0"}, muxer={"use_editlist": "0"}), factor))
    assert len(list(reader)) == 10
    assert reader.duration_s == pytest.approx(0.4, abs=0.01)
    assert reader.warnings == []


def test_two_recordings_joined_byte_by_byte(film: Film) -> None:
    path = film("a.ts", times_ms=range(0, 2000, 40), options={"bf": "0"})
    path.write_bytes(path.read_bytes() * 2)
    times_s = [f.time_s for f in VideoReader(path)]
    assert len(times_s) == 100
    assert np.diff(times_s) == pytest.approx(0.04, abs=0.002)


def test_size_that_changes_on_the_way(tmp_path: Path) -> None:
    """A browser's recorder changes the size when the phone is turned or the line gets slow."""
    path = tmp_path / "a.h264"
    with path.open("wb") as file:
        for size in ((64, 48), (96, 128)):
            encoder = av.CodecContext.create("libx264", "w")
            encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = *size, "yuv420p", Fraction(1, 25)
            encoder.options = {"bf": "0"}
            for index in range(4):
                frame = av.VideoFrame.from_ndarray(paint_quarters(*size), format="rgb24")
                frame.pts = index
                file.writelines(bytes(packet) for packet in encoder.encode(frame))
            file.writelines(bytes(packet) for packet in encoder.encode(None))
    frames = read(path)
    assert [f.image.shape[:2] for f in frames] == [(48, 64)] * 4 + [(128, 96)] * 4
    assert_quarters(frames[-1].image, QUARTERS)


def test_reading_twice_gives_the_same(film: Film) -> None:
    reader = VideoReader(film("a.mp4"))
    first, second = list(reader), list(reader)
    assert reader.frame_count == 10
    assert [f.time_s for f in first] == [f.time_s for f in second]
    assert all(np.array_equal(a.image, b.image) for a, b in zip(first, second, strict=True))
