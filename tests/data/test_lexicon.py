"""Constrained decoding: exact, adds up to one, and asks the model for no more than it needs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.data.lexicon import NO_SIGN, Lexicon, Logits, soften, softmax

END = 1
VOCABULARY = 12
# APA is the beginning of APA_KABAR: the end token tells them apart.
ENTRIES = {"APA": (5, END), "APA_KABAR": (5, 6, 7, END), "SAYA": (8, END), "SELAMAT": (9, 9, END), NO_SIGN: (END,)}


class FakeModel:
    """Logits that are a function of the tokens so far; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def read(self, tokens: Sequence[int]) -> Logits:
        seed = [len(tokens), *tokens]
        return np.random.default_rng(seed).normal(0, 2, VOCABULARY).astype(np.float32)

    def step(self, state: object, token: int, depth: int) -> tuple[Logits, object]:
        assert isinstance(state, tuple)
        assert len(state) == depth
        tokens = (*state, token)
        self.asked.append(tokens)
        return self.read(tokens), tokens


def score(entries: dict[str, tuple[int, ...]]) -> tuple[dict[str, float], FakeModel]:
    model = FakeModel()
    return Lexicon(entries).score(model.read(()), (), model.step), model


def brute_force(entries: dict[str, tuple[int, ...]]) -> dict[str, float]:
    """Renormalises over the permitted tokens after every prefix, straight from the definition."""
    model, scores = FakeModel(), {}
    for gloss, tokens in entries.items():
        probability = 1.0
        for depth, token in enumerate(tokens):
            prefix = tokens[:depth]
            allowed = sorted({t[depth] for t in entries.values() if t[:depth] == prefix and len(t) > depth})
            weights = {t: math.exp(float(model.read(prefix)[t])) for t in allowed}
            probability *= weights[token] / sum(weights.values())
        scores[gloss] = probability
    return scores


def test_known_lexicon() -> None:
    scores, model = score(ENTRIES)
    assert scores == pytest.approx(brute_force(ENTRIES))
    assert sum(scores.values()) == pytest.approx(1)
    assert set(scores) == set(ENTRIES)
    # Only after 5 is there a choice left (the end, or 6); SAYA, SELAMAT and the rest of APA_KABAR have one way on.
    assert model.asked == [(5,)]


@given(st.sets(st.lists(st.integers(2, 6), max_size=4).map(tuple), min_size=1, max_size=20))
def test_equals_brute_force(answers: set[tuple[int, ...]]) -> None:
    entries = {str(answer): (*answer, END) for answer in sorted(answers)}
    scores, model = score(entries)
    assert scores == pytest.approx(brute_force(entries))
    assert sum(scores.values()) == pytest.approx(1)
    assert len(model.asked) == len(set(model.asked))  # no prefix is read twice


def test_single_gloss_needs_no_model() -> None:
    scores, model = score({"HALO": (4, 5, 6, END)})
    assert scores == {"HALO": 1.0}
    assert model.asked == []


def test_extreme_logits_stay_finite() -> None:
    def step(state: object, token: int, depth: int) -> tuple[Logits, object]:
        raise AssertionError("no step is needed")

    logits = np.array([0, -1e4, 1e4], np.float32)
    assert Lexicon({"A": (1,), "B": (2,)}).score(logits, None, step) == {"A": 0.0, "B": 1.0}


def test_glosses_leave_out_no_sign() -> None:
    lexicon = Lexicon(ENTRIES)
    assert lexicon.glosses == ["APA", "APA_KABAR", "SAYA", "SELAMAT"]
    assert lexicon.entries[NO_SIGN] == (END,)


@pytest.mark.parametrize(
    "entries",
    [
        {"A": ()},
        {"A": (2, END), "B": (2, END)},
        {"A": (2,), "B": (2, 3)},
        {"B": (2, 3), "A": (2,)},
    ],
)
def test_entries_that_cannot_be_told_apart(entries: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(IsyaratError, match="give it another spelling"):
        Lexicon(entries)


def test_softmax() -> None:
    assert softmax(np.array([1000.0, 1000.0])) == pytest.approx([0.5, 0.5])
    assert softmax(np.zeros((2, 4))).sum(axis=-1) == pytest.approx([1, 1])


def test_soften() -> None:
    scores = {"A": 0.8, "B": 0.2, "C": 0.0}
    assert soften(scores, 1.0) == pytest.approx(scores, abs=1e-9)
    softer = soften(scores, 2.0)
    assert softer["A"] == pytest.approx(2 / 3, abs=1e-6)  # sqrt(0.8) : sqrt(0.2) = 2 : 1
    assert sum(softer.values()) == pytest.approx(1)
    assert list(softer) == ["A", "B", "C"]
