"""Imports point one way: data <- training <- export <- server; the runtime of a bundle needs no training."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "data": {"data"},
    "training": {"data", "training"},
    "export": {"data", "training", "export"},
    "server": {"data", "export", "server"},
}
# What runs a bundle must not pull in JAX; only the exporter may import training.
EXPORTERS = {"litert.py", "layout.py"}


def list_imports(path: Path) -> Iterator[str]:
    """Top-level folders of this project that a module imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.relative_to(ROOT).parent.parts
            parts = [*base[: len(base) - node.level + 1], *(node.module or "").split(".")]
            if parts[0]:
                yield parts[0]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("isyarat."):
            yield (node.module or "").split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("isyarat."))


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_point_one_way(layer: str) -> None:
    modules = list((ROOT / layer).rglob("*.py"))
    assert modules
    for path in modules:
        allowed = MAY_IMPORT[layer] | {"__version__"}
        if layer == "export" and path.name not in EXPORTERS:
            allowed = allowed - {"training"}
        assert set(list_imports(path)) <= allowed, path
