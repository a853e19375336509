"""report.html of a data set: one file to look through before anything is trained on it."""

from __future__ import annotations

import base64
import html
from collections import defaultdict

import cv2
import numpy as np

from .charts import draw_balance, draw_histogram
from .manifest import DataSet, Manifest
from .shard import Row, read_samples
from .stats import NO_GLOSS, Stats

# Pictures in the whole report, and of one gloss at most: it stays small enough for a browser, 3 MB or so.
PICTURES, OF_GLOSS = 480, 8
THUMBNAIL_PX = 132
LISTED = 400

# Clips named for one reason.
NAMED = 12

STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--bar:#0072b2}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1180px;padding:2rem 1.2rem 5rem}
h1{font-size:1.9rem;margin:0}h2{margin:2.6rem 0 .8rem;font-size:1.25rem}
p.note{border-left:4px solid #d55e00;padding:.3rem .9rem;background:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:.7rem;margin:1.4rem 0}
.tiles div{border:1px solid var(--line);border-radius:10px;padding:.6rem .9rem}
.tiles b{display:block;font-size:1.6rem;font-variant-numeric:tabular-nums}
.sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(132px,1fr));gap:8px;margin:0 0 1rem}
.sheet figure{margin:0}.sheet img{width:100%;border-radius:6px;display:block}
.sheet figcaption{font-size:.72rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;opacity:.75}
h3{margin:1.1rem 0 .35rem;font-size:1rem}h3 small{font-weight:400;opacity:.7}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(250px,1fr));gap:1rem}
.charts figure{margin:0;border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem}
svg{width:100%}svg text{font-size:11px;fill:currentColor}.bars rect{fill:var(--bar)}
.mark{stroke:#d55e00;stroke-width:2;stroke-dasharray:4 3}
.balance{columns:2 380px;column-gap:2rem}
.row{display:grid;grid-template-columns:11rem 1fr 3rem;gap:.6rem;align-items:center;break-inside:avoid}
.row b{font-weight:500;font-size:.8rem;text-align:right;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row span{display:flex;height:13px;background:var(--soft);border-radius:3px;overflow:hidden}.row i{display:block}
.row em{font-style:normal;font-variant-numeric:tabular-nums;opacity:.8}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}
table{border-collapse:collapse;width:100%;font-size:.88rem}
td:first-child,th:first-child{min-width:13rem}td:nth-child(2),th:nth-child(2){white-space:nowrap}
td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere;vertical-align:top}
"""


def write_report(data: DataSet, stats: Stats, errors: list[tuple[str, str, str]]) -> str:
    """The page; everything is inside."""
    manifest = data.manifest
    signers = [name for name, _ in sorted(stats.signers.items(), key=lambda item: (-item[1], item[0]))]
    title = f"Motion grids from {manifest.source}"
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>",
        f"<p>{describe_grids(manifest)}</p>",
        '<p class="note">This page shows identifiable people. Keep it where the clips are kept.</p>',
        list_tiles(manifest, stats),
        "<h2>Contact sheets</h2>",
        draw_sheets(data, stats),
        "<h2>Clips of each gloss, by signer</h2>",
        draw_balance({gloss: stats.glosses[gloss] for gloss in stats.words}, signers),
        '<h2>What was measured</h2><div class="charts">',
        draw_histogram(stats.sign_s, "Length of the sign", "s"),
        draw_histogram(stats.clip_s, "Length of the clip", "s"),
        draw_histogram(stats.light, "Light: mean grey level", "of 255"),
        draw_histogram([100 * m for m in stats.motion], "Movement: most of the picture that moves at once", "%"),
        "</div>",
        list_table("Worth a look", ("why", "count", "which"), list_doubts(stats)),
        list_table("Could not be used", ("clip", "where", "why"), errors),
        "</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def describe_grids(manifest: Manifest) -> str:
    """One sentence on the geometry."""
    s = manifest.settings
    return (
        f"Nine frames of one sign in one picture of {s.image_size} x {s.image_size} px, read row by row. "
        f"{s.per_clip} of each clip; rendering {html.escape(s.rendering)}; seed {s.seed}."
    )


def list_tiles(manifest: Manifest, stats: Stats) -> str:
    """The large numbers."""
    tiles = {
        "grids": stats.grids, "clips": stats.clips, "glosses": len(stats.words), "signers": len(stats.signers),
        "worth a look": stats.count_rare(), "could not be used": manifest.errors,
    }  # fmt: skip
    return (
        f'<div class="tiles">{"".join(f"<div><b>{number:,}</b>{name}</div>" for name, number in tiles.items())}</div>'
    )


def draw_sheets(data: DataSet, stats: Stats) -> str:
    """A contact sheet a gloss: the unchanged grids of a few clips, of as many signers as there are."""
    shown = sorted(stats.glosses, key=lambda gloss: (gloss == NO_GLOSS, gloss))[:PICTURES]
    each = max(1, min(OF_GLOSS, PICTURES // max(len(shown), 1)))
    chosen: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for shard, row in data.placed_rows():
        gloss = row["record"].get("gloss", "") or NO_GLOSS
        if not row["error"] and row["grids"]:
            chosen[gloss] = choose_clips([*chosen[gloss], (shard, row)], each)
    parts = []
    for gloss in shown:
        counts = stats.glosses[gloss]
        people = f"{len(counts)} signer{'s' if len(counts) > 1 else ''}"
        parts.append(f"<h3>{html.escape(gloss)} <small>{sum(counts.values())} clips, {people}</small></h3>")
        parts.append('<div class="sheet">')
        for shard, row in chosen[gloss]:
            ((png, _),) = read_samples(data.shards, shard, row | {"grids": row["grids"][:1]})
            signer = row["record"].get("signer", "unknown")
            label = html.escape(f"{signer} · {row['id'].rpartition('/')[2]}")
            parts.append(
                f'<figure><img loading="lazy" alt="{html.escape(gloss)}" title="{html.escape(row["id"])}" '
                f'src="{shrink(png)}"><figcaption>{label}</figcaption></figure>'
            )
        parts.append("</div>")
    hidden = len(stats.glosses) - len(shown)
    if hidden:
        parts.append(f"<p>{hidden} more glosses are not shown.</p>")
    return "\n".join(parts)


def choose_clips(clips: list[tuple[str, Row]], most: int) -> list[tuple[str, Row]]:
    """At most `most` of them: signers in turn, so that all show."""
    if len(clips) <= most:
        return clips
    counts: dict[str, int] = defaultdict(int)
    ranked = []
    for clip in clips:
        signer = clip[1]["record"].get("signer", "unknown")
        ranked.append((counts[signer], clip))
        counts[signer] += 1
    ranked.sort(key=lambda pair: pair[0])  # stable: the first clip of each signer before the second of any
    return [clip for _, clip in ranked[:most]]


def shrink(png: bytes) -> str:
    """A small JPEG as a data address."""
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    small = cv2.resize(image, (THUMBNAIL_PX, THUMBNAIL_PX), interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 78])
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()


def list_doubts(stats: Stats) -> list[tuple[str, str, str]]:
    """A row a reason."""
    return [
        (
            why,
            str(len(clips)),
            "; ".join(clips[:NAMED]) + (f"; and {len(clips) - NAMED} more" if len(clips) > NAMED else ""),
        )
        for why, clips in stats.count_doubts()
    ]


def list_table(title: str, columns: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    """A table; nothing when it would be empty."""
    if not rows:
        return ""
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:LISTED])
    more = f"<p>{len(rows) - LISTED} more.</p>" if len(rows) > LISTED else ""
    return f"<h2>{title} ({len(rows)})</h2><table><tr>{head}</tr>{body}</table>{more}"
