"""One clip to its motion grids, and what is measured on the way."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from ..clip import ClipRecord
from ..duplicates import Track, Tracker
from ..errors import ClipError
from ..grid_spec import GridSpec
from ..operations import Mirror, Operation, draw_operations, draw_variant, list_operations
from ..rendering import Rendering, find_rendering
from ..segment import Segment, Segmenter
from ..sign import MARGIN_S, Sign, cut_signs
from ..video import Image, VideoReader
from .settings import BuildSettings

# A clip in which nothing moves gives a grid of at most this many seconds: the longest sign.
WINDOW_S = 8.0

# Mean grey level of the cells beyond which a clip is listed as suspicious.
DARK, BRIGHT = 45.0, 215.0

OTHER_HAND = {"right": "left", "left": "right", "unknown": "unknown"}

# zlib level 3: 5 % smaller than level 1 for a fifth more time; higher levels cost as much as decoding the clip.
PNG = [cv2.IMWRITE_PNG_COMPRESSION, 3]


@dataclass(slots=True)
class ClipGrids:
    """What a clip gave.

    Attributes:
        samples: (PNG, JSON) of every grid; empty when there is an error.
        facts: measured values for the row of the clip, `error` among them.
        track: perceptual hash of its movement.
    """

    samples: list[tuple[bytes, bytes]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    track: Track = field(default_factory=lambda: np.zeros((0, 64), np.int8))


def cut_clip(name: str, record: ClipRecord, settings: BuildSettings, sha256: str) -> ClipGrids:
    """Decodes a clip and draws its grids; a fault of the clip becomes `facts["error"]`, never an exception.

    Arguments:
        name: id of the clip.
        sha256: of the file; seeds the operations, so that they depend on neither order nor place.
    """
    spec, reader = settings.spec, VideoReader(record.path)
    result = ClipGrids()
    segmenter, tracker = Segmenter(), Tracker()
    try:
        sign, count = find_sign(reader, record, spec, find_rendering(settings.rendering), segmenter, tracker)
    except ClipError as error:
        result.facts = {"error": f"{error.reason}; {error.way_out}"}
        return result
    result.track = tracker.track()
    light = float(np.mean([kept.mean() for kept in sign.kept]))
    result.facts = {
        "clip_s": round(reader.duration_s, 3), "frames": reader.frame_count, "signs": count,
        "start_s": round(sign.segment.start_s, 3), "end_s": round(sign.segment.end_s, 3), "light": round(light, 1),
        "motion": round(segmenter.peak_motion, 4), "warnings": list(reader.warnings),
        "doubts": list_doubts(record, sign, count, light, reader.duration_s),
    }  # fmt: skip
    for variant in range(settings.per_clip):
        operations = draw_operations([settings.seed, variant, *bytes.fromhex(sha256[:16])]) if variant else []
        grid = draw_variant(sign, spec, operations)
        note = describe_grid(name, record, variant, operations, grid.times_s)
        result.samples.append((encode_png(grid.image), json.dumps(note, ensure_ascii=False).encode()))
    return result


def find_sign(
    reader: VideoReader,
    record: ClipRecord,
    spec: GridSpec,
    rendering: Rendering,
    segmenter: Segmenter,
    tracker: Tracker,
) -> tuple[Sign, int]:
    """The sign of a clip, and how many were found: the one that the record marks, else the longest.

    Raises:
        ClipError: it cannot be read, or a clip that has a gloss shows no movement.
    """
    if record.start_s is not None or record.end_s is not None:
        start_s, end_s = record.start_s or 0.0, record.end_s or float("inf")
        return cut_window(reader, start_s, end_s, spec, tracker.watch_rendering(rendering), tracker), 1
    longest, count = None, 0
    for sign in cut_signs(tracker.watch(reader), spec, tracker.watch_rendering(rendering), segmenter):
        count += 1
        if longest is None or measure(sign.segment) > measure(longest.segment):
            longest = sign
    if longest is not None:
        return longest, count
    if record.gloss:
        raise ClipError(
            record.path,
            "no movement of a sign in it",
            "look at the clip; give start_s and end_s, or say is_none if nothing is signed",
        )
    return cut_window(reader, 0.0, WINDOW_S, spec, rendering), 0


def cut_window(
    reader: VideoReader,
    start_s: float,
    end_s: float,
    spec: GridSpec,
    rendering: Rendering,
    tracker: Tracker | None = None,
) -> Sign:
    """The sign between two moments that somebody marked.

    Raises:
        ClipError: no frame lies there.
    """
    times: list[float] = []
    kept: list[Image] = []
    last_s = 0.0
    for frame in tracker.watch(reader) if tracker else reader:
        last_s = frame.time_s
        if start_s - MARGIN_S <= last_s <= end_s + MARGIN_S:
            times.append(last_s)
            kept.append(rendering.keep(frame.image, spec.cell_size))
    if not times or start_s >= last_s > 0:
        raise ClipError(
            reader.path, f"it ends at {last_s:.2f} s, before start_s = {start_s:.2f}", "correct start_s and end_s"
        )
    return Sign(Segment(start_s, min(end_s, last_s)), np.array(times), kept, rendering)


def measure(segment: Segment) -> float:
    """Length in seconds."""
    return segment.end_s - segment.start_s


def list_doubts(record: ClipRecord, sign: Sign, count: int, light: float, clip_s: float) -> list[str]:
    """Why a person should look at this clip."""
    doubts = []
    if not record.gloss and not record.is_none:
        doubts.append("it has no gloss and is taken for a clip in which nothing is signed; say is_none if that is so")
    marked = record.start_s is not None or record.end_s is not None
    if record.gloss and count > 1:
        doubts.append(f"{count} signs in it; the longest was taken")
    if record.gloss and not marked and sign.segment.start_s <= 0.05:
        doubts.append("it begins within the sign")
    if record.gloss and not marked and sign.segment.end_s >= clip_s - 0.07:
        doubts.append("it ends within the sign")
    if light < DARK:
        doubts.append("very dark")
    if light > BRIGHT:
        doubts.append("very bright")
    if len(sign.times_s) < 9:
        doubts.append(f"only {len(sign.times_s)} frames of the sign")
    return doubts


def describe_grid(
    name: str, record: ClipRecord, variant: int, operations: list[Operation], times_s: tuple[float, ...]
) -> dict[str, Any]:
    """What stands beside a grid in its shard."""
    turned = any(isinstance(operation, Mirror) for operation in operations)
    return {
        "clip": name, "gloss": record.gloss, "system": record.system, "signer": record.signer, "variant": variant,
        "handedness": OTHER_HAND[record.handedness] if turned else record.handedness,
        "mirrored": record.mirrored != turned,
        "times_s": [round(t, 4) for t in times_s],
        "operations": list_operations(operations),
    }  # fmt: skip


def encode_png(image: Image) -> bytes:
    """HxWx3 uint8 RGB to PNG."""
    _, data = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), PNG)
    return data.tobytes()


def name_key(name: str) -> str:
    """A short name for files inside a shard: readable, unique, and without dots, at which readers of tars cut."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)
    return f"{plain[-60:]}-{hashlib.sha256(name.encode()).hexdigest()[:10]}"
