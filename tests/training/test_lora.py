"""Adapters in memory: they start as nothing, train alone, and merge into what they were."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.lora import (
    LoraConfig,
    add_lora,
    count_parameters,
    describe_parameters,
    find_adapted,
    merge_lora,
    prove_merge,
)
from isyarat.training.model.config import find_config
from isyarat.training.model.layers import name_layer
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.quantised import quantise_base

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]

compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))


def disturb(model: PaliGemma, seed: int = 1) -> PaliGemma:
    """An adapter as training leaves it: B is not zero any more."""
    for i, layer in enumerate(find_adapted(model).values()):
        layer.b[...] = 0.1 * jax.random.normal(jax.random.key(100 * seed + i), layer.b.shape)
    model.eval()
    return model


def collect(model: PaliGemma) -> dict[str, np.ndarray]:
    """All parameters but the adapter's."""
    state = nnx.state(model, nnx.All(nnx.Param, nnx.Not(nnx.LoRAParam)))
    return {"/".join(map(str, path)): np.asarray(leaf[...]) for path, leaf in nnx.to_flat_state(state)}


@pytest.mark.parametrize(
    ("name", "rank", "percent"),
    [("paligemma-3b-224", 16, 0.67), ("paligemma-3b-224", 8, 0.34), ("paligemma2-3b-224", 16, 0.68)],
)
def test_trainable_share_of_the_large_models(name: str, rank: int, percent: float) -> None:
    def build() -> PaliGemma:
        return add_lora(PaliGemma(find_config(name), rngs=nnx.Rngs(0)), LoraConfig(rank), rngs=nnx.Rngs(1))

    model = nnx.eval_shape(build)  # shapes only
    trained, frozen = count_parameters(model)
    assert 100 * trained / frozen == pytest.approx(percent, abs=0.005)
    if name == "paligemma-3b-224":
        # q and o, k and v, gate and up and down of 18 blocks.
        assert trained == 18 * rank * (2 * (2048 + 2048) + 2 * (2048 + 256) + 3 * (2048 + 16_384))
    assert describe_parameters(model) == f"{trained:,} parameters are trained, {percent} % of the base's {frozen:,}"


def test_a_new_adapter_changes_nothing(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    base = build_paligemma(2)
    before = compute(base, *paligemma_inputs)
    adapted = add_lora(base, LoraConfig(rank=4), rngs=nnx.Rngs(0))
    assert np.array_equal(compute(adapted, *paligemma_inputs), before)
    assert not np.allclose(compute(disturb(adapted), *paligemma_inputs), before, atol=1e-3)
    assert np.array_equal(compute(base, *paligemma_inputs), before), "the base stays as it is"
    assert adapted.decoder.embedding[...] is base.decoder.embedding[...], "no second copy of the base"


@pytest.mark.parametrize("scan", [True, False])
def test_targets(scan: bool, build_paligemma: Build) -> None:
    base = build_paligemma(1, scan=scan)

    def list_targets(*targets: str) -> set[str]:
        adapted = add_lora(base, LoraConfig(rank=2, targets=targets), rngs=nnx.Rngs(0))
        assert count_parameters(adapted)[0] > 0
        return {name_layer(path) for path in find_adapted(adapted)}

    decoder = {f"decoder/blocks/{name}" for name in ("q", "k", "v", "o", "gate", "up", "down")}
    encoder = {f"encoder/blocks/{name}" for name in ("up", "down", *(f"attention/{p}" for p in "qkvo"))}
    assert list_targets("decoder") == decoder
    assert list_targets("decoder", "encoder", "projector") == decoder | encoder | {"projector"}
    assert list_targets("decoder/blocks/(q|v)") == {"decoder/blocks/q", "decoder/blocks/v"}
    for wrong in ("decoder/embedding", ".*embedding", "nothing"):
        with pytest.raises(IsyaratError, match="matches no linear layer"):
            list_targets(wrong)
    with pytest.raises(IsyaratError, match="has an adapter already"):
        add_lora(add_lora(base, LoraConfig(2), rngs=nnx.Rngs(0)), LoraConfig(2), rngs=nnx.Rngs(0))


def test_wrong_settings() -> None:
    for values in ({"rank": 0}, {"alpha": 0.0}, {"dropout": 1.0}):
        with pytest.raises(IsyaratError, match="needs a rank"):
            LoraConfig(**values)  # type: ignore[arg-type]
    with pytest.raises(IsyaratError, match="no pattern"):
        LoraConfig(targets=("(",))
    assert LoraConfig(rank=16, alpha=32.0).scale == 2.0
    assert LoraConfig(rank=16, alpha=32.0, rslora=True).scale == 8.0


@pytest.mark.parametrize(("version", "precision"), [(1, None), (2, None), (1, "nf4")])
def test_training_moves_the_adapter_only(
    version: int, precision: str | None, build_paligemma: Build, paligemma_inputs: Inputs
) -> None:
    base = build_paligemma(version, remat=version == 2)
    if precision:
        base = quantise_base(base, precision)  # type: ignore[arg-type]
    adapted = add_lora(base, LoraConfig(rank=4, alpha=8.0, dropout=0.1), rngs=nnx.Rngs(0))
    adapted.train()
    optimizer = nnx.Optimizer(adapted, optax.adam(0.02), wrt=nnx.LoRAParam)
    images, tokens, lengths = paligemma_inputs

    @nnx.jit
    def step(model: PaliGemma, optimizer: nnx.Optimizer[PaliGemma]) -> jax.Array:
        def loss(model: PaliGemma) -> jax.Array:
            logits = model.logits(images, tokens, lengths)
            return optax.softmax_cross_entropy_with_integer_labels(logits[:, 6:-1], tokens[:, 7:]).mean()

        value, gradients = nnx.value_and_grad(loss, argnums=nnx.DiffState(0, nnx.LoRAParam))(model)
        optimizer.update(model, gradients)
        return value

    before = collect(adapted)
    losses = [float(step(adapted, optimizer)) for _ in range(30)]
    assert np.mean(losses[-5:]) < 0.7 * losses[0]
    after = collect(adapted)
    assert all(np.array_equal(before[name], after[name]) for name in before), "the base has moved"
    assert "decoder/embedding" in after
    if precision:
        assert adapted.decoder.blocks.q.base.codes.dtype == jnp.uint4, "4 bits a weight"


@pytest.mark.parametrize(("version", "scan", "rslora"), [(1, True, False), (2, True, True), (2, False, False)])
def test_merged_equals_adapted(
    version: int, scan: bool, rslora: bool, build_paligemma: Build, paligemma_inputs: Inputs
) -> None:
    base = build_paligemma(version, scan=scan)
    config = LoraConfig(rank=4, rslora=rslora, targets=("decoder", "encoder", "projector"))
    adapted = disturb(add_lora(base, config, rngs=nnx.Rngs(0)))
    merged = merge_lora(adapted)
    proof = prove_merge(adapted, merged, *paligemma_inputs)
    assert proof.error <= 1e-5
    assert proof.same_text
    assert not find_adapted(merged)
    assert merged.adapter is None
    assert collect(merged).keys() == collect(base).keys()
    assert np.array_equal(merged.decoder.embedding[...], base.decoder.embedding[...])
    assert not np.array_equal(proof.answers_BxS, base.generate(*paligemma_inputs, steps=16)), "the adapter speaks"
    with pytest.raises(IsyaratError, match="no adapter"):
        merge_lora(merged)


def test_a_wrong_merge_is_seen(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    base = build_paligemma(1)
    first, second = (disturb(add_lora(base, LoraConfig(4), rngs=nnx.Rngs(i)), i) for i in (0, 1))
    proof = prove_merge(first, merge_lora(second), *paligemma_inputs)
    assert proof.error > 1e-2
    assert not proof.same_text


def test_merging_in_bfloat16_rounds_once(build_paligemma: Build) -> None:
    base = build_paligemma(1)
    kernel = base.decoder.blocks.up.kernel[...].astype(jnp.bfloat16)
    base.decoder.blocks.up.kernel = nnx.Param(kernel)
    adapted = disturb(add_lora(base, LoraConfig(4), rngs=nnx.Rngs(0)))
    layer = adapted.decoder.blocks.up
    exact = np.float64(kernel) + layer.scale * np.float64(layer.a[...]) @ np.float64(layer.b[...])
    merged = merge_lora(adapted).decoder.blocks.up.kernel[...]
    assert merged.dtype == jnp.bfloat16
    assert np.abs(np.float64(merged) - exact).max() <= 2.0**-8 * np.abs(exact).max(), "half a unit in the last place"
