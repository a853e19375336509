"""`isyarat translate`, `sentence`, `evaluate`, `demo` and `serve`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ..data.errors import ClipError, IsyaratError

if TYPE_CHECKING:
    from .translation import Translation
    from .translator import Translator

BUNDLE = click.option(
    "--bundle", type=click.Path(path_type=Path), help="Folder of a bundle.  [default: the one shipped with isyarat]"
)
PRECISION = click.option("--precision", help="One that the bundle has, e.g. int8.  [default: the bundle's]")
GRAMMAR = click.option("--grammar", default="rules", show_default=True, help="What puts glosses into words.")
VARIETY = click.option(
    "--variety", help="Regional variety of the signer, for grammars that tell them apart (rules: none)."
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


def load_translator(bundle: Path | None, precision: str | None, grammar: str) -> Translator:
    """The pipeline that the options ask for."""
    from ..export.runtime import Recogniser
    from .grammar import load_grammar
    from .translator import Translator

    return Translator(Recogniser.load(bundle, precision=precision), load_grammar(grammar))


@click.command()
@click.argument("clips", nargs=-1, required=True, metavar="CLIP…")
@BUNDLE
@PRECISION
@GRAMMAR
@VARIETY
@AS_JSON
def translate(
    clips: tuple[str, ...], bundle: Path | None, precision: str | None, grammar: str, variety: str | None, as_json: bool
) -> None:
    """Translate each CLIP (a video file) into glosses and an Indonesian sentence.

    With --json one object a clip is printed, a line each, as soon as it is done. A clip that cannot be read is
    reported on standard error, gives no line, and the others are still translated; the exit status is then 1.

    \b
    Examples:
      isyarat translate clip.mp4
      isyarat translate *.mp4 --json > results.jsonl
    """
    translator = load_translator(bundle, precision, grammar)
    failed = False
    for clip in clips:
        try:
            translation = translator.translate(clip, variety=variety)
        except ClipError as error:
            failed = True
            click.echo(f"isyarat: {error}", err=True)
            continue
        text = json.dumps(translation.to_dict(), ensure_ascii=False) if as_json else describe(translation)
        # A file's name may hold bytes that are no text; they are shown escaped, in a way that JSON reads, too.
        click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    if failed:
        sys.exit(1)


def describe(translation: Translation) -> str:
    """A translation for people: sentence, glosses, warnings."""
    lines = [f"{translation.clip}: {translation.sentence or 'no sign'}"]
    for sign in translation.signs:
        nearest = " / ".join(f"{gloss} {p:.0%}" for gloss, p in sign.alternatives[:3] if p >= 0.01)
        lines.append(f"  {sign.start_s:5.2f}-{sign.end_s:5.2f} s  {sign.gloss:15} {nearest}")
    lines += [f"  {warning.message}" for warning in translation.warnings]
    return "\n".join(lines)


@click.command()
@click.argument("glosses", required=False)
@click.option(
    "--input",
    "source",
    type=click.File(encoding="utf-8-sig"),
    help="File with a gloss sequence a line; - for standard input.",
)
@GRAMMAR
@VARIETY
@AS_JSON
def sentence(glosses: str | None, source: IO[str] | None, grammar: str, variety: str | None, as_json: bool) -> None:
    """Put GLOSSES into an Indonesian sentence.

    Capitals; words of one gloss joined by _; finger-spelling by hyphens; ? for a question marked on the face; [?] for
    an unknown sign.

    \b
    Examples:
      isyarat sentence "SAYA NAMA B-U-D-I"
      isyarat sentence "KAMU SAKIT ?" --json
      isyarat sentence --input glosses.txt --json
    """
    from .grammar import load_grammar, parse_glosses

    if (glosses is None) == (source is None):
        raise click.UsageError('Give either glosses, e.g. "SAYA MAKAN", or --input FILE.')
    engine = load_grammar(grammar)
    failed = False
    for number, line in enumerate(read_lines(source) if source is not None else [glosses or ""], start=1):
        if source is not None and not line.strip():
            continue
        try:
            result = engine.compose(parse_glosses(line), variety=variety)
        except IsyaratError as error:
            failed = True
            click.echo(f"isyarat: line {number}: {error}" if source is not None else f"isyarat: {error}", err=True)
            continue
        record = {"glosses": list(result.glosses), "sentence": result.text, "backend": result.backend}
        click.echo(json.dumps(record, ensure_ascii=False) if as_json else result.text)
    if failed:
        sys.exit(1)


def read_lines(source: IO[str]) -> Iterator[str]:
    """Lines as they come.

    Raises:
        IsyaratError: they are no text.
    """
    try:
        yield from source
    except UnicodeDecodeError:
        raise IsyaratError(f"{source.name}: it is no text in UTF-8; save it as UTF-8.") from None


@click.command()
@click.argument("clips", type=click.Path(path_type=Path))
@click.option("--where", multiple=True, metavar="FIELD=VALUE[,VALUE]", help="Use only clips that meet all of these.")
@click.option("--json", "report", type=click.Path(path_type=Path), help="Write the report here, too.")
@BUNDLE
@PRECISION
def evaluate(
    clips: Path, where: tuple[str, ...], report: Path | None, bundle: Path | None, precision: str | None
) -> None:
    """Translate the clips of a CSV (path, label; role, signer, background if known) and compare with their labels.

    Every role is reported by itself, unseen signers first and by signer, each with n and a 95 % interval. Clips that
    cannot be read are listed, not counted, and make the exit status 1.

    \b
    Examples:
      isyarat evaluate clips.csv --where role=words,cross_signer
      isyarat evaluate runs/nano/split.csv --where part=test --bundle runs/nano/split/bundle --json report.json
    """
    from ..data.clip import parse_conditions, read_clips, select_clips
    from .evaluation import evaluate_clips, summarise, write_report

    translator = load_translator(bundle, precision, "rules")
    chosen = select_clips(read_clips(clips), parse_conditions(where))
    if not chosen:
        raise IsyaratError(f"{clips}: no clip meets the conditions; loosen --where.")
    if report is not None:  # a place that cannot be written is better known before the work
        if report.is_dir():
            raise click.UsageError(f"--json {report} is a folder; give the name of a file.")
        report.parent.mkdir(parents=True, exist_ok=True)
    outcomes = evaluate_clips(translator, chosen)
    click.echo(summarise(outcomes, translator.recogniser.bundle.lexicon.glosses))
    if report is not None:
        write_report(report, outcomes, translator)
        click.echo(f"report: {report}", err=True)
    if any(outcome.error for outcome in outcomes):
        sys.exit(1)


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("isyarat-demo"), show_default=True)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Another seed, another signer, room and sentence.",
)
@BUNDLE
@AS_JSON
def demo(output: Path, seed: int, bundle: Path | None, as_json: bool) -> None:
    """Render a synthetic signer, translate the clip, and write clip, motion grids and sentence to look at.

    No real person is in it, and no camera is needed: it shows the whole way from video to sentence.

    \b
    Examples:
      isyarat demo
      isyarat demo --seed 7 -o my-demo      another signer; one that is drawn very differently may be misread
    """
    from .demo import run_demo

    result = run_demo(load_translator(bundle, None, "rules"), output, seed)
    if as_json:
        click.echo(json.dumps(result.to_dict(), ensure_ascii=False))
    else:
        click.echo(result.describe())


@click.command()
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one.  [default: 8000]")
@click.option(
    "--bundle", "bundles", type=click.Path(path_type=Path), multiple=True, help="Folder of a bundle; may be repeated."
)
@click.option("--precision", help="One that the bundles have, e.g. int8.  [default: the bundles']")
@click.option("--grammar", help="What puts glosses into words.  [default: rules]")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes that decode and recognise.  [default: cores]")
@click.option("--web", type=click.Path(path_type=Path), help="Folder of the web app, served at /.")
@click.option("--origin", "origins", multiple=True, help="Web origin that may call from a browser; may be repeated.")
@click.option("--keys", "keys_file", type=click.Path(path_type=Path), help="File of API keys.")
@click.option("--create-key", metavar="NAME", help="Make a key, add its hash to --keys, show it once, and stop.")
@click.option("--rate", "rate_per_minute", type=click.IntRange(0), help="Requests a minute of one key.  [default: any]")
@click.option(
    "--database",
    "database_url",
    help="SQLAlchemy URL of the feedback store; one with a password is better given as ISYARAT_DATABASE_URL, which the "
    "list of processes does not show.  [default: no feedback]",
)
@click.option("--blobs", "blobs_url", help="Folder or fsspec URL (s3://...) for pictures given with consent.")
@click.option("--environment", type=click.Choice(["development", "production"]), help="[default: development]")
def serve(create_key: str | None, **options: object) -> None:
    """Answer requests over HTTP and WebSocket: /v1/translations, /v1/glosses, /v1/sentences, /v1/stream, /v1/bundles.

    Everything can be set as ISYARAT_... in the environment, too (ISYARAT_PORT=9000; ISYARAT_LIMITS__MAX_DURATION_S=30).
    No clip or frame is kept. The document of the API is /v1/openapi.json. `kill -HUP` reads the bundles anew.

    \b
    Examples:
      isyarat serve
      isyarat serve --port 9000 --bundle runs/nano/bundle
      isyarat serve --create-key school --keys keys.txt
      isyarat serve --host 0.0.0.0 --keys keys.txt --environment production
      isyarat serve --database sqlite:///feedback.db --blobs feedback-media
    """
    if create_key is not None:
        from .keys import create_key as make

        path = options["keys_file"]
        if not isinstance(path, Path):
            raise click.UsageError("--create-key needs --keys FILE, to which the hash of the new key is added.")
        click.echo(make(path, create_key))
        click.echo("Keep it: it is shown this once.", err=True)
        return
    from .serving import serve as run
    from .settings import read_settings

    given = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    settings = read_settings(**{name: value for name, value in given.items() if value != []})
    run(settings, lambda address: click.echo(f"isyarat answers at {address}  (Ctrl-C stops it)"))
