"""`isyarat demo`: a synthetic signer, from video to sentence, with everything on disk to look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ..data import synthetic
from ..data.grid_spec import GridSpec
from ..data.picture import write_picture
from ..data.rendering import find_rendering
from ..data.sign import cut_signs
from ..data.video import Image, VideoReader
from .translation import Translation
from .translator import Translator

# What the signer says; the seed chooses. Only words that the shipped bundle knows.
SCRIPTS: tuple[tuple[str, ...], ...] = (
    ("HALO", "APA_KABAR"),
    ("SAYA", "BELAJAR"),
    ("KAMU", "MAKAN", "APA"),
    ("DIA", "TIDUR"),
    ("SELAMAT_PAGI",),
    ("MAAF", "SAYA", "BINGUNG"),
    ("SAYA", "TULI"),
    ("TERIMA_KASIH",),
)


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What was performed, what was understood, and where it lies."""

    performed: tuple[str, ...]
    translation: Translation
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        files = [str(path) for path in self.files]
        return {"performed": list(self.performed), "files": files, **self.translation.to_dict()}

    def describe(self) -> str:
        """For people."""
        glosses = tuple(sign.gloss for sign in self.translation.signs)
        understood = " ".join(glosses) or "nothing"
        differs = "" if glosses == self.performed else "  <- not what was performed"
        lines = [
            f"The synthetic signer performed:  {' '.join(self.performed)}",
            f"isyarat recognised:              {understood}{differs}",
            f"As a sentence:                   {self.translation.sentence or '(none)'}",
            f"Time for the whole clip:         {self.translation.timings_ms['total']:.0f} ms",
            "Look at:",
            *(f"  {path}" for path in self.files),
            "Now a clip of your own:  isyarat translate CLIP.mp4",
        ]
        return "\n".join(lines)


def run_demo(translator: Translator, folder: Path, seed: int) -> DemoResult:
    """Renders, translates, and writes clip.mp4, grids.png and result.json into `folder`."""
    performed = SCRIPTS[seed % len(SCRIPTS)]
    look, scene, style = synthetic.Look(), synthetic.Scene(), synthetic.Style()
    if seed:
        rng = np.random.default_rng(seed)
        look, scene, style = synthetic.random_look(rng), synthetic.random_scene(rng), synthetic.random_style(rng)
    folder.mkdir(parents=True, exist_ok=True)
    clip = folder / "clip.mp4"
    synthetic.write_clip(clip, synthetic.perform(performed, look=look, scene=scene, style=style, seed=seed))
    translation = translator.translate(clip)
    # For people to look at, whatever the model is shown.
    spec = GridSpec()
    cut = list(cut_signs(VideoReader(clip), spec, find_rendering("pixels")))
    named = {sign.start_s: sign.gloss for sign in translation.signs}
    files = [clip]
    if cut:
        files.append(folder / "grids.png")
        grids = [sign.draw_grid(spec).image for sign in cut]
        write_picture(files[-1], caption_grids(grids, [named.get(s.segment.start_s, "no sign") for s in cut]))
    files.append(folder / "result.json")
    result = DemoResult(performed, translation, tuple(files))
    files[-1].write_text(json.dumps(result.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def caption_grids(grids: Sequence[Image], glosses: Sequence[str]) -> Image:
    """The grids side by side, twice as large, each with its gloss below."""
    panels = []
    for grid, text in zip(grids, glosses, strict=True):
        panel = cv2.resize(grid, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        panel = cv2.copyMakeBorder(panel, 12, 44, 12, 12, cv2.BORDER_CONSTANT, value=(255, 255, 255))
        origin = (14, panel.shape[0] - 14)
        cv2.putText(panel, text, origin, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2, cv2.LINE_AA)
        panels.append(panel)
    return np.concatenate(panels, 1).astype(np.uint8, copy=False)
