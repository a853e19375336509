"""The README's section on the server: every curl line is run as it stands, against a real server."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from live_server import LiveServer

README = Path(__file__).parents[2] / "README.md"
ADDRESS = "http://127.0.0.1:8000"


def read_examples() -> list[str]:
    """The commands of the block after the marker `<!-- curl -->`."""
    found = re.search(r"<!-- curl -->\s*```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [line for line in found[1].replace("\\\n", "").splitlines() if line.strip()] if found else []


def test_every_example_works(
    start_server: Callable[..., LiveServer], clip_bytes: bytes, grid_png: bytes, tmp_path: Path
) -> None:
    examples = read_examples()
    if not examples:
        pytest.skip("the README has no section on the server")
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    server = start_server(database_url=f"sqlite:///{tmp_path}/feedback.db", blobs_url=str(tmp_path / "blobs"))
    (tmp_path / "clip.mp4").write_bytes(clip_bytes)
    (tmp_path / "grid.png").write_bytes(grid_png)
    assert len(examples) >= 5
    for example in examples:
        assert ADDRESS in example
        command = shlex.split(example.replace(ADDRESS, server.url))
        assert command[0] == "curl"
        command[1:1] = ["--fail-with-body", "--silent", "--show-error"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{example}: {done.stdout}{done.stderr}"
