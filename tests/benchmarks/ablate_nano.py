"""What each part of nano's recipe is worth: one changed at a time, several seeds, into results/ablation.json.

    python tests/benchmarks/ablate_nano.py [--clips CSV] [--also CSV] [--seeds 0 1 2] [VARIANT ...]

Every model is trained on the training part of the split by clip (seed 0) and judged on the clips kept out and on unseen
signers, who are in no training set. A variant and seed that is in the file already is not trained again. About four
minutes each on two cores, the recordings once ten.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from flax import nnx
from isyarat.data.clip import read_clips, select_clips
from isyarat.data.lexicon import NO_SIGN, Lexicon
from isyarat.data.metrics import Proportion
from isyarat.data.split import split_by_clip
from isyarat.training.dataset import Dataset
from isyarat.training.encode import encode_answer, encode_prompt
from isyarat.training.evaluate import evaluate_model
from isyarat.training.model.config import nano
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import Tokenizer
from isyarat.training.recording import Recording, record_clips, record_performances
from isyarat.training.recording_cache import RecordingCache
from isyarat.training.run import configure, list_words
from isyarat.training.settings import TrainSettings, load_settings
from isyarat.training.train import train_model

RESULTS = Path(__file__).parent / "results" / "ablation.json"
SHARED = Path("../shared/data")

# What is changed; everything else is configs/nano.toml.
VARIANTS: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "no other languages": {"others": 0.0},
    "no synthetic signer": {"synthetic": 0.0},
    "no label smoothing": {"smoothing": 0.0},
    "no guide": {"guide": 0.0},
}


def judge(settings: TrainSettings, parts: dict[str, list[Any]], cached: tuple[Any, ...]) -> dict[str, Any]:
    """Trains one model; k of n on the held-out clips and on unseen signers."""
    glosses = sorted({clip.gloss for clip in parts["train"]})
    foreign = sorted({clip.gloss for clip in parts["also"]})
    tokenizer = Tokenizer.train(list_words(glosses, settings.prompt, foreign), settings.vocabulary)
    config = configure(settings, tokenizer)
    recordings: list[Recording] = [
        r for name in ("train", "also") for r in record_clips(parts[name], *cached, name) if r is not None
    ]
    recordings += record_performances(glosses, settings.synthetic_per_gloss, 0, *cached)
    model = PaliGemma(config, rngs=nnx.Rngs(settings.seed))
    with tempfile.TemporaryDirectory() as folder:
        dataset = Dataset(recordings, config.vision.grid, tokenizer, settings)
        train_model(model, dataset, settings, Path(folder))
    lexicon = Lexicon({gloss: encode_answer(tokenizer, gloss) for gloss in [*glosses, NO_SIGN]})
    prompt = encode_prompt(tokenizer, settings.prompt)
    result = {}
    for slice_name in ("held out", "unseen signers"):
        clips = parts[slice_name]
        report = evaluate_model(model, prompt, lexicon, record_clips(clips, *cached), [c.gloss for c in clips])
        result[slice_name] = {"top-1": report["top1"]["k"], "top-5": report["top5"]["k"], "n": len(clips)}
    return result


def summarise(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Over all seeds of a variant: k of n with its interval, a slice."""
    table: dict[str, Any] = {}
    for variant in VARIANTS:
        runs = [row for name, row in rows.items() if name.rpartition(", seed ")[0] == variant]
        for slice_name in ("unseen signers", "held out"):
            for rank in ("top-1", "top-5"):
                n = sum(run[slice_name]["n"] for run in runs)
                if n:
                    k = sum(run[slice_name][rank] for run in runs)
                    table.setdefault(variant, {"seeds": len(runs)})[f"{slice_name}: {rank}"] = Proportion(
                        k, n
                    ).to_dict()
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(VARIANTS), metavar="VARIANT")
    parser.add_argument("--clips", type=Path, default=SHARED / "bisindo-clips" / "clips.csv")
    parser.add_argument("--also", type=Path, default=SHARED / "other-languages" / "clips.csv")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    every = read_clips(given.clips)
    train, held = split_by_clip(select_clips(every, {"role": {"words"}}), test_share=0.25, seed=0)
    parts = {
        "train": train, "held out": held, "also": read_clips(given.also),
        "unseen signers": select_clips(every, {"role": {"cross_signer"}}),
    }  # fmt: skip
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["runs"] if RESULTS.is_file() else {}
    for seed in given.seeds:
        for variant in given.variants:
            if (name := f"{variant}, seed {seed}") in rows:
                continue
            settings = replace(load_settings("nano"), seed=seed, **VARIANTS[variant])
            spec = nano(1, settings.rendering).vision.grid
            cached = spec, settings.rendering, RecordingCache(Path("runs/recordings"), spec, settings.rendering)
            rows[name] = judge(settings, parts, cached)
            print(name, rows[name], flush=True)
            partial = RESULTS.with_suffix(f".{os.getpid()}")
            partial.write_text(json.dumps({"table": summarise(rows), "runs": rows}, indent=1) + "\n", encoding="utf-8")
            partial.replace(RESULTS)


if __name__ == "__main__":
    main()
