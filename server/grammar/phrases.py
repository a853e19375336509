"""Chunks of a clause: noun phrases, times and single words, in the order they were signed."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from collections.abc import Callable

from .chunks import Chunk, Facts, Reading, gather_facts
from .closed_classes import LABELS, TIME_UNITS, UNITS
from .compounds import read_nouns
from .open_seeds import ANIMAL_DEEDS, MEASURES, MOTIONS, OWN_PLACES
from .tagging import Tag, Word
from .times import read_time


def chunk_clause(words: list[Word]) -> list[Chunk]:
    """Group the words of one clause."""
    facts = gather_facts(words)
    chunks: list[Chunk] = []
    index = 0
    while index < len(words):
        for reader in _READERS:
            chunk, end = reader(words, index, facts)
            if chunk:
                break
        else:
            chunk, end = Chunk(words[index].tag, [words[index]], words[index]), index + 1
        chunks.append(chunk)
        index = end
    return chunks


def _read_noun_phrase(words: list[Word], start: int, facts: Facts) -> Reading:
    return _NounPhrase(words, start, facts).read()


class _NounPhrase:
    """Reads one noun phrase, part by part, from `start`; the parts may be signed in any usual order."""

    def __init__(self, words: list[Word], start: int, facts: Facts) -> None:
        self.words, self.start, self.index, self.facts = words, start, start, facts
        self.before: list[Word] = []
        self.counted: list[Word] = []
        self.describing: list[Word] = []
        self.owner: list[Word] = []
        self.pointing: list[Word] = []
        self.here: list[Word] = []

    def read(self) -> Reading:
        if _is_loose_quantifier(self.words, self.index):
            return None, self.start
        while self._sees(Tag.NUMBER, Tag.QUANTIFIER):
            self.before.append(self._take())
        if not self.before:
            self._read_pointers_before()
        if self._sees(Tag.PRONOUN):
            return _read_pronoun(self.words, self.index, self.before)
        if not self._sees(Tag.NOUN):
            return None, self.start
        nouns, self.index = read_nouns(self.words, self.index, self.facts)
        head = nouns[0]
        if nouns[-1].has("side") and len(nouns) > 1:
            # MEJA ATAS: the side is written first and makes the thing a place.
            side = nouns.pop()
            nouns = [Word(side.key, side.text, Tag.NOUN), *nouns]
            head = Word(head.key, head.text, Tag.NOUN, frozenset({"place"}))
        self._read_modifiers(nouns, head)
        return self._write(nouns, head), self.index

    def _sees(self, *tags: Tag) -> bool:
        return self.index < len(self.words) and self.words[self.index].tag in tags

    def _take(self) -> Word:
        self.index += 1
        return self.words[self.index - 1]

    def _read_pointers_before(self) -> None:
        """SANA TOILET KOTOR, ITU ANAK MENANGIS: pointing first, as a determiner."""
        if self.index + 1 >= len(self.words) or self.words[self.index + 1].tag is not Tag.NOUN:
            return
        free = self.start == 0 or self.words[self.start - 1].tag is not Tag.VERB
        if self._sees(Tag.HERE) and free:
            self.here.append(self._take())
        elif self._sees(Tag.DEMONSTRATIVE) and _is_determiner(self.words, self.index, self.facts):
            self.pointing.append(self._take())

    def _read_modifiers(self, nouns: list[Word], head: Word) -> None:
        words, facts = self.words, self.facts
        self.describing, self.index = _read_attributes(words, self.start, self.index, facts)
        self.counted, self.index = _read_count(words, self.index, head, facts)
        if not self.describing:
            self.describing, self.index = _read_attributes(words, self.start, self.index, facts)
        if self._sees(Tag.PRONOUN) and _owns(words, self.index, nouns, facts):
            self.owner.append(self._take())
        if not self.counted and not self.before and (not self.owner or facts.has_verb):
            self.counted, self.index = _read_count(words, self.index, head, facts)
        if not self.pointing and self._sees(Tag.DEMONSTRATIVE):
            self.pointing.append(self._take())
        last = self.index == len(words) - 1
        if not self.here and self._sees(Tag.HERE) and not last and not _follows_verb(words, self.start):
            self.here.append(self._take())
        asked = self._sees(Tag.QUESTION) and words[self.index].key == "mana"
        if asked and head.has("place") and 0 <= facts.verb < self.index:
            # "di toko mana": which shop, not where.
            self.pointing.append(self._take())

    def _write(self, nouns: list[Word], head: Word) -> Chunk:
        where = [Word("di", "di", Tag.PREPOSITION), *self.here] if self.here else []
        tail = [*self.describing, *self.owner, *self.pointing, *where]
        # "jam sembilan" but "dua kucing".
        named = (
            [*nouns, *self.counted] if nouns[0].key in LABELS or nouns[-1].key in LABELS else [*self.counted, *nouns]
        )
        return Chunk(Tag.NOUN, [*self.before, *named, *tail], head)


def _is_loose_quantifier(words: list[Word], index: int) -> bool:
    """BANYAK RIBUAN ORANG: "much" belongs to the verb when another quantity counts the noun."""
    following = words[index + 1 : index + 2]
    return words[index].tag is Tag.QUANTIFIER and bool(following) and following[0].tag in (Tag.QUANTIFIER, Tag.NUMBER)


def _read_pronoun(words: list[Word], index: int, before: list[Word]) -> Reading:
    found = [*before, words[index]]
    index += 1
    if index < len(words) and words[index].key in ("semua", "berdua", "bertiga", "sendiri"):
        found.append(words[index])
        index += 1
    return Chunk(Tag.PRONOUN, found, found[len(before)]), index


def _is_determiner(words: list[Word], index: int, facts: Facts) -> bool:
    """ITU RUMAH BESAR: that house; INI BUKU SAYA: this is my book (nothing else would be the predicate)."""
    if words[-1].key in ("siapa", "apa") and not words[index + 1].has("person"):
        return False
    return facts.has_predicate_after(index + 2) or (index > 0 and words[index - 1].tag is Tag.VERB)


def _follows_verb(words: list[Word], start: int) -> bool:
    return any(word.tag is Tag.VERB for word in words[:start])


def _read_attributes(words: list[Word], start: int, index: int, facts: Facts) -> tuple[list[Word], int]:
    """Adjectives beside a noun that are not themselves the predicate: ANAK KECIL MENANGIS, BELI BAJU BARU."""
    found: list[Word] = []
    if words[index - 1].has("proper", "name"):
        return found, index
    while index < len(words) and words[index].tag is Tag.ADJECTIVE:
        after_subject = start > 0 and words[start - 1].tag in (Tag.PRONOUN, Tag.DEMONSTRATIVE)
        classifies = after_subject and not facts.has_verb and words[index - 1].has("people")
        if not (_follows_verb(words, start) or facts.has_predicate_after(index + 1) or classifies):
            break
        if _follows_verb(words, start) and facts.words[facts.verb].stem in ("main",):
            break
        found.append(words[index])
        index += 1
    return found, index


def _read_count(words: list[Word], index: int, head: Word, facts: Facts) -> tuple[list[Word], int]:
    found: list[Word] = []
    while index < len(words) and words[index].tag is Tag.NUMBER:
        found.append(words[index])
        index += 1
    measured = index < len(words) and (words[index].key in UNITS or words[index].key in TIME_UNITS)
    if found and measured and head.key not in LABELS:
        return [], index - len(found)
    if not found and index < len(words) and words[index].key == "berapa" and _counts(head):
        return [words[index]], index + 1
    # "ADA SEMUT BANYAK": behind the verb a quantity goes before its noun.
    many = not found and index < len(words) and words[index].key in ("banyak", "sedikit")
    if many and facts.has_verb and facts.verb < index:
        return [words[index]], index + 1
    return found, index


def _counts(head: Word) -> bool:
    return not head.has("attribute") and head.key not in LABELS and head.key not in MEASURES


def _owns(words: list[Word], index: int, nouns: list[Word], facts: Facts) -> bool:
    """Whether the pronoun at `index` says whose the noun before it is, or is the subject of what follows."""
    if nouns[-1].has("attribute") or (index + 1 < len(words) and words[index + 1].tag is Tag.PRONOUN):
        return True
    late = [word for word in words[index + 1 :] if word.tag is Tag.MODAL or word.key == "suka"]
    if late and 0 <= facts.verb < index and not any(word.tag is Tag.PRONOUN for word in words[:index]):
        return words[-1].tag is Tag.VERB and words[-1].key != "suka"
    if index + 1 < len(words) and words[index + 1].key in ("punya", "ada") and not facts.has_object_after_verb():
        return nouns[-1].has("person")
    verb = facts.verb_word()
    if verb is None or index > facts.verb:
        return True
    last = nouns[-1]
    if last.has("place") and (verb.stem in MOTIONS or not verb.has("transitive")):
        return False
    if last.has("place") and last.key not in OWN_PLACES and index < facts.verb:
        return False
    if not verb.has("transitive") or facts.has_object_after_verb():
        return True
    if last.has("person"):
        return True
    if last.has("animate"):
        return verb.stem in ANIMAL_DEEDS
    return False


_READERS: tuple[Callable[[list[Word], int, Facts], Reading], ...] = (read_time, _read_noun_phrase)
