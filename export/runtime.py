"""Runs a bundle on LiteRT: motion grids in, probabilities of glosses out. Needs neither JAX nor torch."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray

from ..data.errors import IsyaratError
from ..data.lexicon import NO_SIGN, soften
from ..data.motion_grid import scale_pixels
from ..data.pose.native_log import mute_native_log
from ..data.rendering import Rendering, find_rendering
from ..data.video import Image
from .bundle import Bundle

Logits = NDArray[np.float32]
Caches = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Recognition:
    """The answer to one motion grid.

    Attributes:
        gloss: the likeliest gloss; `NO_SIGN` ("") when "nothing was signed" is likelier, or a quarter as likely as
            a gloss that is too unlikely to be named.
        confidence: its probability.
        unknown: the confidence is below the bundle's threshold: a sign, but none that can be named.
        alternatives: (gloss, probability), the likeliest first, `gloss` among them.
    """

    gloss: str
    confidence: float
    unknown: bool
    alternatives: tuple[tuple[str, float], ...]


class Recogniser:
    """A bundle, loaded. Calls from several threads are served one after the other.

    Arguments:
        bundle: what to run.
        precision: "f32" or "int8"; the bundle's default when none is given.
        threads: of the runtime; all cores, four at most, when none is given.

    Raises:
        IsyaratError: the file is missing or LiteRT cannot read it.
    """

    def __init__(self, bundle: Bundle, *, precision: str | None = None, threads: int | None = None) -> None:
        self.bundle = bundle
        self.spec = bundle.manifest.grid.spec
        self.rendering: Rendering = find_rendering(bundle.manifest.grid.rendering)
        path = bundle.find_model(precision)
        if not path.is_file():
            raise IsyaratError(f"{path}: the file is missing; install isyarat or export the bundle again.")
        entry = bundle.manifest.files.get(path.relative_to(bundle.folder).as_posix())
        if entry is not None and path.stat().st_size != entry.bytes:  # `isyarat verify` checks the content, too
            raise IsyaratError(
                f"{path}: the file is damaged (see `isyarat verify`); install isyarat or export the bundle again."
            )
        self._prompt = np.array([bundle.manifest.prompt.tokens], np.int32)
        self._start = bundle.manifest.image_tokens + self._prompt.shape[1]
        self._lock = threading.Lock()
        try:
            with mute_native_log():
                threads = threads or min(4, os.cpu_count() or 1)
                self._interpreter = Interpreter(model_path=str(path), num_threads=threads)
                self._prefill = self._interpreter.get_signature_runner("prefill")
                self._decode = self._interpreter.get_signature_runner("decode")
                self.warm_up()
        except (ValueError, RuntimeError) as error:
            raise IsyaratError(
                f"{path}: LiteRT cannot run it; check it with `isyarat verify {bundle.folder}`."
            ) from error

    @classmethod
    def load(cls, folder: str | Path | None = None, *, precision: str | None = None) -> Recogniser:
        """Opens a bundle folder (the shipped one when none is given) and loads it."""
        return cls(Bundle.open(folder), precision=precision)

    def recognise(self, image: Image, *, alternatives: int = 5) -> Recognition:
        """Names the sign of one motion grid.

        Arguments:
            image: SxSx3 uint8 RGB, drawn with this bundle's geometry and rendering.
            alternatives: how many glosses to list.

        Raises:
            IsyaratError: the picture has another size.
        """
        scores = self.score(image)
        ranked = sorted(((g, p) for g, p in scores.items() if g != NO_SIGN), key=lambda item: -item[1])
        gloss, confidence = ranked[0]
        nothing = scores.get(NO_SIGN, 0.0)
        unknown = confidence < self.bundle.manifest.threshold
        # Between "a sign I cannot name" and "no sign", silence gets the benefit of the doubt.
        if nothing > (confidence / 4 if unknown else confidence):
            return Recognition(NO_SIGN, nothing, False, tuple(ranked[:alternatives]))
        return Recognition(gloss, confidence, unknown, tuple(ranked[:alternatives]))

    def score(self, image: Image) -> dict[str, float]:
        """Calibrated probability of every entry of the lexicon; they add up to one."""
        with self._lock:
            logits, caches = self.prefill(image)
            raw = self.bundle.lexicon.score(logits, caches, self.step)
        return soften(raw, self.bundle.manifest.temperature)

    def warm_up(self) -> None:
        """Runs both signatures once: the first call prepares kernels and would be the slowest."""
        size = self.spec.image_size
        _, caches = self.prefill(np.zeros((size, size, 3), np.uint8))
        self.step(caches, 0, 0)

    def prefill(self, image: Image) -> tuple[Logits, Caches]:
        """Reads picture and prompt: V logits of the first answer token, and the caches."""
        size = self.spec.image_size
        if image.shape != (size, size, 3) or image.dtype != np.uint8:
            raise IsyaratError(
                f"A motion grid of {image.shape} {image.dtype} was given; {size}x{size}x3 uint8 is needed."
            )
        outputs = self._prefill(images=scale_pixels(image[None]), tokens=self._prompt)
        return split_outputs(outputs)

    def step(self, state: object, token: int, depth: int) -> tuple[Logits, Caches]:
        """Reads one more answer token: V logits of the next, and the longer caches."""
        position = np.array([self._start + depth], np.int32)
        outputs = self._decode(token=np.array([[token]], np.int32), position=position, **cast(Caches, state))
        return split_outputs(outputs)


def split_outputs(outputs: dict[str, NDArray[np.float32]]) -> tuple[Logits, Caches]:
    """(V logits, caches by name) of a signature's outputs."""
    caches = dict(outputs)
    return caches.pop("logits")[0], caches
