"""Evaluation of the whole product on labelled clips: exactly what `isyarat translate` would answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..data.clip import ClipRecord
from ..data.errors import ClipError
from ..data.metrics import Proportion, measure_auroc, measure_calibration, measure_macro_f1, measure_percentiles
from .translation import UNKNOWN, Translation
from .translator import Translator


@dataclass(frozen=True, slots=True)
class Outcome:
    """A clip, what was answered, and why nothing was where nothing was."""

    clip: ClipRecord
    translation: Translation | None
    error: str = ""

    @property
    def answers(self) -> list[str]:
        """Glosses in order, unknown signs as `[?]`."""
        return [sign.gloss for sign in self.translation.signs] if self.translation else []

    @property
    def correct(self) -> bool:
        """Exactly the one gloss of the label; for a clip without a label, nothing."""
        return self.answers == ([self.clip.gloss] if self.clip.gloss else [])

    @property
    def ranked(self) -> list[str]:
        """Candidates of the longest sign, the likeliest first, whether it was shown as known or not."""
        if not self.translation or not self.translation.signs:
            return []
        longest = max(self.translation.signs, key=lambda sign: sign.end_s - sign.start_s)
        return [gloss for gloss, _ in longest.alternatives]

    @property
    def confidence(self) -> float:
        """Largest probability of a gloss; 0 where no sign was found."""
        return max((sign.confidence for sign in self.translation.signs), default=0.0) if self.translation else 0.0


def evaluate_clips(translator: Translator, clips: Sequence[ClipRecord]) -> list[Outcome]:
    """Translates every clip, with a progress bar; unreadable ones are kept with their error."""
    outcomes = []
    for clip in tqdm(clips, desc="evaluate", unit="clip", disable=None):
        try:
            outcomes.append(Outcome(clip, translator.translate(clip.path)))
        except ClipError as error:
            outcomes.append(Outcome(clip, None, str(error)))
    return outcomes


AUROC = "AUROC, words of known signers against words outside the vocabulary"


def group_figures(outcomes: Sequence[Outcome], vocabulary: Sequence[str]) -> dict[str, Any]:
    """Figures by role: unseen signers first, then the others by name. Clips that could not be read do not count.

    Roles whose words are outside the vocabulary (and clips without signing) are judged by what is emitted; the rest by
    top-1 (the clip gives exactly its gloss), by the first and the five likeliest candidates, by signer.
    """
    roles = sorted({o.clip.role for o in outcomes}, key=lambda role: (role != "cross_signer", role != "words", role))
    figures: dict[str, Any] = {}
    for role in roles:
        group = [o for o in outcomes if o.clip.role == role and o.translation is not None]
        if not group:
            continue
        inside = [o for o in group if o.clip.gloss in vocabulary]
        outside = [o for o in group if o.clip.gloss not in vocabulary]
        row: dict[str, Any] = {}
        if inside and role != "no_signing":
            row |= judge_inside(inside)
        if outside or role == "no_signing":
            named = group if role == "no_signing" else outside
            row["clips that gave a word of the vocabulary"] = Proportion(
                sum(any(a != UNKNOWN for a in o.answers) for o in named), len(named)
            ).to_dict()
            row["clips that gave nothing"] = Proportion(sum(not o.answers for o in named), len(named)).to_dict()
        figures[name_group(role, group)] = row
    known = [o.confidence for o in outcomes if o.clip.role == "words" and o.clip.gloss in vocabulary]
    foreign = [o.confidence for o in outcomes if o.clip.gloss and o.clip.gloss not in vocabulary]
    if known and foreign:
        figures[AUROC] = round(measure_auroc(known, foreign), 4)
    return figures


def name_group(role: str, group: Sequence[Outcome]) -> str:
    """A role in words; of the training role it says whether the clips were held out."""
    if role == "words":
        held_out = all(o.clip.describe("part") == "test" for o in group)
        return "known signers, clips held out" if held_out else "known signers, held out or not"
    titles = {
        "cross_signer": "unseen signers",
        "no_signing": "talking faces, nothing signed",
        "other_form": "known words in another form",
        "other_words": "words outside the vocabulary",
        "one_clip_words": "words outside the vocabulary, another set",
        "sibi_words": "signs of SIBI, another system",
        "": "all clips",
    }
    return titles.get(role, role)


def judge_inside(group: Sequence[Outcome]) -> dict[str, Any]:
    """Figures of clips whose word the bundle knows."""
    first = [o.ranked[:1] == [o.clip.gloss] for o in group]
    signers = sorted({o.clip.signer for o in group})
    row: dict[str, Any] = {
        "top-1": Proportion(sum(o.correct for o in group), len(group)).to_dict(),
        "likeliest candidate right, shown or not": Proportion(sum(first), len(group)).to_dict(),
        "among the five likeliest": Proportion(sum(o.clip.gloss in o.ranked[:5] for o in group), len(group)).to_dict(),
        "shown as unknown": Proportion(sum(UNKNOWN in o.answers for o in group), len(group)).to_dict(),
        "macro-F1": round(measure_macro_f1([o.clip.gloss for o in group], [(o.answers or [""])[0] for o in group]), 4),
        "expected calibration error": round(measure_calibration([o.confidence for o in group], first), 4),
    }
    if len(signers) > 1:
        row["top-1 by signer"] = {
            s: Proportion(
                sum(o.correct for o in group if o.clip.signer == s), sum(o.clip.signer == s for o in group)
            ).to_dict()
            for s in signers
        }
    return row


def summarise(outcomes: Sequence[Outcome], vocabulary: Sequence[str]) -> str:
    """The figures as text, and the clips that went wrong."""
    lines = list_lines(group_figures(outcomes, vocabulary))
    broken = [o.error for o in outcomes if o.error]
    if broken:
        lines += [f"clips that could not be read (not counted above): {len(broken)}", *(f"  {e}" for e in broken)]
    foreign = {o.clip.gloss for o in outcomes if o.clip.role in {"", "words", "cross_signer"}} - {"", *vocabulary}
    if foreign:
        lines.append(f"labels that the bundle does not know: {', '.join(sorted(foreign))}")
    for o in outcomes:
        if o.clip.gloss in vocabulary and not o.correct and not o.error:
            why = " ".join(o.answers) or (o.translation.warnings[-1].code if o.translation else "")
            lines.append(
                f"  {o.clip.path.name} ({o.clip.role}, {o.clip.signer}): {o.clip.gloss} -> {why}; {o.ranked[:3]}"
            )
    return "\n".join(lines)


def list_lines(figures: dict[str, Any], indent: str = "") -> list[str]:
    """Nested figures, indented; k of n with its interval on one line."""
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict) and "k" in value:
            lines.append(f"{indent}{name}: {Proportion(value['k'], value['n'])}")
        elif isinstance(value, dict):
            lines += [f"{indent}{name}", *list_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name}: {value}")
    return lines


def write_report(path: Path, outcomes: Sequence[Outcome], translator: Translator) -> None:
    """figures, latency, and every prediction (they are stored so that any measure can be taken later); atomic."""
    manifest = translator.recogniser.bundle.manifest
    latencies = [o.translation.timings_ms["total"] for o in outcomes if o.translation]
    report = {
        "bundle": manifest.name,
        "threshold": manifest.threshold,
        "temperature": manifest.temperature,
        "figures": group_figures(outcomes, translator.recogniser.bundle.lexicon.glosses),
        "clip_ms": measure_percentiles(latencies),
        "predictions": [
            {
                "path": str(o.clip.path), "label": o.clip.gloss, "role": o.clip.role, "signer": o.clip.signer,
                "background": o.clip.background, "error": o.error,
                "translation": o.translation.to_dict() if o.translation else None,
            }
            for o in outcomes
        ],
    }  # fmt: skip
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
