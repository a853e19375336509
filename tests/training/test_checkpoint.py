"""Models and runs on disk: bit for bit, or a message that says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.checkpoint import RunCheckpoints, flatten, load_model, save_model, to_arrays
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer

FACTS = {"prompt": "isyarat", "lexicon": {"APA": [5, 1]}}


@pytest.fixture
def saved(model: PaliGemma, tokenizer: Tokenizer, tmp_path: Path) -> Path:
    """The toy on disk."""
    save_model(tmp_path / "model", model, tokenizer, FACTS)
    return tmp_path / "model"


def equal(a: PaliGemma, b: PaliGemma) -> bool:
    """Whether all weights and statistics are the same bits."""
    left, right = flatten(to_arrays(a)), flatten(to_arrays(b))
    return left.keys() == right.keys() and all(np.array_equal(left[k], right[k]) for k in left)


def test_bit_for_bit(model: PaliGemma, tokenizer: Tokenizer, saved: Path) -> None:
    loaded, words, facts = load_model(saved)
    assert equal(loaded, model)
    assert loaded.config == model.config
    assert words.encode("terima kasih") == tokenizer.encode("terima kasih")
    assert facts == FACTS
    assert not list(saved.parent.glob("*.partial"))


def test_it_is_loaded_for_use(model: PaliGemma, saved: Path) -> None:
    image = jax.random.normal(jax.random.key(0), (1, 112, 112, 3))
    loaded, _, _ = load_model(saved)
    assert np.array_equal(loaded.encoder(image), model.encoder(image))


def test_saving_again_replaces(model: PaliGemma, tokenizer: Tokenizer, saved: Path) -> None:
    (saved / "stale.txt").write_text("old", encoding="utf-8")
    save_model(saved, model, tokenizer, {"prompt": "lain"})
    assert sorted(p.name for p in saved.iterdir()) == ["model.json", "tokenizer.json", "weights.npz"]
    assert load_model(saved)[2] == {"prompt": "lain"}


def rewrite(saved: Path, change: str) -> None:
    """Damages the weights in a certain way."""
    with np.load(saved / "weights.npz") as file:
        arrays = dict(file)
    if change == "lost":
        del arrays["decoder/norm/scale"]
    elif change == "extra":
        arrays["decoder/adapter"] = np.zeros(3)
    else:
        arrays["decoder/norm/scale"] = np.zeros(7, np.float32)
    np.savez(saved / "weights.npz", **arrays)


@pytest.mark.parametrize(
    ("change", "tensor"),
    [("lost", "decoder/norm/scale"), ("extra", "decoder/adapter"), ("shape", r"decoder/norm/scale.*\(7,\)")],
)
def test_a_wrong_file_names_its_tensors(saved: Path, change: str, tensor: str) -> None:
    rewrite(saved, change)
    with pytest.raises(IsyaratError, match=tensor):
        load_model(saved)


@pytest.mark.parametrize("damage", ["no folder", "no weights", "cut off", "no JSON", "no configuration", "no tokens"])
def test_an_unfinished_or_damaged_model_is_named(saved: Path, damage: str) -> None:
    folder = saved
    if damage == "no folder":
        folder = saved / "nowhere"
    elif damage == "no weights":
        (saved / "weights.npz").unlink()
    elif damage == "cut off":
        whole = (saved / "weights.npz").read_bytes()
        (saved / "weights.npz").write_bytes(whole[: len(whole) // 2])
    elif damage == "no JSON":
        (saved / "model.json").write_text("{", encoding="utf-8")
    elif damage == "no configuration":
        (saved / "model.json").write_text(json.dumps(FACTS), encoding="utf-8")
    else:
        (saved / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(IsyaratError, match="train"):
        load_model(folder)


def test_run_checkpoints(model: PaliGemma, tmp_path: Path) -> None:
    checkpoints = RunCheckpoints(tmp_path / "checkpoints")
    assert checkpoints.step == 0
    checkpoints.save(10, {"trainee": model})
    checkpoints.save(20, {"trainee": model})
    checkpoints.close()
    again = RunCheckpoints(tmp_path / "checkpoints")
    assert again.step == 20
    other = PaliGemma(model.config, rngs=nnx.Rngs(1))
    assert not equal(other, model)
    again.restore({"trainee": other})
    assert equal(other, model)
    again.close()
