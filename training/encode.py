"""The one function that turns (prompt, answer) into tokens, for training, evaluation and export alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.errors import IsyaratError
from .model.tokenizer import BEGIN, END, PAD, Tokenizer


@dataclass(frozen=True, slots=True)
class Encoded:
    """Text of one example; the image tokens go before it.

    Attributes:
        tokens_T: int32: begin, prompt, newline, answer, end, padding.
        prefix_length: tokens of the prefix (begin, prompt, newline).
        weights_T: float32; 1 where the loss counts the token, that is, on the answer and the end.
    """

    tokens_T: NDArray[np.int32]
    prefix_length: int
    weights_T: NDArray[np.float32]


def encode_prompt(tokenizer: Tokenizer, prompt: str) -> list[int]:
    """Begin, prompt, newline: what the model reads after the picture."""
    return [BEGIN, *tokenizer.encode(prompt + "\n")]


def encode_answer(tokenizer: Tokenizer, gloss: str) -> list[int]:
    """Tokens of a gloss ("TERIMA_KASIH" is answered as "terima kasih") and the end; of no sign: just the end."""
    return [*tokenizer.encode(gloss.lower().replace("_", " ")), END]


def encode_example(tokenizer: Tokenizer, prompt: str, gloss: str, length: int) -> Encoded:
    """One example, padded to `length` text tokens.

    Raises:
        IsyaratError: prompt and answer are longer than that.
    """
    prefix, answer = encode_prompt(tokenizer, prompt), encode_answer(tokenizer, gloss)
    tokens = prefix + answer
    if len(tokens) > length:
        raise IsyaratError(
            f"{gloss!r} needs {len(tokens)} tokens with its prompt, {length} are allowed; raise text_length."
        )
    tokens_T = np.full(length, PAD, np.int32)
    tokens_T[: len(tokens)] = tokens
    weights_T = np.zeros(length, np.float32)
    weights_T[len(prefix) : len(tokens)] = 1
    return Encoded(tokens_T, len(prefix), weights_T)
