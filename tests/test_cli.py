"""The command itself: lazy, and never a traceback for a fault of input or set-up."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from isyarat import cli
from isyarat.data.errors import ClipError, IsyaratError


def test_every_command_is_there() -> None:
    context = click.Context(cli.isyarat)
    for name in cli.COMMANDS:
        command = cli.isyarat.get_command(context, name)
        assert command is not None
        assert command.help, f"{name} has no help"
        assert "Examples:" in command.help or isinstance(command, click.Group)


def test_help_lists_them() -> None:
    result = CliRunner().invoke(cli.isyarat, ["-h"])
    assert result.exit_code == 0
    for name in cli.COMMANDS:
        assert f"\n  {name}" in result.output


def test_version() -> None:
    assert CliRunner().invoke(cli.isyarat, ["--version"]).output.startswith("isyarat, version 0.")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (IsyaratError("There is no bundle; export one."), "isyarat: There is no bundle; export one."),
        (ClipError("a.mp4", "the file is empty", "copy it again"), "isyarat: a.mp4: the file is empty; copy it again."),
        (PermissionError(13, "Permission denied", "/x"), "isyarat: /x: Permission denied; "),
        (OSError("disk on fire"), "isyarat: disk on fire; "),
    ],
)
def test_faults_are_one_line(
    fault: Exception, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise fault

    monkeypatch.setattr(cli, "isyarat", fail)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(text)
    assert captured.err.count("\n") == 1


def test_faults_of_the_program_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "isyarat", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "isyarat", "sentence", "SAYA MAKAN"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "Saya makan.\n"), result.stderr
    wrong = subprocess.run([*command[:3], "dance"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
