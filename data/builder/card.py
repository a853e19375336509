"""The card of a data set: what is in it, who is in it, and what may be done with it."""

from __future__ import annotations

import html
from collections import Counter

from .manifest import Manifest
from .stats import Stats


def write_card(manifest: Manifest, stats: Stats) -> str:
    """README.md of the data set."""
    spec = manifest.settings
    size = f"{spec.image_size} x {spec.image_size} px, patches of {spec.patch_size} px, rendering {spec.rendering}"
    variants = "unchanged" if spec.per_clip == 1 else f"the first unchanged, {spec.per_clip - 1} augmented"
    lines = [
        f"# Motion grids from {manifest.source}",
        "",
        f"{stats.grids} grids from {stats.clips} clips: {len(stats.words)} glosses, {len(stats.signers)} signers. "
        f"Each grid is nine frames of one sign in one picture ({size}); {spec.per_clip} of each clip ({variants}).",
        "",
        "**The grids show identifiable people.** Pass them on only as far as their consent and licence below reach; "
        "`isyarat data withdraw SIGNER FOLDER` takes a person out. BISINDO has regional varieties: another form of a "
        "sign is not a wrong one.",
        "",
        "| | clips |",
        "|---|---:|",
    ]
    for title, counts in (
        ("sign system", stats.systems), ("variety", stats.varieties), ("signer", stats.signers),
        ("the signer is", stats.deaf), ("leading hand", stats.handedness), ("consent", stats.consents),
        ("licence", stats.licences), ("source", stats.sources),
    ):  # fmt: skip
        lines += list_counts(title, counts)
    lines += [
        f"| form certified by a Tuli reviewer | {stats.certified} |",
        f"| could not be used (errors.csv) | {manifest.errors} |",
        "",
        "## What it can show",
        "",
        say_signers(stats),
        say_backgrounds(stats),
        *(f"- Worth a look: {why} ({len(clips)})." for why, clips in stats.count_doubts()[:10]),
        "",
        "## How to read it",
        "",
        "`shards/*.tar` are WebDataset shards (`KEY.png`, `KEY.json` with gloss, times and the operations that made "
        "the grid); `shards/*.jsonl` has a row a clip; `tables/` the index for random access and the groups of copies. "
        "In Python, also as a source for Grain:",
        "",
        "```python",
        "from isyarat.data.grid_source import GridSource",
        'source = GridSource("FOLDER")  # len(source), source[0]["image"], source[0]["gloss"]',
        "```",
        "",
        "Split it by clip, signer or background with `isyarat data split FOLDER`; never by grid: grids of one clip "
        "show the same moment.",
        "",
    ]
    return "\n".join(lines)


def list_counts(title: str, counts: Counter[str]) -> list[str]:
    """Rows of the table, the most frequent first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [f"| {title}: {escape(name)} | {count} |" for name, count in ranked[:30]]
    if len(ranked) > 30:
        rows.append(f"| {title}: {len(ranked) - 30} others | {sum(count for _, count in ranked[30:])} |")
    return rows


def escape(text: str) -> str:
    """Text that stays inside its cell of a Markdown table, and is no HTML."""
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ")


def say_signers(stats: Stats) -> str:
    """Whether unseen signers can be judged."""
    alone = stats.one_signer
    if not alone:
        return "- Every gloss has two signers or more, so each can be tested on a signer it was not trained on."
    named = ", ".join(alone[:12]) + (" …" if len(alone) > 12 else "")
    return (
        f"- {len(alone)} of {len(stats.words)} glosses have one signer only ({named}): nothing measured here tells how "
        "they do with another person."
    )


def say_backgrounds(stats: Stats) -> str:
    """Whether a gloss can be guessed from the room."""
    rooms = {gloss: stats.backgrounds[gloss] for gloss in stats.words}
    alone = [gloss for gloss, found in rooms.items() if len(found) == 1]
    if len({frozenset(found) for found in rooms.values()}) < 2:
        return "- No gloss can be told by its background."
    count = f"{len(alone)} of {len(stats.words)} glosses"
    return f"- {count} have one background only: a model may learn the room, not the sign."
