"""The gloss notation: what is read, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.server.grammar import parse_glosses
from isyarat.server.grammar.notation import is_spelled, spell_name


@pytest.mark.parametrize(
    ("text", "glosses"),
    [
        ("", []),
        ("  \n", []),
        ("HALO APA_KABAR", ["HALO", "APA_KABAR"]),
        ("halo  Apa_Kabar", ["HALO", "APA_KABAR"]),
        ("NAMA SAYA a-n-d-i", ["NAMA", "SAYA", "A-N-D-I"]),
        ("KAMU SAKIT ?", ["KAMU", "SAKIT", "?"]),
        ("KAMU SAKIT?", ["KAMU", "SAKIT", "?"]),
        ("SAYA [?] NASI", ["SAYA", "[?]", "NASI"]),
        ("[?]?", ["[?]", "?"]),
        ("JAM 7.30 TAHUN 2024", ["JAM", "7.30", "TAHUN", "2024"]),
    ],
)
def test_reads_notation(text: str, glosses: list[str]) -> None:
    assert parse_glosses(text) == glosses


@pytest.mark.parametrize("text", ["HALO!", "A--B", "_SAYA", "SAYA_", "<b>", "[x]", "12abc", "A-", "😀", "a\\b"])
def test_names_what_is_no_gloss(text: str) -> None:
    with pytest.raises(IsyaratError, match="is not a gloss") as caught:
        parse_glosses(f"SAYA {text}")
    assert text.split(maxsplit=1)[0].rstrip("?") in str(caught.value) or repr(text) in str(caught.value)


def test_a_marker_alone_asks_nothing() -> None:
    with pytest.raises(IsyaratError, match="question marker"):
        parse_glosses("?")


def test_spelling() -> None:
    assert is_spelled("A-N-D-I")
    assert not is_spelled("ANAK-ANAK")
    assert not is_spelled("A")
    assert spell_name("A-N-D-I") == "Andi"


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        glosses = parse_glosses(text)
    except IsyaratError:
        return
    assert parse_glosses(" ".join(glosses)) == glosses
