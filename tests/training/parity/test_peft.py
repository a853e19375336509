"""PEFT's adapters here, ours in PEFT: the same logits; and a merged model in transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from flax import nnx
from isyarat.training.adapter import load_adapter, save_adapter
from isyarat.training.lora import LoraConfig, add_lora, find_adapted, merge_lora
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_huggingface

compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))


@pytest.fixture(scope="module", params=["gemma", "gemma2"])
def pair(
    request: pytest.FixtureRequest, reference: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, PaliGemma]:
    """A model in transformers, and here."""
    theirs = reference.build(request.param)
    folder = tmp_path_factory.mktemp("base") / "model"
    reference.save(theirs, folder)
    return theirs, PaliGemma.from_pretrained(folder)


def draw_inputs(reference: Any) -> Any:
    """Two pictures, two rows of tokens, their prefixes."""
    rng = np.random.default_rng(0)
    images = rng.uniform(-1, 1, (2, 56, 56, 3)).astype(np.float32)
    return images, rng.integers(3, reference.IMAGE, (2, 12)).astype(np.int32), np.array([5, 9], np.int32)


def assert_close(found: Any, wanted: Any, base: Any) -> None:
    """The same, and not what the base gives."""
    assert np.abs(found - wanted).max() <= 1e-4 * np.ptp(wanted)
    assert np.abs(found - base).max() > 1e-2 * np.ptp(base)


@pytest.mark.parametrize("options", [{"lora_alpha": 8}, {"lora_alpha": 8, "use_rslora": True}])
def test_theirs_here(options: dict[str, Any], pair: tuple[Any, PaliGemma], reference: Any, tmp_path: Path) -> None:
    theirs, base = pair
    inputs = draw_inputs(reference)
    adapted = reference.add_peft(theirs, 1, **options)
    adapted.save_pretrained(tmp_path / "adapter")
    found = load_adapter(base, tmp_path / "adapter")
    assert found.adapter is not None
    assert found.adapter.targets == ("decoder",)
    assert_close(
        np.asarray(compute(found, *inputs)),
        reference.compute_logits(adapted.get_base_model(), *inputs),
        reference.compute_logits(theirs, *inputs),
    )


@pytest.mark.parametrize(
    "config",
    [LoraConfig(rank=4), LoraConfig(rank=4, rslora=True, targets=("decoder", "encoder", "projector"))],
    ids=["decoder", "all"],
)
def test_ours_there(config: LoraConfig, pair: tuple[Any, PaliGemma], reference: Any, tmp_path: Path) -> None:
    theirs, base = pair
    inputs = draw_inputs(reference)
    adapted = add_lora(base, config, rngs=nnx.Rngs(0))
    for i, layer in enumerate(find_adapted(adapted).values()):
        layer.b[...] = 0.05 * jax.random.normal(jax.random.key(i), layer.b.shape)
    adapted.eval()
    save_adapter(adapted, tmp_path / "adapter")
    ours, plain = np.asarray(compute(adapted, *inputs)), np.asarray(compute(base, *inputs))
    loaded = reference.load_peft(theirs, tmp_path / "adapter")
    assert_close(reference.compute_logits(loaded.get_base_model(), *inputs), ours, plain)
    save_huggingface(merge_lora(adapted), tmp_path / "merged", kind="merged")
    assert_close(reference.compute_logits(reference.load(tmp_path / "merged"), *inputs), ours, plain)
