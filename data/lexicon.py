"""The lexicon: the glosses a recogniser may answer, as a prefix trie over their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .errors import IsyaratError

Logits = NDArray[np.float32]

# The answer to a picture without a sign: nothing, that is, the end token at once.
NO_SIGN = ""


@dataclass(slots=True)
class Node:
    """A state of constrained decoding: which tokens may come next, and the gloss that ends here (if any)."""

    children: dict[int, Node] = field(default_factory=dict)
    gloss: str | None = None


class Lexicon:
    """Glosses and their token sequences.

    Arguments:
        entries: gloss -> tokens of its answer, each ending with the end token, so that no entry is the prefix of
            another ("APA", "APA_KABAR"). `NO_SIGN` may be among them.

    Raises:
        IsyaratError: an entry is empty, or two have the same tokens.
    """

    def __init__(self, entries: Mapping[str, Sequence[int]]) -> None:
        self.entries = {gloss: tuple(tokens) for gloss, tokens in entries.items()}
        self.root = Node()
        for gloss, tokens in self.entries.items():
            node, taken = self.root, not tokens
            for token in tokens:
                node = node.children.setdefault(token, Node())
                taken = taken or node.gloss is not None
            if taken or node.children:
                raise IsyaratError(
                    f"The gloss {gloss!r} has no tokens, or those of another gloss begin it; give it another spelling."
                )
            node.gloss = gloss

    @property
    def glosses(self) -> list[str]:
        """All glosses but `NO_SIGN`, in the order given."""
        return [gloss for gloss in self.entries if gloss != NO_SIGN]

    def score(
        self, first_logits: Logits, state: object, step: Callable[[object, int, int], tuple[Logits, object]]
    ) -> dict[str, float]:
        """Probability of every entry under decoding that is constrained to the trie; they add up to one.

        At each node the softmax runs over the permitted tokens only, so a gloss's probability is the product along
        its path. Nodes with one way on need no step of the model, and the walk is exact: no beam.

        Arguments:
            first_logits: V logits after the prompt.
            state: decoding state after the prompt (caches); never changed, only handed to `step`.
            step: (state, token, depth) -> (V logits after that token, new state); depth counts answer tokens from 0.
        """
        return dict(walk(self.root, 1.0, first_logits, state, step, 0))


def walk(
    node: Node,
    probability: float,
    logits: Logits | None,
    state: object,
    step: Callable[[object, int, int], tuple[Logits, object]],
    depth: int,
) -> Iterator[tuple[str, float]]:
    """Yields (gloss, probability) for every leaf below `node`."""
    if node.gloss is not None:
        yield node.gloss, probability
        return
    tokens = list(node.children)
    if len(tokens) == 1:
        shares = np.ones(1)
    else:
        assert logits is not None
        shares = softmax(np.asarray(logits, np.float64)[tokens])
    for token, share in zip(tokens, shares, strict=True):
        child = node.children[token]
        child_logits, child_state = None, state
        if needs_step(child):
            child_logits, child_state = step(state, token, depth)
        yield from walk(child, probability * float(share), child_logits, child_state, step, depth + 1)


def needs_step(node: Node) -> bool:
    """Whether some node from here down has a choice, so that the model must read the token that leads here."""
    return len(node.children) > 1 or any(needs_step(child) for child in node.children.values())


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax over the last axis."""
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True))


def soften(scores: Mapping[str, float], temperature: float) -> dict[str, float]:
    """Scores with their log divided by the temperature and normalised again (Guo et al. 2017, equation 9)."""
    logs = np.log(np.maximum(np.fromiter(scores.values(), np.float64), 1e-30))
    return dict(zip(scores, map(float, softmax(logs / temperature)), strict=True))
