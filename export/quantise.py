"""Precisions of a LiteRT file."""

from __future__ import annotations

import shutil
from pathlib import Path

from ai_edge_quantizer import quantizer, recipe

from ..data.errors import IsyaratError

# name -> largest difference of a golden logit to be accepted elsewhere. int8 rounds activations at run time, so another
# processor's kernels may fall on the other side of a rounding step.
TOLERANCES = {"f32": 1e-3, "int8": 0.5}


def quantise(source: Path, precision: str, target: Path) -> None:
    """Writes the f32 file `source` in another precision.

    Arguments:
        precision: "f32" (a copy) or "int8" (weights in 8 bits a channel, activations quantised as they come).
    """
    if precision == "f32":
        shutil.copyfile(source, target)
        return
    if precision != "int8":
        raise IsyaratError(f"There is no precision {precision!r}; choose one of: {', '.join(TOLERANCES)}.")
    worker = quantizer.Quantizer(str(source))
    worker.load_quantization_recipe(recipe.dynamic_wi8_afp32())
    worker.quantize().export_model(str(target), overwrite=True)
