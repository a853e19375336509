"""`isyarat train`."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import click

DEFAULT_CLIPS = Path("../shared/data/bisindo-clips/clips.csv")


@click.command()
@click.argument("config")
@click.option(
    "--clips",
    "csv",
    type=click.Path(path_type=Path),
    default=DEFAULT_CLIPS,
    show_default=True,
    help="CSV with path and label (and signer, background, role).",
)
@click.option(
    "--where",
    multiple=True,
    default=("role=words",),
    show_default=True,
    metavar="FIELD=VALUE[,VALUE]",
    help="Use only clips that meet all of these.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the run.  [default: runs/CONFIG]")
@click.option(
    "--test-share", default=0.25, show_default=True, help="Share of the clips held out for the figures; 0 for none."
)
@click.option(
    "--also",
    "others",
    type=click.Path(path_type=Path),
    help="CSV of clips of other sign languages, learned alongside under prompts of their own: more signers.",
)
@click.option("--train-where", multiple=True, metavar="FIELD=VALUE", help="Train on these only …")
@click.option("--test-where", multiple=True, metavar="FIELD=VALUE", help="… and test on these; nothing is shipped.")
@click.option("--no-final", is_flag=True, help="Stop after the figures; do not train on all clips.")
@click.option("--steps", type=click.IntRange(1), help="Other than the configuration says.")
@click.option("--seed", type=click.IntRange(0), help="Other than the configuration says.")
@click.option("--restart", is_flag=True, help="Delete the run in the folder and begin anew.")
def train(
    config: str, csv: Path, where: tuple[str, ...], output: Path | None, test_share: float,
    others: Path | None, train_where: tuple[str, ...], test_where: tuple[str, ...], no_final: bool,
    steps: int | None, seed: int | None, restart: bool,
) -> None:  # fmt: skip
    """Train a model: first on a part of the clips for honest figures, then on all of them to be exported.

    A run that was stopped goes on where it was when the same command is given again.

    \b
    Examples:
      isyarat train nano --clips my/clips.csv
      isyarat train nano --also other-languages/clips.csv
      isyarat train nano --train-where background=green --test-where background=beige -o runs/green-beige
      isyarat train nano --steps 200 --no-final -o runs/quick
    """
    require_training()
    from ..data.clip import parse_conditions, read_clips, select_clips
    from ..data.metrics import Proportion
    from .run import clear_folder, plan_groups, plan_split, train_run
    from .settings import load_settings

    overrides = {key: value for key, value in (("steps", steps), ("seed", seed)) if value is not None}
    settings = load_settings(config, overrides)
    every = read_clips(csv)
    clips = select_clips(every, parse_conditions(where))
    folder = output or Path("runs") / Path(config).stem
    if bool(train_where) != bool(test_where):
        raise click.UsageError("--train-where and --test-where go together.")
    if train_where:
        train_clips, test_clips = (select_clips(clips, parse_conditions(c)) for c in (train_where, test_where))
        plan = plan_groups(train_clips, test_clips, f"train {' '.join(train_where)}, test {' '.join(test_where)}")
    else:
        plan = plan_split(clips, test_share, settings.seed, ship=not no_final)
    used = {clip.path for clip in (*plan.train, *plan.test)}
    plan = replace(plan, others=[clip for clip in every if clip.path not in used])
    if restart:
        clear_folder(folder)
    click.echo(f"{len(plan.train)} clips to train on, {len(plan.test)} held out ({plan.rule}); run: {folder}", err=True)
    report = train_run(plan, settings, folder, read_clips(others) if others else ())
    if "top1" in report:
        click.echo(f"held out, top-1: {Proportion(report['top1']['k'], report['top1']['n'])}")
        for mistake in report["mistakes"]:
            click.echo(f"  {mistake['truth']} taken for {mistake['answer']} ({mistake['confidence']:.2f})")
    click.echo(f"model: {folder / 'model'}; export it with: isyarat export litert {folder}")


def require_training() -> None:
    """Says which extra is missing, instead of a traceback."""
    from ..data.errors import IsyaratError

    try:
        for name in ("jax", "flax", "optax", "orbax", "tokenizers"):
            importlib.import_module(name)
    except ImportError as error:
        raise IsyaratError(
            f"Training needs more packages ({error.name} is missing); "
            'install them from the folder of isyarat with: pip install ".[train]".'
        ) from error
