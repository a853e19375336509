"""Presentation times of a clip as seconds that start at zero and always advance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

# A step back beyond this is a recorder that began to count anew; frames out of order lie far closer together.
RESTART_S = 1.0
# A step ahead beyond this is either a long pause or one damaged timestamp; the frame after it tells which.
LEAP_S = 10.0


class Timed(Protocol):
    """What carries a timestamp in seconds, or none."""

    @property
    def time(self) -> float | None: ...


T = TypeVar("T", bound=Timed)


def read_time(frame: Timed) -> float | None:
    """Its timestamp; a damaged time base of 0/0 gives none."""
    return frame.time if frame.time is not None and math.isfinite(frame.time) else None


class Clock:
    """Turns the timestamps of decoded frames into times since the first frame.

    Arguments:
        frame_s: seconds a frame lasts, for frames that carry no timestamp.
    """

    def __init__(self, frame_s: float) -> None:
        self.frame_s = frame_s
        self.time_s: float | None = None  # of the last frame that counted
        self._origin_s = 0.0

    def time_frames(self, frames: Iterable[T]) -> Iterator[tuple[float, T]]:
        """Frames with their times, each at most one frame later than it came.

        Frames that bring no new moment are dropped, and those whose timestamp alone is far off.
        """
        odd: T | None = None
        for frame in frames:
            if odd is not None and self._is_nearer(read_time(frame), read_time(odd)):
                yield from self._count(odd)
            # Otherwise the time went on as if the odd frame had not been: its timestamp alone was damaged.
            odd = frame if self.is_odd(read_time(frame)) else None
            if odd is None:
                yield from self._count(frame)
        if odd is not None:
            yield from self._count(odd)

    def _is_nearer(self, time_s: float | None, odd_s: float | None) -> bool:
        """Whether a timestamp goes on from an odd one rather than from the last frame that counted."""
        if time_s is None or odd_s is None or self.time_s is None:
            return True
        return abs(time_s - odd_s) < abs(time_s - self._origin_s - self.time_s)

    def _count(self, frame: T) -> Iterator[tuple[float, T]]:
        time_s = self.read(read_time(frame))
        if time_s is not None:
            yield time_s, frame

    def is_odd(self, time_s: float | None) -> bool:
        """Whether a timestamp lies so far from the last one that the next has to confirm it."""
        if time_s is None or self.time_s is None:
            return False
        step_s = time_s - self._origin_s - self.time_s
        return not -RESTART_S <= step_s <= LEAP_S

    def read(self, time_s: float | None) -> float | None:
        """The time of the next frame in seconds, or None when it brings no new moment (duplicate, disorder).

        Arguments:
            time_s: timestamp as the container gives it, or None; then the clock goes on by `frame_s`.
        """
        if self.time_s is None:
            self._origin_s = time_s or 0.0
            self.time_s = 0.0
            return 0.0
        since_s = self.time_s + self.frame_s if time_s is None else time_s - self._origin_s
        if since_s < self.time_s - RESTART_S and time_s is not None:
            since_s = self.time_s + self.frame_s
            self._origin_s = time_s - since_s
        if since_s <= self.time_s:
            return None
        self.time_s = since_s
        return since_s
