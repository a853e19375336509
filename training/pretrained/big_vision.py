"""The layout of big_vision's PaliGemma 1 and 2: names and shapes; there is no configuration but the shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...data.errors import IsyaratError
from ..model.config import GEMMA2_2B, GEMMA2_27B, ModelConfig, TextConfig, VisionConfig
from .huggingface import name_model
from .layout import Layout, Rule
from .tensor_file import StoredTensor

PREFIX = "params/"
BLOCK = "img/Transformer/encoderblock"
LAYER = "llm/layers"


def list_rules(config: ModelConfig) -> Layout:
    """The tensors of a PaliGemma in this layout, without the "params/" that stands before some."""
    vision, text = config.vision, config.text
    rules = [
        Rule("img/embedding/kernel", ("encoder/stem/conv/kernel",)),
        Rule("img/embedding/bias", ("encoder/stem/conv/bias",)),
        Rule("img/pos_embedding", ("encoder/position",)),
        Rule("img/head/kernel", ("projector/kernel",)),
        Rule("img/head/bias", ("projector/bias",)),
        Rule("llm/embedder/input_embedding", ("decoder/embedding",)),
        Rule("llm/final_norm/scale", ("decoder/norm/scale",)),
        Rule(f"{LAYER}/mlp/linear", ("decoder/blocks/{}/down/kernel",)),
        Rule(
            f"{LAYER}/mlp/gating_einsum",
            ("decoder/blocks/{}/gate/kernel", "decoder/blocks/{}/up/kernel"),
            lambda a: (a[0], a[1]),
            lambda *two: np.stack(two),
        ),
        Rule(
            f"{LAYER}/attn/attn_vec_einsum/w",
            ("decoder/blocks/{}/o/kernel",),
            lambda a: (a.reshape(-1, a.shape[-1]),),
            lambda a: a.reshape(text.heads, text.head_dim, text.width),
        ),
        *list_attention(text),
    ]
    for name, ours in (("encoder_norm", "norm"), ("encoderblock/LayerNorm_0", "blocks/{}/norm1"),
                       ("encoderblock/LayerNorm_1", "blocks/{}/norm2")):  # fmt: skip
        for part in ("scale", "bias"):
            rules.append(Rule(f"img/Transformer/{name}/{part}", (f"encoder/{ours}/{part}",)))
    for name, ours in (("Dense_0", "up"), ("Dense_1", "down")):
        for part in ("kernel", "bias"):
            rules.append(Rule(f"{BLOCK}/MlpBlock_0/{name}/{part}", (f"encoder/blocks/{{}}/{ours}/{part}",)))
    heads, size = vision.heads, vision.width // vision.heads
    attention = f"{BLOCK}/MultiHeadDotProductAttention_0"
    for name, ours in (("query", "q"), ("key", "k"), ("value", "v")):
        path = f"encoder/blocks/{{}}/attention/{ours}"
        rules += [
            Rule(
                f"{attention}/{name}/kernel",
                (f"{path}/kernel",),
                lambda a: (a.reshape(a.shape[0], -1),),
                lambda a: a.reshape(-1, heads, size),
            ),
            Rule(
                f"{attention}/{name}/bias",
                (f"{path}/bias",),
                lambda a: (a.reshape(-1),),
                lambda a: a.reshape(heads, size),
            ),
        ]
    rules += [
        Rule(
            f"{attention}/out/kernel",
            ("encoder/blocks/{}/attention/o/kernel",),
            lambda a: (a.reshape(-1, a.shape[-1]),),
            lambda a: a.reshape(heads, size, -1),
        ),
        Rule(f"{attention}/out/bias", ("encoder/blocks/{}/attention/o/bias",)),
    ]
    norms = {"pre_attention_norm": "norm1", "pre_ffw_norm": "norm2"}
    if text.post_norms:
        norms |= {"post_attention_norm": "post_norm1", "post_ffw_norm": "post_norm2"}
    rules += [Rule(f"{LAYER}/{name}/scale", (f"decoder/blocks/{{}}/{ours}/scale",)) for name, ours in norms.items()]
    return Layout(config, tuple(rules), stacked=True)


def list_attention(text: TextConfig) -> list[Rule]:
    """Projections of queries, keys and values: together where there are as many heads of all, else q and kv."""

    def merge_heads(heads_HxDxE: Any) -> Any:
        return heads_HxDxE.transpose(1, 0, 2).reshape(heads_HxDxE.shape[1], -1)

    def split_heads(kernel_DxHE: Any, heads: int) -> Any:
        return kernel_DxHE.reshape(text.width, heads, text.head_dim).transpose(1, 0, 2)

    q, k, v = (f"decoder/blocks/{{}}/{name}/kernel" for name in "qkv")
    if text.heads == text.kv_heads:
        return [
            Rule(
                f"{LAYER}/attn/qkv_einsum/w",
                (q, k, v),
                lambda a: tuple(merge_heads(part) for part in a),
                lambda *three: np.stack([split_heads(part, text.heads) for part in three]),
            )
        ]
    return [
        Rule(
            f"{LAYER}/attn/q_einsum/w",
            (q,),
            lambda a: (merge_heads(a),),
            lambda a: split_heads(a, text.heads),
        ),
        Rule(
            f"{LAYER}/attn/kv_einsum/w",
            (k, v),
            lambda a: (merge_heads(a[0]), merge_heads(a[1])),
            lambda *two: np.stack([split_heads(part, text.kv_heads) for part in two]),
        ),
    ]


def read_config(path: Path, tensors: Mapping[str, StoredTensor]) -> ModelConfig:
    """The configuration, from the shapes.

    Gemma 2's numbers that no shape tells (soft cap of the scores, window) are those of all its published sizes; only
    the 27B divides queries by something else than the root of the head size. big_vision computes PaliGemma 2's logits
    without Gemma 2's soft cap, so there is none here (transformers applies it; the order of the logits is the same).

    Arguments:
        path: of the file.
        tensors: by name without "params/".

    Raises:
        IsyaratError: a tensor that tells a size is missing.
    """
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    needed = [
        "img/embedding/kernel", "img/pos_embedding", f"{BLOCK}/MlpBlock_0/Dense_0/kernel",
        f"{BLOCK}/MultiHeadDotProductAttention_0/query/kernel", "llm/embedder/input_embedding", f"{LAYER}/mlp/linear",
        f"{LAYER}/attn/attn_vec_einsum/w",
    ]  # fmt: skip
    if missing := [name for name in needed if name not in shapes]:
        raise IsyaratError(
            f"{path}: it is no PaliGemma in big_vision's layout with scanned layers; missing: {', '.join(missing)}."
        )
    try:
        patch = shapes["img/embedding/kernel"][0]
        depth, width, mlp_dim = shapes[f"{BLOCK}/MlpBlock_0/Dense_0/kernel"]
        heads = shapes[f"{BLOCK}/MultiHeadDotProductAttention_0/query/kernel"][2]
        side = round(shapes["img/pos_embedding"][1] ** 0.5)
        vision = VisionConfig(
            image_size=side * patch, patch_size=patch, width=width, depth=depth, heads=heads, mlp_dim=mlp_dim
        )
        layers, q_heads, head_dim, text_width = shapes[f"{LAYER}/attn/attn_vec_einsum/w"]
        kv_heads = shapes[f"{LAYER}/attn/kv_einsum/w"][2] if f"{LAYER}/attn/kv_einsum/w" in shapes else q_heads
        text = TextConfig(
            vocabulary=shapes["llm/embedder/input_embedding"][0],
            width=text_width,
            depth=layers,
            heads=q_heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            mlp_dim=shapes[f"{LAYER}/mlp/linear"][1],
        )
    except (ValueError, IndexError):
        raise IsyaratError(
            f"{path}: its tensors have another number of axes; give a PaliGemma of big_vision."
        ) from None
    if f"{LAYER}/post_ffw_norm/scale" in shapes:
        large = (text_width, head_dim) == (GEMMA2_27B.width, GEMMA2_27B.head_dim)
        text = dataclasses.replace(
            text,
            query_scalar=GEMMA2_27B.query_scalar if large else None,
            attention_cap=GEMMA2_2B.attention_cap,
            sliding_window=GEMMA2_2B.sliding_window,
            post_norms=True,
        )
    return ModelConfig(name_model(vision, text), vision, text, cache=vision.tokens + 256)
