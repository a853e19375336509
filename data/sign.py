"""From a stream of frames to one motion grid a sign: the single way in for training, evaluation and serving."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .grid_spec import GridSpec
from .motion_grid import MotionGrid, compose_grid, select_frames
from .rendering import Rendering
from .segment import Segment, Segmenter
from .video import Frame, Image

# Frames kept before and after a sign, in seconds: room for time jitter in training.
MARGIN_S = 0.25

# Most frames that are kept; of a movement that goes on for longer every second one is dropped, as often as needed, so
# that memory has a bound (the longest sign we know, 4.1 s, has 123 frames at 30 a second).
MOST_KEPT = 192


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign of a clip.

    Attributes:
        segment: its moving part.
        times_s: N presentation times, from `MARGIN_S` before the segment to `MARGIN_S` after it.
        kept: N pictures, HxWx3 uint8 RGB: what the rendering keeps of the frame of each time.
        rendering: that draws them.
    """

    segment: Segment
    times_s: NDArray[np.float64]
    kept: Sequence[Image]
    rendering: Rendering

    def choose_frames(self, spec: GridSpec) -> NDArray[np.intp]:
        """Indices of the frames of the motion grid: spread evenly in time over the moving part."""
        return select_frames(self.times_s, self.segment.start_s, self.segment.end_s, spec.frames)

    def draw_cells(self, chosen: NDArray[np.intp], size: int) -> Image:
        """len(chosen) x S x S x 3 uint8 RGB: the cells of the chosen frames."""
        return self.rendering.draw([self.kept[i] for i in chosen], size)

    def draw_grid(self, spec: GridSpec) -> MotionGrid:
        """The motion grid."""
        chosen = self.choose_frames(spec)
        times_s = tuple(float(t) for t in self.times_s[chosen])
        cells = self.draw_cells(chosen, spec.cell_size)
        return MotionGrid(compose_grid(cells, spec), spec, times_s, self.rendering.is_empty(cells))


def cut_signs(
    frames: Iterable[Frame], spec: GridSpec, rendering: Rendering, segmenter: Segmenter | None = None
) -> Iterator[Sign]:
    """Yields every sign as soon as it has ended; looks at each frame once and keeps one sign at most.

    Arguments:
        frames: upright frames in the order of time.
        spec: geometry; its cell size is the size that frames are rendered at.
        rendering: what is drawn into a cell.
        segmenter: give one to read its state (peak motion, open segment) while or after the frames pass.
    """
    segmenter = segmenter or Segmenter()
    kept: deque[tuple[float, Image]] = deque()
    gap_s = 0.0  # least time between kept frames
    for frame in frames:
        if not kept or frame.time_s - kept[-1][0] > gap_s:
            kept.append((frame.time_s, rendering.keep(frame.image, spec.cell_size)))
        for segment in segmenter.push(frame.image, frame.time_s):
            yield gather(segment, kept, rendering)
            gap_s = 0.0
        drop_old(kept, segmenter.keep_from_s - MARGIN_S)
        if len(kept) >= MOST_KEPT:
            kept = deque(list(kept)[::2])
            gap_s = 0.75 * (kept[-1][0] - kept[0][0]) / (len(kept) - 1)
    for segment in segmenter.flush():
        yield gather(segment, kept, rendering)


def gather(segment: Segment, kept: Iterable[tuple[float, Image]], rendering: Rendering) -> Sign:
    """Builds the sign from the kept frames around its segment."""
    first, last = segment.start_s - MARGIN_S, segment.end_s + MARGIN_S
    chosen = [(time_s, picture) for time_s, picture in kept if first <= time_s <= last]
    return Sign(segment, np.array([time_s for time_s, _ in chosen]), [picture for _, picture in chosen], rendering)


def drop_old(kept: deque[tuple[float, Image]], from_s: float) -> None:
    """Drops frames from before `from_s`."""
    while kept and kept[0][0] < from_s:
        kept.popleft()
