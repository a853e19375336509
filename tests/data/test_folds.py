"""Folds: nothing that is tested was seen in training, by whatever rule."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.data.folds import RULES, Leak, Rule, Unit, find_leaks, split_units


@st.composite
def draw_units(draw: st.DrawFn) -> list[Unit]:
    count = draw(st.integers(2, 40))
    return [
        Unit(
            f"clip{k:02d}",
            draw(st.sampled_from(["SAYA", "MAKAN", "HALO", ""])),
            draw(st.sampled_from(["ani", "budi", "citra", "unknown"])),
            draw(st.sampled_from(["green", "beige", ""])),
            draw(st.sampled_from(["", "", "", "g1", "g2", "g3"])),
        )
        for k in range(count)
    ]


@settings(max_examples=150, deadline=None)
@given(draw_units(), st.sampled_from(RULES), st.floats(0.05, 0.9), st.integers(2, 5), st.integers(0, 3))
def test_no_rule_leaks(units: list[Unit], rule: Rule, share: float, folds: int, seed: int) -> None:
    try:
        made = split_units(units, rule, test_share=share, folds=folds, seed=seed)
    except IsyaratError:
        assume(False)
    by_signer = "signer" in rule
    ids = {unit.id: unit for unit in units}
    for fold in made:
        train, test = set(fold.train), set(fold.test)
        assert not train & test
        assert train | test | set(fold.left_out) == set(ids)
        assert not (train | test) & set(fold.left_out)
        assert find_leaks(units, train, test, by_signer=by_signer) == []
        assert not {ids[a].home for a in train} & {ids[b].home for b in test}
        assert {ids[b].gloss for b in test} <= {ids[a].gloss for a in train}
        if rule == "background":
            assert not {ids[a].background for a in train} & {ids[b].background for b in test}
    if rule == "folds":
        assert max(Counter(name for fold in made for name in fold.test).values(), default=0) <= 1
    assert made == split_units(units[::-1], rule, test_share=share, folds=folds, seed=seed) or [
        set(fold.test) for fold in made
    ] == [set(fold.test) for fold in split_units(units[::-1], rule, test_share=share, folds=folds, seed=seed)]


def make_units(count: int = 24) -> list[Unit]:
    return [Unit(f"{k:02d}", "AB"[k % 2], ("ani", "budi", "citra")[k % 3], ("x", "y")[k // 12]) for k in range(count)]


def test_shares() -> None:
    (fold,) = split_units(make_units(), "clip", test_share=0.25)
    assert (len(fold.train), len(fold.test)) == (18, 6)  # one of every gloss and signer
    (fold,) = split_units(make_units(), "signer", test_share=0.3)
    assert (len(fold.train), len(fold.test)) == (16, 8)
    folds = split_units(make_units(), "folds", folds=4)
    assert [len(fold.test) for fold in folds] == [6] * 4
    assert [fold.name for fold in split_units(make_units(), "leave-one-signer-out")] == [
        "signer ani", "signer budi", "signer citra",
    ]  # fmt: skip
    assert [fold.name for fold in split_units(make_units(), "background")] == ["background x", "background y"]


def test_copies_of_a_tested_signer_are_left_out_of_training() -> None:
    units = [*make_units(), Unit("copy", "A", "budi", "x", group="00")]
    fold = split_units(units, "leave-one-signer-out")[0]
    assert fold.left_out == {"copy": "it shows the same as 00, which is tested"}


def test_who_is_not_named_is_on_neither_side() -> None:
    fold = split_units([*make_units(), Unit("who", "A")], "leave-one-signer-out")[0]
    assert fold.left_out == {"who": "its signer is not stated"}


def test_seeds_differ() -> None:
    tests = {split_units(make_units(), "clip", seed=seed)[0].test for seed in range(4)}
    assert len(tests) == 4


def test_leaks_are_found() -> None:
    units = [*make_units(4), Unit("copy", "A", "dewi", group="00")]
    units[0] = Unit("00", "A", "ani", group="00")
    assert find_leaks(units, {"01", "02"}, {"02"}) == [Leak("02", "02", "the same clip")]
    assert find_leaks(units, {"00"}, {"copy"}) == [Leak("copy", "00", "it shows the same")]
    assert find_leaks(units, {"00"}, {"03"}) == []
    assert find_leaks(units, {"00"}, {"03"}, by_signer=True) == [Leak("03", "00", "the same signer, ani")]


@pytest.mark.parametrize(
    ("units", "rule", "words"),
    [
        ([Unit("a", "A", "ani"), Unit("b", "A", "ani")], "signer", "needs two of them"),
        ([Unit("a", "A"), Unit("b", "A")], "leave-one-signer-out", "fill in the column signer"),
        ([Unit("a", "A", group="g"), Unit("b", "A", group="g")], "folds", "make no 5 folds"),
        ([Unit("a", "A"), Unit("a", "A")], "clip", "same id"),
    ],
)
def test_what_cannot_be_split(units: list[Unit], rule: Rule, words: str) -> None:
    with pytest.raises(IsyaratError, match=words):
        split_units(units, rule)


@pytest.mark.parametrize("share", [0, 1, -1])
def test_share_that_makes_no_split(share: float) -> None:
    with pytest.raises(IsyaratError, match="makes no split"):
        split_units(make_units(), "clip", test_share=share)
