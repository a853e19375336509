"""Pieces of a clause that move as one, and what a clause holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from .tagging import Tag, Word

PRE_PREDICATE = (Tag.NEGATION, Tag.ASPECT, Tag.MODAL)


@dataclass
class Chunk:
    """A piece of a clause that is moved as one.

    Arguments:
        tag: the word class it behaves as; a noun phrase is NOUN or PRONOUN.
        words: what it says, in written order.
        head: the word that decides its meaning.
        preposition: put before it when it is written.
        passive: a verb whose doer follows it: "dilihat ribuan orang".
    """

    tag: Tag
    words: list[Word]
    head: Word
    preposition: str = ""
    passive: bool = False
    inflected: list[str] = field(default_factory=list)

    @property
    def is_nominal(self) -> bool:
        return self.tag in (Tag.NOUN, Tag.PRONOUN)

    @property
    def is_place(self) -> bool:
        return self.tag is Tag.NOUN and self.head.has("place") and not self.preposition

    @property
    def is_person(self) -> bool:
        return self.tag is Tag.PRONOUN or (self.tag is Tag.NOUN and self.head.has("person", "name"))

    @property
    def is_animate(self) -> bool:
        return self.is_person or (self.tag is Tag.NOUN and self.head.has("animate"))


@dataclass(frozen=True)
class Facts:
    """What a clause holds; decides how its nouns are grouped."""

    words: list[Word]
    verb: int  # index of the first verb, -1 without one

    @property
    def has_verb(self) -> bool:
        return self.verb >= 0

    def verb_word(self) -> Word | None:
        return self.words[self.verb] if self.has_verb else None

    def has_object_after_verb(self) -> bool:
        if not self.has_verb:
            return False
        return any(
            (word.tag in (Tag.NOUN, Tag.PRONOUN, Tag.VERB) and not word.has("place")) or word.key in ("apa", "siapa")
            for word in self.words[self.verb + 1 :]
        )

    def has_predicate_after(self, index: int) -> bool:
        """Whether something from `index` on can be the predicate."""
        return any(word.tag in (Tag.VERB, Tag.ADJECTIVE, Tag.QUESTION, Tag.HERE) for word in self.words[index:])


def gather_facts(words: list[Word]) -> Facts:
    verb = next((index for index, word in enumerate(words) if word.tag is Tag.VERB), -1)
    return Facts(words, verb)


Chunks = list[Chunk]
Reading = tuple[Chunk | None, int]


def find_verb(chunks: Chunks) -> int:
    return next((index for index, chunk in enumerate(chunks) if chunk.tag is Tag.VERB), -1)


def is_governed(chunks: Chunks, index: int) -> bool:
    return index > 0 and chunks[index - 1].tag is Tag.PREPOSITION


def list_nominals(chunks: Chunks, start: int, end: int) -> list[int]:
    return [i for i in range(start, end) if chunks[i].is_nominal and not is_governed(chunks, i)]
