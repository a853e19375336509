"""The golden self-test: one stored grid and the logits it must give, for every client to run when it loads a bundle."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..data.errors import IsyaratError
from ..data.video import Image
from .bundle import Bundle
from .runtime import Recogniser


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """Outcome of the self-test of one precision.

    Attributes:
        passed: same gloss, and no logit off by more than the tolerance.
        largest_error: over the logits of prefill and of the first decode step.
        gloss, expected: the answer, and the one stored.
    """

    precision: str
    passed: bool
    largest_error: float
    tolerance: float
    gloss: str
    expected: str


def run_golden(bundle: Bundle, precision: str) -> GoldenResult:
    """Runs the stored grid through prefill and one decode step and compares."""
    golden = read_golden(bundle)
    recogniser = Recogniser(bundle, precision=precision)
    if precision not in golden["logits"]:
        path = bundle.folder / bundle.manifest.golden
        raise IsyaratError(f"{path}: it has no logits of {precision}; install or export the bundle again.")
    first, second = measure_logits(recogniser, golden["image"], golden["token"])
    errors = [
        np.abs(a - np.asarray(b)).max() for a, b in zip((first, second), golden["logits"][precision], strict=True)
    ]
    largest = float(np.max(errors))  # unlike Python's max, never drops a NaN
    gloss = recogniser.recognise(golden["image"]).gloss
    tolerance = bundle.manifest.litert[precision].tolerance
    # `not >` would accept NaN, `<=` does not.
    passed = largest <= tolerance and gloss == golden["gloss"]
    return GoldenResult(precision, passed, largest, tolerance, gloss, golden["gloss"])


def measure_logits(recogniser: Recogniser, image: Image, token: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """V logits after the prompt, and V logits after one answer token."""
    first, caches = recogniser.prefill(image)
    second, _ = recogniser.step(caches, token, 0)
    return first, second


def read_golden(bundle: Bundle) -> dict[str, Any]:
    """The stored test: image, token, gloss, logits by precision."""
    path = bundle.folder / bundle.manifest.golden
    try:
        golden: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        picture = cv2.imread(str(path.parent / golden["image"]))
    except (OSError, ValueError, KeyError) as error:
        raise IsyaratError(f"{path}: the self-test cannot be read; install or export the bundle again.") from error
    if picture is None:
        raise IsyaratError(f"{path.parent / golden['image']}: it is missing or damaged; install the bundle again.")
    return golden | {"image": cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)}


def write_golden(folder: Path, image: Image, token: int, gloss: str, logits: dict[str, list[list[float]]]) -> str:
    """Writes golden/golden.json and golden/grid.png; returns the name for the manifest."""
    (folder / "golden").mkdir()
    cv2.imwrite(str(folder / "golden" / "grid.png"), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    values = {"image": "grid.png", "token": token, "gloss": gloss, "logits": logits}
    (folder / "golden" / "golden.json").write_text(json.dumps(values) + "\n", encoding="utf-8")
    return "golden/golden.json"
