"""Clips and performances of the synthetic signer, held in memory as rendered frames with the sign found in them."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ..data import synthetic
from ..data.clip import ClipRecord
from ..data.errors import ClipError, IsyaratError
from ..data.grid_spec import GridSpec
from ..data.lexicon import NO_SIGN
from ..data.rendering import find_rendering
from ..data.segment import Segment, Segmenter
from ..data.sign import Sign, gather
from ..data.video import Frame, Image, VideoReader

# Frames a second of the synthetic signer in training: nine are drawn from a sign, more only cost time and memory.
SYNTHETIC_FPS = 15.0

# What the synthetic signer does instead of signing; what looks most like signs comes most often.
IDLING = ("fidget", "talk", "sway", "fidget", "still", "fidget", "talk", "sway", "fidget", "empty")

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Recording:
    """A clip in memory.

    Attributes:
        gloss: its sign, or `NO_SIGN`.
        times_s: N presentation times.
        cells: NxCxCx3 uint8 RGB, every frame rendered.
        segment: the moving part, as the segmenter finds it; for `NO_SIGN` the whole clip.
        origin: "real" or "synthetic".
        moves: of a `NO_SIGN` recording the movements that the segmenter takes for signs, as it would in use.
    """

    gloss: str
    times_s: NDArray[np.float64]
    cells: Image
    segment: Segment
    origin: str = "real"
    moves: tuple[Segment, ...] = ()

    def segment_sign(self) -> Sign:
        """The recording as the sign that `cut_signs` would yield for it."""
        return gather(self.segment, zip(self.times_s, self.cells, strict=True))


def record_frames(
    frames: Iterable[Frame], gloss: str, spec: GridSpec, rendering: str, origin: str = "real"
) -> Recording | None:
    """Renders all frames and finds the sign: of several segments the longest; None when nothing moves."""
    render = find_rendering(rendering)
    segmenter, segments = Segmenter(), []
    times, cells = [], []
    for frame in frames:
        times.append(frame.time_s)
        cells.append(render(frame.image, spec.cell_size))
        segments += segmenter.push(frame.image, frame.time_s)
    segments += segmenter.flush()
    if gloss == NO_SIGN:
        whole = Segment(times[0], times[-1])
        return Recording(gloss, np.array(times), np.stack(cells), whole, origin, tuple(segments))
    if not segments:
        return None
    longest = max(segments, key=lambda s: s.end_s - s.start_s)
    return Recording(gloss, np.array(times), np.stack(cells), longest, origin)


def record_clip(clip: ClipRecord, spec: GridSpec, rendering: str) -> Recording | None:
    """Decodes a clip of one sign; None when the segmenter finds no movement in it.

    Raises:
        IsyaratError: it cannot be read.
    """
    try:
        return record_frames(VideoReader(clip.path), clip.gloss, spec, rendering)
    except ClipError as error:
        # Of one argument, so that it can be handed from one process to another.
        raise IsyaratError(str(error)) from None


def record_clips(clips: Sequence[ClipRecord], spec: GridSpec, rendering: str) -> list[Recording | None]:
    """`record_clip` for many, side by side, with a progress bar; in the order given."""
    return run_all(partial(record_clip, spec=spec, rendering=rendering), clips, "decode")


def record_performance(job: tuple[str, int], spec: GridSpec, rendering: str) -> Recording | None:
    """One performance of the synthetic signer: (gloss, seed); for `NO_SIGN` it idles, talks or leaves the room."""
    gloss, seed = job
    rng = np.random.default_rng([seed, *gloss.encode()])
    behaviour = IDLING[seed % len(IDLING)]
    look = synthetic.random_look(rng)
    near = gloss == NO_SIGN and (behaviour == "talk" or rng.random() < 0.25)  # video calls show a face, no hands
    scene, style = synthetic.random_scene(rng, close_up=near), synthetic.random_style(rng)
    if rng.random() < 0.15:  # the standard signer, whom demos and tests show
        look, scene = synthetic.Look(), synthetic.Scene()
    scene = dataclasses.replace(scene, fps=SYNTHETIC_FPS)
    if gloss == NO_SIGN:
        show = synthetic.idle(8.0, behaviour=behaviour, look=look, scene=scene, seed=seed)
    else:
        show = synthetic.perform([gloss], look=look, scene=scene, style=style, rest_s=0.4, seed=seed)
    frames = (Frame(time_s, image) for time_s, image in show.frames())
    return record_frames(frames, gloss, spec, rendering, origin="synthetic")


def record_performances(
    glosses: Sequence[str], each: int, seed: int, spec: GridSpec, rendering: str
) -> list[Recording]:
    """`each` performances of every gloss that the synthetic signer knows, and ten times as many without a sign."""
    if not each:
        return []
    known = [gloss for gloss in glosses if gloss in synthetic.GLOSSES]
    jobs = [(g, seed + i) for g in known for i in range(each)] + [(NO_SIGN, seed + i) for i in range(10 * each)]
    found = run_all(partial(record_performance, spec=spec, rendering=rendering), jobs, "synthetic signer")
    return [recording for recording in found if recording is not None]


def run_all(function: Callable[[Job], Result], jobs: Sequence[Job], name: str) -> list[Result]:
    """Maps over the jobs in as many processes as there are cores, with a progress bar."""
    return list(tqdm(iterate_results(function, jobs), total=len(jobs), desc=name, unit="clip", disable=None))


def iterate_results(function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the jobs."""
    workers = min(os.cpu_count() or 1, len(jobs))
    if workers < 2:
        yield from map(function, jobs)
        return
    # Spawned, not forked: the threads of JAX and of the decoder do not survive a fork.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, jobs, chunksize=4)
