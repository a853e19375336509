"""Linear layers by path."""

from __future__ import annotations

from collections.abc import Callable

from flax import nnx
from isyarat.training.model.layers import find_linears, name_layer, replace_layer, share
from isyarat.training.model.paligemma import PaliGemma


def test_paths_of_lists_and_of_stacks(build_paligemma: Callable[..., PaliGemma]) -> None:
    stacked = find_linears(build_paligemma(1), ("decoder",))
    listed = find_linears(build_paligemma(1, scan=False), ("decoder",))
    assert ("decoder", "blocks", "q") in stacked
    assert ("decoder", "blocks", 2, "q") in listed
    assert (len(stacked), len(listed)) == (7, 21)
    assert {name_layer(path) for path in stacked} == {name_layer(path) for path in listed}
    every = find_linears(build_paligemma(1), (".*",))
    assert len(every) == 7 + 6 + 1, "no embedding, no convolution"


def test_the_shared_model_changes_alone(build_paligemma: Callable[..., PaliGemma]) -> None:
    model = build_paligemma(1, scan=False)
    other = share(model)
    assert other.projector.kernel[...] is model.projector.kernel[...]
    layer = nnx.Linear(16, 32, rngs=nnx.Rngs(0))
    replace_layer(other, ("decoder", "blocks", 1, "q"), layer)
    assert other.decoder.blocks[1].q is layer
    assert model.decoder.blocks[1].q is not layer
