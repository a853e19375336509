"""The reference recogniser: probabilities of the model's own answers."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from isyarat.data.lexicon import NO_SIGN, Lexicon
from isyarat.data.motion_grid import scale_pixels
from isyarat.training.encode import encode_answer, encode_prompt
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recognise import JaxRecogniser

GLOSSES = ("APA", "APA_KABAR", "SAYA", NO_SIGN)


def test_scores_are_the_answers_likelihoods(model: PaliGemma, tokenizer: Tokenizer) -> None:
    entries = {gloss: encode_answer(tokenizer, gloss) for gloss in GLOSSES}
    assert len(entries["APA_KABAR"]) == 3, "the test needs a choice in the middle of an answer"
    prompt = encode_prompt(tokenizer, "isyarat")
    image = np.random.default_rng(0).integers(0, 256, (112, 112, 3), np.uint8)
    scores = JaxRecogniser(model, prompt).score(image, Lexicon(entries))
    assert sum(scores.values()) == pytest.approx(1)

    # By hand, with teacher forcing: the first token, then END or "kabar" after "apa".
    tokens = jnp.asarray([[*prompt, entries["APA"][0]]])
    logits = np.asarray(model.logits(jnp.asarray(scale_pixels(image[None])), tokens, jnp.array([len(prompt)])))[0]
    first = {token: float(np.exp(logits[-2, token])) for token in {e[0] for e in entries.values()}}
    second = {token: float(np.exp(logits[-1, token])) for token in (entries["APA"][1], entries["APA_KABAR"][1])}
    begins = first[entries["APA"][0]] / sum(first.values())
    assert scores["SAYA"] == pytest.approx(first[entries["SAYA"][0]] / sum(first.values()), rel=1e-3)
    assert scores["APA"] == pytest.approx(begins * second[entries["APA"][1]] / sum(second.values()), rel=1e-3)
    assert scores["APA"] + scores["APA_KABAR"] == pytest.approx(begins, rel=1e-3)
