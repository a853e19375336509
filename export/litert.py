"""`isyarat export litert`: a finished training run to a bundle, refused unless it computes what the model computes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from ..data import synthetic
from ..data.clip import read_clips, select_clips
from ..data.errors import IsyaratError
from ..data.lexicon import NO_SIGN, Lexicon
from ..data.metrics import Proportion
from ..data.rendering import find_rendering, list_models
from ..data.sign import cut_signs
from ..data.video import Frame, Image, VideoReader
from ..training.checkpoint import load_model
from ..training.encode import encode_prompt
from ..training.model.decoder import Cache
from ..training.model.paligemma import PaliGemma
from ..training.model.tokenizer import Tokenizer
from ..training.recognise import JaxRecogniser
from . import card
from .bundle import FORMAT, Bundle, BundleManifest, GridEntry, PrecisionEntry, PromptEntry, list_files, write_manifest
from .converter import Function, Specs, convert
from .golden import measure_logits, run_golden, write_golden
from .layout import prepare_model
from .quantise import TOLERANCES, quantise
from .runtime import Recogniser

# The f32 file must give the model's logits within this; the others within their tolerance.
F32_PARITY = 1e-4


def build_signatures(model: PaliGemma, prompt_length: int) -> tuple[dict[str, tuple[Function, Specs]], Any]:
    """`prefill` and `decode` of a prepared model, with the cache as named inputs and outputs, and the parameters."""
    config = model.config
    graph, state, *rest = nnx.split(model, nnx.Not(nnx.RngState), nnx.RngState)
    params = jax.tree.map(np.asarray, nnx.to_pure_dict(state))

    def rebuild(params: Any) -> PaliGemma:
        nnx.replace_by_pure_dict(state, params)
        model: PaliGemma = nnx.merge(graph, state, *rest)
        return model

    def name_caches(caches: list[Cache]) -> dict[str, jax.Array]:
        return {f"{part}_{i}": getattr(cache, part) for i, cache in enumerate(caches) for part in ("k", "v")}

    def prefill(params: Any, inputs: dict[str, jax.Array]) -> dict[str, jax.Array]:
        logits, caches = rebuild(params).prefill(inputs["images"], inputs["tokens"])
        return {"logits": logits, **name_caches(caches)}

    def decode(params: Any, inputs: dict[str, jax.Array]) -> dict[str, jax.Array]:
        caches = [Cache(inputs[f"k_{i}"], inputs[f"v_{i}"]) for i in range(config.text.depth)]
        logits, caches = rebuild(params).decode(inputs["token"], inputs["position"][0], caches)
        return {"logits": logits, **name_caches(caches)}

    size, text = config.vision.image_size, config.text
    cache_shape = jax.ShapeDtypeStruct((1, config.cache, text.kv_heads, text.head_dim), jnp.float32)
    caches = {f"{part}_{i}": cache_shape for i in range(text.depth) for part in ("k", "v")}
    image = jax.ShapeDtypeStruct((1, size, size, 3), jnp.float32)
    integers = {
        n: jax.ShapeDtypeStruct(shape, jnp.int32) for n, shape in (("prompt", (1, prompt_length)), ("one", (1, 1)))
    }
    position = jax.ShapeDtypeStruct((1,), jnp.int32)
    signatures: dict[str, tuple[Function, Specs]] = {
        "prefill": (prefill, {"images": image, "tokens": integers["prompt"]}),
        "decode": (decode, {"token": integers["one"], "position": position, **caches}),
    }
    return signatures, params


def write_bundle(
    model_folder: Path, folder: Path, precisions: Sequence[str], default: str, figures: dict[str, Any]
) -> None:
    """Exports a saved model into a new bundle folder and checks it against the model; leaves nothing on failure.

    Raises:
        IsyaratError: a precision is unknown, or a file does not compute what the model computes.
    """
    model, tokenizer, facts = load_model(model_folder)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "litert").mkdir(parents=True)
    try:
        fill_bundle(partial, model, tokenizer, facts, precisions, default, figures)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    partial.replace(folder)


def fill_bundle(
    folder: Path,
    model: PaliGemma,
    tokenizer: Tokenizer,
    facts: dict[str, Any],
    precisions: Sequence[str],
    default: str,
    figures: dict[str, Any],
) -> None:
    """Writes every file of the bundle; bundle.json last."""
    prompt = encode_prompt(tokenizer, facts["prompt"])
    signatures, params = build_signatures(prepare_model(model), len(prompt))
    base = folder / "litert" / "model_f32.tflite"
    convert(signatures, params, base)
    for precision in precisions:
        if precision != "f32":
            quantise(base, precision, folder / "litert" / f"model_{precision}.tflite")
    tokenizer.save(folder / "tokenizer.json")
    config = model.config
    manifest = BundleManifest(
        format=FORMAT,
        name=config.name,
        model=config.to_dict(),
        grid=GridEntry(
            image_size=config.vision.image_size,
            patch_size=config.vision.patch_size,
            rows=config.vision.grid.rows,
            columns=config.vision.grid.columns,
            rendering=facts["rendering"],
            models=list_models(facts["rendering"]),
        ),
        image_tokens=config.vision.tokens,
        prompt=PromptEntry(text=facts["prompt"], tokens=prompt),
        lexicon=facts["lexicon"],
        temperature=facts["temperature"],
        threshold=facts["threshold"],
        litert={
            p: PrecisionEntry(file=f"litert/model_{p}.tflite", tolerance=TOLERANCES[p], largest_error=0.0)
            for p in precisions
        },
        default_precision=default,
        golden="golden/golden.json",
        tokenizer="tokenizer.json",
        licence=card.LICENCE,
        data_statement=card.describe_data(facts["sources"]),
        figures=figures,
        files={},
    )
    bundle = Bundle(folder, manifest)
    check_parity(bundle, JaxRecogniser(model, prompt), precisions)
    (folder / "MODEL_CARD.md").write_text(card.write_card(manifest), encoding="utf-8")
    if "f32" not in precisions:
        base.unlink()
    manifest.files = list_files(folder)
    write_manifest(folder, manifest)
    for precision in precisions:
        if not (result := run_golden(bundle, precision)).passed:
            raise IsyaratError(f"The self-test of the {precision} file fails ({result}); nothing was written.")


def check_parity(bundle: Bundle, reference: JaxRecogniser, precisions: Sequence[str]) -> None:
    """Compares logits on performances of the synthetic signer and on noise; stores errors and the golden test.

    Raises:
        IsyaratError: a difference is above what the precision allows.
    """
    images = [*draw_test_grids(bundle), np.random.default_rng(0).integers(0, 256, draw_shape(bundle), np.uint8)]
    token = next(t[0] for g, t in bundle.manifest.lexicon.items() if g != NO_SIGN)
    expected = []
    for image in images:
        first, caches = reference.prefill(image)
        expected.append((first, reference.step(caches, token, 0)[0]))
    golden = {}
    for precision in precisions:
        recogniser = Recogniser(bundle, precision=precision)
        measured = [measure_logits(recogniser, image, token) for image in images]
        pairs = [(a, b) for e, m in zip(expected, measured, strict=True) for a, b in zip(e, m, strict=True)]
        error = float(np.max([np.abs(a - b).max() for a, b in pairs]))  # unlike Python's max, never drops a NaN
        limit = F32_PARITY if precision == "f32" else TOLERANCES[precision]
        if not error <= limit:
            raise IsyaratError(
                f"The {precision} file differs from the model by {error:.2g} in a logit ({limit:g} is allowed); "
                "nothing was written. Try without this precision, or train longer."
            )
        bundle.manifest.litert[precision].largest_error = round(error, 7)
        golden[precision] = [[round(float(x), 5) for x in logits] for logits in measured[0]]
    gloss = Recogniser(bundle).recognise(images[0]).gloss
    write_golden(bundle.folder, images[0], token, gloss, golden)


def draw_shape(bundle: Bundle) -> tuple[int, int, int]:
    """Shape of a motion grid."""
    size = bundle.manifest.grid.image_size
    return size, size, 3


def draw_test_grids(bundle: Bundle) -> list[Image]:
    """Motion grids of the synthetic signer for glosses it shares with the lexicon: no picture of a person."""
    spec, rendering = bundle.manifest.grid.spec, find_rendering(bundle.manifest.grid.rendering)
    shared = [gloss for gloss in bundle.manifest.lexicon if gloss in synthetic.GLOSSES][:8]
    images = []
    for gloss in shared or synthetic.GLOSSES[:1]:
        frames = (Frame(time_s, image) for time_s, image in synthetic.perform([gloss]).frames())
        images += [sign.draw_grid(spec).image for sign in cut_signs(frames, spec, rendering)]
    return images


def read_report(run: Path) -> dict[str, Any]:
    """report.json of a run.

    Raises:
        IsyaratError: the run is not finished.
    """
    try:
        report: dict[str, Any] = json.loads((run / "report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise IsyaratError(f"{run}: there is no finished training run in it; run `isyarat train nano` first.") from None
    return report


def compare_answers(
    bundle: Bundle, reference: JaxRecogniser, lexicon: Lexicon, images: Sequence[Image], truth: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Correct answers of every precision, and on how many pictures it answers as the JAX model does."""
    wanted = [max(scores, key=scores.__getitem__) for scores in (reference.score(i, lexicon) for i in images)]
    rows = {"jax": {"correct": sum(a == t for a, t in zip(wanted, truth, strict=True)), "same_as_jax": len(images)}}
    for precision in bundle.manifest.litert:
        recogniser = Recogniser(bundle, precision=precision)
        answers = [max(scores, key=scores.__getitem__) for scores in map(recogniser.score, images)]
        rows[precision] = {
            "correct": sum(a == t for a, t in zip(answers, truth, strict=True)),
            "same_as_jax": sum(a == w for a, w in zip(answers, wanted, strict=True)),
        }
    return rows


def export_run(run: Path, folder: Path, precisions: Sequence[str], default: str, others: Sequence[Path] = ()) -> Bundle:
    """Exports what a run has trained, with its figures.

    Where the run held clips out, the model of that split is exported too (to a temporary folder) and every precision
    is judged on those clips, so that the bundle carries an accuracy for each.

    Arguments:
        run: folder of `isyarat train`.
        folder: of the bundle; replaced when it exists.
        others: reports of `isyarat evaluate` and of other runs whose figures go along, unseen signers first.

    Raises:
        IsyaratError: the run is not finished, a precision unknown, or a file wrong.
    """
    report = read_report(run)
    if unknown := set(precisions) - set(TOLERANCES):
        raise IsyaratError(f"There is no precision {unknown.pop()!r}; choose from: {', '.join(TOLERANCES)}.")
    figures: dict[str, Any] = {}
    for path in others:
        try:
            figures |= json.loads(path.read_text(encoding="utf-8"))["figures"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IsyaratError(f"{path}: there are no figures in it; give a report of evaluate or train.") from error
    if (run / "split" / "model").is_dir():
        figures["same signers, the same clips held out"] = judge_split(run, precisions, default)
        figures["split"] = report["split"]
    write_bundle(run / "model", folder, precisions, default, figures)
    return Bundle.open(folder)


def judge_split(run: Path, precisions: Sequence[str], default: str) -> dict[str, Any]:
    """Accuracy of the split's model on its held-out clips, in JAX, in f32 and in every precision that ships."""
    precisions = ["f32", *(p for p in precisions if p != "f32")]
    clips = select_clips(read_clips(run / "split.csv"), {"part": {"test"}})
    model, _, facts = load_model(run / "split" / "model")
    spec, rendering = model.config.vision.grid, find_rendering(facts["rendering"])
    images, truth = [], []
    for clip in clips:
        signs = list(cut_signs(VideoReader(clip.path), spec, rendering))
        if signs:
            longest = max(signs, key=lambda sign: sign.segment.end_s - sign.segment.start_s)
            images.append(longest.draw_grid(spec).image)
            truth.append(clip.gloss)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "bundle"
        write_bundle(run / "split" / "model", folder, precisions, default, {})
        reference = JaxRecogniser(model, encode_prompt(Tokenizer.load(folder / "tokenizer.json"), facts["prompt"]))
        rows = compare_answers(Bundle.open(folder), reference, Lexicon(facts["lexicon"]), images, truth)
    return {
        name: {
            "top-1": Proportion(row["correct"], len(clips)).to_dict(),
            "same answer as JAX": Proportion(row["same_as_jax"], len(images)).to_dict(),
        }
        for name, row in rows.items()
    }
