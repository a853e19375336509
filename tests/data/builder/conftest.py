"""A small collection of clips: four glosses, three signers, two rooms, one clip without a sign, two that are broken."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest

from .waver import draw_frames, write_frames, write_waver

ROOMS = {"grey": (150, 160, 170), "green": (40, 190, 70)}


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The CSV; read only. 24 good clips, a missing one, a text file, a line that is wrong."""
    folder = tmp_path_factory.mktemp("collection")
    rows = []
    for k in range(24):
        gloss, signer = ("SAYA", "MAKAN", "HALO", "TULI")[k % 4], ("ani", "budi", "citra")[k % 3]
        room = ("grey", "green")[k // 12]
        write_waver(folder / "clips" / f"{k:02d}.mp4", k, wall=ROOMS[room])
        rows.append([f"clips/{k:02d}.mp4", gloss, signer, room, "right", "research", ""])
    write_frames(folder / "clips" / "still.mp4", draw_frames(0)[:1] * 30)
    (folder / "clips" / "text.mp4").write_text("this is no video\n")
    rows.append(["clips/still.mp4", "", "ani", "grey", "", "", "true"])
    rows.append(["clips/text.mp4", "SAYA", "ani", "grey", "", "", ""])
    rows.append(["clips/gone.mp4", "SAYA", "ani", "grey", "", "", ""])
    rows.append(["clips/00.mp4", "apa?", "ani", "grey", "", "", ""])
    with (folder / "clips.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "label", "signer", "background", "handedness", "consent_scope", "is_none"])
        writer.writerows(rows)
    return folder / "clips.csv"


def hash_tree(folder: Path) -> dict[str, str]:
    """SHA-256 of every file by its path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
