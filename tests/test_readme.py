"""The README promises nothing that is not there, and quotes no figure that was not measured."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from isyarat.cli import COMMANDS, isyarat

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_named_exists() -> None:
    named = set(re.findall(r"`isyarat ([a-z]+)", README)) | set(re.findall(r"^isyarat ([a-z]+)", README, re.MULTILINE))
    assert named, "the README names no command"
    assert named <= set(COMMANDS)


def test_every_command_is_named() -> None:
    assert {name for name in COMMANDS if f"isyarat {name}" not in README} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps_with_examples(name: str) -> None:
    command = isyarat.get_command(click.Context(isyarat), name)
    assert command is not None
    leaves = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    for leaf in leaves:
        assert f"isyarat {name}" in (leaf.help or ""), f"{leaf.name} has no example"


def test_figures_are_the_measured_ones() -> None:
    script = ROOT / "tests" / "benchmarks" / "write_readme.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
