"""Files that are no clip, or a damaged one: frames, or one clear sentence, and never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from isyarat.data import video
from isyarat.data.errors import ClipError
from isyarat.data.video import Frame, VideoReader

from .conftest import Film, paint_noise, paint_quarters


def read(path: Path) -> list[Frame]:
    return list(VideoReader(path))


def assert_refused(path: Path, reason: str) -> None:
    """One sentence that names the file, the reason and the way out."""
    with pytest.raises(ClipError, match=re.escape(reason)) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert text.endswith(".")
    assert "\n" not in text
    assert caught.value.way_out


def test_missing_file(tmp_path: Path) -> None:
    assert_refused(tmp_path / "nothing.mp4", "there is no such file")


def test_name_with_a_nul() -> None:
    with pytest.raises(ClipError, match="cannot be opened"):
        VideoReader("a\0b.mp4")


def test_folder(tmp_path: Path) -> None:
    assert_refused(tmp_path, "this is a folder without pictures")


def test_no_permission(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    path = film("a.mp4")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # chmod does not stop root, whom containers run tests as
    assert_refused(path, "not permitted")


def test_file_that_vanishes(film: Film) -> None:
    path = film("a.mp4")
    reader = VideoReader(path)
    path.unlink()
    with pytest.raises(ClipError):
        list(reader)


def make_file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_device_is_refused_at_once() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no /dev/zero")
    assert_refused(Path("/dev/zero"), "not a regular file")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.mp4", b"", "the file is empty"),
        ("text.mp4", b"Halo, apa kabar?\n" * 9, "it is a text file"),
        ("utf8.mp4", ("terjemahkan é" * 99).encode(), "it is a text file"),
        ("noise.mp4", np.random.default_rng(0).bytes(5000), "it is not a video"),
        ("zeros.mp4", bytes(5000), "it is not a video"),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:10,\na.mp4\n#EXT-X-ENDLIST\n", "it is a play list"),
        ("list.mp4", b"#EXTM3U\n#EXTINF:10,\na.mp4\n#EXT-X-ENDLIST\n", "it is a play list"),
        ("list.ffconcat", b"ffconcat version 1.0\nfile a.mp4\n", "it is a play list"),
        ("list.sdp", b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nm=video 5004 RTP/AVP 96\n", "it is a text file"),
    ],
)
def test_files_that_are_no_video(film: Film, tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    film("a.mp4")  # what the play lists name is there, and must not be opened
    assert_refused(make_file(tmp_path / name, content), reason)


def write_sound(path: Path, codec: str, *, cover: bool = False) -> Path:
    """A second of silence, with a cover picture if asked for."""
    with av.open(str(path), "w") as container:
        sound = container.add_stream(codec, rate=44100, layout="mono")
        assert isinstance(sound, av.AudioStream)
        packets = []
        if cover:
            picture = container.add_stream("mjpeg")
            assert isinstance(picture, av.VideoStream)
            picture.width, picture.height, picture.pix_fmt = 64, 48, "yuvj420p"
            picture.disposition = av.stream.Disposition.attached_pic
            packets += picture.encode(av.VideoFrame.from_ndarray(paint_quarters(64, 48), format="rgb24"))
            packets += picture.encode(None)
        container.mux(packets)
        integer = codec.startswith("pcm")
        silence = np.zeros((1, 1024), np.int16 if integer else np.float32)
        frame = av.AudioFrame.from_ndarray(silence, format="s16" if integer else "fltp", layout="mono")
        frame.rate = 44100
        container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
    return path


@pytest.mark.parametrize(
    ("name", "codec", "cover"),
    [("a.wav", "pcm_s16le", False), ("a.m4a", "aac", False), ("a.mp4", "aac", False), ("a.mp3", "mp3", True)],
)
def test_sound_without_video(tmp_path: Path, name: str, codec: str, cover: bool) -> None:
    assert_refused(write_sound(tmp_path / name, codec, cover=cover), "it has sound but no video")


def test_truncated_without_index(film: Film) -> None:
    path = film("a.mp4", draw=paint_noise)
    content = path.read_bytes()
    assert_refused(make_file(path, content[: len(content) // 2]), "its index (moov), which is written last, is missing")


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.webm", "a.avi"])
def test_truncated_with_index_gives_what_is_there(film: Film, name: str) -> None:
    codec = {"a.webm": "libvpx", "a.avi": "mpeg4"}.get(name, "libx264")
    muxer = {"movflags": "faststart"} if name == "a.mp4" else None
    path = film(name, codec=codec, draw=paint_noise, muxer=muxer, options={"bf": "0"} if codec == "libx264" else None)
    whole = read(path)
    content = path.read_bytes()
    reader = VideoReader(make_file(path, content[: int(len(content) * 0.65)]))
    part = list(reader)
    assert 3 <= len(part) < len(whole)
    assert [f.time_s for f in part] == [f.time_s for f in whole[: len(part)]]
    assert np.array_equal(part[0].image, whole[0].image)
    assert len(reader.warnings) == 1
    assert "cut off" in reader.warnings[0]


def test_truncated_before_the_first_frame(film: Film) -> None:
    path = film("a.mp4", draw=paint_noise, muxer={"movflags": "faststart"})
    content = path.read_bytes()
    start = content.index(b"mdat")
    assert_refused(make_file(path, content[: start + 8]), "cut off before its first frame")


def test_damage_in_the_middle_keeps_the_rest(film: Film) -> None:
    path = film("a.mp4", draw=paint_noise, times_ms=range(0, 1200, 40), options={"g": "5", "bf": "0"})
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = np.random.default_rng(0).bytes(3000)
    reader = VideoReader(make_file(path, bytes(content)))
    frames = list(reader)
    assert 20 <= len(frames) <= 30
    assert frames[-1].time_s == pytest.approx(1.16, abs=0.05)
    assert reader.warnings == ["parts of the file are damaged and were skipped"]


def test_picture_that_is_too_large_is_refused(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    path = film("a.mp4")
    monkeypatch.setattr(video, "MAX_PIXELS", 64 * 48 - 1)
    assert_refused(path, "its picture of 64 x 48 pixels is too large")


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        *((name, 1) for name in ("yuv420p", "yuvj420p", "yuv422p", "nv12", "rgb24", "bgra", "pal8", "gray")),
        *((name, 2) for name in ("yuv420p10le", "yuv422p10le", "yuv444p")),
        ("yuv444p12le", 4),
    ],
)
def test_deep_and_full_colour_pixels_weigh_more(name: str, weight: int) -> None:
    assert video.weigh_pixel(av.VideoFormat(name)) == weight


def test_header_that_claims_a_huge_picture(film: Film) -> None:
    """The claim of the container is not believed: an error, or the frames of the stream's own size."""
    path = film("a.mp4")
    content = path.read_bytes()
    at = content.index(b"avc1", content.index(b"stsd")) + 28  # width and height of the sample entry
    assert content[at : at + 4] == bytes([0, 64, 0, 48])
    make_file(path, content[:at] + (30_000).to_bytes(2, "big") * 2 + content[at + 4 :])
    try:
        frames = read(path)
    except ClipError:
        return
    assert max(frames[0].image.shape) <= 640


def test_png_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    cv2.imwrite(str(path), np.zeros((10_000, 10_000), np.uint8))
    with pytest.raises(ClipError):
        read(path)


def test_leaving_early_closes_the_file(film: Film) -> None:
    frames = iter(VideoReader(film("a.mp4")))
    next(frames)
    frames.close()  # type: ignore[attr-defined]  # a generator


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """One of the things that happen to files: changed, lost, doubled and cut bytes."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 8))):
        at = int(rng.integers(len(data)))
        length = int(rng.choice([1, 4, 64, 512]))
        match rng.integers(5):
            case 0:
                data[at] ^= int(rng.integers(1, 256))
            case 1:
                data[at : at + length] = rng.bytes(min(length, len(data) - at))
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = data[at : at + length]
            case _ if len(data) > 1000:
                del data[-length:]
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.avi", "a.webm", "a.ts", "a.gif"])
def test_garbage_gives_frames_or_one_sentence(
    film: Film, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    codec, pix_fmt = {
        "a.avi": ("mpeg4", "yuv420p"),
        "a.webm": ("libvpx-vp9", "yuv420p"),
        "a.gif": ("gif", "rgb8"),
    }.get(name, ("libx264", "yuv420p"))
    options = {"preset": "ultrafast"} if codec == "libx264" else None
    content = film(name, codec=codec, pix_fmt=pix_fmt, options=options).read_bytes()
    rng = np.random.default_rng(len(name) + ord(name[-1]))
    capfd.readouterr()  # what encoders print
    for index in range(40):
        path = make_file(tmp_path / f"{index}{name}", mutate(content, rng))
        try:
            frames = read(path)
        except ClipError as error:
            assert str(error).startswith(str(path))
        else:
            assert frames
            assert np.all(np.diff([f.time_s for f in frames]) > 0)
            assert all(max(f.image.shape[:2]) <= 640 for f in frames)
    assert capfd.readouterr().err == ""
