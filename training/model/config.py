"""One configuration object for every size, from nano to PaliGemma."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...data.errors import IsyaratError
from ...data.grid_spec import GridSpec


@dataclass(frozen=True, slots=True)
class VisionConfig:
    """The image encoder (SigLIP; Zhai et al. 2023, arXiv:2303.15343).

    Attributes:
        stem: "patch" cuts the picture into patches by one convolution (SigLIP); "cells" runs a small convolutional
            network over every cell of the motion grid and gives one token a cell (nano: a plain ViT of that size
            learns nothing from 200 clips).
        image_size, patch_size: pixels.
        width, depth, heads, mlp_dim: of the transformer.
        cell_channels: output channels of the convolutions of the "cells" stem; the first has stride 4, the others 2.
        dropout: share of activations dropped in training.
    """

    stem: Literal["patch", "cells"] = "patch"
    image_size: int = 224
    patch_size: int = 14
    width: int = 1152
    depth: int = 27
    heads: int = 16
    mlp_dim: int = 4304
    cell_channels: tuple[int, ...] = ()
    dropout: float = 0.0

    @property
    def grid(self) -> GridSpec:
        """Geometry of the motion grids that fit this encoder."""
        return GridSpec(self.image_size, self.patch_size)

    @property
    def tokens(self) -> int:
        """Image tokens that the decoder sees."""
        return self.grid.frames if self.stem == "cells" else self.grid.patches**2


@dataclass(frozen=True, slots=True)
class TextConfig:
    """The decoder (Gemma, arXiv:2403.08295; Gemma 2, arXiv:2408.00118).

    Attributes:
        vocabulary: rows of the (tied) embedding.
        width, depth, heads, kv_heads, head_dim, mlp_dim: of the transformer.
        dropout: share of activations dropped in training.
        query_scalar: attention scores are divided by its root; None: by the root of head_dim.
        attention_cap, logit_cap: Gemma 2's soft caps, x -> cap tanh(x / cap), of scores and of logits; None: none.
        sliding_window: in every other block, the first one included, a token of the answer sees this many tokens
            (itself counted) and no more; the prefix always sees itself whole. None: no such blocks.
        post_norms: Gemma 2's norms after attention and after the MLP.
    """

    vocabulary: int = 257_216
    width: int = 2048
    depth: int = 18
    heads: int = 8
    kv_heads: int = 1
    head_dim: int = 256
    mlp_dim: int = 16_384
    dropout: float = 0.0
    query_scalar: float | None = None
    attention_cap: float | None = None
    logit_cap: float | None = None
    sliding_window: int | None = None
    post_norms: bool = False


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A whole model: encoder, linear projector, decoder.

    Attributes:
        name: e.g. "nano".
        cache: length of the KV cache of `prefill` and `decode`: image tokens + prompt + answer.
        scan: store the blocks stacked and scan over them: compiles in the time of one block, whatever the depth.
        remat: compute the activations of a block again in the backward pass instead of keeping them: a third more
            computation, and the memory of one block instead of all.
    """

    name: str = "paligemma-3b-224"
    vision: VisionConfig = field(default_factory=VisionConfig)
    text: TextConfig = field(default_factory=TextConfig)
    cache: int = 512
    scan: bool = False
    remat: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain types, for bundle.json and checkpoints."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelConfig:
        """The inverse of `to_dict` (lists become tuples)."""
        vision = dict(values["vision"])
        vision["cell_channels"] = tuple(vision.get("cell_channels", ()))
        return cls(**{**values, "vision": VisionConfig(**vision), "text": TextConfig(**values["text"])})


def nano(vocabulary: int, rendering: str = "pose") -> ModelConfig:
    """About a million parameters: trains on two CPU cores in minutes, runs in a millisecond or two.

    Arguments:
        vocabulary: size of its own small tokenizer.
        rendering: "pose" has one patch a cell, 8 x 8 points of colour, and SigLIP's encoder as it is; pictures
            ("pixels") need the convolutional stem.
    """
    if rendering == "pose":
        vision = VisionConfig(image_size=24, patch_size=8, width=128, depth=2, heads=4, mlp_dim=512, dropout=0.2)
    else:
        vision = VisionConfig(
            stem="cells", patch_size=16, width=128, depth=2, heads=4, mlp_dim=512,
            cell_channels=(64, 96, 128), dropout=0.1,
        )  # fmt: skip
    text = TextConfig(
        vocabulary=vocabulary, width=128, depth=2, heads=4, kv_heads=1, head_dim=32, mlp_dim=512,
        dropout=vision.dropout,
    )  # fmt: skip
    return ModelConfig("nano", vision, text, cache=48)


# Decoders as published: Gemma 2B (arXiv:2403.08295, table 1) and Gemma 2 2B, 9B and 27B (arXiv:2408.00118, table 1).
GEMMA_2B = TextConfig()
GEMMA2_2B = TextConfig(
    width=2304, depth=26, heads=8, kv_heads=4, head_dim=256, mlp_dim=9216,
    attention_cap=50.0, logit_cap=30.0, sliding_window=4096, post_norms=True,
)  # fmt: skip
GEMMA2_9B = dataclasses.replace(GEMMA2_2B, width=3584, depth=42, heads=16, kv_heads=8, mlp_dim=14_336)
GEMMA2_27B = dataclasses.replace(
    GEMMA2_2B, width=4608, depth=46, heads=32, kv_heads=16, head_dim=128, mlp_dim=36_864, query_scalar=4608 / 32
)

DECODERS = {
    "paligemma-3b": GEMMA_2B,
    "paligemma2-3b": GEMMA2_2B,
    "paligemma2-10b": GEMMA2_9B,
    "paligemma2-28b": GEMMA2_27B,
}
IMAGE_SIZES = (224, 448, 896)


def find_config(name: str) -> ModelConfig:
    """A published PaliGemma: "paligemma-3b-224", "paligemma2-10b-448" and so on, scanned.

    The encoder is always SigLIP-So400m/14; the text may be 256 tokens long in `prefill` and `decode`.

    Raises:
        IsyaratError: there is none of that name.
    """
    family, _, size = name.rpartition("-")
    known = [f"{decoder}-{pixels}" for decoder in DECODERS for pixels in IMAGE_SIZES]
    if name not in known:
        raise IsyaratError(f"There is no model {name!r}; choose from: {', '.join(known)}.")
    vision = VisionConfig(image_size=int(size))
    return ModelConfig(name, vision, DECODERS[family], cache=vision.tokens + 256, scan=True)
