"""Checkpoints of PaliGemma in the formats of Hugging Face (safetensors) and big_vision (.npz)."""

from .load import load_pretrained as load_pretrained
from .save import save_big_vision as save_big_vision
from .save import save_huggingface as save_huggingface
