"""The API against its own OpenAPI document: what schemathesis makes up must be answered as the document says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from isyarat.server.application import create_application
from isyarat.server.settings import read_settings
from jsonschema_rs import validator_for
from live_server import LiveServer

# Made up for each operation, besides those that cover every limit of the schema.
EXAMPLES = 8


def test_schemathesis_finds_no_failure(start_server: Callable[..., LiveServer], tmp_path: Path) -> None:
    server = start_server(database_url=f"sqlite:///{tmp_path}/feedback.db", blobs_url=str(tmp_path / "blobs"))
    config = Path(__file__).with_name("schemathesis.toml")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config)]
    command += ["run", f"{server.url}/v1/openapi.json", "--max-examples", str(EXAMPLES), "--no-color"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "No issues found" in done.stdout


def test_examples_fit_their_schemas() -> None:
    document = create_application(read_settings()).openapi()
    found = 0
    for entry in document["components"]["schemas"].values():
        for example in entry.get("examples", []):
            validator_for({**entry, "components": document["components"]}).validate(example)
            found += 1
    assert found >= 2


def test_every_operation_names_its_problems() -> None:
    document = create_application(read_settings()).openapi()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            problems = [r for status, r in operation["responses"].items() if int(status) >= 400]
            assert problems or path == "/healthz"
            for problem in problems:
                assert list(problem["content"]) == ["application/problem+json"], path
