"""Affixes follow the sound rules and the frequency list."""

from __future__ import annotations

import pytest
from isyarat.server.grammar.morphology import (
    Stem,
    activate,
    causative,
    classify,
    is_affixed,
    passivise,
    prefix_ber,
    stem_of,
)


@pytest.mark.parametrize(
    ("root", "verb"),
    [
        ("tulis", "menulis"),
        ("cuci", "mencuci"),
        ("baca", "membaca"),
        ("pukul", "memukul"),
        ("kirim", "mengirim"),
        ("sapu", "menyapu"),
        ("cat", "mengecat"),
        ("ambil", "mengambil"),
        ("lihat", "melihat"),
        ("goreng", "menggoreng"),
        ("telepon", "menelepon"),
        ("main", "bermain"),
        ("kerja", "bekerja"),
        ("renang", "berenang"),
        ("tari", "menari"),
        ("nangis", "menangis"),
        ("tanya", "bertanya"),
        ("ajar", "mengajar"),
        ("menulis", "menulis"),
        ("belajar", "belajar"),
    ],
)
def test_active_verbs(root: str, verb: str) -> None:
    assert activate(root) == verb


def test_some_verbs_need_an_object_for_men() -> None:
    assert activate("ubah", has_object=True) == "mengubah"
    assert activate("ubah", has_object=False) == "berubah"


@pytest.mark.parametrize(
    ("root", "stem"),
    [
        ("jual", Stem.TRANSITIVE),
        ("tendang", Stem.TRANSITIVE),
        ("renang", Stem.INTRANSITIVE),
        ("bicara", Stem.INTRANSITIVE),
        ("jauh", Stem.ADJECTIVE),
        ("kursi", Stem.NOUN),
        ("kucing", Stem.NOUN),
        ("rumah", Stem.NOUN),
    ],
)
def test_classes_come_from_the_frequencies(root: str, stem: Stem) -> None:
    assert classify(root) is stem


def test_causatives_are_for_deeds_not_feelings() -> None:
    assert causative("bersih") == "membersihkan"
    assert causative("kerja") == "mengerjakan"
    assert causative("sedih") is None
    assert causative("sakit") is None


def test_passive_and_stem() -> None:
    assert passivise("beli") == "dibeli"
    assert passivise("kursi") is None
    assert stem_of("memberi") == "beri"
    assert prefix_ber("ajar") == "belajar"


def test_affixed_glosses_are_known() -> None:
    assert is_affixed("menulis")
    assert is_affixed("belajar")
    assert not is_affixed("merah")
    assert not is_affixed("besar")
    assert not is_affixed("dingin")
