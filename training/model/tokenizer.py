"""Tokenizers with Gemma's conventions: pad 0, end 1, begin 2, unknown 3; a space is part of the piece after it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from ...data.errors import IsyaratError

PAD, END, BEGIN, UNKNOWN = 0, 1, 2, 3
SPECIALS = ("<pad>", "<eos>", "<bos>", "<unk>")


class Tokenizer:
    """Text to ids and back, from a `tokenizer.json`."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self.inner = inner
        found = tuple(inner.token_to_id(token) for token in SPECIALS)
        if found != (PAD, END, BEGIN, UNKNOWN):
            raise IsyaratError(
                f"The tokenizer has {SPECIALS} at {found}, not at (0, 1, 2, 3); use one with Gemma's ids."
            )

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Reads a tokenizer.json, or a SentencePiece model (a file that ends in .model).

        Raises:
            IsyaratError: it is missing or damaged, or of another kind than Gemma's.
        """
        if Path(path).suffix == ".model":
            from .sentencepiece import convert_sentencepiece

            return cls(convert_sentencepiece(Path(path)))
        try:
            inner = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library has no class of its own for it
            raise IsyaratError(f"{path}: no tokenizer can be read from it ({error}); train or export again.") from error
        return cls(inner)

    @classmethod
    def train(cls, words: Iterable[str], size: int) -> Tokenizer:
        """A byte-pair tokenizer of `size` entries from words, the most frequent first (nano's; deterministic)."""
        inner = tokenizers.Tokenizer(models.BPE(unk_token=SPECIALS[UNKNOWN]))
        inner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
        inner.decoder = decoders.Metaspace(prepend_scheme="never")
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=[*SPECIALS, "\n"], show_progress=False, max_token_length=8
        )
        inner.train_from_iterator(words, trainer)
        return cls(inner)

    @property
    def size(self) -> int:
        """Number of ids."""
        return int(self.inner.get_vocab_size())

    def encode(self, text: str) -> list[int]:
        """Ids of the text, without begin and end."""
        return list(self.inner.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """The text, without special tokens."""
        return str(self.inner.decode(list(ids), skip_special_tokens=True))

    def save(self, path: str | Path) -> None:
        """Writes a tokenizer.json."""
        self.inner.save(str(path), pretty=False)
