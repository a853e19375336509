"""Gemma's SentencePiece format: a toy model of the same kind gives the same ids as the SentencePiece library."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.training.model.tokenizer import BEGIN, END, PAD, UNKNOWN, Tokenizer
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

WORDS = ["apa", "kabar", "saya", "makan", "terima", "kasih", "selamat", "pagi", "siang", "tuli", "isyarat", "dia"]
LINES = [" ".join(WORDS[i % 12] for i in range(n, n + 6)) for n in range(200)]
LIKE_GEMMA = {
    "vocab_size": 320, "model_type": "bpe", "byte_fallback": True, "pad_id": PAD, "eos_id": END, "bos_id": BEGIN,
    "unk_id": UNKNOWN, "eos_piece": "<eos>", "bos_piece": "<bos>", "add_dummy_prefix": False,
    "remove_extra_whitespaces": False, "normalization_rule_name": "identity", "minloglevel": 2, "num_threads": 1,
    "user_defined_symbols": ["\n", "\n\n", "▁▁", "▁▁▁", "<unused0>"], "hard_vocab_limit": False,
}  # fmt: skip


def train(folder: Path, **changes: object) -> Path:
    """A toy tokenizer.model."""
    (folder / "lines.txt").write_text("\n".join(LINES), encoding="utf-8")
    SentencePieceTrainer.train(
        input=str(folder / "lines.txt"), model_prefix=str(folder / "tokenizer"), **(LIKE_GEMMA | changes)
    )
    return folder / "tokenizer.model"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of Gemma's kind."""
    return train(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def both(path: Path) -> tuple[Tokenizer, SentencePieceProcessor]:
    """Ours and the library's."""
    return Tokenizer.load(path), SentencePieceProcessor(model_file=str(path))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, *" \n\t.,0123456789aiueoé漢🤟_▁<>", "  ", "\n\n", "<unused0>"]), max_size=12).map(
        "".join
    )
)
def test_same_ids_and_texts(both: tuple[Tokenizer, SentencePieceProcessor], text: str) -> None:
    ours, theirs = both
    ids = theirs.encode(text)
    assert ours.encode(text) == ids
    assert ours.decode(ids) == theirs.decode(ids)


def test_places_and_segments_follow_the_other_pieces(
    both: tuple[Tokenizer, SentencePieceProcessor], tmp_path: Path
) -> None:
    ours, theirs = both
    size = theirs.get_piece_size()
    assert ours.size == size + 1024 + 128
    assert ours.encode("apa<loc0000><loc1023><seg000><seg127>") == [
        *ours.encode("apa"), size, size + 1023, size + 1024, size + 1151,
    ]  # fmt: skip
    ours.save(tmp_path / "tokenizer.json")
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    text = "selamat  pagi\n<loc0007>"
    assert again.encode(text) == ours.encode(text)
    assert again.decode(again.encode(text)) == text


def test_a_model_that_has_them_gets_no_others(tmp_path: Path) -> None:
    symbols = [*LIKE_GEMMA["user_defined_symbols"], "<loc0000>", "<seg000>"]  # type: ignore[misc]
    path = train(tmp_path, user_defined_symbols=symbols)
    assert Tokenizer.load(path).size == SentencePieceProcessor(model_file=str(path)).get_piece_size()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normalization_rule_name": "nmt_nfkc"}, "changes texts"),
        ({"add_dummy_prefix": True}, "changes texts"),
        ({"byte_fallback": False}, "bytes to fall back on"),
        ({"model_type": "unigram", "vocab_size": 290}, "no byte pairs"),
        ({"pad_id": 3, "unk_id": 0}, "Gemma's ids"),
    ],
)
def test_other_kinds_are_refused(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=message):
        Tokenizer.load(train(tmp_path, **changes))


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    for content in (None, b"", b"no model"):
        if content is not None:
            (tmp_path / "tokenizer.model").write_bytes(content)
        with pytest.raises(IsyaratError, match=r"tokenizer\.model"):
            Tokenizer.load(tmp_path / "tokenizer.model")
