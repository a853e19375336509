"""Causal segmentation of signs from movement: each frame is looked at once, memory is bounded.

Two measures of a 32x32 grey thumbnail with its brightness taken out: *motion*, the share of pixels that changed within
a tenth of a second, and *distance*, the share that differs from the resting picture. A sign begins with motion and
ends when the hands are back at rest; a hand held still far from rest keeps the sign open, so a held sign counts once.
Hands that only touch the rest on their way to the next sign end it too: the distance shows a valley there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from .video import Image

Thumbnail = NDArray[np.float32]
THUMBNAIL_SIZE = 32


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """Thresholds; measured on 206 clips of two signers and on the synthetic signer. Times in seconds.

    Attributes:
        lag_s: motion compares with the frame this long ago, so that it means the same at 15 and at 60 fps.
        motion_level, distance_level: grey levels (of 255, mean 110) by which a pixel must change to count; above the
            noise of a phone camera after averaging.
        quiet: share of moving pixels below which the picture counts as still.
        start: share of moving pixels that opens a sign: a forearm, not a blink.
        near_rest: share of differing pixels, and near_rest_of_peak of the sign's largest, below which hands are down.
        least_distance: a sign must reach this share, else it was fidgeting.
        new_rest_of_peak: a still posture below this share of the sign's largest distance is rest in a new posture
            (the signer has shifted); above it the sign is being held.
        settle_s: stillness at rest that closes a sign.
        hold_s: stillness away from rest that closes a sign (it is being held).
        valley_of_peak: share of the sign's largest distance below which the hands have been back at rest, though they
            did not stay; inside the 206 signs it falls to 0.25 at the least.
        least_cut: share of differing pixels that both the sign before and the movement after such a valley must reach;
            below it, the valley is one of swaying or breathing.
        least_cut_s: length of a sign that such a valley may end; raising and lowering a hand alone takes longer.
        return_s: a movement from a held pose back to rest within this time is the end of the held sign, not a new one.
        adopt_s: stillness after which a new posture becomes the resting picture.
        jump_s: a change that is over within this time, with stillness around it, is a cut of the film: no body moves
            so fast.
        jump_level: share of pixels that must change from one frame to the next for a cut in the middle of a sign.
        least_s, most_s: length of a sign.
    """

    lag_s: float = 0.1
    motion_level: float = 10.0
    distance_level: float = 14.0
    quiet: float = 0.008
    start: float = 0.016
    near_rest: float = 0.02
    near_rest_of_peak: float = 0.3
    new_rest_of_peak: float = 0.4
    least_distance: float = 0.025
    settle_s: float = 0.25
    valley_of_peak: float = 0.2
    least_cut: float = 0.05
    least_cut_s: float = 0.6
    hold_s: float = 1.3
    return_s: float = 1.4
    adopt_s: float = 6.0
    jump_s: float = 0.12
    jump_level: float = 0.05
    least_s: float = 0.4
    most_s: float = 8.0


@dataclass(frozen=True, slots=True)
class Segment:
    """The moving part of one sign, in seconds of presentation time."""

    start_s: float
    end_s: float


class State(Enum):
    """What the signer is doing."""

    IDLE = "idle"
    SIGNING = "signing"
    HELD = "held"  # the sign was emitted, the hand still is where it ended


class Segmenter:
    """Push frames in the order of time; closed segments come back at most `settle_s` or `hold_s` later.

    A caller that keeps only the frames from `keep_from_s` on needs bounded memory.
    """

    def __init__(self, settings: SegmenterSettings | None = None) -> None:
        self.settings = settings or SegmenterSettings()
        self.state = State.IDLE
        self.motion = 0.0
        self.distance = 0.0
        self._step = 0.0  # share of pixels changed since the frame before
        self.peak_motion = 0.0  # of the whole clip: says whether anything moved at all
        self._recent: deque[tuple[float, Thumbnail]] = deque()
        self._rest: Thumbnail | None = None
        self._from_hold = False
        self._start_s = self._last_moving_s = self._quiet_s = self._time_s = self._held_s = 0.0
        self._peak = 0.0
        self._burst_s = self._before_burst_s = 0.0  # start of the latest movement, end of the one before it
        self._jump = 0.0  # largest share of pixels changed between two frames in that movement
        self._low: tuple[float, float] | None = None  # lowest distance since the hands came back, and its time

    @property
    def keep_from_s(self) -> float:
        """Frames from this time on may belong to a segment that is still to come."""
        return self._start_s if self.state is State.SIGNING else self._quiet_s

    def push(self, image: Image, time_s: float) -> list[Segment]:
        """Takes one frame (HxWx3 uint8 RGB); returns the segments that it closes (none or one)."""
        thumbnail = shrink(image)
        self._measure(thumbnail, time_s)
        step_s, self._time_s = time_s - self._time_s, time_s
        if self.motion >= self.settings.quiet:
            self._follow_burst(time_s)
        if self._has_jumped(step_s):
            return self._restart(thumbnail)
        if self.state is State.SIGNING:
            return self._continue_sign(thumbnail)
        if self.state is State.HELD and self._has_settled():
            if self._is_near_rest():
                self.state = State.IDLE
            elif time_s - self._held_s > self.settings.adopt_s:
                self._rest, self.state = thumbnail.copy(), State.IDLE
        if self.motion >= self.settings.start:
            self._open_sign()
        elif self.motion < self.settings.quiet:
            self._quiet_s = time_s
            if self.state is State.IDLE and self._rest is not None:
                # The resting picture follows light and posture slowly (time constant half a second).
                self._rest += (thumbnail - self._rest) * min(1.0, step_s / 0.5)
        return []

    def flush(self) -> list[Segment]:
        """Closes the segment in progress at the end of the clip."""
        if self.state is not State.SIGNING:
            return []
        return self._close(self._last_moving_s, State.IDLE)

    def _measure(self, thumbnail: Thumbnail, time_s: float) -> None:
        s = self.settings
        if self._rest is None:
            self._rest = thumbnail.copy()
        # Keep the newest frame that is at least `lag_s` old (or the one before, at low rates), and all after it.
        while len(self._recent) > 1 and time_s - self._recent[1][0] >= s.lag_s:
            self._recent.popleft()
        reference = self._recent[0][1] if self._recent else thumbnail
        previous = self._recent[-1][1] if self._recent else thumbnail
        self._step = float(np.mean(np.abs(thumbnail - previous) > s.motion_level))
        self._recent.append((time_s, thumbnail))
        self.motion = float(np.mean(np.abs(thumbnail - reference) > s.motion_level))
        self.distance = float(np.mean(np.abs(thumbnail - self._rest) > s.distance_level))
        self.peak_motion = max(self.peak_motion, self.motion)

    def _follow_burst(self, time_s: float) -> None:
        """Notes when the movement in progress began."""
        if time_s - self._last_moving_s > 2 * self.settings.lag_s:
            self._burst_s, self._before_burst_s, self._jump = time_s, self._last_moving_s, 0.0
        self._jump = max(self._jump, self._step)
        self._last_moving_s = time_s

    def _has_jumped(self, step_s: float) -> bool:
        """Whether the latest movement was a cut of the film (told only where frames come fast enough to tell)."""
        s = self.settings
        if self.state is State.IDLE or step_s > 0.75 * s.lag_s or not self._has_settled():
            return False
        alone = self._before_burst_s <= self._start_s or self.state is State.HELD
        return self._last_moving_s - self._burst_s <= s.jump_s and (alone or self._jump >= s.jump_level)

    def _restart(self, thumbnail: Thumbnail) -> list[Segment]:
        """After a cut: what was signed before it ends there, and what is seen now is rest."""
        closed = []
        if self.state is State.SIGNING and self._before_burst_s > self._start_s:
            closed = self._close(self._before_burst_s, State.IDLE)
        self.state, self._rest, self._quiet_s = State.IDLE, thumbnail.copy(), self._time_s
        return closed

    def _open_sign(self) -> None:
        self._from_hold = self.state is State.HELD
        self.state, self._peak, self._low = State.SIGNING, self.distance, None
        self._start_s = self._quiet_s

    def _continue_sign(self, thumbnail: Thumbnail) -> list[Segment]:
        s = self.settings
        self._peak = max(self._peak, self.distance)
        if self._has_left_valley():
            return self._cut()
        if self._has_settled() and self._is_near_rest():
            return self._close(self._last_moving_s, State.IDLE)
        if self._time_s - self._last_moving_s >= s.hold_s:
            if self.distance < s.new_rest_of_peak * self._peak:
                self._rest = thumbnail.copy()
                return self._close(self._last_moving_s, State.IDLE)
            return self._close(self._last_moving_s, State.HELD)
        if self._time_s - self._start_s >= s.most_s:
            return self._close(self._time_s, State.HELD)
        return []

    def _has_left_valley(self) -> bool:
        """Whether the hands were back at rest for a moment and are on their way again."""
        s = self.settings
        if self._low is None and self.distance > s.valley_of_peak * self._peak:
            return False
        if self._low is None or self.distance <= self._low[0]:
            self._low = self.distance, self._time_s
        return self.distance > max(self._low[0] / s.valley_of_peak, s.least_cut)

    def _cut(self) -> list[Segment]:
        """Ends the sign at the bottom of the valley, where the next one begins."""
        assert self._low is not None
        start_s, self._low = self._low[1], None
        was_sign = self._peak >= self.settings.least_cut
        if was_sign and start_s - self._start_s < self.settings.least_cut_s:
            return []
        closed = self._close(start_s, State.IDLE) if was_sign else []
        self.state, self._start_s, self._peak = State.SIGNING, start_s, self.distance
        self._from_hold = False
        return closed

    def _close(self, end_s: float, state: State) -> list[Segment]:
        s = self.settings
        length_s = end_s - self._start_s
        lowered = self._from_hold and state is State.IDLE and length_s <= s.return_s
        self.state = state
        self._held_s = self._quiet_s = self._time_s
        if lowered or length_s < s.least_s or self._peak < s.least_distance:
            return []
        return [Segment(self._start_s, end_s)]

    def _has_settled(self) -> bool:
        return self._time_s - self._last_moving_s >= self.settings.settle_s

    def _is_near_rest(self) -> bool:
        s = self.settings
        return self.distance < max(s.near_rest, s.near_rest_of_peak * self._peak)


def shrink(image: Image) -> Thumbnail:
    """The centre square as a 32x32 grey thumbnail whose mean is 110, so that exposure steps are no movement."""
    height, width = image.shape[:2]
    side = min(height, width)
    y, x = (height - side) // 2, (width - side) // 2
    size = (THUMBNAIL_SIZE, THUMBNAIL_SIZE)
    small = cv2.resize(image[y : y + side, x : x + side], size, interpolation=cv2.INTER_AREA)
    grey = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32), (3, 3), 0)
    # The gain is capped: a black picture must not have its noise blown up into movement.
    gain = min(110.0 / max(float(grey.mean()), 1.0), 4.0)
    return np.asarray(grey * np.float32(gain), np.float32)
