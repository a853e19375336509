"""What a data set holds, counted in one pass over its rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .manifest import DataSet
from .shard import Row

# How far from the median of its gloss, in median absolute deviations, the length of a sign is listed.
OUTLIER = 6.0

NO_GLOSS = "(nothing signed)"


@dataclass(slots=True)
class Stats:
    """Counts over the clips that gave grids.

    Attributes:
        glosses: gloss -> signer -> clips.
        backgrounds: gloss -> backgrounds.
        signers: signer -> clips.
        consents: what signers agreed to -> clips.
        sign_s, clip_s, light, motion: measured values, one a clip.
        doubts: (clip, gloss, why somebody should look at it).
    """

    clips: int = 0
    grids: int = 0
    glosses: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    backgrounds: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    signers: Counter[str] = field(default_factory=Counter)
    deaf: Counter[str] = field(default_factory=Counter)
    handedness: Counter[str] = field(default_factory=Counter)
    systems: Counter[str] = field(default_factory=Counter)
    varieties: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    consents: Counter[str] = field(default_factory=Counter)
    certified: int = 0
    sign_s: list[float] = field(default_factory=list)
    clip_s: list[float] = field(default_factory=list)
    light: list[float] = field(default_factory=list)
    motion: list[float] = field(default_factory=list)
    doubts: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """Glosses without that of negatives."""
        return sorted(g for g in self.glosses if g != NO_GLOSS)

    @property
    def one_signer(self) -> list[str]:
        """Glosses that cannot be judged on an unseen signer."""
        return [gloss for gloss in self.words if len(self.glosses[gloss]) == 1]

    def count_doubts(self) -> list[tuple[str, list[str]]]:
        """Reasons and their clips, the rarest reason first: what half of the clips have is how they were filmed."""
        reasons: dict[str, list[str]] = defaultdict(list)
        for clip, gloss, why in self.doubts:
            reasons[why].append(f"{clip} ({gloss})")
        return sorted(reasons.items(), key=lambda item: (len(item[1]), item[0]))

    def count_rare(self) -> int:
        """Clips with a doubt that fewer than a tenth of all clips have."""
        return sum(len(clips) for _, clips in self.count_doubts() if len(clips) < max(2, self.clips / 10))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "clips": self.clips, "grids": self.grids, "glosses": len(self.words),
            "signers": dict(sorted(self.signers.items())),
            "clips_of_gloss": {g: sum(c.values()) for g, c in sorted(self.glosses.items())},
            "glosses_of_one_signer": self.one_signer,
            "systems": dict(self.systems), "varieties": dict(self.varieties), "licences": dict(self.licences),
            "consent": dict(self.consents), "signer_is_deaf": dict(self.deaf), "handedness": dict(self.handedness),
            "certified": self.certified,
            "sign_s": summarise(self.sign_s), "clip_s": summarise(self.clip_s), "light": summarise(self.light),
            "motion": summarise(self.motion), "doubts": {why: len(clips) for why, clips in self.count_doubts()},
        }  # fmt: skip


def summarise(values: Sequence[float]) -> dict[str, float]:
    """Smallest, median and largest."""
    if not values:
        return {}
    return {
        "least": round(min(values), 3), "median": round(float(np.median(values)), 3), "most": round(max(values), 3),
    }  # fmt: skip


def collect_stats(data: DataSet) -> Stats:
    """Counts a data set."""
    stats = Stats()
    lengths: dict[str, list[tuple[str, float]]] = defaultdict(list)
    labels: dict[str, str] = {}
    linked = data.group_of()
    for row in data.rows():
        record = row["record"]
        gloss = record.get("gloss", "") or NO_GLOSS
        if row["id"] in linked:
            labels[row["id"]] = gloss
        if row["error"]:
            continue
        count_row(stats, row, gloss)
        if gloss != NO_GLOSS:
            lengths[gloss].append((row["id"], row["end_s"] - row["start_s"]))
    for gloss, measured in sorted(lengths.items()):
        values = np.array([length for _, length in measured])
        median = float(np.median(values))
        spread = max(float(np.median(np.abs(values - median))), 0.05)
        stats.doubts += [
            (
                f"{name}: {length:.1f} s, {median:.1f} s is usual",
                gloss,
                "far shorter or longer than others of its gloss",
            )
            for name, length in measured
            if len(values) >= 5 and abs(length - median) > OUTLIER * spread
        ]
    for group in data.groups():
        found = {labels[clip] for clip in group["clips"]}
        shows = [pair for pair in group["why"] if pair[2] != "same split_group"]
        if len(found) > 1 and shows:
            names = ", ".join(group["clips"])
            stats.doubts.append((names, ", ".join(sorted(found)), "the same movement under different glosses"))
        elif shows:
            stats.doubts.append((", ".join(group["clips"]), ", ".join(found), "copies, or takes alike to the moment"))
    stats.doubts.sort()
    return stats


def count_row(stats: Stats, row: Row, gloss: str) -> None:
    """Adds one clip."""
    record = row["record"]
    signer = record.get("signer", "unknown")
    stats.clips += 1
    stats.grids += len(row["grids"])
    stats.glosses[gloss][signer] += 1
    stats.backgrounds[gloss].add(record.get("background", "") or "not stated")
    stats.signers[signer] += 1
    deaf = record.get("signer_is_deaf")
    stats.deaf["not stated" if deaf is None else "Tuli (deaf)" if deaf else "hearing"] += 1
    stats.handedness[record.get("handedness", "unknown")] += 1
    stats.systems[record.get("system", "bisindo")] += 1
    stats.varieties[record.get("variety", "not stated")] += 1
    stats.licences[record.get("licence", "none stated")] += 1
    stats.sources[record.get("source", "") or "not stated"] += 1
    stats.consents[record.get("consent_scope", "not stated")] += 1
    stats.certified += "certified_by" in record
    stats.sign_s.append(row["end_s"] - row["start_s"])
    stats.clip_s.append(row["clip_s"])
    stats.light.append(row["light"])
    stats.motion.append(row["motion"])
    stats.doubts += [(row["id"], gloss, doubt) for doubt in (*row["doubts"], *row["warnings"])]
