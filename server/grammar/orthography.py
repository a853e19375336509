"""Spaces, commas, capitals and the final stop."""

from __future__ import annotations

from collections.abc import Iterable

from .notation import UNKNOWN
from .sentences import Part


def write_sentence(parts: Iterable[Part]) -> str:
    """Join the parts: a comma between two of one sentence, a stop or question mark at its end."""
    text = ""
    fresh, asked = True, False
    for part in parts:
        body = " ".join(part.tokens)
        asked = asked or part.question
        if body:
            if text:
                text += " " if fresh else ", "
            text += capitalise(body) if fresh else body
            fresh = False
        if part.stop:
            text += "?" if asked else "."
            fresh, asked = True, False
    return text


def capitalise(text: str) -> str:
    """A capital for the first letter; an unknown sign or a number opens a sentence as it is."""
    return text if text.startswith(UNKNOWN) else text[:1].upper() + text[1:]
