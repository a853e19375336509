"""What a folder of weights is: a whole model or an adapter; where a model came from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...data.errors import IsyaratError

FILE = "isyarat.json"
Kind = Literal["base", "merged", "adapter"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model was read from.

    Attributes:
        path: of the checkpoint.
        names: of its tensors, in pairs (name in this project, name in the file), so that it can be written back as it
            was.
    """

    path: str
    names: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, path: Path, names: Mapping[str, str]) -> Origin:
        """Of a checkpoint that was opened."""
        return cls(str(path), tuple(sorted(names.items())))


def write(folder: Path, kind: Kind, facts: Mapping[str, Any]) -> None:
    """Says in a folder what it is."""
    text = json.dumps({"kind": kind, **facts}, indent=2, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> dict[str, Any]:
    """What a folder says it is; of foreign folders what their files say.

    Returns:
        At least "kind": "base", "merged", "adapter", or "" where there is nothing of the sort.
    """
    if (folder / FILE).is_file():
        try:
            facts: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
            return {"kind": "", **facts}
        except (ValueError, TypeError):
            raise IsyaratError(f"{folder / FILE}: it is damaged; write the artefact again.") from None
    if (folder / "adapter_config.json").is_file():
        return {"kind": "adapter"}
    return {"kind": "base" if (folder / "config.json").is_file() else ""}


WHAT = {
    "adapter": "an adapter, no whole model",
    "merged": "a merged model, no adapter",
    "base": "a whole model, no adapter",
}


def refuse(folder: Path, kinds: Sequence[Kind], way_out: str) -> None:
    """Raises where a folder is of a wrong kind."""
    kind = read(folder)["kind"]
    if kind in kinds:
        raise IsyaratError(f"{folder}: this is {WHAT[kind]}; {way_out}.")
