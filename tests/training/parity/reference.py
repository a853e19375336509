"""Random PaliGemma models of transformers, and what they compute."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import peft
import torch
from numpy.typing import NDArray
from transformers import PaliGemmaConfig, PaliGemmaForConditionalGeneration

VOCABULARY = 512
IMAGE = VOCABULARY - 1  # the placeholder's id
TINY = {
    "vision": {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4},
    "text": {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "head_dim": 16,
    },
    "image_size": 56,
}
# About eight million parameters.
MEDIUM = {
    "vision": {"hidden_size": 192, "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 6},
    "text": {
        "hidden_size": 256,
        "intermediate_size": 1024,
        "num_hidden_layers": 5,
        "num_attention_heads": 8,
        "head_dim": 32,
    },
    "image_size": 112,
}
SIZES = {"tiny": TINY, "medium": MEDIUM}


def build(gemma: str, size: str = "tiny", seed: int = 0, **text: Any) -> PaliGemmaForConditionalGeneration:
    """A model whose weights are large enough for every part (soft caps too) to matter.

    Arguments:
        gemma: "gemma" or "gemma2".
    """
    sizes = SIZES[size]
    decoder = {"model_type": gemma, "vocab_size": VOCABULARY, "num_key_value_heads": 1, **sizes["text"]}
    if gemma == "gemma2":
        decoder |= {"num_key_value_heads": 2, "query_pre_attn_scalar": 20, "sliding_window": 12}
    vision = {"model_type": "siglip_vision_model", "patch_size": 14, "image_size": sizes["image_size"],
              "vision_use_head": False, **sizes["vision"]}  # fmt: skip
    width = decoder["hidden_size"]
    config = PaliGemmaConfig(
        vision_config=vision, text_config=decoder | text, image_token_index=IMAGE, projection_dim=width,
        hidden_size=width, vocab_size=VOCABULARY, attn_implementation="eager",
    )  # fmt: skip
    model = PaliGemmaForConditionalGeneration(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            fan = parameter.shape[-1] if parameter.ndim == 2 else parameter[0].numel() if parameter.ndim == 4 else 16
            # The embedding is small beside what the blocks add: the output is tied to it, and would repeat the input.
            scale = 0.5 / fan**0.5 if "embed_tokens" in name else 2.0 / fan**0.5
            parameter.normal_(0, scale, generator=generator)
            if "layer_norm" in name and name.endswith("weight"):
                parameter.add_(1)
    return model


def add_peft(model: PaliGemmaForConditionalGeneration, seed: int, **options: Any) -> Any:
    """The same model with an adapter of PEFT on the decoder, as training leaves it."""
    config = peft.LoraConfig(
        r=4, target_modules=r".*language_model\..*\.(q|k|v|o|gate|up|down)_proj", task_type="CAUSAL_LM", **options
    )
    adapted = peft.get_peft_model(copy.deepcopy(model), config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.1, generator=generator)
    return adapted


def load_peft(model: PaliGemmaForConditionalGeneration, folder: Path) -> Any:
    """The same model with an adapter from disk."""
    return peft.PeftModel.from_pretrained(copy.deepcopy(model), folder).eval()


def load(folder: Path) -> PaliGemmaForConditionalGeneration:
    """A model from disk; every tensor must be there."""
    model, report = PaliGemmaForConditionalGeneration.from_pretrained(
        folder, output_loading_info=True, attn_implementation="eager", dtype=torch.float32
    )
    assert not report["missing_keys"], report
    assert not report["unexpected_keys"], report
    return model.eval()


def save(model: PaliGemmaForConditionalGeneration, folder: Path, shard: str = "5GB") -> None:
    """Writes it as transformers does."""
    model.save_pretrained(folder, max_shard_size=shard)


def compute_logits(
    model: Any, images: NDArray[np.float32], tokens: NDArray[np.int32], prefix: NDArray[np.int32]
) -> NDArray[np.float32]:
    """BxTxV logits of the text tokens."""
    n = count_image_tokens(model)
    ids = torch.cat([torch.full((len(tokens), n), IMAGE), torch.tensor(tokens).long()], 1)
    kinds = torch.tensor(np.arange(ids.shape[1])[None] >= (prefix[:, None] + n)).long()
    with torch.no_grad():
        out = model(
            input_ids=ids, pixel_values=torch.tensor(images).permute(0, 3, 1, 2), token_type_ids=kinds,
            attention_mask=torch.ones_like(ids),
        )  # fmt: skip
    return out.logits[:, n:].float().numpy()


def count_image_tokens(model: Any) -> int:
    """Image tokens of a model."""
    vision = model.config.vision_config
    return (vision.image_size // vision.patch_size) ** 2


def generate(model: Any, image: NDArray[np.float32], prompt: NDArray[np.int32], steps: int) -> list[int]:
    """Greedy tokens of one prompt, EOS included."""
    n = count_image_tokens(model)
    ids = torch.cat([torch.full((n,), IMAGE), torch.tensor(prompt).long()])[None]
    with torch.no_grad():
        out = model.generate(
            input_ids=ids, pixel_values=torch.tensor(image[None]).permute(0, 3, 1, 2), max_new_tokens=steps,
            token_type_ids=torch.zeros_like(ids), attention_mask=torch.ones_like(ids), do_sample=False,
        )  # fmt: skip
    return out[0, ids.shape[1] :].tolist()
