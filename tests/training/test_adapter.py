"""Adapters on disk: they come back as they were, several serve on one base, the wrong thing is refused."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.adapter import load_adapter, save_adapter
from isyarat.training.lora import LoraConfig, add_lora, find_adapted, merge_lora
from isyarat.training.model.generate import write_answers
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.pretrained import save_huggingface
from isyarat.training.pretrained.artefact import read
from isyarat.training.pretrained.tensor_file import list_safetensors, write_safetensors

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]
ALL = ("decoder", "encoder", "projector")

compute = nnx.jit(lambda model, *inputs: model.logits(*inputs))


def build_adapter(base: PaliGemma, seed: int, **options: Any) -> PaliGemma:
    """As training leaves it."""
    adapted = add_lora(base, LoraConfig(rank=4, **options), rngs=nnx.Rngs(seed))
    for i, layer in enumerate(find_adapted(adapted).values()):
        layer.b[...] = 0.1 * jax.random.normal(jax.random.key(100 * seed + i), layer.b.shape)
    adapted.eval()
    return adapted


@pytest.fixture(scope="module")
def base(build_paligemma: Build) -> PaliGemma:
    """A PaliGemma 2."""
    return build_paligemma(2)


@pytest.fixture(scope="module")
def folder(base: PaliGemma, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of the decoder."""
    path = tmp_path_factory.mktemp("adapter") / "bali"
    save_adapter(build_adapter(base, 1), path, {"variety": "Bali"})
    return path


@pytest.mark.parametrize("targets", [("decoder",), ALL, ("decoder/blocks/(q|v)",)])
@pytest.mark.parametrize("scan", [True, False])
def test_round_trip(
    targets: tuple[str, ...], scan: bool, build_paligemma: Build, paligemma_inputs: Inputs, tmp_path: Path
) -> None:
    base = build_paligemma(2, scan=scan)
    adapted = build_adapter(base, 1, targets=targets, rslora=True, dropout=0.25)
    save_adapter(adapted, tmp_path / "adapter")
    found = load_adapter(base, tmp_path / "adapter")
    assert found.adapter is not None
    assert adapted.adapter is not None
    assert (found.adapter.rank, found.adapter.scale, found.adapter.dropout) == (4, adapted.adapter.scale, 0.25)
    a, b = (nnx.to_flat_state(nnx.state(model, nnx.LoRAParam)) for model in (adapted, found))
    assert all(p == q and np.array_equal(x[...], y[...]) for (p, x), (q, y) in zip(a, b, strict=True))
    assert found.decoder.embedding[...] is base.decoder.embedding[...], "the tied embedding is the base's"
    if targets == ("decoder",) and scan:
        assert np.array_equal(compute(found, *paligemma_inputs), compute(adapted, *paligemma_inputs))


def test_files_are_as_peft_wants_them(folder: Path) -> None:
    tensors = list_safetensors(folder / "adapter_model.safetensors")
    name = "base_model.model.model.language_model.layers.2.mlp.gate_proj.lora_{}.weight"
    assert tensors[name.format("A")].shape == (4, 16), "rank first"
    assert tensors[name.format("B")].shape == (24, 4)
    assert len(tensors) == 2 * 7 * 3
    config = json.loads((folder / "adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"], config["use_rslora"]) == ("LORA", 4, 32.0, False)
    for target, matches in [
        ("model.language_model.layers.2.mlp.gate_proj", True),
        ("model.vision_tower.encoder.layers.0.self_attn.q_proj", False),  # SigLIP has a q_proj, too
        ("lm_head", False),
    ]:
        assert bool(re.fullmatch(config["target_modules"], target)) == matches, target
    facts = read(folder)
    assert (facts["kind"], facts["model"], facts["variety"]) == ("adapter", "tiny2", "Bali")


def test_several_adapters_serve_on_one_base(
    base: PaliGemma, folder: Path, paligemma_inputs: Inputs, tmp_path: Path
) -> None:
    save_adapter(build_adapter(base, 2), tmp_path / "jakarta")
    varieties = {"Bali": load_adapter(base, folder), "Jakarta": load_adapter(base, tmp_path / "jakarta")}
    shared = {id(leaf[...]) for _, leaf in nnx.to_flat_state(nnx.state(base, nnx.Param))}
    for model in varieties.values():
        state = nnx.state(model, nnx.All(nnx.Param, nnx.Not(nnx.LoRAParam)))
        assert {id(leaf[...]) for _, leaf in nnx.to_flat_state(state)} == shared, "the base was loaded again"
    plain = np.asarray(base.generate(*paligemma_inputs, steps=8))
    first = np.asarray(varieties["Bali"].generate(*paligemma_inputs, steps=8))
    compiled = write_answers._cache_size()
    second = np.asarray(varieties["Jakarta"].generate(*paligemma_inputs, steps=8))
    assert write_answers._cache_size() == compiled, "one compilation serves all adapters of a kind"
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, plain)
    assert np.array_equal(base.generate(*paligemma_inputs, steps=8), plain), "the base is untouched"


def test_the_wrong_artefact_is_refused(base: PaliGemma, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"bali: this is an adapter, no whole model; attach it"):
        PaliGemma.from_pretrained(folder)
    save_huggingface(merge_lora(load_adapter(base, folder)), tmp_path / "merged", kind="merged")
    with pytest.raises(IsyaratError, match=r"merged: this is a merged model, no adapter; load it with"):
        load_adapter(base, tmp_path / "merged")
    save_huggingface(base, tmp_path / "base")
    with pytest.raises(IsyaratError, match=r"base: this is a whole model, no adapter"):
        load_adapter(base, tmp_path / "base")
    with pytest.raises(IsyaratError, match="no adapter in this folder"):
        load_adapter(base, tmp_path)
    with pytest.raises(IsyaratError, match="nothing to save"):
        save_adapter(base, tmp_path / "new")
    (folder.parent / "foreign").mkdir()
    shutil.copy(folder / "adapter_config.json", folder.parent / "foreign")
    with pytest.raises(IsyaratError, match="this is an adapter"):
        PaliGemma.from_pretrained(folder.parent / "foreign")


def test_another_base_is_refused(folder: Path, build_paligemma: Build) -> None:
    with pytest.raises(IsyaratError, match=r"trained on another base \(tiny2\)"):
        load_adapter(build_paligemma(2, seed=5), folder)


def change(folder: Path, new: Path, drop: str = "", rename: tuple[str, str] = ("", ""), **config: Any) -> Path:
    """A copy without what isyarat says, and with other tensors or another configuration."""
    new.mkdir()
    values = json.loads((folder / "adapter_config.json").read_text()) | config
    (new / "adapter_config.json").write_text(json.dumps(values))
    stored = list_safetensors(folder / "adapter_model.safetensors")
    arrays = {name.replace(*rename): t.open() for name, t in stored.items() if not drop or drop not in name}
    specs = {name: (array.shape, array.dtype) for name, array in arrays.items()}
    write_safetensors(new / "adapter_model.safetensors", specs, arrays.__getitem__, {})
    return new


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"drop": "layers.1."}, r"some blocks have no adapter: language_model.layers.1"),
        ({"drop": "layers.1.mlp.up_proj.lora_B"}, r"missing: language_model.layers.1.mlp.up_proj.lora_B"),
        ({"drop": "lora"}, "it is empty"),
        ({"rename": ("gate_proj", "other_proj")}, r"unexpected: base_model.*other_proj"),
        ({"rename": ("gate_proj", "down_proj")}, r"down_proj.* is \(|missing|no adapter"),
        ({"r": 8}, r"is \(3, 24, 4\), not \(3, 24, 8\)"),
        ({"use_dora": True}, "use_dora is True, which is not read"),
        ({"rank_pattern": {"q_proj": 2}}, "rank_pattern"),
        ({"peft_type": "IA3"}, "this is a IA3 adapter"),
    ],
)
def test_adapters_that_do_not_fit(
    changes: dict[str, Any], message: str, base: PaliGemma, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(IsyaratError, match=message):
        load_adapter(base, change(folder, tmp_path / "new", **changes))


def test_names_of_older_transformers_are_read(base: PaliGemma, folder: Path, tmp_path: Path) -> None:
    older = change(folder, tmp_path / "old", rename=("model.language_model.", "language_model.model."))
    wanted, found = (find_adapted(load_adapter(base, path)) for path in (folder, older))
    for path, layer in wanted.items():
        assert np.array_equal(layer.b[...], found[path].b[...])


def test_nano_has_no_such_format(model: PaliGemma, tmp_path: Path) -> None:
    adapted = add_lora(model, LoraConfig(rank=2), rngs=nnx.Rngs(0))
    with pytest.raises(IsyaratError, match="transformers has no such model"):
        save_adapter(adapted, tmp_path / "new")
