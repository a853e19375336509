"""Presentation times of a clip as seconds that start at zero and always advance."""

from __future__ import annotations

# A step back beyond this is a recorder that began to count anew; frames out of order lie far closer together.
RESTART_S = 1.0


class Clock:
    """Turns the timestamps of decoded frames into times since the first frame.

    Arguments:
        frame_s: seconds a frame lasts, for frames that carry no timestamp.
    """

    def __init__(self, frame_s: float) -> None:
        self.frame_s = frame_s
        self.time_s: float | None = None  # of the last frame that counted
        self._origin_s = 0.0

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
