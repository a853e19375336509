"""What surrounds the signer: background, light and camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import IsyaratError
from .look import Colour

BACKGROUNDS = ("plain", "gradient", "green", "wall", "room")


@dataclass(frozen=True)
class Scene:
    """A recording situation.

    Arguments:
        background: "plain" colour, "gradient", "green" screen, textured "wall" or "room" with objects.
        colour: RGB of the wall (not used by the green screen).
        ev: exposure in stops, -2 (dark) .. 2 (over-bright).
        warmth: white balance, -1 (blue) .. 1 (orange).
        light_side: where the light comes from, -1 (picture left) .. 1 (right).
        zoom: 1 shows a standing person from the hips up, 2.4 is a close-up.
        offset_x, offset_y: where the person stands, as a share of the picture's width and height.
        shake: amplitude of a hand-held camera, in pixels.
        noise: standard deviation of the sensor noise, in grey levels.
        width, height: pixels, even numbers.
        fps: frames a second.
        blur: motion blur as a share of the frame's time (a 180 degree shutter is 0.5).
        seed: of textures and objects.
    """

    background: str = "wall"
    colour: Colour = (206, 196, 180)
    ev: float = 0.0
    warmth: float = 0.0
    light_side: float = -0.6
    zoom: float = 1.0
    offset_x: float = 0.0
    offset_y: float = 0.0
    shake: float = 0.0
    noise: float = 2.0
    width: int = 400
    height: int = 300
    fps: float = 30.0
    blur: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.background not in BACKGROUNDS:
            raise IsyaratError(f'Scene.background is "{self.background}"; use one of {", ".join(BACKGROUNDS)}.')
        if self.width < 32 or self.height < 32 or self.width % 2 or self.height % 2:
            raise IsyaratError(f"Scene is {self.width}x{self.height}; use even sizes of at least 32.")
        if not self.fps > 0:
            raise IsyaratError(f"Scene.fps is {self.fps}; use a positive number.")

    @property
    def unit_px(self) -> float:
        """Pixels of one body unit: a person from the hips up fills the height, with room for both arms."""
        return min(self.height / 3.0, self.width / 3.2) * self.zoom

    @property
    def neck_px(self) -> tuple[float, float]:
        """Where the base of the neck is. Zooming in keeps the face in place, then moves it to the middle."""
        face = 0.62 * (self.unit_px - self.unit_px / self.zoom)
        centring = 0.16 * self.height * max(0.0, self.zoom - 1.0)
        return self.width * (0.5 + self.offset_x), self.height * (0.465 + self.offset_y) + face + centring


def random_scene(
    rng: np.random.Generator,
    *,
    width: int = 400,
    height: int = 300,
    fps: float = 30.0,
    close_up: bool = False,
) -> Scene:
    """A recording situation; light and noise go far, framing stays such that signs are seen.

    Arguments:
        close_up: frame the face only, as people who talk to their phone do.
    """
    ev = float(np.clip(rng.normal(0.0, 0.7), -2.0, 2.0))
    r, g, b = rng.integers(70, 246, 3).tolist()
    grey = int(rng.integers(90, 245))
    keep = float(rng.choice([0.15, 0.4, 1.0], p=(0.5, 0.3, 0.2)))  # most walls are nearly grey
    colour = (int(grey + keep * (r - grey)), int(grey + keep * (g - grey)), int(grey + keep * (b - grey)))
    return Scene(
        background=str(rng.choice(BACKGROUNDS, p=(0.12, 0.16, 0.14, 0.28, 0.30))),
        colour=colour,
        ev=ev,
        warmth=float(rng.uniform(-0.7, 0.9)),
        light_side=float(rng.uniform(-1, 1)),
        zoom=float(rng.uniform(2.0, 3.0) if close_up else rng.uniform(0.74, 1.12)),
        offset_x=float(rng.uniform(-0.06, 0.06)),
        offset_y=float(rng.uniform(-0.03, 0.05)),
        shake=float(rng.choice([0.0, 0.0, 0.6, 1.5])),
        noise=float(rng.uniform(0.5, 4.0) + max(0.0, -ev) * 1.5),  # dark pictures are noisier
        width=width,
        height=height,
        fps=fps,
        blur=float(rng.uniform(0.2, 0.8)),
        seed=int(rng.integers(2**31)),
    )
