"""`isyarat verify` and `isyarat export`."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import isyarat.export
import pytest
from click.testing import CliRunner, Result
from isyarat.data.errors import IsyaratError
from isyarat.export.bundle import Bundle
from isyarat.export.commands import export, verify


def run_verify(*arguments: object) -> Result:
    """Calls the command."""
    return CliRunner().invoke(verify, [str(a) for a in arguments])


def run_export(*arguments: object) -> Result:
    """Calls the command."""
    return CliRunner().invoke(export, ["litert", *(str(a) for a in arguments)])


def test_a_good_bundle(exported: Path) -> None:
    result = run_verify(exported)
    assert result.exit_code == 0, result.output
    assert "all is well" in result.stdout
    assert "f32" in result.stdout
    assert "int8" in result.stdout


def test_a_good_bundle_as_json(exported: Path) -> None:
    result = run_verify(exported, "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["passed"] is True
    assert report["faults"] == []
    assert [(g["precision"], g["passed"]) for g in report["golden"]] == [("f32", True), ("int8", True)]
    assert all(g["largest_error"] <= g["tolerance"] for g in report["golden"])


def test_a_damaged_bundle(copied: Path) -> None:
    path = copied / "litert" / "model_int8.tflite"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    result = run_verify(copied)
    assert result.exit_code == 1
    assert "FAULT  litert/model_int8.tflite" in result.stdout
    assert "do not use it" in result.stdout
    report = run_verify(copied, "--json")
    assert report.exit_code == 1
    assert json.loads(report.stdout) == {
        "bundle": str(copied),
        "passed": False,
        "faults": ["litert/model_int8.tflite: its content has changed"],
        "golden": [],
    }


def test_a_bundle_that_computes_something_else(copied: Path) -> None:
    """Every checksum fits, and the numbers are wrong: only the self-test can tell."""
    from isyarat.export.bundle import list_files, write_manifest

    path = copied / "golden" / "golden.json"
    golden = json.loads(path.read_text(encoding="utf-8"))
    golden["logits"]["f32"][0][0] += 1.0
    path.write_text(json.dumps(golden), encoding="utf-8")
    manifest = Bundle.open(copied).manifest
    manifest.files = list_files(copied)
    write_manifest(copied, manifest)
    result = run_verify(copied)
    assert result.exit_code == 1
    assert "WRONG  f32" in result.stdout
    assert "ok     int8" in result.stdout


def test_no_bundle(tmp_path: Path) -> None:
    result = run_verify(tmp_path)
    assert isinstance(result.exception, IsyaratError)
    assert "no bundle.json" in str(result.exception)


def test_export(model_folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(model_folder, run / "model")
    (run / "report.json").write_text('{"split": "none"}', encoding="utf-8")
    result = run_export(run, "--precision", "f32", "--default", "f32")
    assert result.exit_code == 0, result.output
    assert "largest logit error" in result.stdout
    assert Bundle.open(run / "bundle").check_files() == []


def test_the_default_must_be_exported(tmp_path: Path) -> None:
    result = run_export(tmp_path, "--precision", "f32")
    assert result.exit_code == 2
    assert "--default int8 is not among the precisions f32" in result.output


def test_an_unfinished_run(tmp_path: Path) -> None:
    result = run_export(tmp_path)
    assert isinstance(result.exception, IsyaratError)
    assert "isyarat train nano" in str(result.exception)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("isyarat.export.litert", "isyarat.export.converter"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("litert", "converter"):
        monkeypatch.delattr(isyarat.export, name, raising=False)
    monkeypatch.setitem(sys.modules, "litert_converter.mlir", None)
    result = run_export(tmp_path)
    assert isinstance(result.exception, IsyaratError)
    assert "litert_converter" in str(result.exception)
    assert 'pip install ".[export]"' in str(result.exception)
