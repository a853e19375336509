"""Written answers: what teacher forcing says, whatever the padding, and nothing after the end."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from isyarat.data.errors import IsyaratError
from isyarat.training.model.generate import write_answers
from isyarat.training.model.paligemma import PaliGemma
from isyarat.training.model.tokenizer import END, PAD

Build = Callable[..., PaliGemma]
Inputs = tuple[jax.Array, jax.Array, jax.Array]
STEPS = 12  # longer than the sliding window


@pytest.mark.parametrize(("version", "scan"), [(1, True), (2, True), (2, False)])
def test_greedy_answers_equal_teacher_forcing_whatever_the_padding(
    version: int, scan: bool, build_paligemma: Build, paligemma_inputs: Inputs
) -> None:
    model = build_paligemma(version, scan=scan)
    images, tokens, lengths = paligemma_inputs
    together = np.asarray(model.generate(images, tokens, lengths, steps=STEPS))
    other_padding = np.asarray(model.generate(images, tokens.at[0, 4:].set(63), lengths, steps=STEPS))
    assert np.array_equal(together, other_padding), "ids of the padding are seen"
    forced = nnx.jit(lambda model, *inputs: model.logits(*inputs))
    for row, length in enumerate(lengths):
        prompt = tokens[row : row + 1, :length]
        alone = np.asarray(model.generate(images[row : row + 1], prompt, steps=STEPS))[0]
        assert np.array_equal(alone, together[row]), "a row depends on its batch"
        written = [int(t) for t in alone]
        written = written[: written.index(END) + 1] if END in written else written
        whole = jnp.concatenate([prompt, jnp.array([written], jnp.int32)], 1)
        logits = forced(model, images[row : row + 1], whole, lengths[row : row + 1])[0, length - 1 : -1]
        assert np.array_equal(np.argmax(logits, -1), written)


def test_nothing_follows_the_end(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    model = build_paligemma(1)
    images, tokens, lengths = paligemma_inputs
    free = np.asarray(model.generate(images, tokens, lengths, steps=STEPS))
    # Swap the embeddings of the end and of what row 0 writes third, so that it ends there.
    third = int(free[0, 2])
    table = model.decoder.embedding[...]
    model.decoder.embedding[...] = table.at[jnp.array([END, third])].set(table[jnp.array([third, END])])
    ended = np.asarray(model.generate(images, tokens, lengths, steps=STEPS))
    stop = list(ended[0]).index(END)
    assert stop <= 2
    assert (ended[0, stop + 1 :] == PAD).all()


def test_drawn_answers_follow_key_and_temperature(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    model = build_paligemma(1)

    def draw(seed: int, temperature: float, top_k: int | None = None) -> list[list[int]]:
        answers = model.generate(
            *paligemma_inputs, steps=8, temperature=temperature, top_k=top_k, key=jax.random.key(seed)
        )
        return np.asarray(answers).tolist()

    greedy = np.asarray(model.generate(*paligemma_inputs, steps=8)).tolist()
    assert draw(0, 2.0) == draw(0, 2.0)
    assert draw(0, 2.0) != draw(1, 2.0)
    assert draw(3, 1e-4) == greedy, "cold is greedy"
    assert draw(4, 5.0, top_k=1) == greedy, "one candidate is greedy"


def test_one_compilation_serves_all_models_of_a_kind(build_paligemma: Build, paligemma_inputs: Inputs) -> None:
    images, tokens, lengths = paligemma_inputs
    first = np.asarray(build_paligemma(1).generate(images, tokens, lengths, steps=3))
    before = write_answers._cache_size()
    second = np.asarray(build_paligemma(1, seed=1).generate(images, tokens, lengths, steps=3))
    assert write_answers._cache_size() == before
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"steps": 0}, "at least 1"), ({"temperature": 1.0}, "key"), ({"temperature": -1.0}, "at least 0")],
)
def test_wrong_arguments(
    options: dict[str, float], message: str, build_paligemma: Build, paligemma_inputs: Inputs
) -> None:
    with pytest.raises(IsyaratError, match=message):
        build_paligemma(1).generate(*paligemma_inputs, **options)  # type: ignore[arg-type]
    with pytest.raises(IsyaratError, match="1 pictures for 2 prompts"):
        build_paligemma(1).generate(paligemma_inputs[0][:1], paligemma_inputs[1])
