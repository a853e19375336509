"""Glosses to Indonesian sentences.

`parse_glosses` reads the notation, `load_grammar` gives a grammar, `guard.check` says what a sentence lost or
added.
"""

from .engine import Grammar, RuleGrammar, Sentence, load_grammar
from .notation import parse_glosses

__all__ = ["Grammar", "RuleGrammar", "Sentence", "load_grammar", "parse_glosses"]
