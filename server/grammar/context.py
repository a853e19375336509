"""Words with two readings, decided by their neighbours."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from collections.abc import Callable

from .closed_classes import SIDES, TIME_UNITS
from .morphology import Stem, can_act, classify
from .open_seeds import COOKINGS, MEASURES, NOUNS, THING_TAKERS, VISITED
from .tagging import Tag, Word

_PREDICATES = (Tag.VERB, Tag.ADJECTIVE, Tag.QUESTION)
# Said of oneself without a prefix: "saya kuliah", "kami rapat di kantor".
_SCHOOLS = frozenset({"sekolah", "kuliah", "rapat", "ujian", "upacara", "lomba", "latihan"})


def settle_words(words: list[Word]) -> list[Word]:
    """Give every word of a clause the class its place asks for."""
    settled = list(words)
    for rule in _RULES:
        for index in range(len(settled)):
            settled[index] = rule(settled, index)
    return settled


def _before(words: list[Word], index: int) -> Word | None:
    return words[index - 1] if index > 0 else None


def _after(words: list[Word], index: int) -> Word | None:
    return words[index + 1] if index + 1 < len(words) else None


def _is(word: Word | None, *tags: Tag) -> bool:
    return word is not None and word.tag in tags


def _has_other(words: list[Word], index: int, *tags: Tag) -> bool:
    return any(word.tag in tags for position, word in enumerate(words) if position != index)


def settle_function_words(words: list[Word], index: int) -> Word:
    """BUAT (for / make), SAMA (with / same), LAGI (again / just now), DAPAT (can / get) and their like."""
    settle = _FUNCTION_WORDS.get(words[index].key)
    return settle(words, index) if settle else words[index]


def _names_person(word: Word | None) -> bool:
    return word is not None and (word.tag is Tag.PRONOUN or word.has("person", "name"))


def _settle_buat(words: list[Word], index: int) -> Word:
    done = any(_is(word, Tag.VERB, Tag.ADJECTIVE, Tag.DEMONSTRATIVE) for word in words[:index])
    if done and _names_person(_after(words, index)):
        return Word("buat", "untuk", Tag.PREPOSITION)
    return words[index]


def _settle_sama(words: list[Word], index: int) -> Word:
    after = _after(words, index)
    who = _names_person(after) or (after is not None and after.key == "siapa")
    if index == 0 or not who:
        return Word("sama", "sama", Tag.ADJECTIVE)
    return Word("sama", "dengan", Tag.PREPOSITION)


def _settle_lagi(words: list[Word], index: int) -> Word:
    just_now = _is(_after(words, index), Tag.VERB, Tag.ADJECTIVE)
    # MAKAN AKU LAGI: behind a subject that is signed after its verb.
    if just_now or (index > 1 and _is(_before(words, index), Tag.PRONOUN)):
        return words[index].retag(Tag.ASPECT)
    return words[index]


def _settle_dapat(words: list[Word], index: int) -> Word:
    after = _after(words, index)
    if after is None or _is(after, Tag.NOUN, Tag.NUMBER):
        return Word("dapat", "dapat", Tag.VERB, frozenset({"transitive"}))
    return words[index]


def _settle_jadi(words: list[Word], index: int) -> Word:
    if _is(_after(words, index), Tag.NOUN):
        return Word("jadi", "menjadi", Tag.VERB, frozenset({"transitive", "fixed"}))
    return words[index]


def _settle_request(words: list[Word], index: int) -> Word:
    """TOLONG, COBA, HARAP open a request; elsewhere they are verbs, but a last TOLONG still asks."""
    word, after = words[index], _after(words, index)
    opens = index == 0 or (index == 1 and words[0].key in ("kamu", "maaf"))
    if opens and after is not None:
        return word
    before = _before(words, index)
    if before is not None and before.key == "minta":
        return word.retag(Tag.NOUN)
    if word.key == "harap":
        return Word("harap", "berharap", Tag.VERB, frozenset({"fixed"}))
    if after is None and word.key == "tolong" and index != 1:
        return word
    return word.retag(Tag.VERB, "transitive")


def _settle_wish(words: list[Word], index: int) -> Word:
    if _has_other(words, index, Tag.VERB, Tag.ADJECTIVE, Tag.MODAL):
        return words[index]
    return words[index].retag(Tag.VERB, "transitive", "fixed")


_FUNCTION_WORDS: dict[str, Callable[[list[Word], int], Word]] = {
    "buat": _settle_buat,
    "sama": _settle_sama,
    "lagi": _settle_lagi,
    "dapat": _settle_dapat,
    "jadi": _settle_jadi,
    **dict.fromkeys(("tolong", "coba", "harap"), _settle_request),
    **dict.fromkeys(("mau", "ingin", "perlu"), _settle_wish),
}


def _has_other_predicate(words: list[Word], index: int) -> bool:
    """Whether something else can be the predicate; in DIA CERITA APA the question is only the object."""
    after = _after(words, index)
    others = [word for word in words if word is not words[index]]
    return any(w.tag in _PREDICATES and not (w is after and w.key in ("apa", "siapa")) for w in others)


def settle_roots(words: list[Word], index: int) -> Word:
    """Nouns that act as the predicate, verbs that stand for a thing, adjectives that name a measure."""
    word, before, after = words[index], _before(words, index), _after(words, index)
    asked = after is not None and (after.key == "berapa" or (_is(after, Tag.PRONOUN) and words[-1].key == "berapa"))
    if word.tag is Tag.ADJECTIVE and word.key in MEASURES and asked and not _has_other(words, index, Tag.VERB):
        return word.retag(Tag.NOUN, "attribute")
    if word.tag is Tag.VERB:
        return _settle_verb(words, index)
    if word.tag is not Tag.NOUN:
        return word
    if word.key in VISITED and any(other.stem in ("pergi", "datang", "bawa", "antar") for other in words):
        return Word(word.key, word.text, Tag.NOUN, frozenset({"place"}))
    if word.key in _SCHOOLS and before is not None and not _has_other(words, index, Tag.VERB, Tag.ADJECTIVE):
        studies = _is(before, Tag.PRONOUN, Tag.ASPECT, Tag.MODAL, Tag.NEGATION) or before.has("person")
        where = after is None or after.key == "mana" or after.has("place", "unknown")
        where = where or _is(after, Tag.TIME, Tag.NEGATION, Tag.ASPECT)
        if studies and where:
            return Word(word.key, word.text, Tag.VERB, frozenset({"fixed"}))
    if (
        (word.has("attribute", "place", "person", "unknown", "name") and word.key != "jalan")
        or word.key in SIDES
        or "_" in word.key
    ):
        return word
    if _is(before, Tag.MODAL, Tag.ASPECT) and can_act(word.key):
        return word.retag(Tag.VERB, "transitive")
    subject = _is(before, Tag.PRONOUN) or (before is not None and before.has("person", "name"))
    marked = words[-1].tag in (Tag.ASPECT, Tag.NEGATION) and index == len(words) - 2
    if marked and index == 1 and _is(before, Tag.NOUN) and not subject and classify(word.key) is Stem.TRANSITIVE:
        # PINTU KUNCI BELUM: it has not been done.
        return word.retag(Tag.VERB, "transitive")
    marked = marked and subject
    if marked and word.key not in NOUNS and words[-1].key != "bukan":
        return word.retag(Tag.VERB)
    counted = _has_other(words, index, Tag.NUMBER) and not _is(after, Tag.NOUN)
    predicated = _has_other_predicate(words, index)
    if subject and can_act(word.key) and not counted and not predicated:
        return word.retag(Tag.VERB, "transitive")
    return word


def _settle_verb(words: list[Word], index: int) -> Word:
    word, before, after = words[index], _before(words, index), _after(words, index)
    if word.has("fixed"):
        return word
    cooked = word.key in COOKINGS and _is(before, Tag.NOUN) and not _names_person(before)
    if cooked and _has_other(words, index, Tag.VERB, Tag.ADJECTIVE):
        return word.retag(Tag.NOUN)
    if before is not None and before.key in THING_TAKERS and not (word.has("transitive") or _is(after, Tag.NOUN)):
        return word.retag(Tag.NOUN)
    if word.has("maybe noun") and (_has_other_predicate(words, index) or _is(before, Tag.VERB) or before is None):
        return word.retag(Tag.NOUN)
    return word


def settle_sides(words: list[Word], index: int) -> Word:
    """ATAS MEJA: a side before a noun is a preposition."""
    word, before, after = words[index], _before(words, index), _after(words, index)
    if before is not None and before.key in TIME_UNITS:
        return word
    if word.key not in SIDES or word.key == "dekat":
        return word
    if index == 1 and _is(before, Tag.NOUN) and not _names_person(before) and not _is(after, Tag.NOUN):
        # "MEJA ATAS ADA BUKU".
        return word.retag(Tag.NOUN, "side")
    if _is(after, Tag.NOUN) or after is None:
        if _is(before, Tag.PREPOSITION):
            return word.retag(Tag.PREPOSITION)
        if _is(after, Tag.NOUN):
            return Word(word.key, f"di {word.key}", Tag.PREPOSITION)
        if _is(before, Tag.NOUN) and not _names_person(before):
            return word.retag(Tag.NOUN, "side")
        return Word(word.key, word.key, Tag.NOUN, frozenset({"place"}))
    return word


_RULES: tuple[Callable[[list[Word], int], Word], ...] = (settle_function_words, settle_sides, settle_roots)
