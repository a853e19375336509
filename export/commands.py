"""`isyarat export` and `isyarat verify`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ..data.errors import IsyaratError
from .bundle import SHIPPED, Bundle


@click.group()
def export() -> None:
    """Turn a finished training run into a bundle that runs without JAX."""


@export.command()
@click.argument("run", type=click.Path(path_type=Path), default=Path("runs/nano"))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the bundle.  [default: RUN/bundle]")
@click.option("--precision", "precisions", multiple=True, default=("f32", "int8"), show_default=True)
@click.option("--default", "default", default="int8", show_default=True, help="Precision that clients take unasked.")
@click.option(
    "--figures",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Report of `isyarat evaluate --json` or of another run, carried into the bundle and its card.",
)
def litert(
    run: Path, output: Path | None, precisions: tuple[str, ...], default: str, figures: tuple[Path, ...]
) -> None:  # fmt: skip
    """Export RUN to LiteRT, and refuse if a file does not compute what the model computes.

    \b
    Examples:
      isyarat export litert runs/nano
      isyarat export litert runs/nano -o my-bundle --precision f32 --default f32
      isyarat export litert runs/nano --figures unseen.json --figures runs/green-beige/report.json
    """
    try:
        from . import litert as exporter
    except ImportError as error:
        raise IsyaratError(
            f"Exporting needs more packages ({error.name} is missing); "
            'install them from the folder of isyarat with: pip install ".[export]".'
        ) from error
    if default not in precisions:
        raise click.UsageError(f"--default {default} is not among the precisions {', '.join(precisions)}.")
    folder = output or run / "bundle"
    bundle = exporter.export_run(run, folder, precisions, default, figures)
    for name, entry in bundle.manifest.litert.items():
        size = (folder / entry.file).stat().st_size / 1e6
        click.echo(f"{name}: {size:.2f} MB, largest logit error against JAX {entry.largest_error:.2g}")
    click.echo(f"bundle: {folder}; try it with: isyarat translate CLIP --bundle {folder}")


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def verify(bundle: Path | None, as_json: bool) -> None:
    """Check a bundle: sizes and SHA-256 of its files, and the golden self-test of every precision.

    Without BUNDLE the one shipped with isyarat is checked. Exit status 1 when anything is wrong.

    \b
    Examples:
      isyarat verify
      isyarat verify my-bundle --json
    """
    from .golden import run_golden

    opened = Bundle.open(bundle)
    faults = opened.check_files()
    results = [] if faults else [run_golden(opened, precision) for precision in opened.manifest.litert]
    passed = not faults and all(result.passed for result in results)
    if as_json:
        rows = [
            {"precision": r.precision, "passed": r.passed, "largest_error": r.largest_error, "tolerance": r.tolerance}
            for r in results
        ]
        click.echo(json.dumps({"bundle": str(bundle or SHIPPED), "passed": passed, "faults": faults, "golden": rows}))
    else:
        for fault in faults:
            click.echo(f"FAULT  {fault}")
        for r in results:
            word = "ok   " if r.passed else "WRONG"
            click.echo(f"{word}  {r.precision:5} largest logit error {r.largest_error:.2g} (allowed {r.tolerance:g})")
        click.echo(f"{bundle or 'shipped bundle'}: {'all is well' if passed else 'do not use it; export it again'}")
    if not passed:
        sys.exit(1)
