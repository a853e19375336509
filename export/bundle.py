"""The bundle format: a folder with bundle.json and the files it names."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..data.errors import IsyaratError
from ..data.grid_spec import GridSpec
from ..data.lexicon import Lexicon
from ..data.split import hash_file

FORMAT = 1
SHIPPED = Path(__file__).parent / "bundles" / "nano"


class FileEntry(BaseModel):
    """Size and SHA-256 of a file of the bundle."""

    bytes: int
    sha256: str


class GridEntry(BaseModel):
    """Geometry and rendering of the motion grid.

    Attributes:
        models: SHA-256 of the model files that the rendering needs, by name (data/pose/models); none for pixels.
    """

    image_size: int
    patch_size: int
    rows: int
    columns: int
    rendering: str
    models: dict[str, str] = {}

    @property
    def spec(self) -> GridSpec:
        """The geometry."""
        return GridSpec(self.image_size, self.patch_size, self.rows, self.columns)


class PromptEntry(BaseModel):
    """What the model reads after the picture, as text and as tokens."""

    text: str
    tokens: list[int]


class PrecisionEntry(BaseModel):
    """One exported model.

    Attributes:
        file: within the bundle.
        tolerance: largest difference of a logit from the stored one that the golden self-test accepts on another
            machine or runtime version.
        largest_error: largest difference from the JAX model, measured when it was exported.
    """

    file: str
    tolerance: float
    largest_error: float


class BundleManifest(BaseModel):
    """The content of bundle.json; shown to every client, so names are stable within a format."""

    model_config = ConfigDict(extra="forbid")

    format: int
    name: str
    model: dict[str, Any]
    grid: GridEntry
    image_tokens: int
    prompt: PromptEntry
    lexicon: dict[str, list[int]]
    temperature: float = Field(gt=0)
    threshold: float = Field(ge=0, le=1)
    litert: dict[str, PrecisionEntry]
    default_precision: str
    golden: str
    tokenizer: str
    licence: str
    data_statement: str
    figures: dict[str, Any]
    files: dict[str, FileEntry]


@dataclass(slots=True)
class Bundle:
    """A bundle on disk.

    Attributes:
        folder: where it lies.
        manifest: its bundle.json.
        lexicon: of the manifest, ready to decode with.
    """

    folder: Path
    manifest: BundleManifest
    lexicon: Lexicon = field(init=False)

    def __post_init__(self) -> None:
        self.lexicon = Lexicon(self.manifest.lexicon)

    @classmethod
    def open(cls, folder: str | Path | None = None) -> Bundle:
        """Reads bundle.json of a folder; of the bundle shipped with isyarat when none is given.

        Raises:
            IsyaratError: there is no bundle, or one of another format.
        """
        folder = Path(folder) if folder is not None else SHIPPED
        path = folder / "bundle.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except OSError:
            raise IsyaratError(
                f"{folder}: there is no bundle.json in it; give the folder of an exported bundle."
            ) from None
        except ValueError as error:
            raise IsyaratError(f"{path}: it is damaged ({error}); export the bundle again.") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise IsyaratError(f"{path}: its format is not {FORMAT}; export the bundle with this version of isyarat.")
        try:
            return cls(folder, BundleManifest.model_validate(values))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise IsyaratError(f"{path}: {where}: {first['msg']}; export the bundle again.") from error

    def find_model(self, precision: str | None = None) -> Path:
        """Path of the LiteRT file of a precision (the bundle's default when none is given)."""
        precision = precision or self.manifest.default_precision
        if precision not in self.manifest.litert:
            known = ", ".join(self.manifest.litert)
            raise IsyaratError(f"{self.folder}: it has no precision {precision!r}; choose one of: {known}.")
        return self.folder / self.manifest.litert[precision].file

    def check_files(self) -> list[str]:
        """What is wrong with the files: missing, of another size, of another content; empty when all is well."""
        faults = []
        if self.manifest.default_precision not in self.manifest.litert:
            faults.append(f"bundle.json: its default precision {self.manifest.default_precision!r} is not in it")
        for name, entry in self.manifest.files.items():
            path = self.folder / name
            if not path.is_file():
                faults.append(f"{name}: missing")
            elif path.stat().st_size != entry.bytes:
                faults.append(f"{name}: {path.stat().st_size} bytes instead of {entry.bytes}")
            elif hash_file(path) != entry.sha256:
                faults.append(f"{name}: its content has changed")
        return faults


def list_files(folder: Path) -> dict[str, FileEntry]:
    """Entries of all files but bundle.json, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "bundle.json")
    return {
        path.relative_to(folder).as_posix(): FileEntry(bytes=path.stat().st_size, sha256=hash_file(path))
        for path in paths
    }


def write_manifest(folder: Path, manifest: BundleManifest) -> None:
    """Writes bundle.json (no time, no path in it: the same input gives the same bytes)."""
    text = json.dumps(manifest.model_dump(), indent=1, ensure_ascii=False)
    (folder / "bundle.json").write_text(text + "\n", encoding="utf-8")
