"""Low-rank adapters (LoRA, arXiv:2106.09685): a small trainable product beside frozen layers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from numpy.typing import NDArray

from ..data.errors import IsyaratError
from .model.blocks import build_dropout, stack_modules
from .model.layers import GROUPS, Path, Wrapper, find_linears, replace_layer, share
from .model.paligemma import PaliGemma
from .quantised import Codes, QuantisedLinear


@dataclass(frozen=True, slots=True)
class LoraConfig:
    """An adapter.

    Attributes:
        rank: of the product; 16 on PaliGemma 3B trains 0.67 % of the parameters, 8 trains 0.34 %.
        alpha: the product is scaled by alpha / rank, so that another rank needs no other learning rate.
        rslora: scales by alpha / sqrt(rank) instead, which keeps large ranks learning (arXiv:2312.03732).
        dropout: share of a layer's inputs that the product does not see in training.
        targets: the adapted layers: "decoder" (the seven projections of each of its blocks), "encoder" (the six of
            each of its blocks), "projector", or patterns such as "decoder/blocks/(q|v)". The embedding never is.
    """

    rank: int = 16
    alpha: float = 32.0
    rslora: bool = False
    dropout: float = 0.0
    targets: tuple[str, ...] = ("decoder",)

    def __post_init__(self) -> None:
        if self.rank < 1 or not self.alpha > 0 or not 0 <= self.dropout < 1:
            raise IsyaratError("An adapter needs a rank of at least 1, an alpha above 0 and a dropout of 0 up to 1.")
        for target in self.targets:
            try:
                re.compile(target)
            except re.error as error:
                raise IsyaratError(f"The target {target!r} is no pattern ({error}); correct it.") from None

    @property
    def scale(self) -> float:
        """Factor of the product."""
        return self.alpha / (math.sqrt(self.rank) if self.rslora else self.rank)


class LoraLinear(Wrapper):
    """base(x) + scale * x A B.

    Arguments:
        base: the frozen layer, plain or quantised, with a kernel of [..., in, out].
        config: rank, scale and dropout.
    """

    def __init__(self, base: nnx.Linear | QuantisedLinear, config: LoraConfig, *, rngs: nnx.Rngs) -> None:
        self.base = base
        *leading, inputs, outputs = base.shape if isinstance(base, QuantisedLinear) else base.kernel.shape
        # As in the reference: A uniform, B zero, so that training begins at the base (Kaiming with a = sqrt(5)).
        a = jax.random.uniform(rngs.params(), (*leading, inputs, config.rank), minval=-1.0) / math.sqrt(inputs)
        self.a = nnx.LoRAParam(a)
        self.b = nnx.LoRAParam(jnp.zeros((*leading, config.rank, outputs)))
        self.scale = config.scale
        layers = [build_dropout(config.dropout, rngs) for _ in range(leading[0] if leading else 1)]
        self.dropout = stack_modules(layers) if leading else layers[0]

    def __call__(self, x: jax.Array) -> jax.Array:
        y: jax.Array = self.base(x)
        low = self.dropout(x).astype(y.dtype) @ self.a[...].astype(y.dtype)
        return y + (self.scale * low) @ self.b[...].astype(y.dtype)


def add_lora(model: PaliGemma, config: LoraConfig, *, rngs: nnx.Rngs) -> PaliGemma:
    """A model with a new adapter, on the arrays of the base; the base stays as it is and can carry more adapters.

    Train the `nnx.LoRAParam`s only.

    Arguments:
        model: the base, plain or quantised.
        rngs: of A and of dropout.

    Raises:
        IsyaratError: the base has an adapter already, or a target matches no layer.
    """
    if model.adapter is not None:
        raise IsyaratError(f"{model.config.name}: it has an adapter already; merge that, or add to the base.")
    adapted = share(model)
    for target in config.targets:
        if not find_linears(adapted, (target,)):
            raise IsyaratError(
                f"The target {target!r} matches no linear layer; give {', '.join(GROUPS)} or a pattern of a path such "
                "as decoder/blocks/(q|v)."
            )
    expected = 0
    for path, linear in find_linears(adapted, config.targets).items():
        layer = LoraLinear(linear, config, rngs=rngs)
        replace_layer(adapted, path, layer)
        expected += math.prod(layer.a.shape) + math.prod(layer.b.shape)
    adapted.adapter = config
    assert count_parameters(adapted) == (expected, count_parameters(model)[1]), "something else would be trained"
    return adapted


def count_parameters(model: PaliGemma) -> tuple[int, int]:
    """(trained, base) parameters; without an adapter the base is trained. A quantised weight counts as one."""

    def count(*kinds: Any) -> int:
        return sum(math.prod(leaf.shape) for _, leaf in nnx.to_flat_state(nnx.state(model, kinds)))

    total, adapter = count(nnx.Param, Codes), count(nnx.LoRAParam)
    return (total if model.adapter is None else adapter), total - adapter


def describe_parameters(model: PaliGemma) -> str:
    """What a training run prints: "19,611,648 parameters are trained, 0.67 % of the base's 2,923,466,992"."""
    trained, base = count_parameters(model)
    return f"{trained:,} parameters are trained, {100 * trained / base:.2f} % of the base's {base:,}"


def find_adapted(model: PaliGemma) -> dict[Path, LoraLinear]:
    """The adapted layers by path."""
    layers = find_linears(model, (".*",))
    return {path: layer for path, layer in layers.items() if isinstance(layer, LoraLinear)}


def merge_lora(model: PaliGemma) -> PaliGemma:
    """A plain model whose kernels contain the adapter; what is not adapted shares its arrays with the given one.

    A quantised kernel is expanded, and the sum is rounded to the type that the kernel had.

    Raises:
        IsyaratError: the model has no adapter.
    """
    if model.adapter is None:
        raise IsyaratError(f"{model.config.name}: it has no adapter; there is nothing to merge.")
    merged = share(model)
    for path, layer in find_adapted(merged).items():
        replace_layer(merged, path, merge_layer(layer))
    for path, layer in find_linears(merged, (".*",)).items():
        if isinstance(layer, QuantisedLinear):
            replace_layer(merged, path, expand_layer(layer, layer.expand()))
    merged.adapter = None
    return merged


def merge_layer(layer: LoraLinear) -> nnx.Linear:
    """The plain layer; sums in float32, a block at a time."""
    base = layer.base
    kernel = base.expand() if isinstance(base, QuantisedLinear) else base.kernel[...]
    return expand_layer(base, add_product(kernel, layer.a[...], layer.b[...], layer.scale))


@jax.jit
def add_product(kernel: jax.Array, a: jax.Array, b: jax.Array, scale: float) -> jax.Array:
    """kernel + scale * A B, rounded once."""

    def add(block: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        kernel, a, b = block
        product = jnp.matmul(a.astype(jnp.float32), b.astype(jnp.float32), precision="highest")
        return (kernel.astype(jnp.float32) + scale * product).astype(kernel.dtype)

    summed: jax.Array = add((kernel, a, b)) if kernel.ndim == 2 else jax.lax.map(add, (kernel, a, b))
    return summed


def expand_layer(base: nnx.Linear | QuantisedLinear, kernel: jax.Array) -> nnx.Linear:
    """A plain layer with another kernel and the bias of the given one."""
    *_, inputs, outputs = kernel.shape
    linear: nnx.Linear = nnx.eval_shape(
        lambda: nnx.Linear(inputs, outputs, use_bias=base.bias is not None, rngs=nnx.Rngs(0), dtype=base.dtype)
    )
    linear.kernel = nnx.Param(kernel)
    if base.bias is not None:
        linear.bias = base.bias
    return linear


@nnx.jit
def compute_logits(model: PaliGemma, images: jax.Array, tokens: jax.Array, lengths: jax.Array) -> jax.Array:
    """`PaliGemma.logits`, compiled."""
    return model.logits(images, tokens, lengths)


@dataclass(frozen=True, slots=True)
class MergeProof:
    """How far a merged model is from the one with the adapter.

    Attributes:
        error: largest difference of a logit, relative to the range of the logits.
        same_text: whether both write the same greedy answers.
        answers_BxS: tokens that the merged model writes.
    """

    error: float
    same_text: bool
    answers_BxS: NDArray[np.int32]


def prove_merge(
    adapted: PaliGemma,
    merged: PaliGemma,
    images_BxHxWx3: Any,
    tokens_BxT: Any,
    prefix_lengths_B: Any,
    *,
    steps: int = 16,
) -> MergeProof:
    """Compares logits and greedy answers.

    Arguments:
        images_BxHxWx3, tokens_BxT, prefix_lengths_B: see `PaliGemma.logits`; the answers go on from the prefixes.
        steps: tokens of the answers.
    """
    tokens, lengths = jnp.asarray(tokens_BxT), jnp.asarray(prefix_lengths_B)
    images = jnp.asarray(images_BxHxWx3)
    wanted, found = (np.asarray(compute_logits(model, images, tokens, lengths)) for model in (adapted, merged))
    texts = [np.asarray(model.generate(images, tokens, lengths, steps=steps)) for model in (adapted, merged)]
    error = float(np.abs(wanted - found).max() / np.ptp(wanted))
    return MergeProof(error, bool(np.array_equal(texts[0], texts[1])), texts[1])
