"""Puts measured figures into the README: from the shipped bundle and from results/*.json, never by hand.

python tests/benchmarks/write_readme.py           rewrites README.md
python tests/benchmarks/write_readme.py --check   exit status 1 when it is out of date
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "export" / "bundles" / "nano" / "bundle.json"
SPEED = Path(__file__).parent / "results" / "translate_clip.json"

# What a newcomer must know; the model card has the rest.
HEADLINES = re.compile(
    r"^(unseen signers: (top-1|among the five likeliest)|known signers, clips held out: top-1"
    r"|same signers.*int8: same answer as JAX"
    r"|.*: clips that gave .*|train .*: top-1|AUROC.*)$"
)


def list_rows(figures: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """(name, figure) of every k of n with its interval, and of single numbers, in the bundle's order."""
    rows: list[tuple[str, str]] = []
    for name, value in figures.items():
        title = f"{prefix}{name}"
        if isinstance(value, dict) and "interval_95" in value:
            low, high = value["interval_95"]
            rows.append((title, f"{value['k']} of {value['n']} (95 % interval {100 * low:.0f}-{100 * high:.0f} %)"))
        elif isinstance(value, dict):
            rows += list_rows(value, f"{title}: ")
        else:
            rows.append((title, str(value)))
    return rows


def build_parts() -> dict[str, str]:
    """The text of every marked part."""
    manifest = json.loads(BUNDLE.read_text(encoding="utf-8"))
    speed = json.loads(SPEED.read_text(encoding="utf-8"))
    glosses = [gloss for gloss in manifest["lexicon"] if gloss]
    rows = [(name, figure) for name, figure in list_rows(manifest["figures"]) if HEADLINES.search(name)]
    return {
        "vocabulary": f"It knows {len(glosses)} words: {', '.join(glosses)}.",
        "figures": "\n".join(["| measured | result |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)]),
        "speed": (
            f"{speed['machine']}: one clip, whole process {speed['process_s']['median']:.2f} s; each further clip of "
            f"the same call {speed['warm_clip_ms']['median']:.0f} ms, {speed['warm_over_decode']:.1f} times what "
            f"decoding its frames alone takes; peak memory {speed['peak_memory_mb']:.0f} MB. "
            f"The whole environment takes {speed['install_mb']} MB, mostly OpenCV, FFmpeg and NumPy."
        ),
    }


def render(readme: str) -> str:
    """The README with every marked part renewed."""
    for name, text in build_parts().items():
        pattern = re.compile(rf"(<!-- {name} -->).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(readme):
            raise SystemExit(f"README.md lacks the marker <!-- {name} -->; put it back.")
        readme = pattern.sub(lambda m, text=text: f"{m[1]}\n{text}\n{m[2]}", readme)
    return readme


def main() -> None:
    """Rewrites or checks."""
    path = ROOT / "README.md"
    old = path.read_text(encoding="utf-8")
    new = render(old)
    if "--check" in sys.argv:
        sys.exit(0 if new == old else "README.md is out of date; run python tests/benchmarks/write_readme.py")
    path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
