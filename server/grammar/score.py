"""The score of a grammar on a pairs file: `python -m isyarat.server.grammar.score PAIRS.csv`.

A pairs file has the columns id, gloss and indonesian; acceptable answers are separated by ` | `.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import IsyaratError
from .engine import Grammar, load_grammar
from .guard import check, recall_content
from .notation import parse_glosses


@dataclass(frozen=True)
class Pair:
    """A gloss line and the sentences that are right for it."""

    id: str
    gloss: str
    answers: tuple[str, ...]
    variety: str | None


@dataclass(frozen=True)
class Result:
    """What a grammar wrote for a pair."""

    pair: Pair
    text: str
    kept: int
    content: int
    violations: tuple[str, ...]

    @property
    def is_accepted(self) -> bool:
        return self.text in self.pair.answers


def read_pairs(path: Path) -> list[Pair]:
    """Read a pairs file.

    Raises:
        IsyaratError: the file is missing or has other columns.
    """
    if not path.is_file():
        raise IsyaratError(f"{path}: there is no such pairs file; name a CSV with the columns id, gloss, indonesian.")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and not {"id", "gloss", "indonesian"} <= rows[0].keys():
        raise IsyaratError(f"{path}: the columns id, gloss and indonesian are needed.")
    return [
        Pair(
            row["id"],
            row["gloss"],
            tuple(answer.strip() for answer in row["indonesian"].split(" | ")),
            row.get("variety") or None,
        )
        for row in rows
    ]


def score_pairs(pairs: Sequence[Pair], grammar: Grammar) -> list[Result]:
    """Let a grammar answer every pair."""
    results = []
    for pair in pairs:
        glosses = parse_glosses(pair.gloss)
        text = grammar.compose(glosses, variety=pair.variety).text
        results.append(Result(pair, text, *recall_content(glosses, text), tuple(check(glosses, text))))
    return results


def bound_wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson interval of a share; z = 1.96 gives 95 %."""
    if not total:
        return 0.0, 1.0
    share, square = hits / total, z * z / total
    centre = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total)) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def describe(results: Sequence[Result]) -> str:
    """The figures in two lines."""
    hits, total = sum(result.is_accepted for result in results), len(results)
    low, high = bound_wilson(hits, total)
    kept, content = sum(result.kept for result in results), sum(result.content for result in results)
    broken = sum(bool(result.violations) for result in results)
    return (
        f"exact match {hits} of {total} = {hits / max(total, 1):.3f}, 95% interval {low:.3f} to {high:.3f}\n"
        f"content-word recall {kept} of {content} = {kept / max(content, 1):.3f}; "
        f"{broken} sentences break a promise of the guard"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="isyarat.server.grammar.score", description=__doc__)
    parser.add_argument("pairs", type=Path, nargs="+", help="CSV files with id, gloss, indonesian")
    parser.add_argument("--grammar", default="rules")
    parser.add_argument("--misses", action="store_true", help="also print what was not accepted")
    options = parser.parse_args(arguments)
    try:
        grammar = load_grammar(options.grammar)
        results = [result for path in options.pairs for result in score_pairs(read_pairs(path), grammar)]
    except IsyaratError as error:
        parser.error(str(error))
    for result in results if options.misses else ():
        if not result.is_accepted:
            print(f"{result.pair.id}\t{result.pair.gloss}\t{result.text}\t[{' | '.join(result.pair.answers)}]")
    print(describe(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
