"""Gloss notation: what may stand in a gloss line, and its normal form."""

from __future__ import annotations

import re

from ...data.errors import IsyaratError

UNKNOWN = "[?]"
MARKER = "?"
# Latin letters with the accents names carry; others have no single capital to match byte for byte.
_LETTER = "A-Za-zÀ-ÖØ-Þà-öø-þ"
_GLOSS = re.compile(rf"[{_LETTER}]+(?:[_-][{_LETTER}0-9]+)*|\d+(?:[.,:/-]\d+)*")
_SPELLED = re.compile(rf"[{_LETTER}](?:-[{_LETTER}0-9])+")


def is_spelled(gloss: str) -> bool:
    """Whether a gloss is finger-spelled, letter by letter: A-N-D-I."""
    return _SPELLED.fullmatch(gloss) is not None


def is_number(gloss: str) -> bool:
    """Whether a gloss is written in digits."""
    return gloss[:1].isdigit()


def spell_name(gloss: str) -> str:
    """A-N-D-I -> Andi."""
    return gloss.replace("-", "").capitalize()


def parse_glosses(text: str) -> list[str]:
    """Read a gloss line: capitals, one gloss a word, `_` within a gloss, hyphens between spelled letters.

    Arguments:
        text: for example "HALO APA_KABAR", "NAMA SAYA A-N-D-I", "KAMU SAKIT ?", "SAYA [?] NASI".

    Raises:
        IsyaratError: a token that is no gloss; the message names it.
    """
    glosses: list[str] = []
    for token in text.replace(UNKNOWN, f" {UNKNOWN} ").split():
        if token == UNKNOWN:
            glosses.append(token)
            continue
        word = token.rstrip(MARKER)
        if word:
            if not _GLOSS.fullmatch(word):
                raise IsyaratError(
                    f"{token!r} is not a gloss: write glosses in capitals, a space between two, _ inside one "
                    "gloss (TERIMA_KASIH), hyphens for finger-spelling (A-N-D-I), [?] for an unknown sign."
                )
            glosses.append(word.upper())
        if word != token:
            glosses.append(MARKER)
    if glosses and all(gloss == MARKER for gloss in glosses):
        raise IsyaratError("The gloss line holds only a question marker; put at least one gloss before the ?.")
    return glosses
