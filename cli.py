"""The `isyarat` command. Subcommands are imported when called, so that `isyarat --help` and `translate` stay quick."""

from __future__ import annotations

import importlib
import sys

import click

from .data.errors import IsyaratError

COMMANDS = {
    # name: (module, attribute)
    "translate": ("isyarat.server.commands", "translate"),
    "grid": ("isyarat.data.commands", "grid"),
    "demo": ("isyarat.server.commands", "demo"),
    "sentence": ("isyarat.server.commands", "sentence"),
    "evaluate": ("isyarat.server.commands", "evaluate"),
    "data": ("isyarat.data.commands", "data"),
    "train": ("isyarat.training.commands", "train"),
    "export": ("isyarat.export.commands", "export"),
    "verify": ("isyarat.export.commands", "verify"),
    "serve": ("isyarat.server.commands", "serve"),
}


class LazyGroup(click.Group):
    """A click group that imports a subcommand only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isyarat")
def isyarat() -> None:
    """Sign-language video to text, first for BISINDO.

    \b
    Examples:
      isyarat demo                       render a synthetic signer and translate it
      isyarat translate clip.mp4         one sentence for a clip
      isyarat translate *.mp4 --json     one JSON object a clip
      isyarat sentence "SAYA MAKAN"      glosses to an Indonesian sentence
    """


def main() -> None:
    """Runs the command line: exit status 2 for wrong use, 1 for a fault of input or set-up, no traceback for either."""
    try:
        isyarat()
    except IsyaratError as error:
        click.echo(f"isyarat: {error}", err=True)
        sys.exit(1)
    except OSError as error:  # no space, no permission, a file where a folder should be
        place = f"{error.filename}: " if error.filename is not None else ""
        click.echo(f"isyarat: {place}{error.strerror or error}; check the path and choose another place.", err=True)
        sys.exit(1)
