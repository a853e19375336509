"""`isyarat grid` and `isyarat data`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from .builder import commands as builder
from .errors import IsyaratError
from .grid_spec import GridSpec


@click.command()
@click.argument("clip", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("grid.png"), show_default=True)
@click.option("--image-size", default=224, show_default=True, help="Side of the picture in pixels.")
@click.option("--patch-size", default=16, show_default=True, help="Cells start on this raster; 14 for PaliGemma.")
@click.option("--rendering", default="pixels", show_default=True, help="What is drawn into a cell.")
@click.option("--fps", type=float, help="Frames a second, if CLIP is a folder of frames.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after this long; a camera never ends.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a grid.")
def grid(
    clip: Path,
    output: Path,
    image_size: int,
    patch_size: int,
    rendering: str,
    fps: float | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Draw the motion grid of every sign in CLIP: nine frames of one sign in one picture.

    CLIP is a video file, a folder of frames, or camera:0 for the first camera. A clip of several signs gives
    OUTPUT-1.png, OUTPUT-2.png and so on. Exit status 1 when nothing moves in it.

    \b
    Examples:
      isyarat grid clip.mp4 -o grid.png
      isyarat grid clip.mp4 --image-size 448 --patch-size 14
      isyarat grid frames/ --fps 25
      isyarat grid camera:0 --seconds 10
    """
    from itertools import takewhile

    from .picture import write_picture
    from .rendering import find_rendering
    from .sign import cut_signs
    from .video import VideoReader
    from .webcam import parse_camera

    spec = GridSpec(image_size, patch_size)
    if parse_camera(str(clip)) is not None and seconds is None:
        raise click.UsageError("A camera never ends: say how long to watch it, e.g. --seconds 10.")
    reader = VideoReader(clip, fps=fps)
    frames = reader if seconds is None else takewhile(lambda frame: frame.time_s < seconds, reader)
    signs = list(cut_signs(frames, spec, find_rendering(rendering)))
    for warning in reader.warnings:
        click.echo(f"{clip}: {warning}.", err=True)
    if not signs:
        raise IsyaratError(f"{clip}: no movement of a sign in it, so there is no grid; look at the clip.")
    for number, sign in enumerate(signs, start=1):
        path = output if len(signs) == 1 else output.with_stem(f"{output.stem}-{number}")
        drawn = sign.draw_grid(spec)
        write_picture(path, drawn.image)
        start, end = sign.segment.start_s, sign.segment.end_s
        if as_json:
            times = [round(t, 3) for t in drawn.times_s]
            record = {"grid": str(path), "start_s": round(start, 3), "end_s": round(end, 3), "times_s": times}
            click.echo(json.dumps(record))
        else:
            click.echo(f"{path}: {start:.2f}-{end:.2f} s, {spec.frames} frames")


@click.group()
def data() -> None:
    """Work with clips and data sets."""


@data.command()
@click.argument("glosses", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("synthetic.mp4"), show_default=True)
@click.option(
    "--rest", "rest_s", default=0.8, show_default=True, help="Seconds of rest before, between and after signs."
)
@click.option("--seed", type=click.IntRange(0), help="A random signer, room and style; without it the standard ones.")
@click.option("--idle", "behaviour", help="Instead of signing: still, sway, talk, fidget or empty.")
@click.option("--seconds", default=5.0, show_default=True, help="Length of an idle clip.")
def synth(
    glosses: str | None, output: Path, rest_s: float, seed: int | None, behaviour: str | None, seconds: float
) -> None:
    """Render the synthetic signer performing GLOSSES, and print when each sign begins and ends.

    \b
    Examples:
      isyarat data synth "SAYA MAKAN" -o clip.mp4
      isyarat data synth "HALO APA_KABAR" --seed 7
      isyarat data synth --idle talk --seconds 10 -o talk.mp4
    """
    import numpy as np

    from . import synthetic

    if bool(glosses) == bool(behaviour):
        raise click.UsageError('Give either glosses, e.g. "SAYA MAKAN", or --idle.')
    if not 0 < seconds <= 3600 or not 0 <= rest_s <= 60:
        raise click.UsageError("--seconds is at most 3600 and --rest at most 60.")
    look, scene, style = synthetic.Look(), synthetic.Scene(), synthetic.Style()
    if seed is not None:
        rng = np.random.default_rng(seed)
        look, scene, style = synthetic.random_look(rng), synthetic.random_scene(rng), synthetic.random_style(rng)
    if behaviour:
        show = synthetic.idle(seconds, behaviour=behaviour, look=look, scene=scene, seed=seed or 0)
    else:
        words = (glosses or "").upper().split()
        show = synthetic.perform(words, look=look, scene=scene, style=style, rest_s=rest_s, seed=seed or 0)
    synthetic.write_clip(output, show)
    for interval in show.truth:
        click.echo(f"{interval.start_s:6.2f}-{interval.end_s:6.2f} s  {interval.gloss}")
    click.echo(f"{output}: {show.duration_s:.1f} s", err=True)
    sys.stdout.flush()


for command in (builder.build, builder.check, builder.stats, builder.split, builder.withdraw, builder.schema):
    data.add_command(command)
