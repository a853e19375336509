"""A frozen base in few bits: how far it is off, what it weighs, what stays in full precision."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.lora import LoraConfig, add_lora, count_parameters, find_adapted, merge_lora, prove_merge
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.quantised import QuantisedLinear, quantise_base

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]


@pytest.mark.parametrize(("precision", "bits", "error"), [("int8", 8, 0.01), ("nf4", 4, 0.1)])
def test_a_kernel(precision: str, bits: int, error: float) -> None:
    linear = nnx.Linear(256, 96, rngs=nnx.Rngs(0))
    linear.bias[...] = jnp.arange(96.0)  # type: ignore[index]
    quantised = QuantisedLinear(linear, precision)  # type: ignore[arg-type]
    kernel, found = linear.kernel[...], quantised.expand()
    assert np.sqrt(np.mean((kernel - found) ** 2)) < error * np.std(kernel)
    assert jnp.iinfo(quantised.codes.dtype).bits == bits
    scales = {"int8": (1, 96), "nf4": (256 // 64, 96)}
    assert quantised.scale.shape == scales[precision]
    x = jax.random.normal(jax.random.key(0), (5, 256))
    assert np.allclose(quantised(x), x @ found + linear.bias[...], atol=1e-4)  # type: ignore[index]
    gradient = jax.grad(lambda x: jnp.square(quantised(x)).sum())(x)
    assert np.allclose(gradient, jax.grad(lambda x: jnp.square(x @ found + jnp.arange(96.0)).sum())(x), rtol=1e-3)


def test_nf4_has_the_levels_of_the_paper() -> None:
    # arXiv:2305.14314, appendix E; the largest weight of a tile is a level by itself.
    linear = nnx.Linear(64, 1, rngs=nnx.Rngs(0))
    linear.kernel[...] = jnp.linspace(-1, 1, 64)[:, None]
    levels = np.unique(QuantisedLinear(linear, "nf4").expand())
    assert len(levels) == 16
    assert np.allclose(levels[[0, 1, 7, 8, 15]], [-1.0, -0.6961928, 0.0, 0.0795803, 1.0], atol=1e-6)


@pytest.mark.parametrize("precision", ["int8", "nf4"])
def test_adapters_sit_on_a_quantised_base(precision: str, build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    base = build_paligemma(2)
    quantised = quantise_base(base, precision)  # type: ignore[arg-type]
    assert count_parameters(quantised) == count_parameters(base), "a code counts as its weight"
    assert isinstance(base.decoder.blocks.q, nnx.Linear), "the base stays as it is"
    compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    wanted, found = (np.asarray(compute(model, *paligemma_inputs)) for model in (base, quantised))
    assert 0 < np.abs(wanted - found).max() < (0.05 if precision == "int8" else 0.5) * np.ptp(wanted)
    adapted = add_lora(quantised, LoraConfig(rank=4), rngs=nnx.Rngs(0))
    assert np.array_equal(compute(adapted, *paligemma_inputs), found)
    for layer in find_adapted(adapted).values():
        layer.b[...] = jnp.full(layer.b.shape, 0.05)
    adapted.eval()
    merged = merge_lora(adapted)
    assert isinstance(merged.decoder.blocks.q, nnx.Linear)
    proof = prove_merge(adapted, merged, *paligemma_inputs)
    assert proof.error <= 1e-5
    assert proof.same_text


def test_other_layers_and_wrong_precisions(build_paligemma: Build) -> None:
    model = build_paligemma(1)
    quantised = quantise_base(model, "int8", "encoder")
    assert isinstance(quantised.encoder.blocks.attention.q, QuantisedLinear)
    assert isinstance(quantised.decoder.blocks.q, nnx.Linear)
    with pytest.raises(IsyaratError, match="choose int8 or nf4"):
        quantise_base(model, "int3")  # type: ignore[arg-type]
    with pytest.raises(IsyaratError, match="No plain layer"):
        quantise_base(model, "int8", "nothing")
