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
from ..data.clip_file import check_file
from ..data.errors import ClipError, IsyaratError
from ..data.grid_spec import GridSpec
from ..data.lexicon import NO_SIGN
from ..data.motion_grid import select_frames
from ..data.pose.colours import colour_motion
from ..data.pose.pose import Pose
from ..data.pose.signing_space import enter_signing_space
from ..data.pose.track import PoseTrack, stack_poses
from ..data.rendering import Rendering, find_rendering, start_tracker
from ..data.segment import Segment, Segmenter
from ..data.split import hash_file
from ..data.video import Frame, Image, VideoReader
from .recording_cache import RecordingCache

# Frames a second of the synthetic signer in training: nine are drawn from a sign, more only cost time and memory.
SYNTHETIC_FPS = 15.0

# Poses a second that are looked for in real clips: a slot then misses its moment by 33 ms at most.
POSE_FPS = 15.0

# Cells of a motion grid.
GRID_FRAMES = GridSpec().frames

# What the model is shown of a clip's frames.
View = Image | PoseTrack

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
        view: what the model is shown of every frame: NxCxCx3 uint8 RGB cells, or the track of poses.
        segment: the moving part, as the segmenter finds it; for `NO_SIGN` the whole clip.
        origin: "real" or "synthetic".
        moves: of a `NO_SIGN` recording the movements that the segmenter takes for signs, as it would in use.
        language: of a sign that is not BISINDO, its sign language; it is asked for by a prompt of its own.
    """

    gloss: str
    times_s: NDArray[np.float64]
    view: View
    segment: Segment
    origin: str = "real"
    moves: tuple[Segment, ...] = ()
    language: str = ""

    def draw_cells(self, size: int) -> Image:
        """The cells of its motion grid, as `Sign.draw_grid` would draw them."""
        chosen = select_frames(self.times_s, self.segment.start_s, self.segment.end_s, GRID_FRAMES)
        view = self.view[chosen]
        return colour_motion(enter_signing_space(view), size) if isinstance(view, PoseTrack) else view


def record_frames(
    frames: Iterable[Frame], gloss: str, spec: GridSpec, rendering: str, origin: str = "real", language: str = ""
) -> Recording | None:
    """Views all frames and finds the sign: of several segments the longest; None when nothing moves."""
    segmenter, segments = Segmenter(), []
    watcher = Watcher(find_rendering(rendering), spec.cell_size)
    for frame in frames:
        watcher.watch(frame)
        segments += segmenter.push(frame.image, frame.time_s)
    segments += segmenter.flush()
    times_s = np.array(watcher.times_s)
    if gloss == NO_SIGN:
        whole = Segment(float(times_s[0]), float(times_s[-1]))
        return Recording(gloss, times_s, watcher.view(), whole, origin, tuple(segments))
    if not segments:
        return None
    longest = max(segments, key=lambda s: s.end_s - s.start_s)
    return Recording(gloss, times_s, watcher.view(), longest, origin, language=language)


class Watcher:
    """Collects what the model is shown of the frames of a clip.

    Arguments:
        rendering: that the model is trained for.
        cell_size: side of a cell in pixels.
    """

    def __init__(self, rendering: Rendering, cell_size: int) -> None:
        self.rendering, self.cell_size = rendering, cell_size
        self.times_s: list[float] = []
        self._cells: list[Image] = []
        self._poses: list[Pose | None] = []
        self._tracker = start_tracker() if rendering.name == "pose" else None

    def watch(self, frame: Frame) -> None:
        """Takes a frame in; of poses `POSE_FPS` a second are enough."""
        if self._tracker is None:
            self._cells.append(self.rendering.keep(frame.image, self.cell_size))
        elif not self.times_s or frame.time_s - self.times_s[-1] > 0.9 / POSE_FPS:
            self._poses.append(self._tracker.estimate(self.rendering.keep(frame.image, self.cell_size)))
        else:
            return
        self.times_s.append(frame.time_s)

    def view(self) -> View:
        """What was seen."""
        return stack_poses(self._poses) if self._tracker else np.stack(self._cells)


def record_clip(
    clip: ClipRecord, spec: GridSpec, rendering: str, cache: RecordingCache | None = None
) -> Recording | None:
    """Decodes a clip of one sign; None when the segmenter finds no movement in it.

    Raises:
        IsyaratError: it cannot be read.
    """
    language = name_language(clip)

    def make(clip: ClipRecord) -> Recording | None:
        return record_frames(VideoReader(clip.path), clip.gloss, spec, rendering, language=language)

    try:
        if cache is None:
            return make(clip)
        check_file(clip.path)
        return cache.find(f"{hash_file(clip.path)} {clip.gloss} {language}", clip, make)
    except ClipError as error:
        # Of one argument, so that it can be handed from one process to another.
        raise IsyaratError(str(error)) from None


def name_language(clip: ClipRecord) -> str:
    """The sign language of a clip; none for BISINDO. Related languages, whose signs are alike, share a `family`."""
    extra = clip.model_extra or {}
    return str(extra.get("family") or extra.get("language") or "").lower()


def record_clips(
    clips: Sequence[ClipRecord],
    spec: GridSpec,
    rendering: str,
    cache: RecordingCache | None = None,
    name: str = "decode",
) -> list[Recording | None]:
    """`record_clip` for many, side by side, with a progress bar; in the order given."""
    return run_all(partial(record_clip, spec=spec, rendering=rendering, cache=cache), clips, name)


def record_performance(
    job: tuple[str, int], spec: GridSpec, rendering: str, cache: RecordingCache | None = None
) -> Recording | None:
    """`perform_job`, kept in the cache if there is one."""
    make = partial(perform_job, spec=spec, rendering=rendering)
    return make(job) if cache is None else cache.find(f"synthetic {job}", job, make)


def perform_job(job: tuple[str, int], spec: GridSpec, rendering: str) -> Recording | None:
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
    glosses: Sequence[str],
    each: int,
    seed: int,
    spec: GridSpec,
    rendering: str,
    cache: RecordingCache | None = None,
) -> list[Recording]:
    """`each` performances of every gloss that the synthetic signer knows, and ten times as many without a sign."""
    if not each:
        return []
    known = [gloss for gloss in glosses if gloss in synthetic.GLOSSES]
    jobs = [(g, seed + i) for g in known for i in range(each)] + [(NO_SIGN, seed + i) for i in range(10 * each)]
    found = run_all(partial(record_performance, spec=spec, rendering=rendering, cache=cache), jobs, "synthetic signer")
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
