"""Pictures on disk: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import cv2

from .errors import IsyaratError
from .video import Image


def write_picture(path: Path, image: Image) -> None:
    """Writes HxWx3 uint8 RGB as PNG or JPEG, by the name's ending; folders are made.

    Raises:
        IsyaratError: another ending, or the place cannot be written.
    """
    if path.suffix.lower() not in {".png", ".jpg", ".jpeg"}:
        raise IsyaratError(f"{path}: this is no name for a picture; end it in .png or .jpg.")
    _, data = cv2.imencode(path.suffix, cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data.tobytes())
        partial.replace(path)
    except OSError as error:
        raise IsyaratError(f"{path}: it cannot be written ({error.strerror}); choose another --output.") from error
