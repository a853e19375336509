"""Bodies of requests: forms with a clip, a motion grid, or frames. Names and types that clients state are not used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TypeVar

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from .channel import Message
from .gate import BodyRefused
from .limits import DecodeLimits
from .problem import ProblemError
from .sniff import HEAD_BYTES, is_video, read_jpeg_size, read_png_size

T = TypeVar("T")

# A form holds one clip, or one grid, or frames (120 s at 30 a second), and a few short texts.
MOST_FRAMES = 3600
MOST_FIELDS = 16
MOST_TEXT = 256 * 1024


@asynccontextmanager
async def read_form(request: Request) -> AsyncIterator[FormData]:
    """The form of a request; its temporary files, which have no name on the disk, are gone afterwards.

    Raises:
        ProblemError: it is no form, or there is no space for it.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError("invalid-request", "The body must be multipart/form-data.")
    try:
        form = await request.form(max_files=MOST_FRAMES, max_fields=MOST_FIELDS, max_part_size=MOST_TEXT)
    except BodyRefused:
        raise
    except HTTPException as error:
        raise ProblemError("invalid-request", f"The form cannot be read: {error.detail}") from None
    except ClientDisconnect:
        raise
    except OSError:
        raise ProblemError("disk-full", "The upload could not be written to the disk.", retry_after_s=30) from None
    try:
        yield form
    finally:
        await form.close()


def read_files(form: FormData, name: str) -> list[UploadFile]:
    """The files of a field.

    Raises:
        ProblemError: it holds a text.
    """
    values = form.getlist(name)
    files = [value for value in values if isinstance(value, UploadFile)]
    if len(files) != len(values):
        raise ProblemError("invalid-request", f"The field {name} must be a file.")
    return files


def read_text(form: FormData, name: str, *, longest: int = 50) -> str | None:
    """The text of a field, or None when it is not given.

    Raises:
        ProblemError: given twice, as a file, or too long.
    """
    values = form.getlist(name)
    if not values:
        return None
    if len(values) > 1 or not isinstance(values[0], str) or len(values[0]) > longest:
        raise ProblemError("invalid-request", f"The field {name} must be one text of at most {longest} characters.")
    return values[0] or None


def read_times(form: FormData, count: int) -> list[float]:
    """The field times_s: as many increasing seconds as there are frames.

    Raises:
        ProblemError: it is something else.
    """
    text = read_text(form, "times_s", longest=MOST_TEXT) or ""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(
        isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v <= 86_400 for v in values
    ):
        raise ProblemError("invalid-request", "The field times_s must be a JSON list of seconds, like [0, 0.04].")
    if len(values) != count:
        raise ProblemError("invalid-request", f"There are {count} frames, but {len(values)} times in times_s.")
    if any(b <= a for a, b in pairwise(values)):
        raise ProblemError("invalid-request", "The times in times_s must increase from frame to frame.")
    return [float(v) for v in values]


def read_seconds(form: FormData, name: str) -> float:
    """Seconds in a field; 0 when it is not given.

    Raises:
        ProblemError: it is no number of seconds within a day.
    """
    text = read_text(form, name)
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:
        raise ProblemError("invalid-request", f"The field {name} must be seconds between 0 and 86400.")
    return value


async def read_clip(upload: UploadFile) -> int:
    """The open file of an uploaded clip.

    Raises:
        ProblemError: its first bytes are not those of a video, or it cannot be written to the disk.
    """
    head = await upload.read(HEAD_BYTES)
    if not head:
        raise ProblemError("clip-unreadable", "The clip is empty (0 bytes); record or copy it again.")
    if not is_video(head):
        raise ProblemError("unsupported-media", "The first bytes of the upload are not those of a video.")
    spool = upload.file
    try:
        await asyncio.to_thread(spool.rollover)  # type: ignore[attr-defined]
        await asyncio.to_thread(spool.flush)
    except OSError:
        raise ProblemError("disk-full", "The upload could not be written to the disk.", retry_after_s=30) from None
    return spool.fileno()


async def read_grid(upload: UploadFile, size: int) -> bytes:
    """A motion grid.

    Arguments:
        size: side in pixels that the bundle reads.

    Raises:
        ProblemError: it is no PNG of that size.
    """
    data = await upload.read()
    check_grid(data, size)
    return data


def check_grid(data: bytes, size: int) -> None:
    """Raises ProblemError when `data` does not claim to be a PNG of that size; the claim bounds what decoding costs."""
    found = read_png_size(data)
    if found is None:
        raise ProblemError("picture-unreadable", "The motion grid is no PNG.")
    if (found.width, found.height) != (size, size):
        raise ProblemError(
            "grid-unfit", f"The grid has {found.width} x {found.height} pixels; the bundle reads {size} x {size}."
        )


def check_frame(data: bytes, limits: DecodeLimits, which: str) -> None:
    """Raises ProblemError when `data` does not claim to be a JPEG within the limits."""
    size = read_jpeg_size(data)
    if size is None or size.pixels == 0:
        raise ProblemError("picture-unreadable", f"{which} is no JPEG.")
    if size.pixels > limits.max_pixels:
        raise ProblemError("clip-too-fine", f"{which} has {size.width} x {size.height} pixels.")


async def read_job(form: FormData, identifier: str, limits: DecodeLimits, grid_size: int) -> Message:
    """The job that a form asks for: of exactly one of the fields video, grid, frames.

    Raises:
        ProblemError: none or several, or one that does not fit.
    """
    videos, grids, frames = (read_files(form, name) for name in ("video", "grid", "frames"))
    fields = {"id": identifier, "bundle": read_text(form, "bundle"), "variety": read_text(form, "variety")}
    if (len(videos), len(grids), len(frames)) == (1, 0, 0):
        return Message(fields | {"kind": "clip"}, file=await read_clip(videos[0]))
    if (len(videos), len(grids), len(frames)) == (0, 1, 0):
        start_s, end_s = read_seconds(form, "start_s"), read_seconds(form, "end_s")
        times = {"start_s": start_s, "end_s": end_s}
        return Message(fields | times | {"kind": "grid"}, [await read_grid(grids[0], grid_size)])
    if frames and not videos and not grids:
        times_s = read_times(form, len(frames))
        blobs = [await frame.read() for frame in frames]
        for number, data in enumerate(blobs, start=1):
            check_frame(data, limits, f"Frame {number}")
        return Message(fields | {"kind": "frames", "times_s": times_s}, blobs)
    raise ProblemError("invalid-request", "The form must hold one video, or one grid, or frames with times_s.")


async def run_while_connected(request: Request, work: Awaitable[T]) -> T:
    """The result of `work`, which is cancelled when the client leaves.

    Raises:
        ClientDisconnect: it left.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(wait_for_leave(request))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        for waiting in (task, leaving):
            waiting.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)


async def wait_for_leave(request: Request) -> None:
    """Returns when the client has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
