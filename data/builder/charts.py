"""Small charts as inline SVG: no script, no font, no address."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

# Colours of signers in the order of their number of clips, told apart by people with colour-blindness (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
OTHERS = "#999999"


def draw_histogram(values: Sequence[float], title: str, unit: str, bins: int = 30) -> str:
    """A histogram with the median marked."""
    if not values:
        return ""
    data = np.asarray(values, float)
    low, high = float(data.min()), float(data.max())
    high = high if high > low else low + 1
    counts, _ = np.histogram(data, bins, (low, high))
    width, height = 300, 110
    bar = width / bins
    top = max(int(counts.max()), 1)
    bars = "".join(
        f'<rect x="{i * bar:.1f}" y="{height - height * count / top:.1f}" width="{bar - 1:.1f}" '
        f'height="{height * count / top:.1f}"><title>{low + (high - low) * i / bins:.3g} to '
        f"{low + (high - low) * (i + 1) / bins:.3g} {unit}: {count}</title></rect>"
        for i, count in enumerate(counts)
        if count
    )
    median = float(np.median(data))
    at = width * (median - low) / (high - low)
    return (
        f'<figure><figcaption>{html.escape(title)}</figcaption><svg viewBox="0 0 {width} {height + 20}" role="img" '
        f'aria-label="{html.escape(title)}: median {median:.3g} {unit}"><g class="bars">{bars}</g>'
        f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height}"/>'
        f'<text x="0" y="{height + 15}">{low:.3g} {unit}</text>'
        f'<text x="{width}" y="{height + 15}" text-anchor="end">{high:.3g} {unit}</text>'
        f'<text x="{width / 2}" y="{height + 15}" text-anchor="middle">median {median:.3g}</text></svg></figure>'
    )


def draw_balance(glosses: Mapping[str, Mapping[str, int]], signers: Sequence[str]) -> str:
    """A bar a gloss, the most frequent first, in the colours of the signers."""
    colours = dict(zip(signers, COLOURS, strict=False))
    ranked = sorted(glosses.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    top = max((sum(counts.values()) for _, counts in ranked), default=1)
    lines = []
    for gloss, counts in ranked:
        parts = "".join(
            f'<i style="width:{100 * count / top:.2f}%;background:{colours.get(signer, OTHERS)}" '
            f'title="{html.escape(signer)}: {count}"></i>'
            for signer, count in sorted(counts.items(), key=lambda item: (signers.index(item[0]), item[0]))
        )
        total = sum(counts.values())
        lines.append(f'<div class="row"><b>{html.escape(gloss)}</b><span>{parts}</span><em>{total}</em></div>')
    legend = "".join(
        f'<li><i style="background:{colours.get(signer, OTHERS)}"></i>{html.escape(signer)}</li>'
        for signer in signers[: len(COLOURS)]
    )
    if len(signers) > len(COLOURS):
        legend += f'<li><i style="background:{OTHERS}"></i>{len(signers) - len(COLOURS)} others</li>'
    return f'<ul class="legend">{legend}</ul><div class="balance">{"".join(lines)}</div>'
