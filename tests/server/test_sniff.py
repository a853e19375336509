"""What bytes are: known containers are taken, everything else is not, and headers are read without decoding."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data import synthetic
from isyarat.server.sniff import PictureSize, is_video, read_jpeg_size, read_png_size

PICTURE = np.full((37, 53, 3), 90, np.uint8)


def encode(ending: str, *options: int) -> bytes:
    return cv2.imencode(ending, PICTURE, options)[1].tobytes()


@pytest.mark.parametrize("ending", [".mp4", ".mov", ".mkv"])
def test_clips_of_the_synthetic_signer_are_videos(tmp_path: Path, small: synthetic.Scene, ending: str) -> None:
    clip = synthetic.write_clip(tmp_path / f"clip{ending}", synthetic.idle(0.2, scene=small))
    assert is_video(clip.read_bytes()[:512])


@pytest.mark.parametrize(
    "head", [b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"%PDF-1.7", b"#EXTM3U\n", b"<svg>", b"MZ", b"\x7fELF", b"ffconcat"]
)
def test_other_files_are_none(head: bytes) -> None:
    assert not is_video(head + bytes(500))


def test_pictures_are_no_videos() -> None:
    assert not is_video(encode(".png"))
    assert not is_video(encode(".jpg"))


def test_size_of_pictures() -> None:
    assert read_png_size(encode(".png")) == PictureSize(53, 37)
    assert read_jpeg_size(encode(".jpg")) == PictureSize(53, 37)
    assert read_jpeg_size(encode(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1)) == PictureSize(53, 37)
    assert read_png_size(encode(".jpg")) is None
    assert read_jpeg_size(encode(".png")) is None


def test_a_cut_off_header_is_none() -> None:
    data = encode(".jpg")
    sizes = {read_jpeg_size(data[:length]) for length in range(len(data))}
    assert sizes == {None, PictureSize(53, 37)}
    assert {read_png_size(encode(".png")[:length]) for length in range(33)} == {None}


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    for start in (b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"):
        is_video(start + data)
        read_png_size(start + data)
        read_jpeg_size(start + data)
