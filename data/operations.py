"""Augmentation as data: each grid carries the list of operations that made it, so that it can be made again.

An operation is a small record (`{"op": "light", "ev": -1.3}`). Those of time choose the frames; those of the picture
change the chosen cells, all nine alike, in the order in which a camera would: the scene, the lens, the light, the
sensor, the encoder. Randomness is drawn once, into the record; what needs a random picture (a wall, noise) keeps a
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from .augment import blur_cells, draw_wall, find_green, map_tones, warp_cells
from .grid_spec import GridSpec
from .motion_grid import MotionGrid, compose_grid, select_frames
from .sign import Sign
from .video import Image

# Share of a cell that must be green to be a screen, not a shirt or a plant.
SCREEN_SHARE = 0.15

# Exponent of the sRGB curve (its usual approximation): light adds up in linear values, not in pixel values.
GAMMA = 2.2

# Shortest moving part in seconds that jitter may leave.
LEAST_S = 0.3


class Operation(BaseModel):
    """What all operations are: frozen records. Those of time override `choose`, those of the picture `change`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def choose(self, moment: Moment) -> Moment:
        """Another choice of frames."""
        return moment

    def change(self, cells: Image) -> Image:
        """Other pictures: FxCxCx3 uint8 RGB."""
        return cells


@dataclass(frozen=True, slots=True)
class Moment:
    """From which frames, and when, the cells are taken.

    Attributes:
        times_s: N presentation times.
        usable: N bool, which of the frames the camera has.
        start_s, end_s: the moving part.
        slots: where in it the cells lie, from 0 to 1, increasing.
    """

    times_s: NDArray[np.float64]
    usable: NDArray[np.bool_]
    start_s: float
    end_s: float
    slots: NDArray[np.float64]


class Jitter(Operation):
    """The boundaries of the sign as another segmenter, or a hasty hand, would set them (seconds added to each)."""

    op: Literal["jitter"] = "jitter"
    start_s: float
    end_s: float

    def choose(self, moment: Moment) -> Moment:
        start_s = moment.start_s + self.start_s
        return Moment(
            moment.times_s, moment.usable, start_s, max(start_s + LEAST_S, moment.end_s + self.end_s), moment.slots
        )


class Speed(Operation):
    """Another tempo. Cells are spread over the whole sign, so an even change of speed only thins the frames: a sign
    made `factor` times as fast has fewer. An uneven one moves them: slots become slot ** `bend`, so above 1 the
    beginning is slow and the end quick."""

    op: Literal["speed"] = "speed"
    factor: float = Field(gt=0)
    bend: float = Field(gt=0)

    def choose(self, moment: Moment) -> Moment:
        usable = moment.usable.copy()
        if self.factor > 1:
            steps = np.floor(np.arange(len(usable)) / self.factor)
            usable &= np.diff(steps, prepend=-1.0) > 0
        return Moment(moment.times_s, usable, moment.start_s, moment.end_s, moment.slots**self.bend)


class Drop(Operation):
    """Frames that a busy phone did not record: each is lost with probability `share`."""

    op: Literal["drop"] = "drop"
    share: float = Field(ge=0, lt=1)
    seed: int

    def choose(self, moment: Moment) -> Moment:
        kept = np.random.default_rng(self.seed).random(len(moment.usable)) >= self.share
        return Moment(moment.times_s, moment.usable & kept, moment.start_s, moment.end_s, moment.slots)


class Mirror(Operation):
    """Left and right swapped: a left-handed signer, or a selfie. The hand that leads is recorded with the grid."""

    op: Literal["mirror"] = "mirror"

    def change(self, cells: Image) -> Image:
        return np.ascontiguousarray(cells[:, :, ::-1])


class Background(Operation):
    """Another wall behind a signer before a green screen (chroma key); other pictures stay as they are."""

    op: Literal["background"] = "background"
    seed: int

    def change(self, cells: Image) -> Image:
        mask = find_green(cells)
        if mask.mean() < SCREEN_SHARE:
            return cells
        height, width = cells.shape[1:3]
        wall = draw_wall(max(height, width), np.random.default_rng(self.seed))[:height, :width]
        return np.where(mask[..., None], wall, cells)


class Affine(Operation):
    """Another place of the camera: degrees, factor, shares of the cell."""

    op: Literal["affine"] = "affine"
    rotation: float
    zoom: float = Field(gt=0)
    shift_x: float
    shift_y: float

    def change(self, cells: Image) -> Image:
        return warp_cells(cells, self.rotation, self.zoom, self.shift_x, self.shift_y)


class Light(Operation):
    """Exposure in EV (stops) and white balance (gain of red, green and blue), both in linear light; then contrast."""

    op: Literal["light"] = "light"
    ev: float = Field(ge=-4, le=4)
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    contrast: float = Field(default=1.0, gt=0)

    def change(self, cells: Image) -> Image:
        level = (np.arange(256)[:, None] / 255) ** GAMMA * 2**self.ev * np.array(self.balance)
        tone = (np.clip(level, 0, 1) ** (1 / GAMMA) - 0.5) * self.contrast + 0.5
        return map_tones(cells, np.clip(np.rint(255 * tone), 0, 255).astype(np.uint8)[None])


class Blur(Operation):
    """A lens out of focus: Gaussian of `sigma` pixels of the cell."""

    op: Literal["blur"] = "blur"
    sigma: float = Field(gt=0)

    def change(self, cells: Image) -> Image:
        return blur_cells(cells, self.sigma)


class Noise(Operation):
    """A sensor in the dark: Gaussian noise of `sigma` grey levels, another in every cell."""

    op: Literal["noise"] = "noise"
    sigma: float = Field(gt=0)
    seed: int

    def change(self, cells: Image) -> Image:
        noise = np.random.default_rng(self.seed).standard_normal(cells.shape, np.float32) * np.float32(self.sigma)
        return np.clip(np.rint(cells + noise), 0, 255).astype(np.uint8)


class Compression(Operation):
    """A slow line: blocks of a DCT encoder (JPEG) at `quality` 1..100."""

    op: Literal["compression"] = "compression"
    quality: int = Field(ge=1, le=100)

    def change(self, cells: Image) -> Image:
        out = np.empty_like(cells)
        for index, cell in enumerate(cells):
            # OpenCV's order is BGR; encoders spend less on blue than on red.
            _, data = cv2.imencode(".jpg", cell[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, self.quality])
            out[index] = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
        return out


AnyOperation = Annotated[
    Jitter | Speed | Drop | Mirror | Background | Affine | Light | Blur | Noise | Compression,
    Field(discriminator="op"),
]
OPERATIONS: TypeAdapter[list[AnyOperation]] = TypeAdapter(list[AnyOperation])


@dataclass(frozen=True, slots=True)
class OperationRanges:
    """From where operations are drawn. Probabilities, and the largest change either way.

    Attributes:
        jitter_s: seconds by which a boundary moves: what the segmenter's settling leaves open.
        factor, bend: largest tempo; signers differ by a factor of about 1.5.
        drop: largest share of lost frames, and `drops` how often frames are lost.
        mirrors: about a tenth of people sign with the left hand; a little more, since they are rare in clips.
        ev: light from -2 to +2 stops: from a dim room to a window behind the camera.
        balance: largest change of a channel's gain.
    """

    jitter_s: float = 0.13
    factor: float = 1.5
    bend: float = 1.3
    drops: float = 0.3
    drop: float = 0.3
    mirrors: float = 0.15
    backgrounds: float = 0.8
    rotation: float = 7.0
    zoom: float = 0.22
    shift: float = 0.09
    ev: float = 2.0
    balance: float = 0.12
    contrast: float = 0.25
    blurs: float = 0.25
    noises: float = 0.3
    compressions: float = 0.3


def draw_operations(seed: Sequence[int], ranges: OperationRanges | None = None) -> list[Operation]:
    """A random list, the same for the same seed (nonnegative integers)."""
    r, rng = ranges or OperationRanges(), np.random.default_rng(list(seed))

    def spread(width: float) -> float:
        return round(float(rng.uniform(-width, width)), 4)

    def factor(largest: float) -> float:
        return round(float(largest ** rng.uniform(-1, 1)), 4)

    def draw_seed() -> int:
        return int(rng.integers(2**31))

    operations: list[Operation] = [
        Jitter(start_s=spread(r.jitter_s), end_s=spread(r.jitter_s)),
        Speed(factor=factor(r.factor), bend=factor(r.bend)),
    ]
    if rng.random() < r.drops:
        operations.append(Drop(share=round(float(rng.uniform(0, r.drop)), 4), seed=draw_seed()))
    if rng.random() < r.mirrors:
        operations.append(Mirror())
    if rng.random() < r.backgrounds:
        operations.append(Background(seed=draw_seed()))
    zoom = round(float(np.exp(rng.uniform(-r.zoom, r.zoom))), 4)
    operations.append(Affine(rotation=spread(r.rotation), zoom=zoom, shift_x=spread(r.shift), shift_y=spread(r.shift)))
    red, green, blue = (round(1 + spread(r.balance), 4) for _ in range(3))
    operations.append(Light(ev=spread(r.ev), balance=(red, green, blue), contrast=round(1 + spread(r.contrast), 4)))
    if rng.random() < r.blurs:
        operations.append(Blur(sigma=round(float(rng.uniform(0.4, 1.1)), 4)))
    if rng.random() < r.noises:
        operations.append(Noise(sigma=round(float(rng.uniform(2, 12)), 4), seed=draw_seed()))
    if rng.random() < r.compressions:
        operations.append(Compression(quality=int(rng.integers(20, 70))))
    return operations


def parse_operations(rows: Sequence[dict[str, Any]]) -> list[Operation]:
    """The list again from what `list_operations` wrote."""
    return list(OPERATIONS.validate_python(list(rows)))


def list_operations(operations: Sequence[Operation]) -> list[dict[str, Any]]:
    """For JSON."""
    return [operation.model_dump(mode="json") for operation in operations]


def draw_variant(sign: Sign, spec: GridSpec, operations: Sequence[Operation]) -> MotionGrid:
    """The motion grid of a sign after operations; without any it is `sign.draw_grid(spec)`."""
    if not operations:
        return sign.draw_grid(spec)
    moment = Moment(
        sign.times_s,
        np.ones(len(sign.times_s), np.bool_),
        sign.segment.start_s,
        sign.segment.end_s,
        np.linspace(0, 1, spec.frames),
    )
    for operation in operations:
        moment = operation.choose(moment)
    usable = np.flatnonzero(moment.usable)
    if not len(usable):  # every frame was dropped: the first is what a camera always has
        usable = np.array([0])
    times_s = sign.times_s[usable]
    length_s = moment.end_s - moment.start_s
    chosen = usable[[int(select_frames(times_s, at, at, 1)[0]) for at in moment.start_s + moment.slots * length_s]]
    frames = np.stack([sign.kept[i] for i in chosen])
    for operation in operations:
        frames = operation.change(frames)
    cells = sign.rendering.draw(list(frames), spec.cell_size)
    return MotionGrid(compose_grid(cells, spec), spec, tuple(float(t) for t in sign.times_s[chosen]))
