"""Clips of the synthetic signer, the shipped bundle, and a recogniser that answers as it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import av
import numpy as np
import pytest
from isyarat import cli
from isyarat.data import synthetic
from isyarat.data.grid_spec import GridSpec
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.rendering import render_pixels
from isyarat.data.video import Image
from isyarat.export.bundle import SHIPPED
from isyarat.export.runtime import Recogniser, Recognition
from isyarat.server.grammar import load_grammar
from isyarat.server.translator import Translator

SMALL = synthetic.Scene(width=200, height=150, fps=20)

# Another bundle can be put to these tests before it is shipped.
BUNDLE = Path(os.environ.get("ISYARAT_TEST_BUNDLE", SHIPPED))


class ScriptedRecogniser:
    """Gives the answers of a list, one a sign, and keeps the pictures that it was shown.

    Arguments:
        answers: gloss, or (gloss, probability); below 0.5 it is unknown; `NO_SIGN` refuses.
    """

    def __init__(self, answers: Iterable[str | tuple[str, float]] = ()) -> None:
        self.spec, self.rendering = GridSpec(112, 16), render_pixels
        self.answers: Iterator[str | tuple[str, float]] = iter(answers)
        self.images: list[Image] = []
        self.bundle = SimpleNamespace(
            manifest=SimpleNamespace(name="scripted", threshold=0.5, temperature=1.0),
            lexicon=SimpleNamespace(glosses=["APA", "HALO", "MAKAN", "SAYA"]),
        )

    def recognise(self, image: Image) -> Recognition:
        """The next answer."""
        self.images.append(image)
        answer = next(self.answers)
        gloss, confidence = answer if isinstance(answer, tuple) else (answer, 0.9)
        others = ((gloss, confidence), ("APA", 1 - confidence)) if gloss != NO_SIGN else (("APA", 0.1),)
        return Recognition(gloss, confidence, gloss != NO_SIGN and confidence < 0.5, others)


@pytest.fixture(scope="session")
def script() -> Callable[..., Translator]:
    """Makes a translator whose recogniser gives the answers listed."""

    def make(*answers: str | tuple[str, float]) -> Translator:
        return Translator(cast(Recogniser, ScriptedRecogniser(answers)), load_grammar())

    return make


@pytest.fixture(scope="session")
def small() -> synthetic.Scene:
    """A scene that is drawn quickly."""
    return SMALL


@pytest.fixture(scope="session")
def shipped() -> Translator:
    """The real thing."""
    if not (BUNDLE / "bundle.json").is_file():
        pytest.skip(f"there is no bundle in {BUNDLE}")
    return Translator(Recogniser.load(BUNDLE), load_grammar())


@pytest.fixture(scope="session")
def two_signs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, synthetic.Performance]:
    """SAYA, a rest, MAKAN."""
    show = synthetic.perform(["SAYA", "MAKAN"], scene=SMALL)
    return synthetic.write_clip(tmp_path_factory.mktemp("clips") / "two.mp4", show), show


@pytest.fixture(scope="session")
def write_frames() -> Callable[[Path, Iterable[Image]], Path]:
    """Writes any pictures as a clip of 20 fps."""

    def write(path: Path, frames: Iterable[Image]) -> Path:
        with av.open(str(path), "w") as container:
            stream = container.add_stream("libx264", rate=20, options={"crf": "18"})
            stream.pix_fmt = "yuv420p"
            for i, image in enumerate(frames):
                if i == 0:
                    stream.height, stream.width = image.shape[:2]
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
                frame.pts = i
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return path

    return write


@dataclass
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture
def isyarat(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Calls the command line as a shell would."""

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["isyarat", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        captured = capsys.readouterr()
        return Outcome(int(caught.value.code or 0), captured.out, captured.err)

    return call
