"""Clips of the synthetic signer, the shipped bundle, and a recogniser that answers as it is told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import av
import numpy as np
import pytest
from isyarat import cli
from isyarat.data import synthetic
from isyarat.data.grid_spec import GridSpec
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.rendering import find_rendering
from isyarat.data.video import Image
from isyarat.export.runtime import Recogniser, Recognition
from isyarat.server.grammar import load_grammar
from isyarat.server.translator import Translator

sys.path.insert(0, str(Path(__file__).parent))  # helpers beside the tests, which pytest's import mode does not find
from live_server import BUNDLE, LiveServer

SMALL = synthetic.Scene(width=200, height=150, fps=20)


class ScriptedRecogniser:
    """Gives the answers of a list, one a sign, and keeps the pictures that it was shown.

    Arguments:
        answers: gloss, or (gloss, probability); below 0.5 it is unknown; `NO_SIGN` refuses.
    """

    def __init__(self, answers: Iterable[str | tuple[str, float]] = ()) -> None:
        self.spec, self.rendering = GridSpec(112, 16), find_rendering("pixels")
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


@pytest.fixture(scope="session")
def server() -> Iterator[LiveServer]:
    """A server with one worker and streams, shared by the tests that do not harm it."""
    if not (BUNDLE / "bundle.json").is_file():
        pytest.skip(f"there is no bundle in {BUNDLE}")
    running = LiveServer(bundles=[BUNDLE], max_streams=4)
    yield running
    running.stop()


@pytest.fixture
def start_server() -> Iterator[Callable[..., LiveServer]]:
    """Starts servers of a test's own; they are stopped after it."""
    running: list[LiveServer] = []

    def start(**settings: Any) -> LiveServer:
        running.append(LiveServer(bundles=[BUNDLE], **settings))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@pytest.fixture(scope="session")
def clip_bytes(two_signs: tuple[Path, synthetic.Performance]) -> bytes:
    """The clip SAYA MAKAN."""
    return two_signs[0].read_bytes()


@pytest.fixture(scope="session")
def grid_png() -> bytes:
    """The bundle's own golden grid, of the synthetic signer."""
    return (BUNDLE / "golden" / "grid.png").read_bytes()
