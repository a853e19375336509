"""The model card that goes with every bundle."""

from __future__ import annotations

from typing import Any

from .bundle import BundleManifest

LICENCE = (
    "Weights: research and non-commercial use only; the licences of the training clips are listed in the data "
    "statement. Code: Apache-2.0."
)

NOTICE = (
    "The clips were collected and published by others; signers are pseudonyms, forms of signs were judged by "
    "non-signers. Clips of other sign languages only teach what does not depend on the signer; their words are never "
    "answered. "
    "No clip, frame or landmark is part of the bundle; its golden grid shows a drawn, synthetic signer."
)

CARD = """# Model card: isyarat {name}

**What it does.** Names the sign in a motion grid (nine frames of one sign in one picture): one of {count} words,
"unknown", or "no sign". BISINDO has regional varieties; this model knows the forms of its signers, not others.

**Intended use.** Research, teaching, demonstrations. Not for medical, legal or emergency communication, not for
judging people, not as a stand-in for an interpreter.

**Licence.** {licence}

**Data.** {data}

**Vocabulary.** {vocabulary}

**Figures.** Unseen signers come first: they are what a user will meet. What says "held out", "train … test …" or
"AUROC" was measured on models of the same recipe that never saw those clips; the rest on the weights of this bundle,
which never saw those people either.

{figures}

**Known weaknesses.** Other signers than those it was trained on, other forms of a sign, a camera far away or from the
side, signing without a rest between signs. A word that only one signer performs before one background is confounded
with both.
"""


def describe_data(sources: list[dict[str, Any]]) -> str:
    """The data statement, from the table of sources that the training run wrote."""
    parts = [
        f"{row['clips']} clips of {row['words']} words by "
        + (f"{row['signers']} signers" if row.get("signers", 1) > 1 else "signer")
        + f" {row['signer']} ({', '.join(row['backgrounds'])}; "
        f"licence: {row['licence']}; source: {row['source'] or 'not stated'})"
        for row in sources
    ]
    return f"Trained on {'; '.join(parts) or 'no recorded clip'}; and on performances of the synthetic signer. {NOTICE}"


def write_card(manifest: BundleManifest) -> str:
    """The card in Markdown, every figure taken from the manifest."""
    glosses = [gloss for gloss in manifest.lexicon if gloss]
    return CARD.format(
        name=manifest.name,
        count=len(glosses),
        licence=manifest.licence,
        data=manifest.data_statement,
        vocabulary=", ".join(glosses),
        figures="\n".join(list_figures(manifest.figures)) or "None were measured.",
    )


def list_figures(figures: dict[str, Any], prefix: str = "") -> list[str]:
    """Nested figures as Markdown bullets; k of n with its interval on one line."""
    lines = []
    for name, value in figures.items():
        title = f"{prefix}{name}"
        if isinstance(value, dict) and {"k", "n", "interval_95"} <= set(value):
            low, high = value["interval_95"]
            lines.append(f"- {title}: {value['k']} of {value['n']} (95 % interval {100 * low:.1f}-{100 * high:.1f} %)")
        elif isinstance(value, dict):
            lines += list_figures(value, f"{title}, ")
        elif not isinstance(value, list):
            lines.append(f"- {title}: {value}")
    return lines
