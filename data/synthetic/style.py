"""How a signer moves: hand preference, size, speed and small variation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import IsyaratError


@dataclass(frozen=True)
class Style:
    """A manner of signing.

    Arguments:
        handed: "right" (dominant hand on the picture's left side) or "left".
        amplitude: size of the movements around each sign's own centre; 1 is as scripted.
        speed: 1 is as scripted, 2 twice as fast.
        tempo: how unevenly time is spent, as the standard deviation of log duration between two keys.
        jitter: standard deviation of key positions, in units (1 unit is about 33 cm).
        expression: strength of brows, head and mouth.
        mouthing: how far the mouth opens while a sign is made.
        sway: how far the trunk drifts, in units.
    """

    handed: str = "right"
    amplitude: float = 1.0
    speed: float = 1.0
    tempo: float = 0.06
    jitter: float = 0.015
    expression: float = 1.0
    mouthing: float = 0.4
    sway: float = 0.012

    def __post_init__(self) -> None:
        if self.handed not in ("right", "left"):
            raise IsyaratError(f'Style.handed is "{self.handed}"; use "right" or "left".')
        if not 0.2 <= self.speed <= 5:
            raise IsyaratError(f"Style.speed is {self.speed}; use 0.2 to 5.")


def random_style(rng: np.random.Generator) -> Style:
    """A manner of signing; one in nine is left-handed, as among people."""
    return Style(
        handed="left" if rng.random() < 1 / 9 else "right",
        amplitude=float(rng.uniform(0.8, 1.2)),
        speed=float(np.clip(np.exp(rng.normal(0.0, 0.16)), 0.65, 1.5)),
        tempo=float(rng.uniform(0.04, 0.16)),
        jitter=float(rng.uniform(0.01, 0.04)),
        expression=float(rng.uniform(0.3, 1.3)),
        mouthing=float(rng.choice([0.0, 0.3, 0.6, 0.9])),
        sway=float(rng.uniform(0.006, 0.035)),
    )
