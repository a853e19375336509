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
from ..data.video import Image
from .encode import encode_example
from .model.tokenizer import Tokenizer
from .recording import Recording
from .settings import TrainSettings


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
        self.by_gloss: dict[str, dict[str, list[Recording]]] = defaultdict(lambda: defaultdict(list))
        for recording in recordings:
            self.by_gloss[recording.gloss][recording.origin].append(recording)
        self.idle = [r for group in self.by_gloss.pop(NO_SIGN, {}).values() for r in group]
        self.glosses = sorted(self.by_gloss)
        self.classes = {gloss: i for i, gloss in enumerate([*self.glosses, NO_SIGN])}
        self.encoded = {g: encode_example(tokenizer, settings.prompt, g, settings.text_length) for g in self.classes}

    def draw_batch(self, step: int, size: int) -> dict[str, NDArray[np.generic]]:
        """images BxSxSx3 float32, tokens BxT int32, prefix B int32, weights BxT float32, classes B int32."""
        rng = np.random.default_rng([self.seed, step])
        pictures, texts, classes = [], [], []
        for _ in range(size):
            gloss, cells = self.draw_example(rng)
            pictures.append(compose_grid(cells, self.spec))
            texts.append(self.encoded[gloss])
            classes.append(self.classes[gloss])
        return {
            "images": scale_pixels(np.stack(pictures)),
            "tokens": np.stack([t.tokens_T for t in texts]),
            "prefix": np.array([t.prefix_length for t in texts], np.int32),
            "weights": np.stack([t.weights_T for t in texts]),
            "classes": np.array(classes, np.int32),
        }

    def draw_example(self, rng: np.random.Generator) -> tuple[str, Image]:
        """A gloss (each equally often, whatever its number of clips) and its augmented cells."""
        gloss = self.glosses[rng.integers(len(self.glosses))]
        origins = self.by_gloss[gloss]
        synthetic = "synthetic" in origins and ("real" not in origins or rng.random() < self.synthetic)
        pool = origins["synthetic" if synthetic else "real"]
        recording = pool[rng.integers(len(pool))]
        if rng.random() < self.negatives:
            return NO_SIGN, augment_cells(self.draw_idle(recording, rng), rng)
        return gloss, augment_cells(draw_sign(recording, self.spec.frames, rng), rng)

    def draw_idle(self, recording: Recording, rng: np.random.Generator) -> Image:
        """Nine cells without a sign: idling, the rest around a sign, or a face near the camera."""
        if self.idle and rng.random() < 0.6:
            idle = self.idle[rng.integers(len(self.idle))]
            if idle.moves and rng.random() < 0.75:
                move = idle.moves[rng.integers(len(idle.moves))]
                return draw_sign(replace(idle, segment=move), self.spec.frames, rng)
            start = rng.uniform(0, max(0.0, idle.times_s[-1] - 1))
            end = min(float(idle.times_s[-1]), start + rng.uniform(0.4, 8))
            return idle.cells[select_frames(idle.times_s, start, end, self.spec.frames)]
        rest = draw_rest(recording, self.spec.frames, rng)
        return sway(rest, rng) if rng.random() < 0.6 else rest


def draw_sign(recording: Recording, frames: int, rng: np.random.Generator) -> Image:
    """Cells of the moving part, with the jitter of boundaries (0.13 s) and slots that other clips would have."""
    start = recording.segment.start_s + rng.uniform(-0.13, 0.13)
    end = max(start + 0.3, recording.segment.end_s + rng.uniform(-0.13, 0.13))
    chosen = select_frames(recording.times_s, start, end, frames) + rng.integers(-1, 2, frames)
    cells: Image = recording.cells[np.clip(np.sort(chosen), 0, len(recording.cells) - 1)]
    return cells


def draw_rest(recording: Recording, frames: int, rng: np.random.Generator) -> Image:
    """Frames from before or after the sign; where there are none, its first or last frame."""
    still = (recording.times_s < recording.segment.start_s) | (recording.times_s > recording.segment.end_s)
    still[[0, -1]] = True
    chosen = np.sort(rng.choice(np.flatnonzero(still), frames))
    if rng.random() < 0.5:  # one side only: before and after differ in posture
        chosen[:] = chosen[rng.integers(frames)]
    cells: Image = recording.cells[chosen]
    return cells


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
