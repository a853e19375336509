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
    """The largest probability below which at most 1 - `keep` of held-out signs fall, with a margin of a third.

    Held-out clips are of known signers; others score lower, hence the margin. Never above one half: an answer that is
    likelier than all others together is shown.
    """
    return float(min(0.5, np.quantile(confidences, 1 - keep) / 1.5))


def best_gloss(scores: Scores) -> tuple[str, float]:
    """The likeliest entry that is a sign, and its probability."""
    gloss = max((g for g in scores if g != NO_SIGN), key=scores.__getitem__)
    return gloss, scores[gloss]
