"""The Python runtime of a bundle."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.video import Image
from isyarat.export.bundle import Bundle
from isyarat.export.runtime import Recogniser


@pytest.fixture(scope="module")
def recogniser(exported: Path) -> Recogniser:
    """The toy, loaded."""
    return Recogniser.load(exported)


def draw(seed: int) -> Image:
    """A motion grid of noise."""
    return np.random.default_rng(seed).integers(0, 256, (112, 112, 3), np.uint8)


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_probabilities_add_up_to_one(bundle: Bundle, precision: str) -> None:
    recogniser = Recogniser(bundle, precision=precision)
    for seed in range(3):
        scores = recogniser.score(draw(seed))
        assert set(scores) == {"APA", "APA_KABAR", "SAYA", NO_SIGN}
        assert sum(scores.values()) == pytest.approx(1)
        assert min(scores.values()) > 0


def test_the_likeliest_comes_first(recogniser: Recogniser) -> None:
    answer = recogniser.recognise(draw(0), alternatives=2)
    scores = recogniser.score(draw(0))
    ranked = sorted((g for g in scores if g != NO_SIGN), key=scores.__getitem__, reverse=True)
    assert [gloss for gloss, _ in answer.alternatives] == ranked[:2]
    assert len(recogniser.recognise(draw(0)).alternatives) == 3, "no sign is no alternative"


def answer_with(
    exported: Path, monkeypatch: pytest.MonkeyPatch, scores: dict[str, float], threshold: float = 0.5
) -> tuple[str, float, bool]:
    """What `recognise` makes of certain probabilities."""
    bundle = Bundle.open(exported)
    bundle.manifest.threshold = threshold
    recogniser = Recogniser(bundle)
    monkeypatch.setattr(recogniser, "score", lambda image: scores)
    answer = recogniser.recognise(draw(0))
    return answer.gloss, answer.confidence, answer.unknown


def test_what_is_unlikely_is_unknown(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer_with(exported, monkeypatch, {"APA": 0.49, "SAYA": 0.4, NO_SIGN: 0.11}) == ("APA", 0.49, True)
    assert answer_with(exported, monkeypatch, {"APA": 0.51, "SAYA": 0.4, NO_SIGN: 0.09}) == ("APA", 0.51, False)
    assert answer_with(exported, monkeypatch, {"APA": 0.49, "SAYA": 0.4, NO_SIGN: 0.11}, 0.3) == ("APA", 0.49, False)


def test_no_sign_wins_when_it_is_likeliest(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer_with(exported, monkeypatch, {"APA": 0.3, "SAYA": 0.3, NO_SIGN: 0.4}) == (NO_SIGN, 0.4, False)
    assert answer_with(exported, monkeypatch, {"APA": 0.6, "SAYA": 0.4}) == ("APA", 0.6, False)
    # Of a sign that cannot be named it takes half as much.
    doubtful = {"APA": 0.4, "SAYA": 0.35, NO_SIGN: 0.25}
    assert answer_with(exported, monkeypatch, doubtful) == (NO_SIGN, 0.25, False)
    assert answer_with(exported, monkeypatch, doubtful, 0.3) == ("APA", 0.4, False)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((224, 224, 3), np.uint8),
        np.zeros((112, 112), np.uint8),
        np.zeros((112, 112, 3), np.float32),
    ],
    ids=["large", "grey", "float"],
)
def test_another_size_is_refused(recogniser: Recogniser, image: Image) -> None:
    with pytest.raises(IsyaratError, match=r"112x112x3 uint8 is needed"):
        recogniser.recognise(image)


def test_a_state_can_be_continued_twice(recogniser: Recogniser) -> None:
    """The walk over the lexicon goes on from one state in several ways, so no call may change it."""
    _, caches = recogniser.prefill(draw(0))
    first, _ = recogniser.step(caches, 7, 0)
    first = first.copy()
    recogniser.prefill(draw(1))
    recogniser.step(caches, 9, 0)
    again, _ = recogniser.step(caches, 7, 0)
    assert np.array_equal(first, again)


def test_threads_give_one_answer(exported: Path, recogniser: Recogniser) -> None:
    expected = [recogniser.score(draw(seed)) for seed in range(4)]
    assert Recogniser(Bundle.open(exported), threads=1).score(draw(0)) == pytest.approx(expected[0], abs=1e-5)
    found: dict[int, dict[str, float]] = {}

    def work(seed: int) -> None:
        for _ in range(5):
            found[seed] = recogniser.score(draw(seed))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[seed] for seed in range(4)] == expected


def test_a_missing_model_is_named(copied: Path) -> None:
    (copied / "litert" / "model_int8.tflite").unlink()
    with pytest.raises(IsyaratError, match=r"model_int8\.tflite.*missing"):
        Recogniser.load(copied)
    assert Recogniser.load(copied, precision="f32").bundle.manifest.name == "toy"


@pytest.mark.parametrize("content", [b"", b"no model at all", None], ids=["empty", "text", "cut off"])
def test_a_damaged_model_is_named(copied: Path, content: bytes | None) -> None:
    path = copied / "litert" / "model_int8.tflite"
    path.write_bytes(path.read_bytes()[:5000] if content is None else content)
    with pytest.raises(IsyaratError, match=r"model_int8\.tflite.*isyarat verify"):
        Recogniser.load(copied)


def test_loading_is_quiet(exported: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Recogniser.load(exported)
    print("still heard")
    captured = capfd.readouterr()
    assert captured.err == ""
    assert "still heard" in captured.out


def test_loading_without_a_standard_error(exported: Path) -> None:
    """Services close it."""
    code = (
        "import os, sys; os.close(2); sys.stderr = None\n"
        "from isyarat.export.runtime import Recogniser\n"
        f"print(Recogniser.load({str(exported)!r}).bundle.manifest.name)"
    )
    result = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "toy\n")
