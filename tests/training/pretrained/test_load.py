"""Checkpoints come back as they were written; what is wrong with one is named."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import huggingface, save_huggingface
from isyarat.training.pretrained.tensor_file import Array, list_npz, list_safetensors, write_npz, write_safetensors

Inputs = tuple[jax.Array, jax.Array, jax.Array]


def collect(folder: Path) -> dict[str, Array]:
    """All tensors of a folder."""
    stored = {k: v for path in sorted(folder.glob("*.safetensors")) for k, v in list_safetensors(path).items()}
    return {name: tensor.open() for name, tensor in stored.items()}


def rewrite(folder: Path, new: Path, arrays: dict[str, Array]) -> Path:
    """A folder with the same configuration and other tensors, in one file."""
    new.mkdir()
    shutil.copy(folder / "config.json", new)
    specs = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    write_safetensors(new / "model.safetensors", specs, arrays.__getitem__, {"format": "pt"})
    return new


def same_parameters(first: PaliGemma, second: PaliGemma) -> bool:
    """Bit for bit."""
    a, b = (nnx.to_flat_state(nnx.state(model, nnx.Param)) for model in (first, second))
    return all(
        p == q and x.dtype == y.dtype and np.array_equal(x[...], y[...]) for (p, x), (q, y) in zip(a, b, strict=True)
    )


def test_both_formats_give_the_model_back(model: PaliGemma, folder: Path, npz: Path, paligemma_inputs: Inputs) -> None:
    for path in (folder, npz):
        found = PaliGemma.from_pretrained(path)
        assert same_parameters(found, model)
        assert found.origin is not None
        assert found.origin.path == str(path)
    found = PaliGemma.from_pretrained(folder, scan=False, remat=True)
    assert not found.config.scan
    compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    assert np.allclose(compute(found, *paligemma_inputs), compute(model, *paligemma_inputs), atol=1e-5)


def test_configuration_is_read(model: PaliGemma, folder: Path, npz: Path) -> None:
    found = PaliGemma.from_pretrained(folder).config
    assert (found.vision, found.text) == (model.config.vision, model.config.text)
    # What no shape tells is as in the published Gemma 2; its logits are not capped in big_vision.
    found = PaliGemma.from_pretrained(npz).config
    assert found.vision == model.config.vision
    assert found.text.post_norms == model.config.text.post_norms
    assert (found.text.attention_cap, found.text.sliding_window) == (
        (50.0, 4096) if model.config.text.post_norms else (None, None)
    )
    assert found.text.logit_cap is None


def test_types(folder: Path) -> None:
    half = PaliGemma.from_pretrained(folder, dtype=jnp.bfloat16)
    assert {leaf.dtype for leaf in jax.tree.leaves(nnx.state(half, nnx.Param))} == {jnp.dtype(jnp.bfloat16)}
    whole = PaliGemma.from_pretrained(folder)
    assert np.array_equal(half.projector.kernel[...], whole.projector.kernel[...].astype(jnp.bfloat16))
    assert half.decoder.dtype == jnp.bfloat16, "it computes in it, too"


def test_every_naming_of_transformers_is_read(folder: Path, tmp_path: Path, model: PaliGemma) -> None:
    arrays = collect(folder)
    short = {huggingface.normalise(name): array for name, array in arrays.items()}
    namings = {
        "hub": {huggingface.publish(name): array for name, array in short.items()},
        "current": {f"model.{name}": array for name, array in short.items()},
        "older": {re.sub("^model.vision_tower", "model.vision_tower.vision_model", f"model.{n}"): a
                  for n, a in short.items()},
        "short": short,
    }  # fmt: skip
    for name, renamed in namings.items():
        path = rewrite(folder, tmp_path / name, renamed)
        assert same_parameters(PaliGemma.from_pretrained(path), model), name
    embedding = short["language_model.embed_tokens.weight"]
    for key in ("lm_head.weight", "language_model.lm_head.weight"):
        path = rewrite(folder, tmp_path / key, short | {key: embedding})
        found = PaliGemma.from_pretrained(path)
        assert same_parameters(found, model)
        save_huggingface(found, tmp_path / f"{key}-back")
        assert key in collect(tmp_path / f"{key}-back"), "it is written back as it was"
    path = rewrite(folder, tmp_path / "untied", short | {"lm_head.weight": embedding + 1})
    with pytest.raises(IsyaratError, match=r"lm_head.weight differs from the embedding"):
        PaliGemma.from_pretrained(path)


def test_missing_and_unexpected_tensors_are_named(folder: Path, npz: Path, tmp_path: Path) -> None:
    arrays = collect(folder)
    gone = next(name for name in arrays if name.endswith("layers.1.mlp.up_proj.weight"))
    wrong = {name: array for name, array in arrays.items() if name != gone} | {"head.weight": np.zeros(3, np.float32)}
    with pytest.raises(
        IsyaratError, match=r"wrong: .*missing: language_model.layers.1.mlp.up_proj.weight; unexpected: head.weight"
    ):
        PaliGemma.from_pretrained(rewrite(folder, tmp_path / "wrong", wrong))
    with pytest.raises(IsyaratError, match=r"up_proj.weight is \(3, 16\), not \(24, 16\)"):
        PaliGemma.from_pretrained(rewrite(folder, tmp_path / "small", arrays | {gone: np.zeros((3, 16), np.float32)}))
    many = {name: array for name, array in arrays.items() if "vision_tower" not in name}
    with pytest.raises(IsyaratError, match=r"missing: vision_tower.* and \d+ more"):
        PaliGemma.from_pretrained(rewrite(folder, tmp_path / "blind", many))

    stored = {name: tensor.open() for name, tensor in list_npz(npz).items()}
    for change, message in [
        ({"params/llm/final_norm/scale": None}, "missing: llm/final_norm/scale"),
        ({"params/opt/mu": np.zeros(3, np.float32)}, "unexpected: params/opt/mu"),
        ({"params/llm/layers/mlp/linear": None}, "scanned layers; missing: llm/layers/mlp/linear"),
        ({"params/img/pos_embedding": np.zeros(3, np.float32)}, "another number of axes"),
        ({"params/llm/layers/mlp/gating_einsum": np.zeros((3, 2, 16, 5), np.float32)}, r"gating_einsum is \(3, 2, 16"),
    ]:
        kept = {name: array for name, array in (stored | change).items() if array is not None}
        path = tmp_path / "changed.npz"
        write_npz(path, {n: (a.shape, a.dtype) for n, a in kept.items()}, lambda name, kept=kept: [kept[name]])
        with pytest.raises(IsyaratError, match=rf"changed.npz: .*{message}"):
            PaliGemma.from_pretrained(path)


def test_names_without_params_in_front(npz: Path, tmp_path: Path, model: PaliGemma) -> None:
    kept = {name.removeprefix("params/"): tensor.open() for name, tensor in list_npz(npz).items()}
    half = {name: array.astype(ml_dtypes.bfloat16) for name, array in kept.items()}
    np.savez(tmp_path / "bare.npz", **half)  # type: ignore[arg-type]
    found = PaliGemma.from_pretrained(tmp_path / "bare.npz")
    assert found.decoder.embedding.dtype == jnp.bfloat16
    assert np.array_equal(found.decoder.embedding[...], model.decoder.embedding[...].astype(jnp.bfloat16))


def change_config(folder: Path, new: Path, **changes: Any) -> Path:
    """A copy with another config.json; keys of the decoder begin with "text_"."""
    shutil.copytree(folder, new)
    config = json.loads((new / "config.json").read_text())
    for key, value in changes.items():
        target = config["text_config"] if key.startswith("text_") else config
        target[key.removeprefix("text_")] = value
    (new / "config.json").write_text(json.dumps(config))
    return new


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "llava"}, "this is a llava"),
        ({"text_model_type": "llama"}, "its decoder is a llama"),
        ({"text_rope_theta": 1e6}, "rope_theta is 1000000.0"),
        ({"text_rms_norm_eps": 1e-5}, "rms_norm_eps"),
        ({"text_num_hidden_layers": 4}, "missing: language_model.layers.3"),
        ({"text_hidden_size": 17}, r"is \(64, 16\), not \(64, 17\)"),
        ({"vision_config": None}, "missing or wrong"),
        ({"vision_config": {}}, "hidden_size.* is missing or wrong"),
    ],
)
def test_configurations_that_do_not_fit(changes: dict[str, Any], message: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=message):
        PaliGemma.from_pretrained(change_config(folder, tmp_path / "new", **changes))


def test_places_without_a_model(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"no config.json.*Hugging Face"):
        PaliGemma.from_pretrained(tmp_path)
    with pytest.raises(IsyaratError, match="give the folder"):
        PaliGemma.from_pretrained(next(folder.glob("*.safetensors")))
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(IsyaratError, match=r"no tensors"):
        PaliGemma.from_pretrained(tmp_path)
    new = tmp_path / "incomplete"
    shutil.copytree(folder, new)
    second = next(new.glob("model-00002-of-*.safetensors"))
    second.unlink()
    with pytest.raises(IsyaratError, match=rf"files are missing: {second.name}"):
        PaliGemma.from_pretrained(new)


ON_A_MESH = """
import sys, jax, numpy as np
from flax import nnx
from isyarat.training.lora import LoraConfig, add_lora
from isyarat.training.model.paligemma import PaliGemma
mesh = jax.make_mesh((2, 2, 2), ("data", "fsdp", "tensor"))
for path in sys.argv[1:]:
    one, many = PaliGemma.from_pretrained(path), PaliGemma.from_pretrained(path, mesh=mesh)
    up = many.decoder.blocks.up.kernel[...]
    assert up.sharding.spec == jax.sharding.PartitionSpec(None, "fsdp", "tensor"), up.sharding
    assert up.addressable_shards[0].data.shape == (3, 8, 12)
    assert many.decoder.norm.scale[...].sharding.is_fully_replicated
    for a, b in zip(jax.tree.leaves(nnx.state(one)), jax.tree.leaves(nnx.state(many)), strict=True):
        assert np.array_equal(a, b)
    images = np.random.default_rng(0).uniform(-1, 1, (2, 42, 42, 3)).astype(np.float32)
    tokens, lengths = np.full((2, 6), 7, np.int32), np.array([3, 4], np.int32)
    compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    assert np.allclose(compute(one, images, tokens, lengths), compute(many, images, tokens, lengths), atol=1e-4)
    adapted = add_lora(many, LoraConfig(rank=2), rngs=nnx.Rngs(0))
    assert np.allclose(compute(adapted, images, tokens, lengths), compute(one, images, tokens, lengths), atol=1e-4)
print("same")
"""


def test_every_device_gets_its_share(folder: Path, npz: Path) -> None:
    flags = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"
    command = [sys.executable, "-c", ON_A_MESH, str(folder), str(npz)]
    environment = {"JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1", "XLA_FLAGS": flags}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.stdout == "same\n", result.stderr
