"""The guard sees what is lost and what is invented."""

from __future__ import annotations

import pytest
from isyarat.server.grammar.guard import check, recall_content


@pytest.mark.parametrize(
    ("gloss", "sentence"),
    [
        ("SAYA MAKAN NASI", "Saya makan nasi."),
        ("KAKAK AKU KASIH HADIAH BUAT AKU", "Kakakku memberi hadiah untukku."),
        ("DIA TULIS SURAT", "Dia menulis surat."),
        ("SAYA TIDAK GURU", "Saya bukan guru."),
        ("SAYA NAMA A-N-D-I", "Nama saya Andi."),
        ("NAMA SAYA D-I-A", "Nama saya Dia."),
        ("JAM 7.30 SAYA BANGUN", "Jam 7.30 saya bangun."),
        ("DIA [?] NASI", "Dia [?] nasi."),
        ("KAMU SAKIT ?", "Kamu sakit?"),
        ("ANAK ANAK MAIN", "Anak-anak bermain."),
    ],
)
def test_faithful_sentences_pass(gloss: str, sentence: str) -> None:
    assert check(gloss.split(), sentence) == []


@pytest.mark.parametrize(
    ("gloss", "sentence", "complaint"),
    [
        ("SAYA MAKAN NASI", "Saya makan.", "NASI is missing"),
        ("SAYA MAKAN NASI", "Saya sudah makan nasi.", "'sudah' was not signed"),
        ("SAYA MAKAN NASI", "Alhamdulillah, saya makan nasi.", "'alhamdulillah' was not signed"),
        ("SAYA TIDAK MAKAN", "Saya makan.", "negation differs"),
        ("SAYA BELUM MAKAN", "Saya tidak makan.", "negation differs"),
        ("MAKAN NASI", "Saya makan nasi.", "person differs"),
        ("SAYA MAKAN", "Kamu makan.", "person differs"),
        ("KAMU MAKAN APA", "Kamu makan apa.", "question mark is missing"),
        ("KAMU SAKIT ?", "Kamu sakit.", "question mark is missing"),
        ("KAMU SAKIT", "Kamu sakit?", "question mark was not signed"),
        ("HARGA 5000", "Harga 500.", "5000"),
        ("KUCING DUA", "Tiga kucing.", "DUA is missing"),
        ("NAMA SAYA A-N-D-I", "Nama saya Andy.", "Andi"),
        ("SAYA [?] NASI", "Saya nasi.", "unknown signs"),
        ("SAYA MAKAN", "Saya makan [?].", "unknown signs"),
    ],
)
def test_breaches_are_named(gloss: str, sentence: str, complaint: str) -> None:
    assert any(complaint in line for line in check(gloss.split(), sentence))


def test_recall_counts_content_words() -> None:
    assert recall_content(["SAYA", "TIDAK", "MAKAN", "NASI"], "Saya tidak makan.") == (1, 2)
