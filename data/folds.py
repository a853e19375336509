"""Splits that refuse to leak: by clip, by signer or by background; copies stay on one side, augmentation comes last."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

from .clip import UNKNOWN_SIGNER
from .errors import IsyaratError

Rule = Literal["clip", "signer", "leave-one-signer-out", "background", "folds"]
RULES: tuple[Rule, ...] = ("clip", "signer", "leave-one-signer-out", "background", "folds")


@dataclass(frozen=True, slots=True)
class Unit:
    """What a split needs to know of a clip.

    Attributes:
        id: of the clip.
        gloss, signer, background: of its record.
        group: clips of one group stay on one side: copies, takes of one recording.
    """

    id: str
    gloss: str
    signer: str = UNKNOWN_SIGNER
    background: str = ""
    group: str = ""

    @property
    def home(self) -> str:
        """Its group; a clip without one is a group of its own."""
        return self.group or self.id


@dataclass(frozen=True, slots=True)
class Fold:
    """One way to part clips into training and test.

    Attributes:
        name: e.g. "signer A".
        train, test: ids; disjoint.
        left_out: id -> why it is on neither side.
    """

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    left_out: dict[str, str]


def split_units(
    units: Sequence[Unit], rule: Rule, *, test_share: float = 0.25, folds: int = 5, seed: int = 0
) -> list[Fold]:
    """Parts clips by a rule; no group is ever on both sides of a fold.

    Arguments:
        rule: "clip": one fold, a share of the clips of every gloss and signer; "folds": `folds` of them, each clip
            tested once; "signer": one fold, some signers are tested and none of them trained on;
            "leave-one-signer-out": a fold a signer; "background": a fold a background, trained on all others.
        test_share: for "clip" and "signer".
        folds: for "folds".
        seed: another seed, another split.

    Raises:
        IsyaratError: the clips cannot be parted that way.
    """
    if not 0 < test_share < 1:
        raise IsyaratError(f"A test share of {test_share} makes no split; give a number between 0 and 1.")
    if len({unit.id for unit in units}) < len(units):
        raise IsyaratError("Two clips have the same id; give each its own.")
    if rule == "clip":
        (chosen,) = deal_groups(units, 1, seed, test_share)
        return [make_fold(units, "test", {unit.id for unit in units if unit.home in chosen})]
    if rule == "folds":
        if folds < 2 or len({unit.home for unit in units}) < folds:
            raise IsyaratError(
                f"{len({unit.home for unit in units})} clips or groups of copies make no {folds} folds; "
                "give fewer folds (two at least)."
            )
        parts = deal_groups(units, folds, seed)
        return [
            make_fold(units, f"fold {number + 1}", {unit.id for unit in units if unit.home in part})
            for number, part in enumerate(parts)
        ]
    field: Literal["signer", "background"] = "background" if rule == "background" else "signer"
    nameless = UNKNOWN_SIGNER if field == "signer" else ""
    values = sorted({getattr(unit, field) for unit in units} - {nameless})
    if len(values) < 2:
        raise IsyaratError(
            f"A split by {field} needs two of them that are named, there {'is' if len(values) == 1 else 'are'} "
            f"{len(values)}; fill in the column {field}."
        )
    if rule == "signer":
        tested = choose_signers(units, values, test_share, seed)
        name = "signers " + ", ".join(sorted(tested))
        return [make_fold(units, name, {unit.id for unit in units if unit.signer in tested}, by=field)]
    return [
        make_fold(units, f"{field} {value}", {unit.id for unit in units if getattr(unit, field) == value}, by=field)
        for value in values
    ]


def make_fold(
    units: Sequence[Unit], name: str, chosen: Set[str], by: Literal["signer", "background"] | None = None
) -> Fold:
    """A fold from a choice of test clips. What would leak is left out of training; what cannot be tested, of the test.

    Arguments:
        chosen: ids of the test clips.
        by: what training and test must not share; clips that do not name it are on neither side.
    """
    left_out: dict[str, str] = {}
    train: list[Unit] = []
    test: list[Unit] = []
    for unit in units:
        if by is not None and getattr(unit, by) in (UNKNOWN_SIGNER, ""):
            left_out[unit.id] = f"its {by} is not stated"
        else:
            (test if unit.id in chosen else train).append(unit)
    homes = {unit.home: unit.id for unit in test}
    kept = []
    for unit in train:
        if unit.home in homes:
            left_out[unit.id] = f"it shows the same as {homes[unit.home]}, which is tested"
        else:
            kept.append(unit)
    words = {unit.gloss for unit in kept}
    for unit in test:
        if unit.gloss not in words:
            left_out[unit.id] = f"nobody in training signs {unit.gloss or 'nothing'}"
    tested = tuple(unit.id for unit in test if unit.id not in left_out)
    return Fold(name, tuple(unit.id for unit in kept), tested, left_out)


def deal_groups(units: Sequence[Unit], hands: int, seed: int, share: float | None = None) -> list[set[str]]:
    """Deals groups of clips out like cards, gloss by gloss and signer by signer: every hand has its part of each.

    Arguments:
        share: of the clips of every gloss and signer that goes to the first hand (at least one, unless it is the
            only one); the rest is not dealt.
    """
    strata: dict[tuple[str, str], set[str]] = defaultdict(set)
    home: dict[str, tuple[str, str]] = {}
    for unit in sorted(units, key=lambda unit: unit.id):
        home.setdefault(unit.home, (unit.gloss, unit.signer))
        strata[home[unit.home]].add(unit.home)
    parts: list[set[str]] = [set() for _ in range(hands)]
    turn = 0
    for _, members in sorted(strata.items()):
        # Shuffled by name and seed alone, so that a clip more or less moves few of the others.
        cards = sorted(members, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
        if share is not None:
            parts[0].update(cards[: min(max(1, round(share * len(cards))), len(cards) - 1)])
            continue
        for card in cards:
            parts[turn % hands].add(card)
            turn += 1
    return parts


def choose_signers(units: Sequence[Unit], signers: Sequence[str], share: float, seed: int) -> set[str]:
    """Signers to test on: in an order drawn by the seed, until their clips make the share; one is always left."""
    order = sorted(signers, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    counts = Counter(unit.signer for unit in units)
    wanted = share * sum(counts[name] for name in signers)
    chosen: set[str] = set()
    for name in order[:-1]:
        if chosen and sum(counts[done] for done in chosen) >= wanted:
            break
        chosen.add(name)
    return chosen


@dataclass(frozen=True, slots=True)
class Leak:
    """A clip of the test that training has seen."""

    test: str
    train: str
    reason: str


def find_leaks(units: Sequence[Unit], train: Set[str], test: Set[str], *, by_signer: bool = False) -> list[Leak]:
    """What a split, of whatever origin, leaks: clips on both sides, copies of test clips in training, and, if it
    claims to be by signer, signers on both sides.

    Arguments:
        units: with groups of copies; clips of `train` and `test` that are not among them are not judged.
    """
    homes: dict[str, str] = {}
    signers: dict[str, str] = {}
    for unit in units:
        if unit.id in train:
            homes.setdefault(unit.home, unit.id)
            signers.setdefault(unit.signer, unit.id)
    leaks = []
    for unit in units:
        if unit.id not in test:
            continue
        if unit.id in train:
            leaks.append(Leak(unit.id, unit.id, "the same clip"))
        elif unit.home in homes:
            leaks.append(Leak(unit.id, homes[unit.home], "it shows the same"))
        elif by_signer and unit.signer in signers:
            leaks.append(Leak(unit.id, signers[unit.signer], f"the same signer, {unit.signer}"))
    return leaks
