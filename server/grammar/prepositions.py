"""The prepositions BISINDO does not sign: di, ke, dari before places, dengan, kepada, dari before people."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from .chunks import Chunk, Chunks, find_verb
from .closed_classes import SIDES
from .open_seeds import (
    ARRIVALS,
    BARE_BEFORE_PLACES,
    BARE_PLACES,
    GIVINGS,
    MOTIONS,
    PLACE_VERBS,
    SAYINGS,
    THING_VERBS,
    WITH_VERBS,
)
from .tagging import Tag


def mark_places(chunks: Chunks) -> None:
    """A place takes "ke" after a verb of motion, else "di", unless it is what the verb acts on."""
    verb = find_verb(chunks)
    for index, chunk in enumerate(chunks):
        here = chunk.tag is Tag.HERE
        if not (here or chunk.is_place) or (index and chunks[index - 1].tag is Tag.PREPOSITION):
            continue
        doing = _verb_before(chunks, index)
        if doing < 0:
            if here or chunk.words[0].key in SIDES or _holds(chunks, index):
                chunk.preposition = "di"
            elif index and verb < 0 and index == _last_content(chunks):
                _mark_stative_place(chunks, index)
            continue
        chunk.preposition = _choose_place(chunks, doing, index)


def _holds(chunks: Chunks, index: int) -> bool:
    """TAMAN ADA BUNGA: the place where something is."""
    following = chunks[index + 1 : index + 3]
    return index == 0 and len(following) == 2 and following[0].head.key == "ada" and following[1].tag is Tag.NOUN


def _last_content(chunks: Chunks) -> int:
    return max(i for i, c in enumerate(chunks) if c.tag not in (Tag.TIME, Tag.PARTICLE))


def _mark_stative_place(chunks: Chunks, index: int) -> None:
    before = chunks[index - 1]
    if before.head.key == "asal" or (before.is_nominal and before.head.key == "asal"):
        chunks[index].preposition = "dari"
    elif before.is_nominal and not (before.words[-1].tag is Tag.DEMONSTRATIVE and len(before.words) == 1):
        if not any(c.tag is Tag.QUESTION for c in chunks) and not before.head.has("attribute"):
            chunks[index].preposition = "di"
    elif before.tag is Tag.ADJECTIVE and index > 1 and before.head.key not in BARE_BEFORE_PLACES:
        chunks[index].preposition = "dari" if before.head.key == "jauh" else "di"
    elif before.tag is Tag.NEGATION and before.head.text in ("tidak", "belum"):
        chunks[index].preposition = "di"


def _verb_before(chunks: Chunks, index: int) -> int:
    return next((i for i in range(index - 1, -1, -1) if chunks[i].tag is Tag.VERB), -1)


def _choose_place(chunks: Chunks, doing: int, index: int) -> str:
    head, place = chunks[doing].head, chunks[index]
    between = [c for c in chunks[doing + 1 : index] if c.tag is not Tag.TIME]
    stem = head.stem
    if stem == "asal":
        return "dari"
    if stem in ARRIVALS:
        return "di"
    if stem in BARE_PLACES and place.head.key in BARE_PLACES[stem] and len(place.words) == 1:
        return ""
    if place.head.key in SIDES and stem not in ("naik", "turun", "pergi", "lari"):
        return "di"
    if stem in MOTIONS:
        return "ke"
    direct = not any(c.is_nominal or c.tag is Tag.QUESTION for c in between)
    if chunks[doing].inflected and chunks[doing].inflected[0].startswith("di"):
        return "di"
    if head.has("transitive") and direct and place.tag is Tag.NOUN:
        return "di" if stem in THING_VERBS - PLACE_VERBS else ""
    if direct and head.key in ("jadi", "punya", "ada") and place.tag is Tag.NOUN:
        return "di" if head.key == "ada" and doing > 0 and chunks[doing - 1].is_nominal else ""
    return "di"


def mark_people(chunks: Chunks) -> None:
    """People a verb is done with ("dengan") or turned to ("kepada")."""
    for index, chunk in enumerate(chunks):
        who = chunk.is_person or chunk.head.key == "siapa"
        if not who or index == 0 or chunk.preposition or chunks[index - 1].tag is Tag.PREPOSITION:
            continue
        doing = index - 1
        between: list[Chunk] = []
        while doing >= 0 and chunks[doing].tag not in (Tag.VERB, Tag.ADJECTIVE):
            between.append(chunks[doing])
            doing -= 1
        if doing <= 0:
            continue
        last = not any(c.tag in (Tag.VERB, Tag.ADJECTIVE) for c in chunks[index + 1 :])
        subject = any(c.is_nominal for c in chunks[:doing])
        if not (last and subject):
            continue
        chunk.preposition = _choose_person(chunks[doing], between)


def _choose_person(doing: Chunk, between: list[Chunk]) -> str:
    stem = doing.head.stem
    things = [c for c in between if c.is_nominal]
    if doing.tag is Tag.ADJECTIVE:
        return "kepada" if stem in SAYINGS and not things else "dengan" if stem in ("sama", "kenal", "dekat") else ""
    if stem in GIVINGS and things and not things[0].is_person:
        return "kepada"
    if stem in SAYINGS and stem not in WITH_VERBS:
        return "kepada"
    if stem in WITH_VERBS and not (things and things[0].is_person):
        return "dengan"
    if not doing.head.has("transitive") and (
        stem in MOTIONS or stem in ("tinggal", "kerja", "belajar", "pulang", "belanja", "olahraga")
    ):
        return "dengan"
    return ""


def mark_comparison(chunks: Chunks) -> None:
    """LEBIH TINGGI SAYA -> lebih tinggi dari saya."""
    for index in range(3, len(chunks)):
        graded = chunks[index - 2].head.key == "lebih" and chunks[index - 1].tag is Tag.ADJECTIVE
        if graded and chunks[index].is_nominal:
            chunks[index].preposition = "dari"
