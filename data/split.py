"""Splits that keep a clip on one side: by clip first, augmentation last. folds.py has the other rules."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .clip import ClipRecord
from .clip_file import check_file
from .errors import IsyaratError


def split_by_clip(
    clips: Sequence[ClipRecord], *, test_share: float, seed: int = 0
) -> tuple[list[ClipRecord], list[ClipRecord]]:
    """Holds out a share of every (gloss, signer, background) group, at least one clip where a group has two.

    Every group keeps a clip for training, too, however large the share.
    Files with the same bytes count as one clip and stay together.

    Arguments:
        clips: records; their files are read (for the content hash).
        test_share: between 0 (nothing is held out) and 1.
        seed: another seed gives another split.

    Returns:
        (train, test), disjoint by content.

    Raises:
        IsyaratError: the share makes no split, or a clip cannot be read.
    """
    if not 0 <= test_share < 1:
        raise IsyaratError(f"A test share of {test_share} makes no split; give a number from 0 to below 1.")
    if test_share == 0:
        return list(clips), []
    groups: dict[tuple[str, str, str], dict[str, list[ClipRecord]]] = defaultdict(lambda: defaultdict(list))
    home: dict[str, tuple[str, str, str]] = {}  # a copy under another label must not land on the other side
    for clip in clips:
        check_file(clip.path)
        digest = hash_file(clip.path)
        group = home.setdefault(digest, (clip.gloss, clip.signer, clip.background))
        groups[group][digest].append(clip)
    train: list[ClipRecord] = []
    test: list[ClipRecord] = []
    for key in sorted(groups):
        # Order by content and seed, not by file name: names carry the order of recording.
        digests = sorted(groups[key])
        np.random.default_rng([seed, *hashlib.sha256(repr(key).encode()).digest()[:8]]).shuffle(digests)
        held = min(max(1, round(test_share * len(digests))), len(digests) - 1)
        for i, digest in enumerate(digests):
            (test if i < held else train).extend(groups[key][digest])
    return train, test


def hash_file(path: Path) -> str:
    """SHA-256 of the bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
