"""Names and configurations of Hugging Face's layout, for the published sizes."""

from __future__ import annotations

import dataclasses

import pytest
from isyarat.training.model.config import DECODERS, find_config
from isyarat.training.pretrained import big_vision, huggingface
from isyarat.training.pretrained.huggingface import build_config, normalise, publish, write_config
from isyarat.training.pretrained.load import list_block_shapes

NAMES = [f"{family}-{size}" for family, size in zip(DECODERS, (224, 448, 896, 224), strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_configurations_survive_config_json(name: str) -> None:
    config = find_config(name)
    values = write_config(config, "bfloat16")
    found = build_config(values["text_config"], values["vision_config"], {})
    assert found == dataclasses.replace(config, scan=False)


def test_the_short_configuration_of_the_hub_is_enough() -> None:
    # PaliGemma 1's config.json says no more than this about its parts; the rest are defaults of transformers.
    text = {
        "model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16_384, "num_attention_heads": 8,
        "num_hidden_layers": 18, "num_key_value_heads": 1, "vocab_size": 257_216,
    }  # fmt: skip
    vision = {"model_type": "siglip_vision_model", "hidden_size": 1152, "num_attention_heads": 16, "patch_size": 14}
    shapes = {
        "vision_tower.embeddings.position_embedding.weight": (1024, 1152),
        "vision_tower.encoder.layers.0.mlp.fc1.weight": (4304, 1152),
        "vision_tower.encoder.layers.26.layer_norm1.bias": (1152,),
    }
    assert build_config(text, vision, shapes) == dataclasses.replace(find_config("paligemma-3b-448"), scan=False)


@pytest.mark.parametrize("name", NAMES)
def test_published_checkpoints_hold_these_tensors(name: str) -> None:
    config = find_config(name)
    shapes = huggingface.list_rules(config).list_shapes(list_block_shapes(config))
    layers, width = config.text.depth, config.text.width
    assert shapes["language_model.embed_tokens.weight"] == (257_216, width)
    assert shapes["vision_tower.embeddings.patch_embedding.weight"] == (1152, 3, 14, 14)
    assert shapes[f"language_model.layers.{layers - 1}.mlp.down_proj.weight"] == (width, config.text.mlp_dim)
    # Four tensors of the stem and the norm after it, one of its places, 16 a block; two of the projector; the embedding
    # and the last norm, 9 a block of Gemma and 11 of Gemma 2.
    assert len(shapes) == 5 + 16 * 27 + 2 + 2 + (11 if config.text.post_norms else 9) * layers
    stacked = big_vision.list_rules(config).list_shapes(list_block_shapes(config))
    assert stacked["llm/layers/mlp/gating_einsum"] == (layers, 2, width, config.text.mlp_dim)
    assert stacked["img/Transformer/encoderblock/MultiHeadDotProductAttention_0/query/kernel"] == (27, 1152, 16, 72)


def test_names() -> None:
    for name, published in [
        ("language_model.layers.0.mlp.up_proj.weight", "language_model.model.layers.0.mlp.up_proj.weight"),
        ("vision_tower.post_layernorm.bias", "vision_tower.vision_model.post_layernorm.bias"),
        ("multi_modal_projector.linear.bias", "multi_modal_projector.linear.bias"),
    ]:
        assert publish(name) == published
        for other in (name, published, f"model.{name}"):
            assert normalise(other) == name
    assert normalise("language_model.lm_head.weight") == normalise("lm_head.weight") == "lm_head.weight"
