"""A gloss sequence as sentences: greetings, questions on the face, clauses and their commas."""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

from dataclasses import dataclass

from .chunks import PRE_PREDICATE
from .closed_classes import CONJUNCTIONS, SUBORDINATORS, TIME_UNITS
from .context import settle_words
from .marking import mark_clause
from .open_seeds import REPORTS, SAYINGS, THING_VERBS
from .ordering import order_chunks
from .phrases import chunk_clause
from .tagging import Tag, Word

_SUBJECTS = (Tag.PRONOUN, Tag.NOUN)
_PREDICATES = (Tag.VERB, Tag.ADJECTIVE, Tag.QUESTION)


@dataclass
class Part:
    """A stretch of words between two commas or stops.

    Arguments:
        tokens: the written words.
        question: it holds a question word or was marked as a question.
        stop: a sentence ends behind it.
    """

    tokens: list[str]
    question: bool = False
    stop: bool = False


def build_parts(words: list[Word]) -> list[Part]:
    """Cut the words into sentences at the question markers and build each."""
    parts: list[Part] = []
    run: list[Word] = []
    for word in words:
        if word.tag is not Tag.MARKER:
            run.append(word)
            continue
        built = _build_sentence(run, asked=True)
        if built:
            built[-1].question = True
            parts += built
        elif parts:
            parts[-1].question = True
        else:
            parts.append(Part([], question=True, stop=True))
        run = []
    return parts + _build_sentence(run, asked=False)


def _build_sentence(words: list[Word], *, asked: bool) -> list[Part]:
    parts: list[Part] = []
    run: list[Word] = []
    for index, word in enumerate(words):
        if (word.tag is Tag.GREETING and not _is_within(words, index)) or _assents(words, index):
            parts += _build_clauses(run, asked=asked)
            parts.append(_greet(word))
            run = []
        else:
            run.append(_act(words, index))
        if run and len(run) == 1 and parts and _follows_greeting(parts, run[0], index == len(words) - 1):
            parts[-1].tokens.append(run.pop().text)
            continue
    built = _build_clauses(run, asked=asked)
    if parts and built and parts[-1].tokens == ["terima", "kasih"] and run[0].tag in (Tag.ASPECT, Tag.VERB):
        # TERIMA_KASIH SUDAH BANTU SAYA: what the thanks are for.
        parts[-1].tokens += built.pop(0).tokens
    parts += built
    for index, part in enumerate(parts[:-1]):
        part.stop = part.question and parts[index + 1].tokens != ["kamu"]
    if parts:
        parts[-1].stop = True
    return parts


def _greet(word: Word) -> Part:
    return Part(word.text.split(), question=word.key == "apa_kabar")


def _assents(words: list[Word], index: int) -> bool:
    """YA SAYA MAU, BAIK SAYA PERGI: an answer before the sentence."""
    after = words[index + 1] if index + 1 < len(words) else None
    return (
        index == 0
        and words[0].key in ("ya", "baik")
        and after is not None
        and after.tag is Tag.PRONOUN
        and (words[0].key == "ya" or any(word.tag is Tag.VERB for word in words))
    )


def _follows_greeting(parts: list[Part], word: Word, last: bool) -> bool:
    """TERIMA_KASIH BANYAK, APA_KABAR KAMU: one phrase with the greeting."""
    greeting = " ".join(parts[-1].tokens)
    if greeting in ("sampai jumpa", "sampai ketemu"):
        return word.tag is Tag.TIME
    if greeting == "terima kasih":
        return word.key in ("banyak", "sekali")
    return greeting == "apa kabar" and last and word.tag is Tag.PRONOUN


def _is_within(words: list[Word], index: int) -> bool:
    """SAYA MINTA MAAF, SAYA TERIMA_KASIH KAMU: part of a clause, no greeting."""
    word = words[index]
    before = words[index - 1] if index else None
    if before is None:
        return False
    if word.key == "maaf":
        after = words[index + 1] if index + 1 < len(words) else None
        if before.key in ("minta", "mohon"):
            return True
        return before.tag in (Tag.PRONOUN, Tag.MODAL, Tag.NEGATION) and after is not None and after.tag in _SUBJECTS
    if word.key == "terima_kasih":
        return before.tag in (Tag.PRONOUN, Tag.MODAL) and index in (1, 2)
    if word.key == "apa_kabar":
        alone = index == 1 or words[index - 2].tag is Tag.GREETING
        return alone and before.tag in _SUBJECTS
    return before.key in ("bilang", "kata", "ucap")


def _act(words: list[Word], index: int) -> Word:
    """A greeting inside a clause is its verb, its object or its question."""
    word = words[index]
    if word.tag is not Tag.GREETING:
        return word
    before = words[index - 1].tag if index else None
    if word.key == "maaf" and before in (Tag.PRONOUN, Tag.MODAL, Tag.NEGATION):
        return Word("maaf", "memaafkan", Tag.VERB, frozenset({"transitive", "fixed"}))
    if word.key == "terima_kasih" and before in (Tag.PRONOUN, Tag.MODAL):
        return Word("terima_kasih", "berterima kasih", Tag.VERB, frozenset({"fixed"}))
    if word.key == "apa_kabar":
        return word.retag(Tag.QUESTION)
    return word.retag(Tag.NOUN)


def _build_clauses(words: list[Word], *, asked: bool) -> list[Part]:
    parts: list[Part] = []
    for opener, clause in split_clauses(words):
        tokens = mark_clause(order_chunks(chunk_clause(settle_words(clause)), asked=asked)) if clause else []
        question = any(word.tag is Tag.QUESTION for word in clause)
        if opener is None:
            parts.append(Part(tokens, question))
            continue
        comma = CONJUNCTIONS[opener.key] and bool(parts)
        after_subordinate = len(parts) == 1 and parts[0].tokens[:1] and parts[0].tokens[0] in SUBORDINATORS
        if parts and not comma and not after_subordinate:
            parts[-1].tokens += [opener.text, *tokens]
            parts[-1].question = parts[-1].question or question
        else:
            parts.append(Part([opener.text, *tokens], question))
    for part in parts[:-1]:
        # One sentence asks as a whole, at its end.
        parts[-1].question = parts[-1].question or part.question
        part.question = False
    return parts


def split_clauses(words: list[Word]) -> list[tuple[Word | None, list[Word]]]:
    """Clauses with the conjunction that opens each; a fronted one ends where a new subject comes."""
    clauses: list[tuple[Word | None, list[Word]]] = []
    opener: Word | None = None
    run: list[Word] = []
    for index, word in enumerate(words):
        if word.tag is Tag.CONJUNCTION and _opens_clause(words, index, run):
            if run or opener:
                clauses.append((opener, run))
            opener, run = word, []
            continue
        if _begins_anew(words, index, run):
            clauses.append((opener, run))
            opener, run = None, []
        if opener and not clauses and opener.key in SUBORDINATORS and _starts_main(words, index, run):
            clauses.append((opener, run))
            opener, run = None, []
        # WAKTU that opens nothing is time itself.
        run.append(word.retag(Tag.NOUN) if word.key == "waktu" else word)
    if run or opener:
        clauses.append((opener, run))
    return clauses


def _opens_clause(words: list[Word], index: int, run: list[Word]) -> bool:
    word, rest = words[index], words[index + 1 :]
    if not rest and word.key == "terus":
        return False
    if word.key in ("dan", "atau"):
        both = any(w.tag in _PREDICATES for w in run) and any(w.tag in _PREDICATES for w in rest)
        return both or not rest or rest[0].tag not in _SUBJECTS
    if word.key == "jadi":
        return not (rest and rest[0].tag is Tag.NOUN and not any(w.tag in (Tag.VERB, Tag.PRONOUN) for w in rest))
    if word.key == "sampai":
        return bool(rest) and any(w.tag in _PREDICATES for w in rest) and rest[0].tag is not Tag.QUESTION
    if word.key == "lalu" and run and run[-1].key in TIME_UNITS:
        return False
    if word.key == "waktu" and run and not (rest and rest[0].tag in (Tag.PRONOUN, Tag.NOUN)):
        return False
    if word.key in ("saat", "waktu", "yang", "sejak"):
        return word.key != "yang" and any(w.tag in _PREDICATES for w in rest)
    return True


def _begins_anew(words: list[Word], index: int, run: list[Word]) -> bool:
    """KAMU TULI SAYA TULI: a new subject with its own predicate, after a clause that has both already."""
    if len(run) < 2 or index + 1 >= len(words):
        return False
    person = words[index].has("person") and run[0].has("person") and words[index + 1].tag is Tag.VERB
    if person and run[-1].tag is Tag.VERB and not run[-1].has("transitive"):
        return True
    if words[index].tag is not Tag.PRONOUN:
        return False
    pointed = run[-2].tag is Tag.DEMONSTRATIVE and run[-1].tag is Tag.ADJECTIVE
    if pointed and any(word.tag in (Tag.VERB, Tag.ADJECTIVE) for word in words[index + 1 :]):
        return True
    if any(word.tag is Tag.QUESTION for word in run) or not any(word.tag is Tag.PRONOUN for word in run):
        return False
    last, following = run[-1], words[index + 1]
    if last.has("people") and following.has("people") and len(run) == 2 and run[0].tag is Tag.PRONOUN:
        return True
    told = any(word.key in REPORTS for word in run)
    predicated = any(word.tag in (Tag.VERB, Tag.ADJECTIVE) for word in words[index + 1 :])
    if told or not predicated or following.tag not in (Tag.VERB, Tag.ADJECTIVE, *PRE_PREDICATE):
        return False
    if last.tag is Tag.ADJECTIVE:
        return last.key not in SAYINGS and run[-2].tag is not Tag.NOUN
    if last.tag is Tag.VERB:
        return (not last.has("transitive") or last.stem in THING_VERBS) and run[0].tag is Tag.PRONOUN
    acted = any(word.tag is Tag.VERB for word in run)
    return last.tag is Tag.NOUN and acted and run[0].tag is Tag.PRONOUN and not last.has("person")


def _starts_main(words: list[Word], index: int, run: list[Word]) -> bool:
    """KALAU HUJAN | SAYA TIDAK PERGI: the subordinate clause has its predicate and a subject follows."""
    if not any(word.tag in (Tag.VERB, Tag.ADJECTIVE) for word in run):
        return False
    word = words[index]
    if word.tag not in (Tag.PRONOUN, Tag.REQUEST) and not word.has("kin") and word.key != "jangan":
        return False
    last = run[-1]
    # "KALAU KAMU LIHAT DIA": an object, unless a predicate of its own follows.
    if (last.tag is Tag.VERB and last.has("transitive")) or last.tag is Tag.NOUN:
        return any(later.tag in (Tag.VERB, Tag.ADJECTIVE) for later in words[index + 1 :])
    return True
