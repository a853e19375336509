"""The layout of Hugging Face's PaliGemma 1 and 2 (transformers): names, shapes, config.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...data.errors import IsyaratError
from ..model.config import DECODERS, ModelConfig, TextConfig, VisionConfig
from .layout import Layout, Rule
from .tensor_file import StoredTensor

# transformers has renamed its modules twice. Inside this project names are the current ones without their "model.".
RENAMED = (
    (re.compile(r"^model\."), ""),
    (re.compile(r"^language_model\.lm_head\."), "lm_head."),
    (re.compile(r"^language_model\.model\."), "language_model."),
    (re.compile(r"^vision_tower\.vision_model\."), "vision_tower."),
)
# The output layer is the embedding; some files hold it twice.
TIED = "lm_head.weight"


def normalise(name: str) -> str:
    """A tensor's name without what differs between versions of transformers."""
    for pattern, replacement in RENAMED:
        name = pattern.sub(replacement, name)
    return name


def publish(name: str) -> str:
    """The name under which Google's checkpoints hold a tensor; every version of transformers reads it."""
    name = re.sub(r"^vision_tower\.", "vision_tower.vision_model.", name)
    return re.sub(r"^language_model\.", "language_model.model.", name)


def transpose(array: Any) -> tuple[Any]:
    """torch stores a linear layer as [out, in]."""
    return (array.T,)


def transpose_back(array: Any) -> Any:
    """The inverse of `transpose`."""
    return array.T


def list_rules(config: ModelConfig) -> Layout:
    """The tensors of a PaliGemma in this layout."""
    linear = {"split": transpose, "join": transpose_back}
    tower, block = "vision_tower", "vision_tower.encoder.layers.{}"
    rules = [
        Rule(
            f"{tower}.embeddings.patch_embedding.weight",
            ("encoder/stem/conv/kernel",),
            lambda a: (a.transpose(2, 3, 1, 0),),
            lambda a: a.transpose(3, 2, 0, 1),
        ),
        Rule(f"{tower}.embeddings.patch_embedding.bias", ("encoder/stem/conv/bias",)),
        Rule(
            f"{tower}.embeddings.position_embedding.weight",
            ("encoder/position",),
            lambda a: (a[None],),
            lambda a: a[0],
        ),
        Rule("multi_modal_projector.linear.weight", ("projector/kernel",), **linear),
        Rule("multi_modal_projector.linear.bias", ("projector/bias",)),
        Rule("language_model.embed_tokens.weight", ("decoder/embedding",)),
        Rule("language_model.norm.weight", ("decoder/norm/scale",)),
    ]
    norms = {
        f"{block}.layer_norm1": "blocks/{}/norm1",
        f"{block}.layer_norm2": "blocks/{}/norm2",
        f"{tower}.post_layernorm": "norm",
    }
    for name, ours in norms.items():
        rules += [
            Rule(f"{name}.weight", (f"encoder/{ours}/scale",)),
            Rule(f"{name}.bias", (f"encoder/{ours}/bias",)),
        ]
    for name, ours in ENCODER_LAYERS.items():
        rules += [
            Rule(f"{block}.{name}.weight", (f"encoder/blocks/{{}}/{ours}/kernel",), **linear),
            Rule(f"{block}.{name}.bias", (f"encoder/blocks/{{}}/{ours}/bias",)),
        ]
    block = "language_model.layers.{}"
    for name, ours in DECODER_LAYERS.items():
        rules.append(Rule(f"{block}.{name}.weight", (f"decoder/blocks/{{}}/{ours}/kernel",), **linear))
    for name, ours in (GEMMA2_NORMS if config.text.post_norms else GEMMA_NORMS).items():
        rules.append(Rule(f"{block}.{name}.weight", (f"decoder/blocks/{{}}/{ours}/scale",)))
    return Layout(config, tuple(rules), stacked=False)


ENCODER_LAYERS = {
    "self_attn.q_proj": "attention/q",
    "self_attn.k_proj": "attention/k",
    "self_attn.v_proj": "attention/v",
    "self_attn.out_proj": "attention/o",
    "mlp.fc1": "up",
    "mlp.fc2": "down",
}
DECODER_LAYERS = {
    "self_attn.q_proj": "q",
    "self_attn.k_proj": "k",
    "self_attn.v_proj": "v",
    "self_attn.o_proj": "o",
    "mlp.gate_proj": "gate",
    "mlp.up_proj": "up",
    "mlp.down_proj": "down",
}
# Gemma's norm before the MLP is called "post attention"; in Gemma 2 that name means what it says.
GEMMA_NORMS = {"input_layernorm": "norm1", "post_attention_layernorm": "norm2"}
GEMMA2_NORMS = {
    "input_layernorm": "norm1",
    "post_attention_layernorm": "post_norm1",
    "pre_feedforward_layernorm": "norm2",
    "post_feedforward_layernorm": "post_norm2",
}


def read_config(path: Path, tensors: Mapping[str, StoredTensor]) -> ModelConfig:
    """The configuration, from config.json and, where that is silent, from the shapes of the tensors.

    Arguments:
        path: of config.json.
        tensors: by normalised name.

    Raises:
        IsyaratError: it is missing, of another model, or asks for what PaliGemma does not do.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        kind, text, vision = values["model_type"], values["text_config"], values["vision_config"]
        if kind != "paligemma":
            raise IsyaratError(f"{path}: this is a {kind}, no PaliGemma; give the folder of a PaliGemma 1 or 2.")
        refuse_unknown(path, text, vision)
        return build_config(text, vision, {name: tensor.shape for name, tensor in tensors.items()})
    except (OSError, ValueError) as error:
        raise IsyaratError(f"{path}: no configuration can be read from it ({error}); download it again.") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise IsyaratError(f"{path}: the entry {error} is missing or wrong; download it again.") from None


def build_config(
    text: Mapping[str, Any], vision: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> ModelConfig:
    """See `read_config`; what both leave open is as in the published models."""
    gemma2 = text["model_type"] == "gemma2"
    head_dim = text.get("head_dim") or 256
    layer = "language_model.layers.0"

    def size(name: str, axis: int, otherwise: int) -> int:
        return shapes[name][axis] if name in shapes else otherwise

    width = text["hidden_size"]
    decoder = TextConfig(
        vocabulary=size("language_model.embed_tokens.weight", 0, text.get("vocab_size") or 257_216),
        width=width,
        depth=text.get("num_hidden_layers") or count_blocks(shapes, "language_model.layers."),
        heads=text.get("num_attention_heads") or size(f"{layer}.self_attn.q_proj.weight", 0, 2048) // head_dim,
        kv_heads=text.get("num_key_value_heads") or size(f"{layer}.self_attn.k_proj.weight", 0, 256) // head_dim,
        head_dim=head_dim,
        mlp_dim=text.get("intermediate_size") or size(f"{layer}.mlp.up_proj.weight", 0, 16_384),
    )
    if gemma2:
        scalar = text.get("query_pre_attn_scalar", 256)
        decoder = TextConfig(
            **{field: getattr(decoder, field) for field in SIZES},
            query_scalar=None if scalar == head_dim else scalar,
            attention_cap=text.get("attn_logit_softcapping", 50.0),
            logit_cap=text.get("final_logit_softcapping", 30.0),
            sliding_window=text.get("sliding_window", 4096),
            post_norms=True,
        )
    patch = vision.get("patch_size") or 14
    tokens = size(
        "vision_tower.embeddings.position_embedding.weight", 0, (vision.get("image_size") or 224) ** 2 // patch**2
    )
    encoder = VisionConfig(
        image_size=round(tokens**0.5) * patch,
        patch_size=patch,
        width=vision["hidden_size"],
        depth=vision.get("num_hidden_layers") or count_blocks(shapes, "vision_tower.encoder.layers."),
        heads=vision.get("num_attention_heads") or 16,
        mlp_dim=vision.get("intermediate_size") or size("vision_tower.encoder.layers.0.mlp.fc1.weight", 0, 4304),
    )
    return ModelConfig(name_model(encoder, decoder), encoder, decoder, cache=encoder.tokens + 256)


SIZES = ("vocabulary", "width", "depth", "heads", "kv_heads", "head_dim", "mlp_dim")


def name_model(vision: VisionConfig, text: TextConfig) -> str:
    """The published name, or one of the same kind."""
    for family, known in DECODERS.items():
        if all(getattr(known, field) == getattr(text, field) for field in SIZES if field != "vocabulary"):
            return f"{family}-{vision.image_size}"
    return f"{'paligemma2' if text.post_norms else 'paligemma'}-{text.depth}x{text.width}-{vision.image_size}"


def count_blocks(names: Iterable[str], prefix: str) -> int:
    """Blocks numbered after a prefix."""
    numbers = [int(name.removeprefix(prefix).partition(".")[0]) for name in names if name.startswith(prefix)]
    return max(numbers, default=-1) + 1


def refuse_unknown(path: Path, text: Mapping[str, Any], vision: Mapping[str, Any]) -> None:
    """Raises on settings that would make the model compute something else."""
    kinds = ("gemma", "gemma2")
    if text.get("model_type") not in kinds:
        raise IsyaratError(f"{path}: its decoder is a {text.get('model_type')}; one of {', '.join(kinds)} is read.")
    layers = text.get("layer_types")
    alternating = [("sliding_attention", "full_attention")[i % 2] for i in range(len(layers or []))]
    rope = text.get("rope_parameters") or {}
    wrong = {
        "hidden_activation": text.get("hidden_activation") or "gelu_pytorch_tanh",
        "hidden_act": vision.get("hidden_act", "gelu_pytorch_tanh"),
        "rms_norm_eps": text.get("rms_norm_eps", 1e-6),
        "layer_norm_eps": vision.get("layer_norm_eps", 1e-6),
        "rope_theta": float(text.get("rope_theta") or rope.get("rope_theta", 10_000.0)),
        "rope_type": rope.get("rope_type", "default"),
        "attention_bias": text.get("attention_bias", False),
        "layer_types": "alternating" if layers in (None, alternating) or text["model_type"] == "gemma" else "others",
    }
    right = {
        "hidden_activation": "gelu_pytorch_tanh", "hidden_act": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6,
        "layer_norm_eps": 1e-6, "rope_theta": 10_000.0, "rope_type": "default", "attention_bias": False,
        "layer_types": "alternating",
    }  # fmt: skip
    for name, value in wrong.items():
        if value != right[name]:
            raise IsyaratError(f"{path}: {name} is {value}, PaliGemma has {right[name]}; this model cannot be run.")


def write_config(config: ModelConfig, dtype: str) -> dict[str, Any]:
    """What config.json says of a model.

    Arguments:
        dtype: e.g. "bfloat16".
    """
    vision, text = config.vision, config.text
    decoder: dict[str, Any] = {
        "model_type": "gemma2" if text.post_norms else "gemma",
        "vocab_size": text.vocabulary,
        "hidden_size": text.width,
        "num_hidden_layers": text.depth,
        "num_attention_heads": text.heads,
        "num_key_value_heads": text.kv_heads,
        "head_dim": text.head_dim,
        "intermediate_size": text.mlp_dim,
        "num_image_tokens": vision.tokens,
        "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2,
    }  # fmt: skip
    if text.post_norms:
        decoder |= {
            "query_pre_attn_scalar": text.query_scalar or text.head_dim,
            "attn_logit_softcapping": text.attention_cap,
            "final_logit_softcapping": text.logit_cap,
            "sliding_window": text.sliding_window,
        }
    return {
        "architectures": ["PaliGemmaForConditionalGeneration"],
        "model_type": "paligemma",
        "torch_dtype": dtype,
        # The embedding row of the image placeholder; big_vision's tables have none, so the last row stands in.
        "image_token_index": min(257_152, text.vocabulary - 1),
        "vocab_size": text.vocabulary,
        "projection_dim": text.width,
        "hidden_size": text.width,
        "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2,
        "text_config": decoder,
        "vision_config": {
            "model_type": "siglip_vision_model",
            "hidden_size": vision.width,
            "num_hidden_layers": vision.depth,
            "num_attention_heads": vision.heads,
            "intermediate_size": vision.mlp_dim,
            "image_size": vision.image_size,
            "patch_size": vision.patch_size,
            "projection_dim": text.width,
            "vision_use_head": False,
        },
    }  # fmt: skip
