"""The file of a clip before it is decoded: whether it can be read at all, and why a decoder turned it down."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import ClipError

# First bytes looked at to tell a text file from a damaged video.
HEAD_BYTES = 512


def check_file(path: Path) -> None:
    """Raises ClipError when `path` is not a readable, non-empty file."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ClipError(path, "this is a folder, not a clip", "name the files in it")
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device would block or never end
            raise ClipError(path, "this is not a regular file", "save the clip as a file first")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise ClipError(path, "there is no such file", "check the name") from None
    except PermissionError:
        raise ClipError(path, "reading it is not permitted", "change its permissions") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise ClipError(path, f"it cannot be opened ({error})", "check the name") from error
    if status.st_size == 0:
        raise ClipError(path, "the file is empty (0 bytes)", "record or copy it again")


def explain_refusal(path: Path) -> ClipError:
    """The error for a file that no demuxer takes: what it seems to be instead of a video."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        boxes, complete = scan_boxes(path)
    except OSError:
        head, boxes, complete = b"", [], True
    if head.lstrip(b"\xef\xbb\xbf").startswith((b"#EXTM3U", b"ffconcat")):
        return ClipError(path, "it is a play list that names other files", "give the video files themselves")
    if is_text(head):
        return ClipError(path, "it is a text file, not a video", "choose the video file")
    if boxes[:1] == ["ftyp"] and "moov" not in boxes:
        return ClipError(
            path,
            "the recording is cut off: its index (moov), which is written last, is missing",
            "copy it again from the camera, or record it again",
        )
    if boxes[:1] == ["ftyp"] and not complete:
        return ClipError(path, "the file is cut off before its first frame", "copy or record it again")
    return ClipError(
        path,
        "it is not a video that can be read (wrong format, cut off, or damaged)",
        "record it again or convert it to MP4",
    )


def is_text(head: bytes) -> bool:
    """Whether bytes from the start of a file read as text."""
    if not head or any(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4  # a character cut in two at the end of what was read
    return True


def scan_boxes(path: Path) -> tuple[list[str], bool]:
    """Top-level boxes of an MP4 or MOV file (ISO/IEC 14496-12, 4.2).

    Returns:
        (types in order, whether all of them lie inside the file); ([], True) for other files.
    """
    size = path.stat().st_size
    boxes: list[str] = []
    with path.open("rb") as file:
        position = 0
        while position + 8 <= size and len(boxes) < 10_000:  # a file of fragments has two boxes a second
            file.seek(position)
            head = file.read(16)
            length, kind = int.from_bytes(head[:4]), head[4:8]
            if not kind.isalnum() or not kind.isascii():
                break
            if length == 1:  # the length follows in 64 bits
                length = int.from_bytes(head[8:16])
            elif length == 0:  # up to the end of the file
                length = size - position
            if length < 8:
                break
            boxes.append(kind.decode("ascii"))
            position += length
    if not {"ftyp", "moov", "mdat"} & set(boxes):
        return [], True
    return boxes, position <= size


def is_cut_off(path: Path) -> bool:
    """Whether an MP4 or MOV file ends inside one of its boxes; False for other files."""
    try:
        return not scan_boxes(path)[1]
    except OSError:
        return False


def count_threads(most: int) -> int:
    """Threads for one decoder: the cores this process may use, at most `most`."""
    if hasattr(os, "sched_getaffinity"):
        return min(most, len(os.sched_getaffinity(0)))
    return min(most, os.cpu_count() or 1)
