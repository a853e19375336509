"""The training loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from tqdm import tqdm

from .checkpoint import RunCheckpoints
from .dataset import Dataset
from .model.paligemma import PaliGemma
from .settings import TrainSettings

# Steps between checkpoints: half a minute of work at most is lost.
SAVE_EVERY = 100

Batch = dict[str, Any]


class Trainee(nnx.Module):
    """The model, and a guide: a linear classifier on the encoder's tokens that exists in training only.

    Two hundred clips give the decoder's attention too little to find out what to look at; the guide hands the encoder
    a direct gradient (deep supervision, Lee et al. 2015, arXiv:1409.5185).
    """

    def __init__(self, model: PaliGemma, classes: int, *, rngs: nnx.Rngs) -> None:
        self.model = model
        vision = model.config.vision
        self.dropout = nnx.Dropout(0.3, rngs=rngs)
        self.guide = nnx.Linear(vision.width, classes, rngs=rngs)


def measure_loss(trainee: Trainee, batch: Batch, guide: float, smoothing: float) -> tuple[jax.Array, jax.Array]:
    """Mean over the rows of the answer's negative log-likelihood (answer and end only), plus the guide's share.

    Both targets are smoothed (Szegedy et al. 2016, arXiv:1512.00567): one signer's clips are learned by heart within
    minutes, and a model that is sure of them is sure of everything.

    Returns:
        (what is minimised, the answer's part of it).
    """
    model, tokens = trainee.model, batch["tokens"]
    features = model.encoder(batch["images"])
    logits = model.logits_from_features(features, tokens, batch["prefix"])
    losses = smooth_cross_entropy(logits[:, :-1], tokens[:, 1:], smoothing)
    answer = (losses * batch["weights"][:, 1:]).sum() / tokens.shape[0]
    pooled = trainee.dropout(features.mean(1))
    guided = smooth_cross_entropy(trainee.guide(pooled), batch["classes"], smoothing).mean()
    return answer + guide * guided, answer


def smooth_cross_entropy(logits: jax.Array, labels: jax.Array, smoothing: float) -> jax.Array:
    """Cross entropy with `smoothing` of the target spread evenly over the classes: logits ...xC, labels ... -> ...."""
    targets = optax.smooth_labels(jax.nn.one_hot(labels, logits.shape[-1]), smoothing)
    losses: jax.Array = optax.softmax_cross_entropy(logits, targets)
    return losses


@nnx.jit(static_argnames=("guide", "smoothing"))
def take_step(
    trainee: Trainee, optimizer: nnx.Optimizer[Trainee], batch: Batch, guide: float, smoothing: float
) -> jax.Array:
    """One step of gradient descent; returns the answer's loss."""
    answer: jax.Array
    (_, answer), gradients = nnx.value_and_grad(measure_loss, has_aux=True)(trainee, batch, guide, smoothing)
    optimizer.update(trainee, gradients)
    return answer


def build_optimizer(trainee: Trainee, settings: TrainSettings) -> nnx.Optimizer[Trainee]:
    """AdamW under one warm-up and cosine cycle, gradients clipped."""
    schedule = optax.warmup_cosine_decay_schedule(
        0.0, settings.learning_rate, max(1, int(settings.warmup * settings.steps)), settings.steps
    )
    chain = optax.chain(
        optax.clip_by_global_norm(settings.clip_norm), optax.adamw(schedule, weight_decay=settings.weight_decay)
    )
    return nnx.Optimizer(trainee, chain, wrt=nnx.Param)


def train_model(model: PaliGemma, dataset: Dataset, settings: TrainSettings, folder: Path) -> PaliGemma:
    """Trains in place, from the newest checkpoint in `folder` if there is one.

    The data of a step depends on (seed, step), dropout on (seed, checkpoint), so a run that was killed and resumed
    ends with the same weights as one that was not.

    Arguments:
        folder: checkpoints and log.jsonl (a line every ten steps) go here.
    """
    trainee = Trainee(model, len(dataset.classes), rngs=nnx.Rngs(settings.seed + 1))
    trainee.train()
    optimizer = build_optimizer(trainee, settings)
    checkpoints = RunCheckpoints(folder / "checkpoints")
    modules = {"trainee": trainee, "optimizer": optimizer}
    first = checkpoints.step
    if first:
        checkpoints.restore(modules)
    with (
        (folder / "log.jsonl").open("a", encoding="utf-8") as log,
        tqdm(total=settings.steps, initial=first, unit="step", desc=folder.name, disable=None) as bar,
    ):
        for step, batch in fetch_batches(dataset, settings.batch, first, settings.steps):
            if step % SAVE_EVERY == 0:
                nnx.reseed(trainee, default=settings.seed + 1000 * (step // SAVE_EVERY + 1))
            loss = take_step(trainee, optimizer, batch, settings.guide, settings.smoothing)
            bar.update()
            done = step + 1
            if done % 10 == 0 or done == settings.steps:
                bar.set_postfix(loss=f"{float(loss):.3f}")
                log.write(json.dumps({"step": done, "loss": round(float(loss), 5)}) + "\n")
                log.flush()
            if done % SAVE_EVERY == 0 or done == settings.steps:
                checkpoints.save(done, modules)
    checkpoints.close()
    model.eval()
    return model


def fetch_batches(dataset: Dataset, size: int, first: int, last: int) -> Iterator[tuple[int, Batch]]:
    """(step, batch) in order; the next batch is drawn while the step before it runs."""
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(dataset.draw_batch, first, size)
        for step in range(first, last):
            batch = following.result()
            following = pool.submit(dataset.draw_batch, step + 1, size)
            yield step, {name: jnp.asarray(array) for name, array in batch.items()}
