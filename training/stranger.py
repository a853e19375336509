"""Signs of other languages as movements that are no word of ours: what the model must learn to refuse.

Some ideas are signed alike in many languages (eating, sleeping, writing), so a foreign sign whose meaning is one of our
words is not held up as a stranger.
"""

from __future__ import annotations

# Meanings of glosses in the English labels of other dictionaries, without spaces.
MEANINGS: dict[str, frozenset[str]] = {
    "APA": frozenset({"what"}),
    "APA_KABAR": frozenset({"howareyou"}),
    "BAGAIMANA": frozenset({"how"}),
    "BAIK": frozenset({"good", "nice", "like", "yes"}),
    "BELAJAR": frozenset({"learn", "study", "book", "school", "university"}),
    "BERAPA": frozenset({"howmuch", "howmany"}),
    "BINGUNG": frozenset({"confused", "think"}),
    "DIA": frozenset({"he", "she"}),
    "HALO": frozenset({"hello", "goodbye"}),
    "KAMU": frozenset({"you", "your"}),
    "MAAF": frozenset({"sorry", "please"}),
    "MAKAN": frozenset({"eat", "food", "hungry", "bread"}),
    "MARAH": frozenset({"angry"}),
    "MELIHAT": frozenset({"see", "look"}),
    "MENULIS": frozenset({"write", "paper"}),
    "SABAR": frozenset({"patient"}),
    "SAYA": frozenset({"i", "me", "my"}),
    "SELAMAT_MALAM": frozenset({"goodnight", "night", "evening"}),
    "SELAMAT_PAGI": frozenset({"goodmorning", "morning"}),
    "SELAMAT_SIANG": frozenset({"afternoon", "sun"}),
    "SELAMAT_SORE": frozenset({"afternoon", "evening"}),
    "SIAPA": frozenset({"who"}),
    "TERIMA_KASIH": frozenset({"thankyou"}),
    "TIDUR": frozenset({"sleep", "tired"}),
    "TINGGI": frozenset({"tall", "high"}),
    "TULI": frozenset({"deaf"}),
}


def is_stranger(foreign: str, glosses: list[str]) -> bool:
    """Whether a foreign gloss means none of ours, as far as is known: a gloss without an entry may mean anything."""
    meaning = foreign.lower().replace("_", "").replace("-", "")
    return all(gloss in MEANINGS and meaning not in MEANINGS[gloss] for gloss in glosses)
