"""Animated WebP: places, transparency, times, and files that lie."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from isyarat.data.errors import ClipError
from isyarat.data.video import Image, VideoReader
from isyarat.data.webp import Animation, blend, read_canvas

from .conftest import paint_noise, paint_quarters
from .recorder import Format, record


def encode_still(image: Image) -> bytes:
    """The chunks of a lossless WebP picture."""
    done, data = cv2.imencode(
        ".webp", image[..., [2, 1, 0, *range(3, image.shape[2])]], [cv2.IMWRITE_WEBP_QUALITY, 101]
    )
    assert done
    return data.tobytes()[12:]


def int_24(number: int) -> bytes:
    return number.to_bytes(3, "little")


def chunk(name: bytes, body: bytes) -> bytes:
    return name + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)


def animate(path: Path, canvas: tuple[int, int], patches: list[tuple[int, int, Image, int, int]]) -> Path:
    """Writes patches (x, y, picture, milliseconds, flags: 1 clears afterwards, 2 does not blend)."""
    body = b"WEBP" + chunk(b"VP8X", bytes([0x12, 0, 0, 0]) + int_24(canvas[0] - 1) + int_24(canvas[1] - 1))
    body += chunk(b"ANIM", bytes(6))
    for x, y, image, duration_ms, flags in patches:
        height, width = image.shape[:2]
        place = int_24(x // 2) + int_24(y // 2) + int_24(width - 1) + int_24(height - 1)
        picture = encode_still(image)
        if picture.startswith(b"VP8X"):  # the header of a still; an ANMF chunk holds what follows it
            picture = picture[18:]
        body += chunk(b"ANMF", place + int_24(duration_ms) + bytes([flags]) + picture)
    path.write_bytes(b"RIFF" + len(body).to_bytes(4, "little") + body)
    return path


def plain(colour: tuple[int, ...], width: int = 32, height: int = 24) -> Image:
    return np.full((height, width, len(colour)), colour, np.uint8)


def test_frames_times_and_length(tmp_path: Path) -> None:
    patches = [
        (0, 0, plain((200, 0, 0)), 100, 2),
        (0, 0, plain((0, 200, 0)), 50, 2),
        (0, 0, plain((0, 0, 200)), 350, 2),
    ]
    reader = VideoReader(animate(tmp_path / "a.webp", (32, 24), patches))
    frames = list(reader)
    assert [f.time_s for f in frames] == pytest.approx([0.0, 0.1, 0.15])
    assert [f.image[5, 5].tolist() for f in frames] == [[200, 0, 0], [0, 200, 0], [0, 0, 200]]
    assert reader.duration_s == pytest.approx(0.5)
    assert reader.warnings == []


def test_patch_on_the_picture_before(tmp_path: Path) -> None:
    patches = [(0, 0, plain((200, 0, 0)), 40, 2), (8, 4, plain((0, 200, 0), 6, 10), 40, 2)]
    image = list(VideoReader(animate(tmp_path / "a.webp", (32, 24), patches)))[1].image
    green = np.all(image == (0, 200, 0), axis=-1)
    assert green.sum() == 60
    assert green[4:14, 8:14].all()
    assert np.all(image[~green] == (200, 0, 0))


def test_transparent_pixels_let_the_picture_through(tmp_path: Path) -> None:
    overlay = plain((0, 200, 0, 0))
    overlay[:, 16:, 3] = 255
    patches = [(0, 0, plain((200, 0, 0)), 40, 2), (0, 0, overlay, 40, 0)]
    image = list(VideoReader(animate(tmp_path / "a.webp", (32, 24), patches)))[1].image
    assert image[5, 5].tolist() == [200, 0, 0]
    assert image[5, 20].tolist() == [0, 200, 0]


def test_place_is_cleared_afterwards(tmp_path: Path) -> None:
    patches = [(0, 0, plain((200, 0, 0)), 40, 3), (0, 0, plain((0, 200, 0), 8, 8), 40, 2)]
    first, second = list(VideoReader(animate(tmp_path / "a.webp", (32, 24), patches)))
    assert first.image[20, 20].tolist() == [200, 0, 0]
    assert second.image[20, 20].tolist() == [0, 0, 0]


def test_lossy_with_transparency(tmp_path: Path) -> None:
    """What FFmpeg writes: VP8 and ALPH chunks."""
    pictures = [np.roll(paint_quarters(64, 48), 4 * i, axis=1) for i in range(5)]
    path = record(tmp_path / "a.webp", pictures, range(0, 200, 40), Format("libwebp_anim", "yuva420p"))
    frames = list(VideoReader(path))
    assert len(frames) == 5
    for frame, picture in zip(frames, pictures, strict=True):
        assert np.abs(frame.image.astype(int) - picture).mean() < 6


def test_blend_of_half_transparent_pixels() -> None:
    below, above = plain((200, 100, 0, 255), 1, 1), plain((0, 100, 200, 128), 1, 1)
    assert blend(below, above)[0, 0].tolist() == [100, 100, 100, 255]
    assert blend(plain((9, 9, 9, 0), 1, 1), above)[0, 0].tolist() == [0, 100, 200, 128]


def test_still_and_other_files_have_no_canvas(tmp_path: Path) -> None:
    path = tmp_path / "a.webp"
    path.write_bytes(b"RIFF" + (99).to_bytes(4, "little") + b"WEBP" + encode_still(plain((1, 2, 3))))
    assert read_canvas(path) is None
    path.write_bytes(b"RIFF")
    assert read_canvas(path) is None


def test_cut_off(tmp_path: Path) -> None:
    patches = [(0, 0, paint_noise(i), 40, 2) for i in range(6)]
    path = animate(tmp_path / "a.webp", (64, 48), patches)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])
    reader = VideoReader(path)
    assert [f.time_s for f in reader] == pytest.approx([0.0, 0.04, 0.08])
    assert reader.warnings == ["the file is cut off: 0.2 s can be read"]


def test_patch_outside_the_canvas_is_skipped(tmp_path: Path) -> None:
    patches = [(0, 0, plain((200, 0, 0)), 40, 2), (30, 0, plain((0, 200, 0)), 40, 2), (0, 0, plain((0, 0, 200)), 40, 2)]
    reader = VideoReader(animate(tmp_path / "a.webp", (32, 24), patches))
    assert [f.time_s for f in reader] == pytest.approx([0.0, 0.08])
    assert reader.warnings == ["parts of the file are damaged and were skipped"]


def test_canvas_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = animate(tmp_path / "a.webp", (16_000, 16_000), [(0, 0, plain((200, 0, 0)), 40, 2)])
    with pytest.raises(ClipError, match="16000 x 16000 pixels is too large"):
        list(VideoReader(path))


def test_chunk_that_claims_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    path = animate(tmp_path / "a.webp", (32, 24), [(0, 0, plain((200, 0, 0)), 40, 2)])
    path.write_bytes(path.read_bytes() + b"ANMF" + b"\xff\xff\xff\xff" + bytes(100))
    animation = Animation(path, (32, 24))
    assert len(list(animation)) == 1
    assert animation.cut_off


def test_picture_larger_than_its_place_is_skipped(tmp_path: Path) -> None:
    path = animate(tmp_path / "a.webp", (64, 48), [(0, 0, plain((200, 0, 0), 64, 48), 40, 2)])
    data = bytearray(path.read_bytes())
    at = data.index(b"ANMF") + 8 + 6
    data[at : at + 3] = int_24(15)  # the place is 16 wide, the picture 64
    path.write_bytes(bytes(data))
    with pytest.raises(ClipError, match="no frame of it can be decoded"):
        list(VideoReader(path))


def test_opencv_agrees(tmp_path: Path) -> None:
    """Another reader of the same file composes the same pictures."""
    rng = np.random.default_rng(0)
    patches = [(0, 0, paint_noise(0), 40, 2)]
    for _ in range(8):
        width, height = (int(n) for n in rng.integers(4, 20, 2))
        image = rng.integers(0, 256, (height, width, 4), np.uint8)
        image[..., 3] = rng.choice([0, 255], (height, width))
        patches.append((2 * int(rng.integers(0, 16)), 2 * int(rng.integers(0, 12)), image, 40, int(rng.integers(4))))
    path = animate(tmp_path / "a.webp", (64, 48), patches)
    read, animation = cv2.imreadanimation(str(path))
    assert read
    ours = [frame.to_ndarray(format="rgba") for frame in Animation(path, (64, 48))]
    assert len(ours) == len(animation.frames) == 9
    for our, their in zip(ours, animation.frames, strict=True):
        visible = our[..., 3] > 0
        assert np.array_equal(visible, their[..., 3] > 0)
        assert np.abs(our[..., :3].astype(int) - their[..., [2, 1, 0]])[visible].max() <= 1


def test_decoders_error_is_damage(tmp_path: Path) -> None:
    patches = [(0, 0, paint_noise(i), 40, 2) for i in range(3)]
    path = animate(tmp_path / "a.webp", (64, 48), patches)
    data = bytearray(path.read_bytes())
    at = data.index(b"VP8L", data.index(b"VP8L") + 8) + 8
    data[at : at + 4] = bytes(4)
    path.write_bytes(bytes(data))
    reader = VideoReader(path)
    assert len(list(reader)) == 2
    assert reader.warnings == ["parts of the file are damaged and were skipped"]
