"""Figures of the whole product: counted by hand on a dozen outcomes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from isyarat.data import synthetic
from isyarat.data.clip import ClipRecord
from isyarat.server.evaluation import (
    AUROC,
    Outcome,
    evaluate_clips,
    group_figures,
    judge_inside,
    summarise,
    write_report,
)
from isyarat.server.translation import UNKNOWN, SignResult, Translation
from isyarat.server.translator import Translator

VOCABULARY = ["APA", "HALO", "SAYA"]


def outcome(
    label: str, *answers: str, role: str = "words", signer: str = "A", best: str = "", confidence: float = 0.9
) -> Outcome:
    """A clip and what was answered; `best` is the likeliest candidate where the answer is unknown."""
    clip = ClipRecord(path=Path(f"{label or 'nothing'}-{signer}.mp4"), label=label, role=role, signer=signer)
    signs = [
        SignResult(a, i, i + 0.9, confidence, ((best or a, confidence), ("SAYA", 0.05))) for i, a in enumerate(answers)
    ]
    return Outcome(clip, Translation(str(clip.path), "", signs, "nano", "rules", {"total": 10.0}))


def test_correct_is_exactly_the_one_gloss() -> None:
    assert outcome("APA", "APA").correct
    assert not outcome("APA", "HALO").correct
    assert not outcome("APA", "APA", "APA").correct, "one sign was signed, two were given"
    assert not outcome("APA", UNKNOWN, best="APA").correct
    assert not outcome("APA").correct
    assert outcome("").correct, "nothing was signed, nothing was given"
    assert not outcome("", "APA").correct


def test_figures_inside_the_vocabulary() -> None:
    group = [
        outcome("APA", "APA"),
        outcome("HALO", UNKNOWN, best="HALO", confidence=0.3),
        outcome("SAYA", "HALO", confidence=0.8),  # SAYA is among its candidates
        outcome("APA", "HALO", signer="B"),
        Outcome(ClipRecord(path=Path("x.mp4"), label="APA", role="words", signer="B"), None, "x.mp4: broken."),
    ]
    row = judge_inside(group)
    assert (row["top-1"]["k"], row["top-1"]["n"]) == (1, 5), "the unreadable clip counts as wrong"
    assert row["likeliest candidate right, shown or not"]["k"] == 2
    assert row["among the five likeliest"]["k"] == 3
    assert row["shown as unknown"]["k"] == 1
    assert {s: (v["k"], v["n"]) for s, v in row["top-1 by signer"].items()} == {"A": (1, 3), "B": (0, 2)}
    low, high = row["top-1"]["interval_95"]
    assert low < 0.2 < high


def test_roles_come_one_by_one_unseen_signers_first() -> None:
    figures = group_figures(
        [
            outcome("APA", "APA"),
            outcome("HALO", "HALO", role="cross_signer", signer="C"),
            outcome("KUCING", "APA", role="other_words", confidence=0.4),
            outcome("RUMAH", UNKNOWN, role="other_words", best="APA", confidence=0.3),
            outcome("", role="no_signing"),
            outcome("", UNKNOWN, role="no_signing"),
        ],
        VOCABULARY,
    )
    assert list(figures) == [
        "unseen signers",
        "known signers, held out or not",
        "talking faces, nothing signed",
        "words outside the vocabulary",
        AUROC,
    ]
    assert figures["words outside the vocabulary"]["clips that gave a word of the vocabulary"]["k"] == 1
    assert figures["words outside the vocabulary"]["clips that gave nothing"]["k"] == 0
    assert figures["talking faces, nothing signed"]["clips that gave a word of the vocabulary"]["k"] == 0
    assert figures["talking faces, nothing signed"]["clips that gave nothing"]["k"] == 1
    assert "top-1" not in figures["words outside the vocabulary"]
    assert figures[AUROC] == 1.0


def test_held_out_is_said_only_of_clips_that_were() -> None:
    parts = [dataclasses.replace(outcome("APA", "APA"), clip=with_part(part)) for part in ("test", "train")]
    assert list(group_figures(parts[:1], VOCABULARY)) == ["known signers, clips held out"]
    assert list(group_figures(parts, VOCABULARY)) == ["known signers, held out or not"]


def with_part(part: str) -> ClipRecord:
    """A clip as `isyarat train` lists it in split.csv."""
    return ClipRecord.model_validate({"path": "a.mp4", "label": "APA", "role": "words", "part": part})


def test_labels_that_the_bundle_does_not_know_are_named() -> None:
    assert "does not know: KUCNIG" in summarise([outcome("APA", "APA"), outcome("KUCNIG")], VOCABULARY)
    assert "does not know" not in summarise([outcome("APA", "APA"), outcome("KUCING", role="other_words")], VOCABULARY)


def test_clips_without_a_role() -> None:
    assert list(group_figures([outcome("APA", "APA", role="")], VOCABULARY)) == ["all clips"]


def test_summary_names_what_went_wrong() -> None:
    broken = Outcome(ClipRecord(path=Path("x.mp4"), label="APA", role="words"), None, "x.mp4: the file is empty.")
    text = summarise([outcome("APA", "APA"), outcome("HALO", "SAYA"), broken], VOCABULARY)
    assert "top-1: 1 of 2 = 50.0 % (95 % interval" in text
    assert "could not be read (not counted above): 1" in text
    assert "HALO-A.mp4 (words, A): HALO -> SAYA" in text
    assert "  x.mp4: the file is empty." in text
    assert "APA-A.mp4" not in text


def test_evaluate_and_report(
    script: Callable[..., Translator],
    two_signs: tuple[Path, synthetic.Performance],
    small: synthetic.Scene,
    tmp_path: Path,
) -> None:
    one = synthetic.write_clip(tmp_path / "saya.mp4", synthetic.perform(["SAYA"], scene=small))
    (tmp_path / "empty.mp4").touch()
    clips = [
        ClipRecord(path=one, label="SAYA", role="words"),
        ClipRecord(path=tmp_path / "empty.mp4", label="HALO", role="words"),
        ClipRecord(path=two_signs[0], label="SAYA", role="words"),
    ]
    translator = script("SAYA", "SAYA", "MAKAN")
    outcomes = evaluate_clips(translator, clips)
    assert [o.correct for o in outcomes] == [True, False, False]
    assert "empty" in outcomes[1].error

    write_report(tmp_path / "report.json", outcomes, translator)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert list(report) == ["bundle", "threshold", "temperature", "figures", "clip_ms", "predictions"]
    assert report["figures"]["known signers, held out or not"]["top-1"]["k"] == 1
    assert report["figures"]["known signers, held out or not"]["top-1"]["n"] == 2
    assert set(report["clip_ms"]) == {"p50", "p95", "p99"}
    assert [p["label"] for p in report["predictions"]] == ["SAYA", "HALO", "SAYA"]
    assert report["predictions"][1]["translation"] is None
    assert report["predictions"][0]["translation"] == outcomes[0].translation.to_dict()  # type: ignore[union-attr]
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("empty", [True, False])
def test_nothing_readable_is_no_crash(script: Callable[..., Translator], tmp_path: Path, empty: bool) -> None:
    clips = [] if empty else [ClipRecord(path=tmp_path / "nowhere.mp4", label="APA", role="words")]
    translator = script()
    outcomes = evaluate_clips(translator, clips)
    summarise(outcomes, VOCABULARY)
    write_report(tmp_path / "report.json", outcomes, translator)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["clip_ms"] == {}
