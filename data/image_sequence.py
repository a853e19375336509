"""A folder of frames: pictures in the order that people number them in."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import ClipError

PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp"}


def list_pictures(folder: Path) -> list[Path]:
    """The pictures of a folder in natural order (2.png before 10.png); hidden files and other kinds are left out.

    Raises:
        ClipError: there is none, or the folder cannot be read.
    """
    try:
        found = [p for p in folder.iterdir() if p.suffix.lower() in PICTURES and not p.name.startswith(".")]
    except OSError as error:
        raise ClipError(folder, f"the folder cannot be read ({error.strerror})", "change its permissions") from error
    if not found:
        raise ClipError(
            folder,
            "this is a folder without pictures, not a clip",
            "name the clips in it, or a folder of numbered PNG or JPEG frames",
        )
    return sorted(found, key=lambda path: natural_key(path.name))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sorts runs of digits by their number: "a2" before "a10"; the name itself breaks ties ("a2", "a02")."""
    parts = re.split(r"(\d+)", name.lower())
    # An odd part is a run of digits; a leading 0 or 1 keeps numbers and words from being compared.
    key = [(1, int(part), "") if index % 2 else (0, 0, part) for index, part in enumerate(parts)]
    return [*key, (0, 0, name)]
