"""Text of an example: what is read, what is answered, what the loss counts."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.lexicon import NO_SIGN
from isyarat.training.encode import encode_answer, encode_example, encode_prompt
from isyarat.training.model.tokenizer import BEGIN, END, PAD, Tokenizer


def test_weights_are_on_the_answer_and_its_end(tokenizer: Tokenizer) -> None:
    example = encode_example(tokenizer, "isyarat", "TERIMA_KASIH", 12)
    prefix, answer = example.prefix_length, encode_answer(tokenizer, "TERIMA_KASIH")
    assert example.tokens_T[:prefix].tolist() == encode_prompt(tokenizer, "isyarat")
    assert example.tokens_T[example.weights_T == 1].tolist() == answer
    assert np.flatnonzero(example.weights_T).tolist() == list(range(prefix, prefix + len(answer)))
    assert set(example.tokens_T[prefix + len(answer) :].tolist()) == {PAD}
    assert set(example.weights_T.tolist()) == {0.0, 1.0}


def test_prompt_and_answer(tokenizer: Tokenizer) -> None:
    prompt = encode_prompt(tokenizer, "isyarat")
    assert prompt[0] == BEGIN
    assert prompt.count(tokenizer.encode("\n")[0]) == 1
    answer = encode_answer(tokenizer, "TERIMA_KASIH")
    assert tokenizer.decode(answer) == "terima kasih"
    assert answer[-1] == END


def test_no_sign_is_answered_by_the_end(tokenizer: Tokenizer) -> None:
    assert encode_answer(tokenizer, NO_SIGN) == [END]
    example = encode_example(tokenizer, "isyarat", NO_SIGN, 12)
    assert example.weights_T.sum() == 1
    assert example.tokens_T[example.prefix_length] == END


def test_what_does_not_fit_is_refused(tokenizer: Tokenizer) -> None:
    needed = len(encode_prompt(tokenizer, "isyarat")) + len(encode_answer(tokenizer, "TERIMA_KASIH"))
    assert encode_example(tokenizer, "isyarat", "TERIMA_KASIH", needed).weights_T[-1] == 1
    with pytest.raises(IsyaratError, match=rf"TERIMA_KASIH.*{needed}.*text_length"):
        encode_example(tokenizer, "isyarat", "TERIMA_KASIH", needed - 1)
