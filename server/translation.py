"""What comes out of a translation, in the JSON of the project's design."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# How an unknown sign is written in a gloss sequence.
UNKNOWN = "[?]"


@dataclass(frozen=True, slots=True)
class ClipWarning:
    """Why a result may be other than expected.

    Attributes:
        code: for programs, e.g. "no_movement".
        message: a sentence for people, with what to do.
    """

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class SignResult:
    """One sign of a clip.

    Attributes:
        gloss: its name, `UNKNOWN` when it cannot be named.
        start_s, end_s: its moving part, in seconds since the first frame.
        confidence: probability of the likeliest gloss.
        alternatives: (gloss, probability), the likeliest first.
    """

    gloss: str
    start_s: float
    end_s: float
    confidence: float
    alternatives: tuple[tuple[str, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "gloss": self.gloss,
            "start_s": round(self.start_s, 3),
            "end_s": round(self.end_s, 3),
            "confidence": round(self.confidence, 4),
            "unknown": self.gloss == UNKNOWN,
            "alternatives": [{"gloss": g, "confidence": round(p, 4)} for g, p in self.alternatives],
        }


@dataclass(slots=True)
class Translation:
    """The result for one clip; `sentence` is empty when nothing was signed, and a warning then says why."""

    clip: str
    sentence: str
    signs: list[SignResult]
    bundle: str
    grammar: str
    timings_ms: dict[str, float] = field(default_factory=dict)
    warnings: list[ClipWarning] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """One object a clip."""
        return {
            "clip": self.clip,
            "sentence": self.sentence,
            "glosses": [sign.to_dict() for sign in self.signs],
            "bundle": self.bundle,
            "grammar": self.grammar,
            "timings_ms": {name: round(value, 1) for name, value in self.timings_ms.items()},
            "warnings": [{"code": w.code, "message": w.message} for w in self.warnings],
        }
