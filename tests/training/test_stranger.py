"""Which foreign signs are held up as unknown."""

from __future__ import annotations

from isyarat.data.synthetic import GLOSSES
from isyarat.training.stranger import MEANINGS, is_stranger


def test_every_word_that_ships_has_its_meanings() -> None:
    assert set(MEANINGS) == {gloss for gloss in GLOSSES if not gloss.startswith("X_")}


def test_signs_of_our_words_are_no_strangers() -> None:
    ours = sorted(MEANINGS)
    assert not is_stranger("THANK_YOU", ours)
    assert not is_stranger("EAT", ours)
    assert is_stranger("PIZZA", ours)
    assert is_stranger("EAT", ["TULI"])


def test_words_without_known_meanings_have_no_strangers() -> None:
    assert not is_stranger("PIZZA", ["TULI", "KATA_BARU"])
