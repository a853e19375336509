"""The shipped bundle on recorded clips, where they are at hand (they are not part of the repository)."""

from __future__ import annotations

from pathlib import Path

import isyarat
import pytest
from isyarat.data.clip import ClipRecord, read_clips, select_clips
from isyarat.data.metrics import Proportion
from isyarat.server.evaluation import Outcome, evaluate_clips
from isyarat.server.translator import Translator

CLIPS = Path(isyarat.__file__).parent.parent / "shared" / "data" / "bisindo-clips" / "clips.csv"


@pytest.fixture(scope="module")
def clips() -> list[ClipRecord]:
    """All recorded clips."""
    if not CLIPS.is_file():
        pytest.skip("the recorded clips are not here (../shared/data/bisindo-clips)")
    return read_clips(CLIPS)


def evaluate(translator: Translator, clips: list[ClipRecord], role: str) -> list[Outcome]:
    """What is answered to every clip of a role."""
    chosen = select_clips(clips, {"role": {role}})
    assert chosen
    return evaluate_clips(translator, chosen)


def test_talking_faces_give_no_gloss(shipped: Translator, clips: list[ClipRecord]) -> None:
    outcomes = evaluate(shipped, clips, "no_signing")
    assert len(outcomes) == 17
    assert {o.clip.path.name: o.answers for o in outcomes if o.answers} == {}
    for outcome in outcomes:
        assert outcome.translation is not None
        assert outcome.translation.sentence == ""
        assert outcome.translation.warnings, "nothing was given and no reason either"


def test_words_the_shipped_weights_were_trained_on(shipped: Translator, clips: list[ClipRecord]) -> None:
    """No measure of accuracy: the weights that ship have seen these clips. It shows that what was trained, what was
    exported and what is served are the same thing (accuracy is measured by a split, see the model card)."""
    outcomes = evaluate(shipped, clips, "words")
    wrong = [f"{o.clip.path.name}: {o.answers} {o.error}" for o in outcomes if not o.correct]
    share = Proportion(len(outcomes) - len(wrong), len(outcomes))
    assert share.value >= 0.97, f"{share}: {wrong}"
