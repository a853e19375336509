"""From glosses to words: every gloss gets its written form and its word class."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cache

from . import closed_classes as closed
from . import open_seeds as seeds
from .morphology import Stem, classify, is_affixed, is_mostly_noun, is_word, stem_of, zipf
from .notation import MARKER, UNKNOWN, is_number, is_spelled, spell_name


class Tag(Enum):
    """Word classes as the clause rules need them."""

    PRONOUN = auto()
    NOUN = auto()
    VERB = auto()
    ADJECTIVE = auto()
    QUESTION = auto()
    NEGATION = auto()
    ASPECT = auto()
    MODAL = auto()
    TIME = auto()
    NUMBER = auto()
    QUANTIFIER = auto()
    DEMONSTRATIVE = auto()
    HERE = auto()
    PREPOSITION = auto()
    CONJUNCTION = auto()
    DEGREE = auto()
    PARTICLE = auto()
    REQUEST = auto()
    GREETING = auto()
    MARKER = auto()


@dataclass(frozen=True)
class Word:
    """One gloss as a word.

    Arguments:
        key: the gloss in lower case, `_` kept.
        text: as it is written.
        tag: its word class.
        traits: what else the rules ask for, e.g. "kin", "place", "transitive".
    """

    key: str
    text: str
    tag: Tag
    traits: frozenset[str] = field(default_factory=frozenset)

    def has(self, *traits: str) -> bool:
        return not self.traits.isdisjoint(traits)

    def retag(self, tag: Tag, *traits: str) -> Word:
        return replace(self, tag=tag, traits=self.traits | set(traits))

    @property
    def stem(self) -> str:
        """The verb's root, whether it was signed with affixes or not."""
        return stem_of(self.key) if is_affixed(self.key) else self.key


_CLOSED: tuple[tuple[Tag, dict[str, str]], ...] = (
    (Tag.PRONOUN, closed.PRONOUNS),
    (Tag.QUESTION, closed.QUESTIONS),
    (Tag.NEGATION, closed.NEGATIONS),
    (Tag.ASPECT, closed.ASPECTS),
    (Tag.MODAL, closed.MODALS),
    (Tag.TIME, closed.TIMES | closed.DAYS | closed.MONTHS),
    (Tag.NUMBER, closed.NUMBERS),
    (Tag.QUANTIFIER, closed.QUANTIFIERS),
    (Tag.DEMONSTRATIVE, closed.DEMONSTRATIVES),
    (Tag.HERE, closed.HERES),
    (Tag.PREPOSITION, closed.PREPOSITIONS),
    (Tag.DEGREE, closed.DEGREES_BEFORE | closed.DEGREES_AFTER),
    (Tag.PARTICLE, closed.PARTICLES),
    (Tag.REQUEST, closed.REQUESTS),
    (Tag.GREETING, closed.GREETINGS),
)


def write(key: str) -> str:
    """The written form of an open-class gloss: capitals for proper names, a hyphen for a doubled word."""
    parts = key.replace("-", "_").split("_")
    if len(parts) > 1 and len(set(parts)) == 1:
        return "-".join(parts)
    if key in closed.INFORMAL:
        return closed.INFORMAL[key]
    return " ".join(_capitalise(part) for part in parts)


def _capitalise(part: str) -> str:
    if part in seeds.ACRONYMS:
        return part.upper()
    if part in seeds.PROPER_PLACES or part in seeds.OTHER_PROPER or not (is_word(part) or part.isdigit()):
        return part.capitalize()
    return part


@cache
def tag_gloss(gloss: str) -> Word:
    """The word of one gloss, by itself."""
    if gloss == UNKNOWN:
        return Word(gloss, gloss, Tag.NOUN, frozenset({"unknown"}))
    if gloss == MARKER:
        return Word(gloss, gloss, Tag.MARKER)
    if is_number(gloss):
        return Word(gloss, gloss, Tag.NUMBER)
    if is_spelled(gloss):
        return Word(gloss, spell_name(gloss), Tag.NOUN, frozenset({"name", "animate"}))
    key = gloss.lower()
    for tag, words in _CLOSED:
        if key in words:
            return Word(key, words[key], tag)
    if key in closed.CONJUNCTIONS:
        return Word(key, closed.INFORMAL.get(key, key), Tag.CONJUNCTION)
    parts = key.split("_")
    if len(parts) > 1 and all(part in closed.NUMBERS or part.isdigit() for part in parts):
        return Word(key, " ".join(parts), Tag.NUMBER)
    return _tag_open(key)


def _tag_open(key: str) -> Word:
    text = write(key)
    parts = key.split("_")
    head = key if len(set(parts)) > 1 or len(parts) == 1 else parts[0]
    traits = _traits(key)
    if key == "apa_kabar":
        return Word(key, "apa kabar", Tag.GREETING)
    if head in seeds.ADJECTIVES:
        return Word(key, text, Tag.ADJECTIVE, traits)
    if head in closed.INFORMAL and is_affixed(closed.INFORMAL[head]):
        return Word(key, text, Tag.VERB, traits | {"transitive", "fixed"})
    if head in seeds.BARE_VERBS:
        extra = {"transitive"} if head in seeds.BARE_TRANSITIVES else set()
        return Word(key, text, Tag.VERB, traits | extra | {"fixed"})
    if traits or head in seeds.NOUNS or head in seeds.ATTRIBUTES:
        return Word(key, text, Tag.NOUN, traits)
    if is_affixed(key):
        stem = stem_of(key)
        transitive = zipf("di" + key[2:]) or classify(stem) is Stem.TRANSITIVE or key.endswith(("kan", "i"))
        extra = {"transitive"} if key.startswith("me") and transitive else set()
        return Word(key, text, Tag.VERB, traits | extra | {"fixed"})
    if "_" in key or "-" in key:
        return Word(key, text, Tag.NOUN, traits)
    if not is_word(key):
        return Word(key, text, Tag.NOUN, traits | {"name"})
    stem_class = classify(key)
    if stem_class is Stem.ADJECTIVE:
        return Word(key, text, Tag.ADJECTIVE, traits)
    if stem_class is Stem.NOUN:
        return Word(key, text, Tag.NOUN, _derived_traits(key))
    extra = {"transitive"} if stem_class is Stem.TRANSITIVE else set()
    if is_mostly_noun(key):
        extra.add("maybe noun")
    return Word(key, text, Tag.VERB, traits | extra)


def _traits(key: str) -> frozenset[str]:
    traits = set()
    if key in seeds.KIN:
        traits |= {"kin", "person", "animate"}
    if key in seeds.RELATIONS:
        traits |= {"relation", "person", "animate"}
    if key in seeds.PEOPLE or key == "anak":
        traits |= {"people", "person", "animate"}
    if key in seeds.ANIMALS:
        traits |= {"animal", "animate"}
    if key in seeds.PLACES:
        traits.add("place")
    if key in seeds.PROPER_PLACES:
        traits |= {"place", "proper"}
    if key in seeds.OTHER_PROPER and key not in seeds.ADJECTIVES:
        traits.add("name")
    if key in seeds.ATTRIBUTES:
        traits.add("attribute")
    return frozenset(traits)


def _derived_traits(key: str) -> frozenset[str]:
    """A noun on pe- whose root is a verb names a person (penjual, pencuri)."""
    if key.startswith("pe") and not key.endswith("an") and stem_of(key) != key:
        return frozenset({"people", "person", "animate"})
    return frozenset()


@cache
def _join(first: str, second: str) -> str | None:
    """The gloss that two make together: RUMAH SAKIT, KANTOR POS."""
    joined = f"{first}_{second}"
    if (first, second) in closed.COMPOUNDS:
        return closed.COMPOUNDS[first, second]
    known = joined in seeds.PLACES or joined in seeds.PEOPLE or joined in seeds.ADJECTIVES
    return joined if known and first != second else None


def tag_glosses(glosses: Sequence[str]) -> list[Word]:
    """Words of a gloss sequence; glosses that make one word together (TERIMA KASIH) are joined."""
    words: list[Word] = []
    index = 0
    glosses = [part for gloss in glosses for part in _split_negation(gloss)]
    while index < len(glosses):
        pair = tuple(gloss.lower() for gloss in glosses[index : index + 2])
        joined = _join(*pair) if len(pair) == 2 else None
        if joined:
            words.append(tag_gloss(joined.upper()))
            index += 2
            continue
        word = tag_gloss(glosses[index])
        doubled = len(pair) == 2 and pair[0] == pair[1]
        if doubled and word.tag in (Tag.NOUN, Tag.ADJECTIVE, Tag.TIME) and not word.has("unknown", "name"):
            # ANAK ANAK, PELAN PELAN: a repeated word is written with a hyphen.
            words.append(replace(word, key=f"{word.key}_{word.key}", text=f"{word.text}-{word.text}"))
            index += 2
            continue
        words.append(word)
        index += 1
    return _name_hearing(words)


def _name_hearing(words: list[Word]) -> list[Word]:
    """SAYA TULI KAMU DENGAR: beside Tuli, Dengar without an object is the other people, not the verb."""
    if not any(word.key == "tuli" for word in words):
        return words
    named = list(words)
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        if word.key == "dengar" and (following is None or following.tag in (Tag.CONJUNCTION, Tag.MARKER)):
            named[index] = Word(word.key, "Dengar", Tag.ADJECTIVE)
    return named


def _split_negation(gloss: str) -> list[str]:
    """TIDAK_BISA is TIDAK and BISA: both keep their own rules."""
    first, _, rest = gloss.lower().partition("_")
    if rest and first in closed.NEGATIONS and gloss.lower() not in closed.GREETINGS | closed.REQUESTS:
        return [first.upper(), rest.upper()]
    return [gloss]
