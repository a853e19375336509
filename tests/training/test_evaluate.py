"""Figures of a model on recordings."""

from __future__ import annotations

import pytest
from isyarat.data.lexicon import NO_SIGN, Lexicon
from isyarat.training.encode import encode_answer, encode_prompt
from isyarat.training.evaluate import evaluate_model
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recognise import JaxRecogniser
from isyarat.training.recording import Recording


def test_figures(
    model: PaliGemma, tokenizer: Tokenizer, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    lexicon = Lexicon({gloss: encode_answer(tokenizer, gloss) for gloss in ("APA", "SAYA", "TERIMA_KASIH", NO_SIGN)})
    answers = iter(
        [
            {"APA": 0.9, "SAYA": 0.1, "TERIMA_KASIH": 0.0, NO_SIGN: 0.0},
            {"APA": 0.6, "SAYA": 0.3, "TERIMA_KASIH": 0.1, NO_SIGN: 0.0},
            {"APA": 0.1, "SAYA": 0.1, "TERIMA_KASIH": 0.2, NO_SIGN: 0.6},
        ]
    )
    monkeypatch.setattr(JaxRecogniser, "score", lambda self, image, lexicon: next(answers))
    four = [recordings[0], recordings[2], recordings[4], None]
    truth = ["APA", "SAYA", "TERIMA_KASIH", "SAYA"]
    figures = evaluate_model(model, encode_prompt(tokenizer, "isyarat"), lexicon, four, truth)
    # The likeliest sign counts even where "no sign" is likelier; a clip without movement is wrong.
    assert (figures["top1"]["k"], figures["top1"]["n"]) == (2, 4)
    assert figures["top5"]["k"] == 3
    assert figures["no_movement"] == 1
    assert [(m["truth"], m["answer"]) for m in figures["mistakes"]] == [("SAYA", "APA")]
    assert figures["temperature"] >= 1
    assert 0 <= figures["threshold"] <= 0.5
    # F1 of APA 2/3, SAYA 0 (both of its clips count, also the missed one), TERIMA_KASIH 1.
    assert figures["macro_f1"] == pytest.approx((2 / 3 + 0 + 1) / 3, abs=1e-4)
