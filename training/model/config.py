"""One configuration object for every size, from nano to PaliGemma."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

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
    """The decoder (Gemma; arXiv:2403.08295).

    Attributes:
        vocabulary: rows of the (tied) embedding.
        width, depth, heads, kv_heads, head_dim, mlp_dim: of the transformer.
        dropout: share of activations dropped in training.
    """

    vocabulary: int = 257_216
    width: int = 2048
    depth: int = 18
    heads: int = 8
    kv_heads: int = 1
    head_dim: int = 256
    mlp_dim: int = 16_384
    dropout: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A whole model: encoder, linear projector, decoder.

    Attributes:
        name: e.g. "nano".
        cache: length of the KV cache: image tokens + prompt + answer.
    """

    name: str = "paligemma-3b-224"
    vision: VisionConfig = field(default_factory=VisionConfig)
    text: TextConfig = field(default_factory=TextConfig)
    cache: int = 512

    def to_dict(self) -> dict[str, Any]:
        """Plain types, for bundle.json and checkpoints."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ModelConfig:
        """The inverse of `to_dict` (lists become tuples)."""
        vision = dict(values["vision"])
        vision["cell_channels"] = tuple(vision.get("cell_channels", ()))
        return cls(values["name"], VisionConfig(**vision), TextConfig(**values["text"]), values["cache"])


def nano(vocabulary: int) -> ModelConfig:
    """About a million parameters: trains on two CPU cores in minutes, runs in a millisecond or two.

    Arguments:
        vocabulary: size of its own small tokenizer.
    """
    vision = VisionConfig(
        stem="cells", patch_size=16, width=128, depth=2, heads=4, mlp_dim=512,
        cell_channels=(64, 96, 128), dropout=0.1,
    )  # fmt: skip
    text = TextConfig(
        vocabulary=vocabulary, width=128, depth=2, heads=4, kv_heads=1, head_dim=32, mlp_dim=512, dropout=0.1
    )
    return ModelConfig("nano", vision, text, cache=32)
