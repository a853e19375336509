"""What bytes are, by the bytes: never by a name or a type that the client states."""

from __future__ import annotations

from dataclasses import dataclass

HEAD_BYTES = 512

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"

# Markers of JPEG (ITU-T T.81, table B.1): frame headers, and those that stand alone.
START_OF_FRAME = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
ALONE = {0x01, *range(0xD0, 0xD9)}
START_OF_SCAN = 0xDA


@dataclass(frozen=True, slots=True)
class PictureSize:
    """Width and height that a picture's header claims."""

    width: int
    height: int

    @property
    def pixels(self) -> int:
        """Their product."""
        return self.width * self.height


def is_video(head: bytes) -> bool:
    """Whether the first bytes (512 are enough) are those of a container of moving pictures."""
    if head[4:8] in {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"styp", b"pnot"}:
        return True
    if head.startswith(b"RIFF"):
        return head[8:12] in {b"AVI ", b"WEBP"}
    if len(head) > 376 and head[0] == head[188] == head[376] == 0x47:  # MPEG transport stream
        return True
    return head.startswith(
        (
            b"\x1a\x45\xdf\xa3",  # Matroska, WebM
            b"OggS",
            b"FLV\x01",
            b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",  # ASF, WMV
            b"\x00\x00\x01\xba",  # MPEG programme stream
            b"\x00\x00\x01\xb3",  # MPEG video
            b"GIF87a",
            b"GIF89a",
        )
    )


def read_png_size(data: bytes) -> PictureSize | None:
    """Size in the header of a PNG (W3C PNG, 11.2.1); None when it is none."""
    if not data.startswith(PNG) or data[12:16] != b"IHDR" or len(data) < 33:
        return None
    return PictureSize(int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))


def read_jpeg_size(data: bytes) -> PictureSize | None:
    """Size in the frame header of a JPEG (ITU-T T.81, B.2.2); None when it is none."""
    if not data.startswith(JPEG):
        return None
    position = 2
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            return None
        marker = data[position + 1]
        if marker == 0xFF:  # fill byte
            position += 1
        elif marker in ALONE:
            position += 2
        elif marker in START_OF_FRAME:
            if position + 9 > len(data):
                return None
            height = int.from_bytes(data[position + 5 : position + 7])
            return PictureSize(int.from_bytes(data[position + 7 : position + 9]), height)
        elif marker == START_OF_SCAN:
            return None
        else:
            position += 2 + int.from_bytes(data[position + 2 : position + 4])
    return None
