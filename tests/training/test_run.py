"""Plans and the folder of a run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from isyarat.data.clip import ClipRecord, read_clips
from isyarat.data.errors import IsyaratError
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.run import (
    Plan,
    claim_folder,
    clear_folder,
    configure,
    list_words,
    plan_groups,
    plan_split,
    summarise_sources,
    train_run,
)
from isyarat.training.settings import TrainSettings


def clip(name: str, gloss: str, signer: str = "A", background: str = "green") -> ClipRecord:
    """A record without a file."""
    return ClipRecord(path=Path(name), label=gloss, signer=signer, background=background)


@pytest.fixture
def plan() -> Plan:
    """Two clips to train on, one to test on."""
    return Plan([clip("a.mp4", "APA"), clip("b.mp4", "SAYA")], [clip("c.mp4", "APA")], "by hand", ship=True)


def test_groups() -> None:
    train = [clip("a.mp4", "APA"), clip("b.mp4", "SAYA")]
    test = [clip("c.mp4", "APA", background="beige"), clip("d.mp4", "HALO", background="beige")]
    plan = plan_groups(train, test, "green, beige")
    assert [c.path.name for c in plan.test] == ["c.mp4"], "HALO was never trained"
    assert not plan.ship


def test_groups_that_share_clips_are_refused() -> None:
    train = [clip("a.mp4", "APA"), clip("b.mp4", "SAYA")]
    with pytest.raises(IsyaratError, match="share clips"):
        plan_groups(train, [train[1]], "")
    with pytest.raises(IsyaratError, match="2 clips to train on and 0 to test on"):
        plan_groups(train, [clip("d.mp4", "HALO")], "")
    with pytest.raises(IsyaratError, match="0 clips to train on"):
        plan_groups([], train, "")


def test_a_split_holds_out_some_of_every_word(tmp_path: Path) -> None:
    clips = []
    for gloss in ("APA", "SAYA"):
        for i in range(4):
            path = tmp_path / f"{gloss}{i}.mp4"
            path.write_text(path.name, encoding="utf-8")
            clips.append(ClipRecord(path=path, label=gloss))
    plan = plan_split(clips, 0.25, 0, ship=True)
    assert [c.gloss for c in plan.test] == ["APA", "SAYA"]
    assert len(plan.train) == 6
    assert "25%" in plan.rule
    assert plan_split(clips, 0.0, 0, ship=True).test == []


def test_a_folder_belongs_to_one_run(plan: Plan, settings: TrainSettings, tmp_path: Path) -> None:
    claim_folder(tmp_path, plan, settings)
    claim_folder(tmp_path, plan, settings)  # to be resumed
    with pytest.raises(IsyaratError, match=r"other settings or clips.*--restart"):
        claim_folder(tmp_path, plan, dataclasses.replace(settings, steps=settings.steps + 1))
    with pytest.raises(IsyaratError, match="other settings or clips"):
        claim_folder(tmp_path, dataclasses.replace(plan, test=[]), settings)
    rows = read_clips(tmp_path / "split.csv")
    assert [(r.path.name, r.gloss, r.describe("part")) for r in rows] == [
        ("a.mp4", "APA", "train"),
        ("b.mp4", "SAYA", "train"),
        ("c.mp4", "APA", "test"),
    ]


def test_a_half_written_claim_is_named(plan: Plan, settings: TrainSettings, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"sett', encoding="utf-8")
    with pytest.raises(IsyaratError, match="--restart"):
        claim_folder(tmp_path, plan, settings)


def test_only_runs_are_deleted(plan: Plan, settings: TrainSettings, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    clear_folder(folder)  # nothing there
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(IsyaratError, match="not a training run"):
        clear_folder(folder)
    assert (folder / "thesis.txt").exists()
    claim_folder(folder, plan, settings)
    clear_folder(folder)
    assert not folder.exists()


def test_what_cannot_be_trained_on_is_named(settings: TrainSettings, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="no clip to train on"):
        train_run(Plan([], [], "", ship=True), settings, tmp_path / "run")
    with pytest.raises(IsyaratError, match="no label"):
        train_run(Plan([clip("a.mp4", "")], [], "", ship=True), settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_only_nano_is_there(tokenizer: Tokenizer, settings: TrainSettings) -> None:
    assert configure(settings, tokenizer).text.vocabulary == tokenizer.size
    with pytest.raises(IsyaratError, match=r"'paligemma'.*nano"):
        configure(dataclasses.replace(settings, model="paligemma"), tokenizer)


def test_words_of_the_tokenizer() -> None:
    words = list_words(["TERIMA_KASIH"], "isyarat")
    assert words.count("terima kasih") == 100
    assert " dan" in words
    assert "TERIMA_KASIH" not in words


def test_sources() -> None:
    clips = [clip("a", "APA"), clip("b", "SAYA", background="beige"), clip("c", "APA", signer="B")]
    first, second = summarise_sources(clips)
    assert first == {
        "signer": "A", "licence": "none stated", "source": "", "clips": 2, "words": 2,
        "backgrounds": ["beige", "green"], "signers": 1,
    }  # fmt: skip
    assert second["signer"] == "B"
    json.dumps([first, second])


def test_other_languages_are_one_row_each() -> None:
    foreign = [
        ClipRecord.model_validate(
            {"path": f"{i}.mp4", "label": "EAT", "signer": f"s{i}", "family": "banz", "source": f"{i}"}
        )
        for i in range(3)
    ]
    (row,) = summarise_sources(foreign)
    assert (row["clips"], row["signers"]) == (3, 3)
    assert "banz" in row["signer"]
