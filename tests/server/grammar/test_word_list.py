"""The packaged list of words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from isyarat.server.grammar.morphology import is_word, zipf


def test_it_is_what_wordfreq_gives() -> None:
    pytest.importorskip("wordfreq")
    script = Path(__file__).parents[2] / "benchmarks" / "write_word_list.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_common_and_unknown_words() -> None:
    assert zipf("yang") > zipf("membaca") > 3
    assert zipf("xqzzt") == 0
    assert is_word("membaca")
    assert not is_word("mexqzzt")
