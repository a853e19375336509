"""What a data set is built with. Together with the clips it decides every byte of it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..grid_spec import GridSpec

# Raised whenever the same clips and settings would give other bytes.
FORMAT_VERSION = 1

# Libraries whose version may change a pixel or a byte.
TOOLS = ("av", "opencv-python-headless", "numpy")


class BuildSettings(BaseModel):
    """Geometry, rendering and augmentation.

    Attributes:
        per_clip: grids of a clip; the first is unchanged, the others carry operations.
        seed: of the operations.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    image_size: int = 224
    patch_size: int = 16
    rendering: str = "pixels"
    per_clip: int = Field(default=1, ge=1, le=10_000)
    seed: int = Field(default=0, ge=0)

    @property
    def spec(self) -> GridSpec:
        """Geometry of the grids."""
        return GridSpec(self.image_size, self.patch_size)


def list_tools() -> dict[str, str]:
    """Versions of what makes the bytes; of our own code a digest, since it changes between two versions, too."""
    return {name: importlib.metadata.version(name) for name in TOOLS} | {"code": digest_code()}


@cache
def digest_code() -> str:
    """SHA-256 (its first 16 digits) of the modules that decode, cut, draw, augment and store."""
    here = Path(__file__).parent
    paths = [
        *sorted(here.parent.glob("*.py")),
        *sorted(here.parent.glob("pose/*.py")),
        here / "cutting.py",
        here / "shard.py",
    ]
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()[:16]


def digest(value: Any) -> str:
    """SHA-256 in hex of anything that JSON can hold, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def digest_settings(settings: BuildSettings) -> str:
    """Changes when other settings or other libraries could give other grids."""
    return digest([FORMAT_VERSION, settings.model_dump(mode="json"), list_tools()])
