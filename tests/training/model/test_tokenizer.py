"""The small tokenizer: Gemma's ids, nothing lost, the same every time."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from isyarat.data.errors import IsyaratError
from isyarat.training.model.tokenizer import BEGIN, END, PAD, UNKNOWN, Tokenizer
from isyarat.training.run import list_words


@pytest.fixture(scope="module")
def words() -> list[str]:
    """What nano's tokenizer learns from."""
    return list_words(["APA", "APA_KABAR", "TERIMA_KASIH", "SELAMAT_PAGI"], "isyarat bisindo")


@pytest.fixture(scope="module")
def learned(words: list[str]) -> Tokenizer:
    """A tokenizer as a run trains it."""
    return Tokenizer.train(words, 512)


@pytest.mark.parametrize("text", ["apa", "terima kasih", "isyarat bisindo", "kucing tidur", "a", ""])
def test_round_trip(learned: Tokenizer, text: str) -> None:
    assert learned.decode(learned.encode(text)) == text


def test_specials(learned: Tokenizer) -> None:
    assert [learned.inner.token_to_id(t) for t in ("<pad>", "<eos>", "<bos>", "<unk>")] == [PAD, END, BEGIN, UNKNOWN]
    ids = learned.encode("terima kasih")
    assert not set(ids) & {PAD, END, BEGIN, UNKNOWN}, "encode adds no begin and no end"
    assert learned.encode("apa\n") == [*learned.encode("apa"), 4], "a newline is one token by itself"
    assert learned.decode([BEGIN, *ids, END, PAD, PAD]) == "terima kasih"


def test_the_answers_are_short(learned: Tokenizer) -> None:
    assert learned.size == 512
    for answer in ("apa", "apa kabar", "terima kasih", "selamat pagi"):
        assert len(learned.encode(answer)) <= 4


def test_training_is_deterministic(learned: Tokenizer, words: list[str]) -> None:
    assert Tokenizer.train(words, 512).inner.to_str() == learned.inner.to_str()


def test_save_and_load(learned: Tokenizer, tmp_path: Path) -> None:
    learned.save(tmp_path / "tokenizer.json")
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    assert again.encode("selamat pagi") == learned.encode("selamat pagi")
    assert again.size == learned.size


def test_foreign_ids_are_refused() -> None:
    foreign = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0, "<pad>": 1}, unk_token="<unk>"))
    with pytest.raises(IsyaratError, match=r"<eos>.*Gemma"):
        Tokenizer(foreign)


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"tokenizer\.json"):
        Tokenizer.load(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(IsyaratError, match=r"tokenizer\.json"):
        Tokenizer.load(tmp_path / "tokenizer.json")
