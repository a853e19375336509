"""Comparisons with transformers and PEFT, where they are installed: pip install -e ".[parity]"."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def reference() -> Any:
    """The module `reference.py`, which needs torch."""
    for name in ("torch", "transformers", "peft"):
        pytest.importorskip(name, reason='compares with transformers; pip install -e ".[parity]"')
    path = Path(__file__).parent / "reference.py"
    spec = importlib.util.spec_from_file_location("parity_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["parity_reference"] = module
    spec.loader.exec_module(module)
    return module
