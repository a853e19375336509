"""A whole training run: data, a split for honest figures, then the weights that ship."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import wordfreq
from flax import nnx

from ..data.clip import ClipRecord
from ..data.errors import IsyaratError
from ..data.lexicon import NO_SIGN, Lexicon
from ..data.split import split_by_clip
from .checkpoint import save_model
from .dataset import Dataset
from .encode import encode_answer, encode_prompt
from .evaluate import evaluate_model
from .model.config import ModelConfig, nano
from .model.paligemma import PaliGemma
from .model.tokenizer import Tokenizer
from .recording import name_language, record_clips, record_performances
from .recording_cache import RecordingCache
from .settings import TrainSettings
from .train import train_model


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train on, and what to judge by.

    Attributes:
        train, test: clips; disjoint.
        rule: how they were split, in words, for the report.
        ship: whether to train on all clips afterwards.
        others: clips of the same CSV that are in neither; listed in split.csv for `isyarat evaluate`.
    """

    train: list[ClipRecord]
    test: list[ClipRecord]
    rule: str
    ship: bool
    others: list[ClipRecord] = field(default_factory=list)


def plan_split(clips: Sequence[ClipRecord], share: float, seed: int, ship: bool) -> Plan:
    """Holds out a share of the clips of every word, signer and background."""
    train, test = split_by_clip(clips, test_share=share, seed=seed)
    return Plan(train, test, f"by clip: {share:.0%} of every word, signer and background held out, seed {seed}", ship)


def plan_groups(train: Sequence[ClipRecord], test: Sequence[ClipRecord], rule: str) -> Plan:
    """Trains on one group and tests on another (another background, another signer); never ships.

    Test clips whose word the training group lacks are left out.
    """
    words = {clip.gloss for clip in train}
    kept = [clip for clip in test if clip.gloss in words]
    if {c.path for c in train} & {c.path for c in kept}:
        raise IsyaratError("The training and the test conditions share clips; make them exclude each other.")
    if not train or not kept:
        raise IsyaratError(
            f"There are {len(train)} clips to train on and {len(kept)} to test on; loosen the conditions."
        )
    return Plan(list(train), kept, rule, ship=False)


def train_run(plan: Plan, settings: TrainSettings, folder: Path, others: Sequence[ClipRecord] = ()) -> dict[str, Any]:
    """Trains, evaluates, and (if the plan says so) trains again on all clips; resumes what is there.

    Writes into `folder`: settings.json, split.csv, report.json, split/model/ and, to be exported, model/.

    Arguments:
        others: clips of other sign languages, learned alongside under prompts of their own.

    Returns:
        The report.

    Raises:
        IsyaratError: `folder` holds a run with other settings or other clips.
    """
    clips = [*plan.train, *plan.test]
    if not plan.train:
        raise IsyaratError("There is no clip to train on; loosen the conditions or give another CSV.")
    glosses = sorted({clip.gloss for clip in plan.train})
    if NO_SIGN in glosses:
        raise IsyaratError("Some training clips have no label; give every clip of the CSV one.")
    folder.mkdir(parents=True, exist_ok=True)
    claim_folder(folder, plan, settings, others)
    foreign = sorted({clip.gloss for clip in others})
    tokenizer = Tokenizer.train(list_words(glosses, settings.prompt, foreign), settings.vocabulary)
    config = configure(settings, tokenizer)
    spec = config.vision.grid
    # Beside the run, so that the next one on the same clips finds them.
    cached = spec, settings.rendering, RecordingCache(folder.parent / "recordings", spec, settings.rendering)
    recordings = dict(zip((c.path for c in clips), record_clips(clips, *cached), strict=True))
    aliens = [r for r in record_clips(others, *cached, "other languages") if r is not None]
    performances = record_performances(glosses, settings.synthetic_per_gloss, settings.seed, *cached)
    lexicon = {gloss: encode_answer(tokenizer, gloss) for gloss in [*glosses, NO_SIGN]}
    prompt = encode_prompt(tokenizer, settings.prompt)

    def fit(chosen: Sequence[ClipRecord], name: str) -> PaliGemma:
        known = [r for clip in chosen if (r := recordings[clip.path]) is not None]
        dataset = Dataset([*known, *aliens, *performances], spec, tokenizer, settings)
        model = PaliGemma(config, rngs=nnx.Rngs(settings.seed))
        (folder / name).mkdir(exist_ok=True)
        return train_model(model, dataset, settings, folder / name)

    report: dict[str, Any] = {"split": plan.rule, "train_clips": len(plan.train), "settings": asdict(settings)}
    facts: dict[str, Any] = {
        "prompt": settings.prompt,
        "prompt_tokens": prompt,
        "rendering": settings.rendering,
        "lexicon": lexicon,
        "temperature": 1.0,
        "threshold": 0.5,
    }
    model = None
    if plan.test:
        model = fit(plan.train, "split")
        tests = [recordings[clip.path] for clip in plan.test]
        report |= evaluate_model(model, prompt, Lexicon(lexicon), tests, [clip.gloss for clip in plan.test])
        report["figures"] = {plan.rule: {"top-1": report["top1"], "among the five likeliest": report["top5"]}}
        facts |= {"temperature": report["temperature"], "threshold": report["threshold"]}
        save_run(
            folder / "split", model, tokenizer, facts | {"sources": summarise_sources([*plan.train, *others])}, report
        )
    shipped = plan.train if plan.test and not plan.ship else clips
    if plan.ship or model is None:
        model = fit(clips, "final")
    report |= {"shipped_clips": len(shipped)}
    save_run(folder, model, tokenizer, facts | {"sources": summarise_sources([*shipped, *others])}, report)
    return report


def save_run(
    folder: Path, model: PaliGemma, tokenizer: Tokenizer, facts: dict[str, Any], report: dict[str, Any]
) -> None:
    """Writes what `isyarat export` reads: model/ and report.json."""
    save_model(folder / "model", model, tokenizer, facts)
    (folder / "report.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def summarise_sources(clips: Sequence[ClipRecord]) -> list[dict[str, Any]]:
    """Who is in the data, under which licence: a row a signer and licence, for the model card."""
    groups: dict[tuple[str, str, str], list[ClipRecord]] = {}
    for clip in clips:
        # Of other languages nobody is looked up one by one; there are eighty.
        language = name_language(clip)
        who = f"of other sign languages ({language})" if language else clip.signer
        groups.setdefault((who, clip.licence, "" if language else clip.source), []).append(clip)
    return [
        {
            "signer": signer, "licence": licence, "source": source, "clips": len(group),
            "words": len({clip.gloss for clip in group}),
            "backgrounds": sorted({clip.background or "not stated" for clip in group}),
            "signers": len({clip.signer for clip in group}),
        }
        for (signer, licence, source), group in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]  # fmt: skip


def configure(settings: TrainSettings, tokenizer: Tokenizer) -> ModelConfig:
    """The model's sizes."""
    if settings.model != "nano":
        raise IsyaratError(f"Training {settings.model!r} is not there yet; set model to nano.")
    return nano(tokenizer.size, settings.rendering)


def list_words(glosses: Sequence[str], prompt: str, foreign: Sequence[str] = ()) -> list[str]:
    """What nano's tokenizer learns from: its own answers often, so that each is a token or two, and the most frequent
    Indonesian words, so that a word that is enrolled later can be written too."""
    answers = [gloss.lower().replace("_", " ") for gloss in glosses]
    aliens = [gloss.lower().replace("_", " ") for gloss in foreign]
    frequent = wordfreq.top_n_list("id", 5000)
    return [*answers, prompt] * 100 + aliens * 20 + [form for word in frequent for form in (word, " " + word)]


def claim_folder(folder: Path, plan: Plan, settings: TrainSettings, others: Sequence[ClipRecord] = ()) -> None:
    """Writes settings.json and split.csv, or checks that a run to be resumed has the same."""
    path = folder / "settings.json"
    wanted = {
        "settings": asdict(settings), "rule": plan.rule, "ship": plan.ship,
        "train": [str(c.path) for c in plan.train], "test": [str(c.path) for c in plan.test],
        "others": [str(c.path) for c in others],
    }  # fmt: skip
    if path.exists():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:  # it was killed while it wrote this
            found = None
        if found != wanted:
            raise IsyaratError(
                f"{folder}: it holds a run with other settings or clips; "
                "give another --output, or --restart to delete it."
            )
        return
    with (folder / "split.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "label", "role", "signer", "background", "part"])
        for part, clips in (("train", plan.train), ("test", plan.test), ("other", plan.others)):
            writer.writerows([c.path.absolute(), c.gloss, c.role, c.signer, c.background, part] for c in clips)
    path.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")


def clear_folder(folder: Path) -> None:
    """Deletes a run (and nothing that is not one)."""
    if folder.exists() and not (folder / "settings.json").exists() and any(folder.iterdir()):
        raise IsyaratError(f"{folder}: it is not a training run, so it is not deleted; give another --output.")
    shutil.rmtree(folder, ignore_errors=True)
