"""Figures of a model on recordings: what `train` reports and calibrates by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.lexicon import Lexicon, soften
from ..data.metrics import Proportion, measure_calibration, measure_macro_f1
from ..data.motion_grid import compose_grid
from .calibrate import best_gloss, choose_threshold, fit_temperature
from .model.paligemma import PaliGemma
from .recognise import JaxRecogniser
from .recording import Recording


def evaluate_model(
    model: PaliGemma, prompt: list[int], lexicon: Lexicon, recordings: Sequence[Recording | None], truth: Sequence[str]
) -> dict[str, Any]:
    """Recognises every recording (a clip in which no sign was found counts as wrong) and calibrates on them.

    Returns:
        top-1 and top-5 with n and interval, macro-F1, calibration error, temperature, threshold, and the mistakes.
    """
    recogniser = JaxRecogniser(model, prompt)
    spec = model.config.vision.grid
    pairs = [(r, t) for r, t in zip(recordings, truth, strict=True) if r is not None]
    raw = [recogniser.score(compose_grid(r.draw_cells(spec.cell_size), spec), lexicon) for r, _ in pairs]
    temperature = fit_temperature(raw, [t for _, t in pairs]) if pairs else 1.0
    scores = [soften(s, temperature) for s in raw]
    best = [best_gloss(s) for s in scores]
    correct = [gloss == t for (gloss, _), (_, t) in zip(best, pairs, strict=True)]
    ranked = [sorted(s, key=s.__getitem__, reverse=True)[:5] for s in scores]
    confident = np.array([p for (_, p), ok in zip(best, correct, strict=True) if ok])
    missed = [t for r, t in zip(recordings, truth, strict=True) if r is None]
    return {
        "top1": Proportion(sum(correct), len(truth)).to_dict(),
        "top5": Proportion(sum(t in r for r, (_, t) in zip(ranked, pairs, strict=True)), len(truth)).to_dict(),
        "macro_f1": round(
            measure_macro_f1([t for _, t in pairs] + missed, [g for g, _ in best] + ["?"] * len(missed)), 4
        ),
        "calibration_error": round(measure_calibration([p for _, p in best], correct), 4),
        "temperature": round(temperature, 3),
        "threshold": round(choose_threshold(confident), 4) if len(confident) else 0.5,
        "mistakes": [
            {"truth": t, "answer": g, "confidence": round(p, 3)}
            for (g, p), (_, t) in zip(best, pairs, strict=True)
            if g != t
        ],
        "no_movement": len(missed),
    }
