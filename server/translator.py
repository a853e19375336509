"""Clips to sentences: decode, cut signs, recognise, put into words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..data.lexicon import NO_SIGN
from ..data.segment import Segmenter
from ..data.sign import Sign, cut_signs
from ..data.video import Frame, VideoReader
from ..export.runtime import Recogniser
from .grammar import Grammar
from .translation import UNKNOWN, ClipWarning, SignResult, Translation

# No sign of the clips we know lasts longer than 4.1 s; movement that goes on for longer is something else (talking,
# walking, signing without a rest), and naming it would be guessing.
LONGEST_SIGN_S = 5.0

# Seconds between two movements that are one: the segmenter cuts an endless one without a gap.
GOES_ON_S = 0.1

# Mean brightness (of 255) outside of which hands cannot be told from what is behind them.
DARKEST, BRIGHTEST = 28.0, 238.0

# Below this probability a named sign is doubtful: on held-out clips of known signers nearly all are above it.
SURE = 0.9


@dataclass(slots=True)
class Watch:
    """What passes by while frames are read: brightness, and the time that decoding takes."""

    brightness: list[float] = field(default_factory=list)
    decode_s: float = 0.0

    def follow(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """The same frames, watched."""
        started = time.perf_counter()
        for frame in frames:
            self.decode_s += time.perf_counter() - started
            self.brightness.append(float(frame.image[::8, ::8].mean()))
            yield frame
            started = time.perf_counter()
        self.decode_s += time.perf_counter() - started


class Translator:
    """Loaded once, used for many clips.

    Arguments:
        recogniser: a loaded bundle.
        grammar: the step from glosses to a sentence.
    """

    def __init__(self, recogniser: Recogniser, grammar: Grammar) -> None:
        self.recogniser = recogniser
        self.grammar = grammar

    def translate(self, path: str | Path, *, variety: str | None = None) -> Translation:
        """Translates one clip of any length.

        Arguments:
            path: the clip.
            variety: regional variety of the signer, an input of the grammar step.

        Raises:
            ClipError: the clip cannot be read.
        """
        return self.translate_frames(VideoReader(path), str(path), variety=variety)

    def translate_frames(
        self,
        frames: Iterable[Frame],
        name: str,
        *,
        variety: str | None = None,
        segmenter: Segmenter | None = None,
        on_sign: Callable[[SignResult], None] | None = None,
    ) -> Translation:
        """Translates frames from wherever they come; looks at each once, so they may still be arriving.

        Arguments:
            frames: upright frames in the order of time; what they say in `warnings` once they have ended is passed on.
            name: what the result calls them.
            variety: regional variety of the signer, an input of the grammar step.
            segmenter: give one to read its state while the frames pass.
            on_sign: called with every sign as soon as it is named.
        """
        started = time.perf_counter()
        segmenter, watch = segmenter or Segmenter(), Watch()
        recogniser = self.recogniser
        signs: list[SignResult] = []
        warnings: list[ClipWarning] = []
        recognise_s = 0.0
        refused = 0
        long_until_s = float("-inf")
        for sign in cut_signs(watch.follow(frames), recogniser.spec, recogniser.rendering, segmenter):
            # What goes on without a rest where a too long movement was cut belongs to it.
            goes_on = sign.segment.start_s - long_until_s < GOES_ON_S
            if goes_on or sign.segment.end_s - sign.segment.start_s > LONGEST_SIGN_S:
                warnings.append(warn_long(sign))
                long_until_s = sign.segment.end_s
                continue
            before = time.perf_counter()
            result = self.recognise(sign)
            recognise_s += time.perf_counter() - before
            if result is None:
                refused += 1
            else:
                signs.append(result)
                if on_sign is not None:
                    on_sign(result)
        grammar_started = time.perf_counter()
        sentence = self.grammar.compose([sign.gloss for sign in signs], variety=variety)
        finished = time.perf_counter()
        damage: Iterable[str] = getattr(frames, "warnings", ())
        warnings += [ClipWarning("damaged", f"{text[0].upper()}{text[1:]}.") for text in damage]
        warnings += judge_light(watch.brightness)
        warnings += [warn_unsure(sign) for sign in signs if sign.gloss != UNKNOWN and sign.confidence < SURE]
        if not signs:
            long = any(w.code == "no_rest" for w in warnings)
            warnings.append(explain_silence(len(watch.brightness), segmenter, refused, long=long))
        timings = {
            "decode": watch.decode_s * 1e3,
            "recognise": recognise_s * 1e3,
            "grammar": (finished - grammar_started) * 1e3,
            "total": (finished - started) * 1e3,
        }
        bundle = recogniser.bundle.manifest.name
        return Translation(name, sentence.text, signs, bundle, sentence.backend, timings, warnings)

    def recognise(self, sign: Sign) -> SignResult | None:
        """Names one sign; None when the model holds the movement for no sign at all."""
        grid = sign.draw_grid(self.recogniser.spec)
        if grid.empty:
            return None
        answer = self.recogniser.recognise(grid.image)
        if answer.gloss == NO_SIGN:
            return None
        gloss = UNKNOWN if answer.unknown else answer.gloss
        segment = sign.segment
        return SignResult(gloss, segment.start_s, segment.end_s, answer.confidence, answer.alternatives)


def warn_unsure(sign: SignResult) -> ClipWarning:
    """For a sign that was named, but not surely."""
    others = " or ".join(gloss for gloss, p in sign.alternatives[1:3] if p >= 0.05)
    instead = f"; it may be {others}" if others else ""
    return ClipWarning("unsure", f"{sign.gloss} at {sign.start_s:.1f} s is not sure ({sign.confidence:.0%}){instead}.")


def warn_long(sign: Sign) -> ClipWarning:
    """For movement that is too long for a sign."""
    start, end = sign.segment.start_s, sign.segment.end_s
    return ClipWarning(
        "no_rest",
        f"Movement from {start:.1f} s to {end:.1f} s is too long for one sign; lower the hands between signs.",
    )


def judge_light(brightness: list[float]) -> list[ClipWarning]:
    """Too dark, too bright, or nothing."""
    if not brightness:  # a stream that ended before its first frame
        return []
    mean = float(np.mean(brightness))
    if mean < DARKEST:
        return [ClipWarning("too_dark", "The picture is too dark; turn on a light or face the window.")]
    if mean > BRIGHTEST:
        return [
            ClipWarning("too_bright", "The picture is over-bright; turn away from the light or lower the exposure.")
        ]
    return []


def explain_silence(frame_count: int, segmenter: Segmenter, refused: int, *, long: bool) -> ClipWarning:
    """Says why a clip gave no gloss."""
    if frame_count == 1:
        return ClipWarning("one_frame", "The clip has a single frame, so nothing can move in it; record a video.")
    if segmenter.peak_motion < segmenter.settings.start:
        return ClipWarning("no_movement", "Nothing moves in this clip; make sure that the hands are in the picture.")
    if refused or long:
        return ClipWarning("no_sign", "Something moves in this clip, but no sign was recognised in the movement.")
    return ClipWarning(
        "small_movement", "The movement in this clip is too small or too short for a sign; come closer or sign larger."
    )
