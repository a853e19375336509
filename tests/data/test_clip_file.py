"""What a file seems to be, before and after a decoder has turned it down."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.clip_file import count_threads, is_cut_off, is_text, scan_boxes
from isyarat.data.errors import ClipError

from .conftest import Film


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (b"Halo\n", True),
        ("kata – é".encode(), True),
        (b"abc" + "é".encode()[:1], True),  # a letter cut in two by the end of what was read
        (b"\xff\xd8\xff\xe0", False),
        (b"abc\0def", False),
        (b"\xe9 latin letters", False),
        (b"", False),
    ],
)
def test_is_text(head: bytes, text: bool) -> None:
    assert is_text(head) is text


def test_boxes_of_an_mp4(film: Film) -> None:
    boxes, complete = scan_boxes(film("a.mp4"))
    assert boxes[0] == "ftyp"
    assert {"moov", "mdat"} <= set(boxes)
    assert complete


def test_cut_off(film: Film) -> None:
    path = film("a.mp4")
    assert not is_cut_off(path)
    path.write_bytes(path.read_bytes()[:-1])
    assert is_cut_off(path)


def test_long_boxes(tmp_path: Path) -> None:
    """A length of 1 says that 64 bits follow; 0 means up to the end of the file."""
    path = tmp_path / "a.mp4"
    ftyp = (16).to_bytes(4, "big") + b"ftyp" + b"isom" * 2
    wide = (1).to_bytes(4, "big") + b"mdat" + (24).to_bytes(8, "big") + bytes(8)
    path.write_bytes(ftyp + wide + bytes(4) + b"free" + bytes(99))
    assert scan_boxes(path) == (["ftyp", "mdat", "free"], True)


@pytest.mark.parametrize("name", ["a.mkv", "a.avi"])
def test_other_containers_have_no_boxes(film: Film, name: str) -> None:
    path = film(name, codec="mpeg4")
    assert scan_boxes(path) == ([], True)
    assert not is_cut_off(path)


def test_threads() -> None:
    assert count_threads(1) == 1
    assert 1 <= count_threads(4) <= 4


def test_error_is_one_sentence() -> None:
    error = ClipError("a.mp4", "it is empty", "record it again")
    assert str(error) == "a.mp4: it is empty; record it again."
    assert (error.path, error.reason, error.way_out) == ("a.mp4", "it is empty", "record it again")
