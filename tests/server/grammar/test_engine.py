"""The engine as a whole: the shipped glosses, and what holds for any sequence."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.server.grammar import RuleGrammar, Sentence, load_grammar, parse_glosses
from isyarat.server.grammar import closed_classes as closed
from isyarat.server.grammar import open_seeds as seeds
from isyarat.server.grammar.engine import join_plainly
from isyarat.server.grammar.guard import check


def split(words: str) -> list[str]:
    return words.split()


SHIPPED = split(
    "APA APA_KABAR BAGAIMANA BAIK BELAJAR BERAPA BINGUNG DIA HALO KAMU MAAF MAKAN MARAH MELIHAT MENULIS SABAR "
    "SAYA SELAMAT_MALAM SELAMAT_PAGI SELAMAT_SIANG SELAMAT_SORE SIAPA TERIMA_KASIH TIDUR TINGGI TULI"
)
ROOTS = split(
    "TULIS CUCI PUKUL KIRIM PINJAM TUNGGU BANTU GAMBAR FOTO SAPU LEMPAR KERJA MAIN JALAN BICARA RENANG NYANYI "
    "CERITA GANTI UBAH GORENG JAHIT KUNCI NYALA KUMPUL PERBAIKI BERSIHKAN MAKANAN PENJUAL TONG_SAMPAH ORANG_TUA "
    "RIBUAN AZKA ANAK-ANAK JALAN_JALAN TIDAK_BISA BELUM_PERNAH"
)
CLOSED = [
    word.upper()
    for words in (
        closed.PRONOUNS, closed.QUESTIONS, closed.NEGATIONS, closed.ASPECTS, closed.MODALS, closed.TIMES, closed.DAYS,
        closed.MONTHS, closed.NUMBERS, closed.QUANTIFIERS, closed.DEMONSTRATIVES, closed.HERES, closed.PREPOSITIONS,
        closed.SIDES, closed.CONJUNCTIONS, closed.DEGREES_BEFORE, closed.DEGREES_AFTER, closed.PARTICLES,
        closed.REQUESTS, closed.GREETINGS, closed.INFORMAL,
    )
    for word in words
]  # fmt: skip
OPEN = [
    word.upper()
    for words in (
        seeds.KIN, seeds.RELATIONS, seeds.PEOPLE, seeds.ANIMALS, seeds.PLACES, seeds.PROPER_PLACES, seeds.OTHER_PROPER,
        seeds.ACRONYMS, seeds.BARE_VERBS, seeds.ADJECTIVES, seeds.NOUNS, seeds.ATTRIBUTES,
    )
    for word in sorted(words)
]  # fmt: skip
SPECIAL = ["[?]", "?", "A-N-D-I", "D-I-A", "T-I-D-A-K", "5", "2024", "7.30"]
LETTERS = st.text("ABCDEGHIKLMNOPRSTU", min_size=1, max_size=9)
GLOSSES = st.one_of(
    *map(st.sampled_from, (SHIPPED, ROOTS, CLOSED, OPEN, SPECIAL)), LETTERS, st.integers(0, 9999).map(str)
)


def write(line: str) -> str:
    return load_grammar().compose(parse_glosses(line)).text


@pytest.mark.parametrize("gloss", SHIPPED)
def test_every_shipped_gloss_reads_alone(gloss: str) -> None:
    asked = gloss in {"APA", "APA_KABAR", "BAGAIMANA", "BERAPA", "SIAPA"}
    assert write(gloss) == gloss.replace("_", " ").capitalize() + ("?" if asked else ".")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("HALO APA_KABAR", "Halo, apa kabar?"),
        ("HALO SAYA TULI", "Halo, saya Tuli."),
        ("DIA MELIHAT SAYA", "Dia melihat saya."),
        ("SAYA TULI", "Saya Tuli."),
        ("KAMU BELAJAR APA", "Kamu belajar apa?"),
        ("APA_KABAR SAYA BAIK", "Apa kabar? Saya baik."),
        ("SAYA BAIK TERIMA_KASIH", "Saya baik, terima kasih."),
        ("SELAMAT_PAGI APA_KABAR KAMU", "Selamat pagi, apa kabar kamu?"),
        ("HALO KAMU APA_KABAR", "Halo, kamu apa kabar?"),
        ("MAAF SAYA BINGUNG", "Maaf, saya bingung."),
        ("MARAH KAMU", "Kamu marah."),
        ("DIA MARAH KAMU", "Dia marah kepada kamu."),
        ("SAYA DIA MELIHAT", "Saya melihat dia."),
        ("KAMU TULI SAYA TULI", "Kamu Tuli, saya Tuli."),
        ("KAMU TINGGI BERAPA", "Tinggi kamu berapa?"),
        ("SIAPA TIDUR", "Siapa yang tidur?"),
        ("APA KAMU BINGUNG", "Apakah kamu bingung?"),
        ("KAMU SAKIT ? SAYA BINGUNG", "Kamu sakit? Saya bingung."),
        ("SAYA LAPAR SAYA", "Saya lapar."),
        ("SAYA [?] NASI", "Saya [?] nasi."),
        ("[?]", "[?]."),
        ("2 KUCING TIDUR", "2 kucing tidur."),
    ],
)
def test_sequences_read_well(line: str, sentence: str) -> None:
    assert write(line) == sentence


def test_no_glosses_no_sentence() -> None:
    assert load_grammar().compose([]) == Sentence([], "", "rules")


def test_a_sentence_keeps_its_glosses() -> None:
    sentence = RuleGrammar().compose(("SAYA", "LAPAR"), variety="yogyakarta")
    assert sentence == Sentence(["SAYA", "LAPAR"], "Saya lapar.", "rules")


def test_unknown_grammar_lists_the_names() -> None:
    with pytest.raises(IsyaratError, match="choose one of: rules"):
        load_grammar("gemma")


@settings(max_examples=400, deadline=None)
@given(st.lists(GLOSSES, min_size=1, max_size=9))
def test_any_sequence_keeps_every_promise(glosses: list[str]) -> None:
    text = RuleGrammar().compose(glosses).text
    assert check(glosses, text) == []
    assert text[-1] in ".?"
    assert "  " not in text and " ," not in text


@settings(max_examples=200, deadline=None)
@given(st.lists(GLOSSES, min_size=1, max_size=9))
def test_the_plain_reading_keeps_every_promise(glosses: list[str]) -> None:
    assert check(glosses, join_plainly(glosses)) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(SHIPPED), min_size=1, max_size=6))
def test_composing_is_repeatable(glosses: list[str]) -> None:
    assert RuleGrammar().compose(glosses) == RuleGrammar().compose(list(glosses))


def test_a_warm_sentence_is_quick() -> None:
    grammar, glosses = load_grammar(), parse_glosses("KEMARIN SAYA BELI BUKU BARU DUA TOKO SANA")
    grammar.compose(glosses)
    best = min(_time(grammar, glosses) for _ in range(20))
    assert best < 0.002


def _time(grammar: RuleGrammar, glosses: list[str]) -> float:
    start = time.perf_counter()
    grammar.compose(glosses)
    return time.perf_counter() - start


def test_importing_loads_no_word_list() -> None:
    code = "import sys, isyarat.server.grammar; assert not {'Sastrawi'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
