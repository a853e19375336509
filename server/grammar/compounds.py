"""Where one noun phrase ends: BUKU BAHASA is one, IBU TOKO are two."""

# ruff: noqa: PLR0911, PLR0912 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from .chunks import PRE_PREDICATE, Facts
from .closed_classes import TIME_POINTS, TIME_UNITS
from .open_seeds import GIVINGS, OF_PLACES, OWN_PLACES
from .tagging import Tag, Word


def read_nouns(words: list[Word], index: int, facts: Facts) -> tuple[list[Word], int]:
    nouns = [words[index]]
    index += 1
    while index < len(words) and words[index].tag is Tag.NOUN and not splits(words, index, nouns, facts):
        nouns.append(words[index])
        index += 1
    return nouns, index


def splits(words: list[Word], index: int, nouns: list[Word], facts: Facts) -> bool:
    """Whether the noun at `index` opens a phrase of its own instead of naming the kind of the one before."""
    last, following = nouns[-1], words[index]
    if last.has("unknown") or following.has("unknown"):
        return True
    if last.has("attribute") and following.has("name"):
        return True
    if index + 1 < len(words) and words[index + 1].has("side"):
        return True
    if last.has("side") or following.has("side"):
        return False
    if following.has("name") and last.has("kin", "people", "relation", "place"):
        return False
    if last.has("proper", "name", "kin"):
        return True
    if following.has("attribute"):
        return True
    then = words[index + 1] if index + 1 < len(words) else None
    timed = then is not None and (then.tag in (Tag.NUMBER, Tag.TIME) or then.key in TIME_POINTS)
    if timed and following.key in (*TIME_UNITS, "tanggal", "pukul"):
        return True
    verb = facts.verb_word()
    after_verb = facts.has_verb and index > facts.verb
    if following.has("place") and not following.has("proper"):
        return after_verb or (verb is not None and last.has("animate"))
    if following.has("proper"):
        return facts.has_verb and last.key not in OF_PLACES
    if following.has("person") and after_verb and verb is not None and verb.stem in GIVINGS:
        return True
    if last.has("person") and not following.has("person"):
        return verb is not None and not after_verb and verb.has("transitive") and not facts.has_object_after_verb()
    wants = verb is not None and verb.has("transitive") and not facts.has_object_after_verb()
    if (
        following.has("person")
        and wants
        and not last.has("animate", "place")
        and _leads_to_verb(words, index + 1, facts)
    ):
        return True
    if last.has("animate") and following.has("animate"):
        return True
    if following.has("people", "relation") and after_verb and verb is not None and last.has("people"):
        return True
    owned = last.key in OWN_PLACES and after_verb
    return last.has("place") and following.has("animate") and facts.has_verb and not owned


def _leads_to_verb(words: list[Word], index: int, facts: Facts) -> bool:
    """KUE IBU (SUDAH) BUAT: only words that go with the verb stand before it."""
    return index <= facts.verb and all(word.tag in PRE_PREDICATE for word in words[index : facts.verb])
