"""Writes server/grammar/words_id.tsv.gz: how common Indonesian words are, from the package wordfreq.

wordfreq (Robyn Speer, version in pyproject.toml; data CC BY-SA 4.0) carries the lists of forty languages in 58 MB; the
grammar needs one, of 0.15 MB. The list is a table of figures: word and frequency in centibels (100 log10), as wordfreq
holds it. `--check` says whether the file is what wordfreq gives.
"""

from __future__ import annotations

import gzip
import math
import re
import sys
from pathlib import Path

import wordfreq

TARGET = Path(__file__).parents[2] / "server" / "grammar" / "words_id.tsv.gz"
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")


def make_list() -> bytes:
    """The file's bytes; the same for the same version of wordfreq."""
    found = {w: f for w, f in wordfreq.get_frequency_dict("id").items() if WORD.fullmatch(w)}
    lines = [f"{word}\t{round(100 * math.log10(frequency))}" for word, frequency in sorted(found.items())]
    return gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0)


def main() -> None:
    made = make_list()
    if "--check" in sys.argv:
        fresh = TARGET.is_file() and gzip.decompress(TARGET.read_bytes()) == gzip.decompress(made)
        sys.exit(0 if fresh else f"{TARGET} is not what wordfreq gives; run {Path(__file__).name}.")
    TARGET.write_bytes(made)
    print(f"{TARGET}: {len(made) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
