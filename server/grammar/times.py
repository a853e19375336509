"""Points and spans of time: BESOK PAGI, HARI SENIN, JAM SEMBILAN, DUA HARI LALU."""

from __future__ import annotations

from .chunks import Chunk, Facts, Reading
from .closed_classes import DAYS, MONTHS, TIME_POINTS, TIME_UNITS
from .tagging import Tag, Word


def read_time(words: list[Word], start: int, facts: Facts) -> Reading:
    """Neighbouring time words are one time: BESOK PAGI, HARI SENIN, JAM SEMBILAN, DUA HARI LALU."""
    index = start
    while index < len(words):
        word, following = words[index], words[index + 1] if index + 1 < len(words) else None
        if word.key == "malam" and following and following.key == "minggu":
            index += 2
        elif word.tag is Tag.TIME:
            index += 1
        elif word.key in ("jam", "pukul", "tanggal", "tahun") and following and following.tag is Tag.NUMBER:
            index = _end_of_numbers(words, index + 1)
        elif (
            (word.key in ("jam", "tanggal") and following and following.key == "berapa")
            or (word.key == "hari" and following and (following.key in DAYS or following.key == "minggu"))
            or (word.key in TIME_UNITS and following and following.key in TIME_POINTS)
        ):
            index += 2
        elif index > start and words[index - 1].tag is Tag.TIME and word.key in ("ini", "lalu"):
            index += 1
        elif (
            word.key in ("setiap", "tiap") and following and (following.key in TIME_UNITS or following.tag is Tag.TIME)
        ):
            index += 2
        elif word.key == "minggu" and index == 0 and len(words) > 1:
            index += 1
        else:
            units = _end_of_numbers(words, index)
            counts = units > index and units < len(words)
            if not (counts and (words[units].key in TIME_UNITS or words[units].key == "kali")):
                break
            index = units + 1
            if index < len(words) and words[index].key in ("lalu", "lagi", "depan"):
                index += 1
    if index == start:
        return None, start
    found = [_name_day(words, start, position) for position in range(start, index)]
    return Chunk(Tag.TIME, found, found[0]), index


def _name_day(words: list[Word], start: int, index: int) -> Word:
    """MINGGU is Sunday after HARI or by itself, else a week."""
    word = words[index]
    following = words[index + 1].key if index + 1 < len(words) else ""
    sunday = index > start and words[index - 1].key in ("hari", "malam")
    if word.key == "minggu" and (sunday or (index == start and following not in TIME_POINTS)):
        return Word(word.key, "Minggu", word.tag)
    return word


def _end_of_numbers(words: list[Word], start: int) -> int:
    index = start
    while index < len(words) and words[index].tag is Tag.NUMBER:
        index += 1
    # "5 mei", "tanggal dua mei 2024"
    if index > start and index < len(words) and words[index].key in MONTHS:
        index += 1
        while index < len(words) and words[index].tag is Tag.NUMBER:
            index += 1
    return index
