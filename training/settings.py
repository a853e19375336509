"""Settings of a training run, read from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from ..data.errors import IsyaratError

CONFIGS = Path(__file__).parent / "configs"


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """What the TOML says; configs/nano.toml has the reason of every value."""

    model: str
    prompt: str
    rendering: str
    vocabulary: int
    text_length: int
    steps: int
    batch: int
    learning_rate: float
    warmup: float
    weight_decay: float
    clip_norm: float
    seed: int
    guide: float
    smoothing: float
    negatives: float
    synthetic: float
    synthetic_per_gloss: int
    others: float
    strangers: float


def load_settings(name: str, overrides: Mapping[str, object] | None = None) -> TrainSettings:
    """Reads `configs/NAME.toml`, or the file `name` if there is one.

    Raises:
        IsyaratError: no such configuration; a key unknown, missing or of the wrong type.
    """
    path = Path(name) if name.endswith(".toml") else CONFIGS / f"{name}.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        known = ", ".join(sorted(p.stem for p in CONFIGS.glob("*.toml")))
        raise IsyaratError(f"There is no configuration {name!r}; give a .toml file or one of: {known}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise IsyaratError(f"{path}: it is no valid TOML ({error}); correct it.") from error
    values |= dict(overrides or {})
    types = {"int": int, "float": (int, float), "str": str}
    wanted = {field.name: types[str(field.type)] for field in fields(TrainSettings)}
    if unknown := set(values) - set(wanted):
        raise IsyaratError(f"{path}: unknown settings {', '.join(sorted(unknown))}; there are {', '.join(wanted)}.")
    if missing := set(wanted) - set(values):
        raise IsyaratError(f"{path}: missing settings {', '.join(sorted(missing))}; add them.")
    for key, value in values.items():
        if not isinstance(value, wanted[key]) or isinstance(value, bool):  # type: ignore[arg-type]
            raise IsyaratError(f"{path}: {key} = {value!r} has the wrong type; see configs/nano.toml.")
    return TrainSettings(**values)
