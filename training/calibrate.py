"""Temperature and rejection threshold from clips kept out of training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..data.lexicon import NO_SIGN, soften

Scores = dict[str, float]


def fit_temperature(scores: Sequence[Scores], truth: Sequence[str]) -> float:
    """The temperature that makes held-out answers likeliest (Guo et al. 2017, section 4.2), by search from 1 to 4.

    A perfect split would
    ask for ever more confidence, so it never goes below one.
    """

    def loss(temperature: float) -> float:
        likelihoods = [soften(s, temperature)[t] for s, t in zip(scores, truth, strict=True)]
        return -float(np.mean(np.log(likelihoods)))

    return float(min(np.arange(1.0, 4.01, 0.05), key=loss))


def choose_threshold(confidences: NDArray[np.float64], keep: float = 0.99) -> float:
    """The probability below which a sign is shown as unknown.

    It is the one that at least `keep` of the held-out signs reach, less a fifth: held-out clips are of known signers,
    and a sign in use may be a little less clear. Never above 0.75, so that a model that is sure of its few clips still
    answers, nor below 0.3.

    Arguments:
        confidences: probability of the right gloss, of every held-out clip that was recognised.
    """
    return float(np.clip(np.quantile(confidences, 1 - keep) / 1.25, 0.3, 0.75))


def best_gloss(scores: Scores) -> tuple[str, float]:
    """The likeliest entry that is a sign, and its probability."""
    gloss = max((g for g in scores if g != NO_SIGN), key=scores.__getitem__)
    return gloss, scores[gloss]
