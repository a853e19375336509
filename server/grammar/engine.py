"""The grammar step: a gloss sequence in, one Indonesian sentence out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...data.errors import IsyaratError


@dataclass(frozen=True)
class Sentence:
    """What a grammar made of a gloss sequence.

    Arguments:
        glosses: as they were given; they stay visible beside the text.
        text: the sentence, empty for no glosses.
        backend: the grammar's name.
    """

    glosses: list[str]
    text: str
    backend: str


class Grammar(Protocol):
    """Turns glosses into a sentence."""

    name: str

    def compose(self, glosses: Sequence[str], *, variety: str | None = None) -> Sentence:
        """Compose a sentence; `variety` is the regional variety of BISINDO, where it is known."""
        ...


class RuleGrammar:
    """Rules of Indonesian over an open vocabulary.

    The result keeps every promise of `guard.check`; where a rule would break one, the glosses are joined
    plainly.
    """

    name = "rules"

    def compose(self, glosses: Sequence[str], *, variety: str | None = None) -> Sentence:
        # The rules accept any order, so a variety's preferred order changes nothing here.
        del variety
        # Word lists are loaded by these modules' first use, not by importing the package.
        from .guard import check
        from .orthography import write_sentence
        from .sentences import build_parts
        from .tagging import tag_glosses

        if not glosses:
            return Sentence([], "", self.name)
        text = write_sentence(build_parts(tag_glosses(glosses)))
        if check(glosses, text):
            text = join_plainly(glosses)
        return Sentence(list(glosses), text, self.name)


def join_plainly(glosses: Sequence[str]) -> str:
    """The glosses in their order, with a capital and a stop: the reading that can lose nothing."""
    from .orthography import capitalise
    from .tagging import Tag, tag_glosses

    words = tag_glosses(glosses)
    asked = any(word.tag in (Tag.QUESTION, Tag.MARKER) or word.key == "apa_kabar" for word in words)
    body = " ".join(word.text for word in words if word.tag is not Tag.MARKER)
    return capitalise(body) + ("?" if asked else ".")


def load_grammar(name: str = "rules") -> Grammar:
    """The grammar of that name.

    Raises:
        IsyaratError: no such grammar; the message lists the names.
    """
    grammars: dict[str, type[RuleGrammar]] = {RuleGrammar.name: RuleGrammar}
    if name not in grammars:
        raise IsyaratError(f"There is no grammar {name!r}; choose one of: {', '.join(sorted(grammars))}.")
    return grammars[name]()
