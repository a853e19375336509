"""The schema's notation of a gloss is the grammar's."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.server.grammar import parse_glosses
from isyarat.server.schema import GLOSS_PATTERN, SentenceIn
from pydantic import ValidationError


@given(st.from_regex(GLOSS_PATTERN, fullmatch=True))
def test_what_fits_is_read(gloss: str) -> None:
    assert len(parse_glosses(gloss)) == 1


@pytest.mark.parametrize("gloss", ["SAYA", "TERIMA_KASIH", "B-U-D-I", "2026", "10:30", "[?]"])
def test_the_notation_fits(gloss: str) -> None:
    assert re.fullmatch(GLOSS_PATTERN, gloss)
    assert SentenceIn(glosses=[gloss]).glosses == [gloss]


@pytest.mark.parametrize("gloss", ["", "?", "SAYA MAKAN", "_", "A--B", "<b>", "SAYA\n"])
def test_other_texts_do_not(gloss: str) -> None:
    with pytest.raises(ValidationError):
        SentenceIn(glosses=[gloss])
