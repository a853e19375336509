"""Who is seen: the signer's body, hair and clothes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import IsyaratError

Colour = tuple[int, int, int]  # RGB

HAIR_STYLES = ("short", "cropped", "curly", "parted", "bob", "long", "bun", "bald", "hijab")
SLEEVES = ("none", "short", "three_quarter", "long")
PATTERNS = ("plain", "logo", "stripes", "bars", "checks", "dots")
COLLARS = ("crew", "polo", "vee")

_SKINS: tuple[Colour, ...] = (
    (246, 214, 190), (234, 192, 160), (222, 175, 140), (205, 155, 118), (190, 138, 100),
    (168, 118, 84), (142, 96, 66), (112, 74, 52), (84, 56, 42),
)  # fmt: skip
_HAIRS: tuple[Colour, ...] = (
    (24, 20, 20),
    (38, 28, 24),
    (62, 42, 30),
    (96, 62, 38),
    (150, 108, 62),
    (140, 140, 142),
)


@dataclass(frozen=True)
class Look:
    """A signer. The default is close to a young Indonesian man in a dark polo shirt.

    Arguments:
        skin, hair, shirt, accent: RGB; `accent` colours the pattern; with a hijab, `hair` colours the cloth.
        hair_style, sleeves, pattern, collar: one of the names above.
        scale: size of the whole body; 1 is an adult.
        head_size, shoulder_width, arm_length, build: proportions; `build` is the thickness of trunk and arms.
        glasses, watch, beard: worn or not.
    """

    skin: Colour = (196, 146, 110)
    hair: Colour = (28, 24, 24)
    hair_style: str = "short"
    shirt: Colour = (44, 42, 42)
    accent: Colour = (196, 188, 176)
    sleeves: str = "short"
    pattern: str = "logo"
    collar: str = "polo"
    scale: float = 1.0
    head_size: float = 1.0
    shoulder_width: float = 1.0
    arm_length: float = 1.0
    build: float = 1.0
    glasses: bool = False
    watch: bool = True
    beard: bool = False

    def __post_init__(self) -> None:
        for name, known in (
            ("hair_style", HAIR_STYLES),
            ("sleeves", SLEEVES),
            ("pattern", PATTERNS),
            ("collar", COLLARS),
        ):
            if getattr(self, name) not in known:
                raise IsyaratError(f'Look.{name} is "{getattr(self, name)}"; use one of {", ".join(known)}.')


def random_look(rng: np.random.Generator) -> Look:
    """A signer of any skin, build, hair and clothing."""
    skin = _SKINS[rng.integers(len(_SKINS))]
    style = str(rng.choice(HAIR_STYLES, p=(0.17, 0.1, 0.1, 0.1, 0.1, 0.12, 0.09, 0.04, 0.18)))
    hair = _random_colour(rng) if style == "hijab" else _HAIRS[rng.choice(6, p=(0.36, 0.24, 0.16, 0.1, 0.07, 0.07))]
    # A hijab is worn with covered arms.
    sleeves = str(rng.choice(SLEEVES, p=(0.0, 0.0, 0.1, 0.9) if style == "hijab" else (0.06, 0.54, 0.12, 0.28)))
    return Look(
        skin=_vary(rng, skin, 8),
        hair=_vary(rng, hair, 6),
        hair_style=style,
        shirt=_random_colour(rng),
        accent=_random_colour(rng),
        sleeves=sleeves,
        pattern=str(rng.choice(PATTERNS, p=(0.4, 0.2, 0.14, 0.08, 0.1, 0.08))),
        collar=str(rng.choice(COLLARS)),
        scale=float(rng.uniform(0.88, 1.1)),
        head_size=float(rng.uniform(0.9, 1.12)),
        shoulder_width=float(rng.uniform(0.86, 1.12)),
        arm_length=float(rng.uniform(0.93, 1.08)),
        build=float(rng.uniform(0.84, 1.25)),
        glasses=bool(rng.random() < 0.25),
        watch=bool(rng.random() < 0.3),
        beard=bool(style in ("short", "cropped", "curly", "bald") and rng.random() < 0.3),
    )


def _random_colour(rng: np.random.Generator) -> Colour:
    """Any cloth colour: greys, dark and pastel tones are as common as strong ones."""
    hue_3 = rng.dirichlet((0.8, 0.8, 0.8))
    mixed_3 = rng.uniform(25, 235) * ((1 - (s := rng.random())) + s * hue_3 / hue_3.max())
    r, g, b = np.clip(mixed_3, 12, 245).astype(int).tolist()
    return r, g, b


def _vary(rng: np.random.Generator, colour: Colour, by: int) -> Colour:
    r, g, b = np.clip(np.array(colour) + rng.integers(-by, by + 1) + rng.integers(-3, 4, 3), 0, 255).tolist()
    return r, g, b
