"""The package: nothing is missing from the wheel, nothing heavy comes with the base install."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import isyarat
import pytest

ROOT = Path(isyarat.__file__).parent
HEAVY = ("jax", "flax", "optax", "orbax", "tokenizers", "torch", "tensorflow", "litert_converter", "ai_edge_quantizer")

BLOCKER = f"""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY}:
            raise ImportError("the base install has no " + name)
sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in the wheel, built from a copy (building writes into the sources)."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("isyarat is not installed from a checkout")
    unwanted = shutil.ignore_patterns(
        ".*", "build", "dist", "*.egg-info", "__pycache__", "runs", "node_modules", "isyarat-demo", "notebooks"
    )
    shutil.copytree(ROOT, source, ignore=unwanted)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_every_module_is_inside(names: set[str]) -> None:
    folders = ("data", "training", "export", "server")
    modules = [p for folder in folders for p in (ROOT / folder).rglob("*.py")] + list(ROOT.glob("*.py"))
    expected = {f"isyarat/{p.relative_to(ROOT).as_posix()}" for p in modules}
    assert len(expected) > 80
    assert not expected - names


def test_every_package_is_declared() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = ("data", "training", "export", "server")
    found = {p.parent for folder in folders for p in (ROOT / folder).rglob("*.py")} | {ROOT}
    expected = {".".join(("isyarat", *p.relative_to(ROOT).parts)) for p in found}
    assert set(settings["tool"]["setuptools"]["packages"]) == expected


def test_data_files_are_inside(names: set[str]) -> None:
    assert "isyarat/py.typed" in names
    for path in [
        *(ROOT / "training" / "configs").glob("*.toml"),
        *(ROOT / "export" / "bundles").rglob("*"),
        *(ROOT / "data" / "pose" / "models").iterdir(),
        ROOT / "server" / "grammar" / "words_id.tsv.gz",
    ]:
        if path.is_file():
            assert f"isyarat/{path.relative_to(ROOT).as_posix()}" in names


def test_nothing_else_is_inside(names: set[str]) -> None:
    assert not [n for n in names if "tests/" in n or "/test_" in n or "notebooks" in n]
    assert {n.partition("/")[0] for n in names if ".dist-info/" not in n} == {"isyarat"}
    assert any(n.endswith("LICENSE") for n in names)


def run_without_extras(code: str) -> str:
    """Runs code in a new process in which the extras cannot be imported."""
    result = subprocess.run([sys.executable, "-c", BLOCKER + code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("module", ["jax", "optax.transforms"])
def test_the_blocker_blocks(module: str) -> None:
    with pytest.raises(AssertionError, match="base install has no"):
        run_without_extras(f"import {module}")


def test_the_base_install_needs_no_extra() -> None:
    run_without_extras(
        "import isyarat.cli, isyarat.server.translator, isyarat.server.commands, isyarat.server.demo, "
        "isyarat.server.evaluation, isyarat.export.runtime, isyarat.export.golden, isyarat.export.commands, "
        "isyarat.training.commands, isyarat.data.commands, isyarat.data.synthetic"
    )


def test_help_loads_nothing_large() -> None:
    code = (
        "from isyarat.cli import isyarat\n"
        "isyarat(['--help'], standalone_mode=False)\n"
        "print(sorted({'cv2', 'av', 'ai_edge_litert', 'wordfreq'} & set(sys.modules)))"
    )
    assert run_without_extras(code).splitlines()[-1] == "[]"
