"""The exporter: what it writes computes what the model computes, or it writes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.lexicon import Lexicon
from isyarat.export import litert
from isyarat.export.bundle import Bundle, list_files
from isyarat.export.golden import measure_logits
from isyarat.export.litert import compare_answers, export_run, write_bundle
from isyarat.export.runtime import Recogniser
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.recognise import JaxRecogniser


@pytest.fixture(scope="module")
def reference(model: PaliGemma, exported: Path) -> JaxRecogniser:
    """The model in JAX."""
    return JaxRecogniser(model, Bundle.open(exported).manifest.prompt.tokens)


def test_f32_gives_the_models_logits(bundle: Bundle, reference: JaxRecogniser) -> None:
    recogniser = Recogniser(bundle, precision="f32")
    rng = np.random.default_rng(1)
    for _ in range(3):
        image = rng.integers(0, 256, (112, 112, 3), np.uint8)
        expected, wanted_caches = reference.prefill(image)
        logits, caches = recogniser.prefill(image)
        assert np.abs(logits - expected).max() <= 1e-4
        for depth, token in enumerate((7, 5, 9)):
            expected, wanted_caches = reference.step(wanted_caches, token, depth)
            logits, caches = recogniser.step(caches, token, depth)
            assert np.abs(logits - expected).max() <= 1e-4
        assert np.abs(expected).max() > 1


def test_errors_are_measured_and_stored(bundle: Bundle) -> None:
    entries = bundle.manifest.litert
    assert 0 < entries["f32"].largest_error <= 1e-4
    assert entries["f32"].largest_error < entries["int8"].largest_error <= entries["int8"].tolerance


def test_int8_is_smaller(bundle: Bundle) -> None:
    sizes = {name: bundle.manifest.files[entry.file].bytes for name, entry in bundle.manifest.litert.items()}
    assert sizes["int8"] < sizes["f32"]


def test_the_same_input_gives_the_same_bytes(model_folder: Path, exported: Path, tmp_path: Path) -> None:
    manifest = Bundle.open(exported).manifest
    write_bundle(model_folder, tmp_path / "again", ("f32", "int8"), "int8", manifest.figures)
    assert list_files(tmp_path / "again") == list_files(exported)
    assert (tmp_path / "again" / "bundle.json").read_bytes() == (exported / "bundle.json").read_bytes()


def test_nothing_of_a_person_or_a_machine_is_inside(exported: Path, model_folder: Path) -> None:
    text = (exported / "bundle.json").read_text(encoding="utf-8")
    assert str(model_folder.parent) not in text
    assert str(exported.parent) not in text


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("failing", ["convert", "check_parity", "run_golden"])
def test_a_failure_leaves_nothing_half_written(
    model_folder: Path, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, existing: bool
) -> None:
    def fail(*_: object) -> None:
        raise IsyaratError("no space left")

    folder = tmp_path / "bundle"
    if existing:
        shutil.copytree(exported, folder)
    if failing != "convert":  # what comes before the failing part is not what is tested here
        monkeypatch.setattr(litert, "convert", lambda *a: shutil.copyfile(exported / "litert/model_f32.tflite", a[2]))
    monkeypatch.setattr(litert, failing, fail)
    with pytest.raises(IsyaratError, match="no space left"):
        write_bundle(model_folder, folder, ("f32",), "f32", {})
    assert sorted(p.name for p in tmp_path.iterdir()) == (["bundle"] if existing else [])
    if existing:
        assert Bundle.open(folder).check_files() == []


@pytest.mark.parametrize("wrong", [0.01, float("nan")])
def test_a_wrong_file_is_refused(
    model_folder: Path, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: float
) -> None:
    def distort(*arguments: object) -> tuple[object, object]:
        first, second = measure_logits(*arguments)  # type: ignore[arg-type]
        second = second.copy()
        second[0] += wrong
        return first, second

    monkeypatch.setattr(litert, "measure_logits", distort)
    monkeypatch.setattr(litert, "convert", lambda *a: shutil.copyfile(exported / "litert/model_f32.tflite", a[2]))
    with pytest.raises(IsyaratError, match="differs from the model"):
        write_bundle(model_folder, tmp_path / "bundle", ("f32",), "f32", {})
    assert not list(tmp_path.iterdir())


def test_a_precision_there_is_not(model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    shutil.copytree(model_folder, run / "model")
    (run / "report.json").write_text("{}", encoding="utf-8")
    with pytest.raises(IsyaratError, match=r"'int3'.*f32, int8"):
        export_run(run, tmp_path / "bundle", ("int3",), "int3")
    monkeypatch.setattr(litert, "convert", lambda *a: Path(a[2]).write_bytes(b""))
    with pytest.raises(IsyaratError, match=r"'int3'.*f32, int8"):
        write_bundle(model_folder, tmp_path / "bundle", ("int3",), "int3", {})
    assert not (tmp_path / "bundle").exists()


def test_an_unfinished_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"no finished training run.*isyarat train"):
        export_run(tmp_path, tmp_path / "bundle", ("f32",), "f32")


def test_figures_of_a_report_go_along(model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    shutil.copytree(model_folder, run / "model")
    (run / "report.json").write_text("{}", encoding="utf-8")
    carried = []
    monkeypatch.setattr(litert, "write_bundle", lambda *a: carried.append(a[4]))
    monkeypatch.setattr(Bundle, "open", lambda *a: None)
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"figures": {"cross_signer": {"n": 22}}}), encoding="utf-8")
    export_run(run, tmp_path / "bundle", ("f32",), "f32", [report])
    assert carried == [{"cross_signer": {"n": 22}}]
    for text in ("{", "{}", "[]"):
        report.write_text(text, encoding="utf-8")
        with pytest.raises(IsyaratError, match=r"report\.json.*report"):
            export_run(run, tmp_path / "bundle", ("f32",), "f32", [report])


def test_answers_are_compared_by_precision(bundle: Bundle, reference: JaxRecogniser) -> None:
    rng = np.random.default_rng(2)
    images = [rng.integers(0, 256, (112, 112, 3), np.uint8) for _ in range(3)]
    lexicon = Lexicon(bundle.manifest.lexicon)
    scores = [reference.score(image, lexicon) for image in images]
    truth = [max(s, key=s.__getitem__) for s in scores]
    rows = compare_answers(bundle, reference, lexicon, images, [*truth[:2], "nothing like it"])
    assert rows["jax"] == {"correct": 2, "same_as_jax": 3}
    assert rows["f32"] == {"correct": 2, "same_as_jax": 3}
    assert set(rows) == {"jax", "f32", "int8"}
