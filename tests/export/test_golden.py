"""The self-test: it passes here, and fails when the stored numbers or the file are other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.export.bundle import Bundle
from isyarat.export.golden import read_golden, run_golden


def tamper(folder: Path, **changes: Any) -> None:
    """Changes entries of golden.json."""
    path = folder / "golden" / "golden.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_it_passes(bundle: Bundle, precision: str) -> None:
    result = run_golden(bundle, precision)
    assert result.passed
    assert result.gloss == result.expected
    assert result.largest_error <= 1e-4, "the same machine gives the same numbers, up to what was rounded"


@pytest.mark.parametrize("part", [0, 1], ids=["prefill", "decode"])
@pytest.mark.parametrize("change", [0.01, float("nan")])
def test_tampered_logits_fail(copied: Path, part: int, change: float) -> None:
    logits = read_golden(Bundle.open(copied))["logits"]
    logits["f32"][part][3] += change
    tamper(copied, logits=logits)
    result = run_golden(Bundle.open(copied), "f32")
    assert not result.passed
    assert run_golden(Bundle.open(copied), "int8").passed, "only f32 was tampered with"


def test_another_answer_fails(copied: Path, bundle: Bundle) -> None:
    gloss = read_golden(bundle)["gloss"]
    tamper(copied, gloss=next(g for g in bundle.lexicon.glosses if g != gloss))
    assert not run_golden(Bundle.open(copied), "f32").passed


def test_another_model_fails(copied: Path) -> None:
    """8-bit weights in the place of 32-bit ones, whole and well-formed: only the numbers tell."""
    path = copied / "bundle.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["litert"]["f32"]["file"] = values["litert"]["int8"]["file"]
    path.write_text(json.dumps(values), encoding="utf-8")
    assert not run_golden(Bundle.open(copied), "f32").passed


@pytest.mark.parametrize("name", ["golden.json", "grid.png"])
def test_a_lost_file_is_named(copied: Path, name: str) -> None:
    (copied / "golden" / name).unlink()
    with pytest.raises(IsyaratError, match=name.replace(".", r"\.")):
        run_golden(Bundle.open(copied), "f32")


def test_a_lost_precision_is_named(copied: Path) -> None:
    tamper(copied, logits={})
    with pytest.raises(IsyaratError, match=r"golden\.json.*f32"):
        run_golden(Bundle.open(copied), "f32")
