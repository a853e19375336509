"""The promise of the grammar step, checked: nothing signed is lost, nothing is invented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from . import closed_classes as closed
from .morphology import causative, prefix_ber, prefix_me, stem_of
from .notation import UNKNOWN, is_number, is_spelled, spell_name
from .tagging import Tag, Word, tag_glosses

# What the rules may add; everything else in a sentence must come from a gloss.
ADDITIONS = frozenset(["di", "ke", "dari", "untuk", "dengan", "kepada", "pada", "yang", "dan", "apakah"])
_NEGATIVES = {"tidak": "tidak", "bukan": "tidak", "nggak": "tidak", "gak": "tidak", "tak": "tidak"}
_OTHER_NEGATIVES = frozenset({"belum", "jangan", "tanpa"})
_TOKEN = re.compile(r"\[\?\]|\w+(?:[-.,:/]\w+)*")
_TIED_PRONOUNS = {"ku": 1, "mu": 2, "nya": 3}


def check(glosses: Sequence[str], sentence: str) -> list[str]:
    """Compare a sentence with its glosses.

    Arguments:
        glosses: in notation, `[?]` and `?` included.
        sentence: the Indonesian text.

    Returns:
        one line for every broken promise, empty when all are kept.
    """
    words = tag_glosses(glosses)
    tokens = _untie(_TOKEN.findall(sentence), words)
    # A spelled name may look like a word ("Dia"): it says nothing about person or negation.
    spelled = Counter(spell_name(gloss) for gloss in glosses if is_spelled(gloss))
    common = list((Counter(tokens) - spelled).elements())
    plain = [word for word in words if not is_spelled(word.key)]
    return [
        *_check_content(words, tokens),
        *_check_negation(plain, common),
        *_check_persons(plain, common),
        *_check_question(words, sentence),
        *_check_exact(glosses, tokens),
        *_check_unknown(glosses, sentence),
    ]


def recall_content(glosses: Sequence[str], sentence: str) -> tuple[int, int]:
    """How many of the content words of the glosses the sentence holds, and how many there are."""
    words = [word for word in tag_glosses(glosses) if _is_content(word)]
    tokens = _untie(_TOKEN.findall(sentence), tag_glosses(glosses))
    missing = _find_missing(words, tokens)[0]
    return len(words) - len(missing), len(words)


def _is_content(word: Word) -> bool:
    return word.tag not in (Tag.MARKER, Tag.NEGATION, Tag.PRONOUN) and word.key != UNKNOWN


def list_forms(word: Word) -> list[str]:
    """Every written form that stands for a gloss, in lower case, long ones first."""
    key = word.key
    texts = {word.text.lower(), key.replace("_", " ")}
    texts |= _FORMS.get(key, frozenset())
    if key.isalpha() and word.tag in _OPEN:
        texts |= {prefix_me(key), prefix_ber(key), "me" + key, "di" + key, "ter" + key, prefix_me(key) + "i"}
        texts |= {prefix_me(key) + "kan", prefix_me(stem_of(key)), causative(key) or key, "pe" + key}
    return sorted(texts, key=lambda text: (-len(text), text))


_OPEN = (Tag.VERB, Tag.NOUN, Tag.ADJECTIVE, Tag.REQUEST, Tag.ASPECT)
_FORMS = {
    "kasih": frozenset({"memberi", "memberikan", "kasih"}),
    "buat": frozenset({"untuk", "membuat", "buat"}),
    "sama": frozenset({"dengan", "sama"}),
    "jadi": frozenset({"menjadi", "jadi"}),
    "lagi": frozenset({"sedang", "lagi"}),
    "sana": frozenset({"sana", "itu"}),
    "asal": frozenset({"berasal", "asal"}),
    "maaf": frozenset({"memaafkan", "maaf"}),
    "terima_kasih": frozenset({"terima kasih", "berterima kasih"}),
    "dapat": frozenset({"dapat", "mendapat"}),
    "apa": frozenset({"apa", "apakah"}),
    "kenapa": frozenset({"kenapa", "mengapa"}),
    "mengapa": frozenset({"kenapa", "mengapa"}),
    "jam": frozenset({"jam", "pukul"}),
    "sampai": frozenset({"sampai", "sehingga"}),
}


def _find_missing(words: Sequence[Word], tokens: Sequence[str]) -> tuple[list[Word], Counter[str]]:
    """The words without a token of their own, and the tokens left over."""
    left = Counter(part for token in tokens for part in _split(token))
    # Words that stand as they were signed take their tokens first, long ones before short ones.
    longest = sorted(words, key=lambda word: -len(word.text.split()))
    others = [word for word in longest if not _take(left, word.text.lower())]
    missing = [word for word in others if not any(_take(left, form) for form in list_forms(word))]
    return missing, +left


def _take(left: Counter[str], form: str) -> bool:
    """Take the tokens of a form out of what is left, if they are all there."""
    needed = Counter(part for token in form.split() for part in _split(token))
    if not needed or any(left[part] < count for part, count in needed.items()):
        return False
    left.subtract(needed)
    return True


def _split(token: str) -> list[str]:
    return [part for part in re.split(r"[-_]", token.lower()) if part] if not token[:1].isdigit() else [token]


def _check_content(words: Sequence[Word], tokens: Sequence[str]) -> list[str]:
    missing, left = _find_missing([word for word in words if _is_content(word)], tokens)
    lost = [f"the gloss {word.key.upper()} is missing" for word in missing]
    known = set(closed.PRONOUNS.values()) | set(_NEGATIVES) | _OTHER_NEGATIVES | ADDITIONS | {UNKNOWN, "anda"}
    return lost + [f"{token!r} was not signed" for token in left if token not in known]


def _check_negation(words: Sequence[Word], tokens: Sequence[str]) -> list[str]:
    signed = Counter(_NEGATIVES.get(word.text, word.text) for word in words if word.tag is Tag.NEGATION)
    # "tidak apa-apa" and "jangan lupa" carry theirs inside one gloss.
    for word in words:
        if word.tag in (Tag.GREETING, Tag.REQUEST, Tag.NOUN, Tag.PREPOSITION):
            signed.update(_count_negatives(word.text.lower().split()))
    written = _count_negatives(token.lower() for token in tokens)
    return [] if signed == written else [f"negation differs: {dict(signed)} signed, {dict(written)} written"]


def _count_negatives(tokens: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for token in tokens:
        if token in _NEGATIVES or token in _OTHER_NEGATIVES:
            found[_NEGATIVES.get(token, token)] += 1
    return found


def _untie(tokens: Sequence[str], words: Sequence[Word]) -> list[str]:
    """Take tied pronouns off: "bukuku" is "buku" and "aku", where both were signed."""
    persons = {closed.PERSONS[word.text.lower()]: word.text for word in words if word.tag is Tag.PRONOUN}
    forms = {part for word in words for form in list_forms(word) for part in (form, *form.split())} | ADDITIONS
    untied: list[str] = []
    for token in tokens:
        ending = next((e for e in _TIED_PRONOUNS if token.endswith(e)), "")
        base = token.removesuffix(ending)
        # Without a third person -nya only says which thing is meant ("harganya"): nothing is added by it.
        person = persons.get(_TIED_PRONOUNS.get(ending, 0), "" if ending == "nya" else None)
        if ending and person is not None and token.lower() not in forms and base.lower() in forms:
            untied += [base, person] if person else [base]
        else:
            untied.append(token)
    return untied


def _check_persons(words: Sequence[Word], tokens: Sequence[str]) -> list[str]:
    signed = {closed.PERSONS[word.text.lower()] for word in words if word.tag is Tag.PRONOUN}
    written = {closed.PERSONS[token.lower()] for token in tokens if token.lower() in closed.PERSONS}
    return [] if signed == written else [f"person differs: {sorted(signed)} signed, {sorted(written)} written"]


def _check_question(words: Sequence[Word], sentence: str) -> list[str]:
    asked = any(word.tag in (Tag.QUESTION, Tag.MARKER) or word.key == "apa_kabar" for word in words)
    marked = "?" in sentence.replace(UNKNOWN, "")
    if asked == marked:
        return []
    return ["the question mark is missing"] if asked else ["a question mark was not signed"]


def _check_exact(glosses: Sequence[str], tokens: Sequence[str]) -> list[str]:
    """Numbers and finger-spelled names, byte for byte and as often as signed."""
    exact = Counter(gloss for gloss in glosses if is_number(gloss))
    exact.update(spell_name(gloss) for gloss in glosses if is_spelled(gloss))
    written = Counter(tokens)
    return [f"{text!r} must stand as signed" for text, count in exact.items() if written[text] < count]


def _check_unknown(glosses: Sequence[str], sentence: str) -> list[str]:
    signed, written = sum(gloss == UNKNOWN for gloss in glosses), sentence.count(UNKNOWN)
    return [] if signed == written else [f"{signed} unknown signs, {written} in the sentence"]
