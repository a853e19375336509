"""`isyarat data build`, `check`, `stats`, `split`, `withdraw` and `schema`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .engine import Engine

FOLDER = click.argument("folder", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
WORKERS = click.option("--workers", type=click.IntRange(1), help="Processes.  [default: the cores there are]")
ENGINE = click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
ADDRESS = click.option("--address", help="Ray cluster to use, e.g. auto or HOST:6379; without it Ray starts here.")


def make_engine(name: str, workers: int | None, address: str | None) -> Engine:
    """The engine of that name."""
    from .engine import LocalEngine, count_cores

    if name == "ray":
        from .engine_ray import RayEngine

        return RayEngine(address, workers or count_cores())
    if address is not None:
        raise click.UsageError("--address is for --engine ray.")
    return LocalEngine(workers or count_cores())


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the data set.")
@click.option(
    "--per-clip", type=click.IntRange(1, 10_000), default=1, show_default=True,
    help="Grids of each clip: the first unchanged, the others augmented.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the augmentation.")
@click.option("--image-size", default=224, show_default=True, help="Side of a grid in pixels.")
@click.option("--patch-size", default=16, show_default=True, help="Cells start on this raster; 14 for PaliGemma.")
@click.option("--rendering", default="pixels", show_default=True, help="What is drawn into a cell.")
@click.option("--where", multiple=True, metavar="FIELD=VALUE[,VALUE]", help="Only clips that meet all of these.")
@WORKERS
@ENGINE
@ADDRESS
@AS_JSON
def build(
    source: Path, output: Path, per_clip: int, seed: int, image_size: int, patch_size: int, rendering: str,
    where: tuple[str, ...], workers: int | None, engine: str, address: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Build a data set of motion grids from SOURCE: a CSV, a JSONL file, or a folder GLOSS/clip or GLOSS/SIGNER/clip.

    The folder gets shards for Grain and WebDataset, a manifest, a card (README.md), report.html to look through, and
    errors.csv with the clips that could not be used. Given again, the command builds only what changed; a build that
    was stopped goes on. The same clips give the same bytes, whatever the engine and the number of workers. With
    --engine ray, SOURCE and the output must lie in a file system that all nodes see.

    \b
    Examples:
      isyarat data build clips.csv -o grids
      isyarat data build clips.csv -o grids --per-clip 12 --workers 4
      isyarat data build my-clips/ -o grids --image-size 448 --patch-size 14
      isyarat data build clips.csv -o grids --engine ray --address auto
    """
    from ..clip import parse_conditions
    from ..rendering import find_rendering
    from .build import build_dataset
    from .settings import BuildSettings

    find_rendering(rendering)
    settings = BuildSettings(
        image_size=image_size, patch_size=patch_size, rendering=rendering, per_clip=per_clip, seed=seed
    )
    _ = settings.spec  # sizes that do not fit together are refused before anything is written
    started = time.perf_counter()
    manifest = build_dataset(source, output, settings, make_engine(engine, workers, address), parse_conditions(where))
    seconds = time.perf_counter() - started
    if as_json:
        counts = {"clips": manifest.clips, "grids": manifest.grids, "errors": manifest.errors}
        click.echo(
            json.dumps({"folder": str(output), **counts, "shards": len(manifest.shards), "seconds": round(seconds, 2)})
        )
        return
    click.echo(
        f"{output}: {manifest.grids} grids of {manifest.clips} clips in {len(manifest.shards)} shards, {seconds:.1f} s"
    )
    if manifest.errors:
        click.echo(f"{manifest.errors} lines or clips could not be used: {output / 'errors.csv'}")
    click.echo(f"look at it: {output / 'report.html'}")


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--split", "splits", multiple=True, type=click.Path(path_type=Path), help="CSV with id or path, and part."
)
@click.option("--by-signer", is_flag=True, help="A signer on both sides of the split is a leak, too.")
@AS_JSON
def check(target: Path, splits: tuple[Path, ...], by_signer: bool, as_json: bool) -> None:
    """Check TARGET: every line of a catalogue of clips, or every byte of a data set and what its splits leak.

    Splits in the data set's own folder splits/ are always looked at; --split takes one of anybody: clips that stand on
    both sides, and clips that show the same as one on the other side, however they were re-encoded, scaled, trimmed or
    brightened. Exit status 1 when anything is wrong.

    \b
    Examples:
      isyarat data check clips.csv
      isyarat data check grids
      isyarat data check grids --split their_split.csv --by-signer
    """
    from .manifest import NAME

    if (target / NAME).exists():
        faults = list_faults(target, splits, by_signer)
        summary = f"{target}: whole, and its splits do not leak"
    elif splits:
        raise click.UsageError("--split needs a data set; build one from the clips first.")
    else:
        faults, summary = list_problems(target)
    if as_json:
        click.echo(json.dumps({"target": str(target), "faults": faults}, ensure_ascii=False))
    else:
        click.echo("\n".join(faults) if faults else summary)
    sys.exit(1 if faults else 0)


def list_faults(folder: Path, splits: tuple[Path, ...], by_signer: bool) -> list[str]:
    """Of a data set."""
    from tqdm import tqdm

    from .check import check_dataset
    from .manifest import DataSet
    from .splits import check_split

    data = DataSet(folder)
    with tqdm(total=len(data.manifest.shards), desc="check", unit="shard", disable=None) as bar:
        faults = check_dataset(data, bar.update)
    for path in (*sorted((folder / "splits").glob("*.csv")), *splits):
        signers = by_signer or (path.parent == folder / "splits" and "signer" in path.stem)
        for fold, leaks in check_split(path, data, by_signer=signers).items():
            tested = {leak.test for leak in leaks}
            if leaks:
                faults.append(f"{path}, {fold}: {len(tested)} test clips leak into training.")
            faults += [f"  {leak.test}: {leak.reason} as {leak.train} in training" for leak in leaks]
    return faults


def list_problems(source: Path) -> tuple[list[str], str]:
    """Of a catalogue."""
    from ..catalogue import review_catalogue

    report = review_catalogue(source)
    for where, name, hint in report.hints[:20]:
        click.echo(f"hint: {source}, {where} ({name}): {hint}", err=True)
    if len(report.hints) > 20:
        click.echo(f"hint: {len(report.hints) - 20} more like these", err=True)
    if report.extra:
        click.echo(
            f"hint: columns that are not in the schema are kept as they are: {', '.join(report.extra)}", err=True
        )
    faults = [f"{source}, {where}{f' ({name})' if name else ''}: {why}" for where, name, why in report.problems]
    if faults:
        faults.append(f"{len(report.problems)} lines are wrong, {report.clips} are right.")
    return faults, f"{source}: {report.clips} clips, nothing wrong"


@click.command()
@FOLDER
@AS_JSON
def stats(folder: Path, as_json: bool) -> None:
    """Print what is in the data set in FOLDER: glosses, signers, licences, consent, lengths, light, movement.

    \b
    Examples:
      isyarat data stats grids
      isyarat data stats grids --json
    """
    from .manifest import DataSet
    from .stats import collect_stats

    counted = collect_stats(DataSet(folder))
    facts = counted.to_dict()
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    for name, value in facts.items():
        text = str(value)
        if isinstance(value, dict):
            text = ", ".join(f"{key} {count}" for key, count in value.items()) or "none"
        elif isinstance(value, list):
            text = f"{len(value)}: {', '.join(value)}" if value else "none"
        click.echo(f"{name.replace('_', ' ')}: {text}")


@click.command()
@FOLDER
@click.option(
    "--by", "rule", type=click.Choice(["clip", "signer", "leave-one-signer-out", "background", "folds"]),
    default="clip", show_default=True, help="What no test clip shares with training, beside its content.",
)  # fmt: skip
@click.option("--test-share", default=0.25, show_default=True, help="For --by clip and signer.")
@click.option("--folds", default=5, show_default=True, help="For --by folds.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--clips", type=click.Path(path_type=Path), help="Folder of the catalogue: makes the paths absolute.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="CSV.  [default: FOLDER/splits/RULE.csv]")
@AS_JSON
def split(
    folder: Path, rule: str, test_share: float, folds: int, seed: int, clips: Path | None, output: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Split the clips of the data set in FOLDER into training and test; no copy of a clip is ever on the other side.

    Clips are parted before augmentation: all grids of a clip go where it goes. What would leak is left out of
    training, and the CSV says why.

    \b
    Examples:
      isyarat data split grids
      isyarat data split grids --by leave-one-signer-out
      isyarat data split grids --by folds --folds 10 -o folds.csv
      isyarat data split grids --by background --clips /data/clips
    """
    from ..folds import RULES, split_units
    from .manifest import DataSet
    from .splits import list_units, write_split

    data = DataSet(folder)
    path = output or folder / "splits" / f"{rule}.csv"
    chosen = next(known for known in RULES if known == rule)
    made = split_units(list_units(data), chosen, test_share=test_share, folds=folds, seed=seed)
    write_split(path, data, made, clips)
    rows = [
        {"fold": fold.name, "train": len(fold.train), "test": len(fold.test), "left_out": len(fold.left_out)}
        for fold in made
    ]
    if as_json:
        click.echo(json.dumps({"split": str(path), "folds": rows}))
        return
    for row in rows:
        click.echo(
            f"{row['fold']}: {row['train']} clips to train on, {row['test']} to test on, {row['left_out']} left out"
        )
    click.echo(f"{path}")


@click.command()
@click.argument("signer")
@FOLDER
@click.option(
    "--delete-clips", type=click.Path(path_type=Path), help="Folder of the catalogue: deletes the clips, too."
)
@WORKERS
def withdraw(signer: str, folder: Path, delete_clips: Path | None, workers: int | None) -> None:
    """Take SIGNER out of the data set in FOLDER, everywhere, and build it again from what is left.

    Shards, tables, splits, card and report lose every trace of the signer; later builds from the same catalogue leave
    the signer out. Weights that were trained on the grids are not reached: train them again.

    \b
    Examples:
      isyarat data withdraw signer7 grids
      isyarat data withdraw signer7 grids --delete-clips my-clips/
    """
    from .build import withdraw_signer
    from .engine import LocalEngine, count_cores

    splits = set((folder / "splits").glob("*.csv"))
    manifest, gone = withdraw_signer(folder, signer, LocalEngine(workers or count_cores()))
    click.echo(f"{folder}: {len(gone)} clips of {signer} taken out, {manifest.clips} left")
    for path in sorted(path for path in splits if not path.exists()):
        click.echo(f"{path}: deleted, since it named clips of {signer}; split again")
    paths = sorted(row["record"]["path"] for row in gone)
    if delete_clips is not None:
        for path in paths:
            (delete_clips / path).unlink(missing_ok=True)
        click.echo(f"{len(paths)} clips deleted; take their lines out of the catalogue, too")
        return
    click.echo("the clips themselves are still there (see --delete-clips):")
    for path in paths:
        click.echo(f"  {path}")


@click.command()
def schema() -> None:
    """Print the JSON Schema of a clip record: every column of a catalogue and what it means.

    \b
    Example:
      isyarat data schema > clip.schema.json
    """
    from ..clip import export_schema

    click.echo(json.dumps(export_schema(), indent=1, ensure_ascii=False))
