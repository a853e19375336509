"""The model card: every figure comes from the manifest."""

from __future__ import annotations

from pathlib import Path

from isyarat.export.bundle import Bundle
from isyarat.export.card import describe_data, list_figures, write_card


def test_card(exported: Path, bundle: Bundle) -> None:
    card = write_card(bundle.manifest)
    assert (exported / "MODEL_CARD.md").read_text(encoding="utf-8") == card
    assert "one of 3 words" in card
    assert "APA, APA_KABAR, SAYA\n" in card
    assert "7 of 22 (95 % interval 16.4-52.6 %)" in card
    assert "3 clips of 3 words by signer T1 (green; licence: CC0; source: the tests)" in card
    assert "non-commercial" in card
    assert "{" not in card


def test_a_model_without_figures_says_so(bundle: Bundle) -> None:
    bundle.manifest.figures = {}
    assert "None were measured." in write_card(bundle.manifest)


def test_figures_keep_their_order() -> None:
    proportion = {"k": 1, "n": 2, "value": 0.5, "interval_95": [0.1, 0.9]}
    figures = {"unseen": {"top-1": proportion, "F1": 0.4}, "seen": {"list": [1, 2], "top-1": proportion}}
    assert list_figures(figures) == [
        "- unseen, top-1: 1 of 2 (95 % interval 10.0-90.0 %)",
        "- unseen, F1: 0.4",
        "- seen, top-1: 1 of 2 (95 % interval 10.0-90.0 %)",
    ]


def test_no_recorded_clips() -> None:
    assert "no recorded clip" in describe_data([])
    assert "source: not stated" in describe_data(
        [{"signer": "A", "licence": "CC0", "source": "", "clips": 1, "words": 1, "backgrounds": ["green"]}]
    )
