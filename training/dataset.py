"""Training examples: signs drawn into motion grids with another camera, light, room and timing each time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ..data.augment import augment_cells
from ..data.grid_spec import GridSpec
from ..data.lexicon import NO_SIGN
from ..data.motion_grid import compose_grid, scale_pixels, select_frames
from ..data.pose.colours import colour_motion
from ..data.pose.signing_space import enter_signing_space
from ..data.pose.track import PoseTrack
from ..data.pose.variation import vary_motion
from ..data.video import Image
from .encode import encode_example
from .model.tokenizer import Tokenizer
from .recording import Recording, View
from .settings import TrainSettings
from .stranger import is_stranger

# (sign language, gloss); the language of BISINDO is "".
Answer = tuple[str, str]


class Dataset:
    """Batches of (picture, tokens), each fully determined by (seed, step), so that a resumed run sees the same data.

    Arguments:
        recordings: signs and `NO_SIGN` recordings.
        spec: geometry of the grids.
        tokenizer: of the answers.
        settings: prompt, text length, seed, and the shares of negatives and of the synthetic signer.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        spec: GridSpec,
        tokenizer: Tokenizer,
        settings: TrainSettings,
    ) -> None:
        self.spec, self.seed = spec, settings.seed
        self.negatives, self.synthetic = settings.negatives, settings.synthetic
        self.others, self.strangers = settings.others, settings.strangers
        self.by_gloss: dict[str, dict[str, list[Recording]]] = defaultdict(lambda: defaultdict(list))
        foreign: dict[Answer, list[Recording]] = defaultdict(list)
        for recording in recordings:
            if recording.language:
                foreign[recording.language, recording.gloss].append(recording)
            else:
                self.by_gloss[recording.gloss][recording.origin].append(recording)
        self.foreign = [foreign[answer] for answer in sorted(foreign)]
        self.idle = [r for group in self.by_gloss.pop(NO_SIGN, {}).values() for r in group]
        self.glosses = sorted(self.by_gloss)
        answers = [*(("", gloss) for gloss in (*self.glosses, NO_SIGN)), *sorted(foreign)]
        self.classes: dict[Answer, int] = {answer: i for i, answer in enumerate(answers)}
        self.encoded = {
            (language, gloss): encode_example(
                tokenizer, f"isyarat {language}" if language else settings.prompt, gloss, settings.text_length
            )
            for language, gloss in answers
        }

    def draw_batch(self, step: int, size: int) -> dict[str, NDArray[np.generic]]:
        """images BxSxSx3 float32, tokens BxT int32, prefix B int32, weights BxT float32, classes B int32."""
        rng = np.random.default_rng([self.seed, step])
        pictures, texts, classes = [], [], []
        for _ in range(size):
            answer, view = self.draw_example(rng)
            pictures.append(compose_grid(vary_view(view, self.spec.cell_size, rng), self.spec))
            texts.append(self.encoded[answer])
            classes.append(self.classes[answer])
        return {
            "images": scale_pixels(np.stack(pictures)),
            "tokens": np.stack([t.tokens_T for t in texts]),
            "prefix": np.array([t.prefix_length for t in texts], np.int32),
            "weights": np.stack([t.weights_T for t in texts]),
            "classes": np.array(classes, np.int32),
        }

    def draw_example(self, rng: np.random.Generator) -> tuple[Answer, View]:
        """A gloss (each equally often, whatever its number of clips) and the nine frames of a recording of it."""
        if self.foreign and rng.random() < self.others:
            group = self.foreign[rng.integers(len(self.foreign))]
            recording = group[rng.integers(len(group))]
            refused = is_stranger(recording.gloss, self.glosses) and rng.random() < self.strangers
            answer = ("", NO_SIGN) if refused else (recording.language, recording.gloss)
            return answer, draw_sign(recording, self.spec.frames, rng)
        gloss = self.glosses[rng.integers(len(self.glosses))]
        origins = self.by_gloss[gloss]
        synthetic = "synthetic" in origins and ("real" not in origins or rng.random() < self.synthetic)
        pool = origins["synthetic" if synthetic else "real"]
        recording = pool[rng.integers(len(pool))]
        if rng.random() < self.negatives:
            return ("", NO_SIGN), self.draw_idle(recording, rng)
        return ("", gloss), draw_sign(recording, self.spec.frames, rng)

    def draw_idle(self, recording: Recording, rng: np.random.Generator) -> View:
        """Nine cells without a sign: idling, the rest around a sign, or a face near the camera."""
        if self.idle and rng.random() < 0.6:
            idle = self.idle[rng.integers(len(self.idle))]
            if idle.moves and rng.random() < 0.75:
                move = idle.moves[rng.integers(len(idle.moves))]
                return draw_sign(replace(idle, segment=move), self.spec.frames, rng)
            start = rng.uniform(0, max(0.0, idle.times_s[-1] - 1))
            end = min(float(idle.times_s[-1]), start + rng.uniform(0.4, 8))
            return idle.view[select_frames(idle.times_s, start, end, self.spec.frames)]
        rest = draw_rest(recording, self.spec.frames, rng)
        # A pose is measured by the signer's own shoulders: a body that sways or comes near looks the same.
        return rest if isinstance(rest, PoseTrack) or rng.random() < 0.4 else sway(rest, rng)


def vary_view(view: View, size: int, rng: np.random.Generator) -> Image:
    """Cells of the frames as another signer, camera or room would have made them: FxSxSx3 uint8."""
    if isinstance(view, PoseTrack):
        return colour_motion(vary_motion(enter_signing_space(view), rng), size)
    return augment_cells(view, rng)


def draw_sign(recording: Recording, frames: int, rng: np.random.Generator) -> View:
    """Frames of the moving part, with the jitter of boundaries (0.13 s) and slots that other clips would have."""
    start = recording.segment.start_s + rng.uniform(-0.13, 0.13)
    end = max(start + 0.3, recording.segment.end_s + rng.uniform(-0.13, 0.13))
    chosen = select_frames(recording.times_s, start, end, frames) + rng.integers(-1, 2, frames)
    return recording.view[np.clip(np.sort(chosen), 0, len(recording.view) - 1)]


def draw_rest(recording: Recording, frames: int, rng: np.random.Generator) -> View:
    """Frames from before or after the sign; where there are none, its first or last frame."""
    still = (recording.times_s < recording.segment.start_s) | (recording.times_s > recording.segment.end_s)
    still[[0, -1]] = True
    chosen = np.sort(rng.choice(np.flatnonzero(still), frames))
    if rng.random() < 0.5:  # one side only: before and after differ in posture
        chosen[:] = chosen[rng.integers(frames)]
    return recording.view[chosen]


def sway(cells: Image, rng: np.random.Generator) -> Image:
    """Moves and scales the picture smoothly over the cells, often close up: a head that talks, a body that shifts."""
    count, size = len(cells), cells.shape[1]
    phase, turns = rng.uniform(0, 2 * np.pi, 4), rng.uniform(0.3, 2.5, 4)
    waves = np.sin(phase + np.linspace(0, 1, count)[:, None] * 2 * np.pi * turns)  # Fx4: x, y, zoom, rotation
    near = rng.uniform(1.0, 3.2)
    centre = np.array([size / 2, size * rng.uniform(0.2, 0.5)])
    reach = rng.uniform(0, 1, 4) * (0.06 * size * near, 0.04 * size * near, 0.08, 8)
    moved = []
    for cell, wave in zip(cells, waves * reach, strict=True):
        matrix = cv2.getRotationMatrix2D((float(centre[0]), float(centre[1])), wave[3], near * (1 + wave[2]))
        matrix[:, 2] += size / 2 - centre + wave[:2]
        moved.append(
            cv2.warpAffine(cell, matrix, (size, size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        )
    return np.stack(moved).astype(np.uint8, copy=False)
