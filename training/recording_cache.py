"""Recordings on disk, so that the next run on the same clips begins at once and a killed one goes on where it was."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..data.grid_spec import GridSpec

Job = TypeVar("Job")
Result = TypeVar("Result")

# To be raised with every change of what a recording holds: of decoding, segmentation, pose or the synthetic signer.
VERSION = 1


@dataclass(frozen=True, slots=True)
class RecordingCache:
    """A folder with a file a recording.

    Attributes:
        folder: made when the first recording is kept; may be deleted at any time.
        spec, rendering: what the recordings are made for.
    """

    folder: Path
    spec: GridSpec
    rendering: str

    def find(self, key: str, job: Job, make: Callable[[Job], Result]) -> Result:
        """The kept result of the job, or a new one, which is kept.

        Arguments:
            key: tells the job from all others, whatever the order or place of clips: content, not names.
        """
        text = f"{VERSION} {self.rendering} {self.spec} {key}"
        path = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.pickle"
        try:
            # Written by this very code on this machine, as a compiled module is.
            kept: Result = pickle.loads(path.read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):
            kept = make(job)
            self.folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{hashlib.sha256(repr(job).encode()).hexdigest()[:8]}.part")
            partial.write_bytes(pickle.dumps(kept))
            partial.replace(path)
        return kept
