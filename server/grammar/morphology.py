"""Affixes of Indonesian verbs, checked against a frequency list instead of typed out.

`words_id.tsv.gz` (figures of wordfreq, Speer 2022, doi:10.5281/zenodo.7199437, data CC BY-SA 4.0; written by
tests/benchmarks/write_word_list.py) says which affixed form exists and how common it is; Sastrawi's dictionary says
what a root is.
Both are loaded at the first sentence, not at import.
"""

# ruff: noqa: PLR0911 - a ladder of readings, the first that fits is taken

from __future__ import annotations

import gzip
from enum import Enum
from functools import cache
from importlib import resources

VOWELS = "aiueo"
# A frequency (Zipf scale) under which a form in the list is more likely a slip of the pen than a word.
RARE = 3.0
COMMON = 4.0


class Stem(Enum):
    """What a root does when it is the predicate."""

    TRANSITIVE = "transitive"  # takes meN-
    INTRANSITIVE = "intransitive"  # takes ber- or meN-, no object
    NOUN = "noun"
    ADJECTIVE = "adjective"


@cache
def _frequencies() -> dict[str, int]:
    """Centibels (100 log10 of the frequency) of every word in the list."""
    packed = resources.files(__package__).joinpath("words_id.tsv.gz").read_bytes()
    rows = (line.split("\t") for line in gzip.decompress(packed).decode().splitlines())
    return {word: int(centibels) for word, centibels in rows}


@cache
def _roots() -> frozenset[str]:
    # The file is read directly: the factory would build a stemmer as well.
    text = (resources.files("Sastrawi.Stemmer") / "data" / "kata-dasar.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def zipf(word: str) -> float:
    """How common a word is: 3 is once in a million words, 6 once in a thousand, 0 not in the list."""
    centibels = _frequencies().get(word)
    return centibels / 100 + 9 if centibels is not None else 0.0


def is_word(word: str) -> bool:
    """Whether a form is known at all, as a root or in use."""
    return word in _roots() or word in _frequencies()


def is_root(word: str) -> bool:
    return word in _roots()


def prefix_me(root: str) -> str:
    """meN- + root by the sound rules: tulis -> menulis, cuci -> mencuci, baca -> membaca, cat -> mengecat."""
    first = root[:1]
    if first in VOWELS:
        return "meng" + root
    if sum(letter in VOWELS for letter in root) == 1:
        return "menge" + root
    if first in "lrmnwy":
        return "me" + root
    dropped = {"p": "mem", "t": "men", "k": "meng", "s": "meny"}
    if first in dropped:
        # Loans keep their first sound ("memproses", "mentraktir"), and so do verbs on per-.
        kept = {"p": "mem", "t": "men", "k": "meng", "s": "men"}[first] + root
        elided = dropped[first] + root[1:]
        return kept if zipf(kept) > zipf(elided) else elided
    if first in "bfv":
        return "mem" + root
    if first in "cdjz":
        return "men" + root
    return "meng" + root


def prefix_ber(root: str) -> str:
    """ber- + root: main -> bermain, renang -> berenang, kerja -> bekerja, ajar -> belajar."""
    if root == "ajar":
        return "belajar"
    if root.startswith("r"):
        return "be" + root
    # A first syllable that ends in -er takes be- (bekerja, beternak), with exceptions (bercermin).
    closed = root[1:3] == "er" and root[3:4] not in VOWELS
    return "be" + root if closed and zipf("be" + root) > zipf("ber" + root) else "ber" + root


def is_affixed(word: str) -> bool:
    """Whether a gloss already carries a verbal prefix (MENULIS, BELAJAR): nothing is added to it."""
    if word in {"belajar", "bekerja", "mengerti", "tertawa"}:
        return True
    if not word.startswith(("me", "ber", "be", "di", "ter")) or not zipf(word):
        return False
    stem = stem_of(word)
    active, middle = prefix_me(stem), prefix_ber(stem)
    forms = {
        active,
        active + "kan",
        active + "i",
        middle,
        middle + "an",
        "memper" + stem,
        "memper" + stem + "i",
    }
    forms |= {"ter" + stem, "di" + stem, f"di{stem}kan", f"di{stem}i", prefix_me(stem.removeprefix("ke"))}
    return stem != word and len(stem) > 2 and word in forms


@cache
def _stemmer() -> object:
    from Sastrawi.Dictionary.ArrayDictionary import ArrayDictionary
    from Sastrawi.Stemmer.Stemmer import Stemmer

    return Stemmer(ArrayDictionary(list(_roots())))


@cache
def stem_of(word: str) -> str:
    """The root of a written word: memberi -> beri."""
    return str(_stemmer().stem(word)) if word.isalpha() else word  # type: ignore[attr-defined]


@cache
def classify(root: str) -> Stem:
    """The class of a root from the company its affixed forms keep.

    A transitive verb has both an active (menulis) and a passive (ditulis), about as common as the root. An
    intransitive one has only ber- or only meN-. An adjective has a superlative (terbesar) and an abstract
    noun (kebesaran). What is left is a noun.
    """
    bare, active, passive = zipf(root), zipf(prefix_me(root)), zipf("di" + root)
    if active >= RARE and passive >= RARE and active >= bare - 1.3:
        return Stem.TRANSITIVE
    if zipf("ter" + root) >= 3.3 and zipf(f"ke{root}an") >= 3.4:
        return Stem.ADJECTIVE
    if active >= COMMON and active >= bare - 0.3:
        return Stem.INTRANSITIVE
    ber = zipf(prefix_ber(root))
    if ber >= COMMON and ber >= bare - 1.2:
        return Stem.INTRANSITIVE
    # "nyanyi", "nonton": everyday forms that lost only the first syllable of meN-.
    if root[0] in "mn" and zipf("me" + root) >= 3.5:
        return Stem.INTRANSITIVE
    # "titip", "terjemah": seldom used bare, at home in meN-…-kan.
    if bare <= 4.2 and zipf(prefix_me(root) + "kan") >= max(3.3, bare - 0.5) and zipf(f"di{root}kan") >= RARE:
        return Stem.TRANSITIVE
    return Stem.NOUN


@cache
def is_mostly_noun(root: str) -> bool:
    """Whether a verb root is more often a thing (DIRI): its -nya form is common, its verb less so."""
    verb = max(zipf(prefix_me(root)), zipf(prefix_ber(root)))
    return zipf(root + "nya") >= 4.1 and verb < zipf(root) - 0.4


# Roots whose ber- form is another verb altogether: "mengajar" is not "belajar".
_ONLY_ME = frozenset({"ajar", "angkat", "kira"})


@cache
def activate(root: str, *, has_object: bool = True) -> str:
    """The active verb of a root: its most common form, meN- before an object (mengubah, but berubah)."""
    if is_affixed(root):
        return root
    active, middle = prefix_me(root), prefix_ber(root)
    forms = [active, middle]
    if root[0] in "mn":
        forms.append("me" + root)
    if classify(root) is Stem.TRANSITIVE and zipf(active) < RARE:
        return active + "kan"
    if classify(root) is Stem.TRANSITIVE and (has_object or root in _ONLY_ME):
        forms.remove(middle)
    best = max(forms, key=zipf)
    return best if zipf(best) >= RARE else root


@cache
def passivise(root: str) -> str | None:
    """The passive of a root where it is in use: beli -> dibeli."""
    passive = "di" + stem_of(root)
    return passive if zipf(passive) >= RARE else None


@cache
def can_act(noun: str) -> bool:
    """Whether a noun is also an everyday verb (gambar: menggambar, cerita: bercerita)."""
    return max(zipf(prefix_me(noun)), zipf(prefix_ber(noun))) >= max(RARE, zipf(noun) - 1.3)


@cache
def causative(root: str) -> str | None:
    """meN-root-kan where it is an everyday verb with an object (membersihkan, mengerjakan), else None.

    An action noun (pembersihan) or a passive (dikerjakan) shows that things are done to an object; adjectives
    of feeling have neither ("menyenangkan" says what something is like).
    """
    verb = prefix_me(root) + "kan"
    passive, action = zipf(f"di{root}kan"), zipf("pe" + prefix_me(root)[2:] + "an")
    if zipf(verb) >= 3.4 and passive >= 3.4 and (action >= 3.0 or passive >= COMMON):
        return verb
    return None
