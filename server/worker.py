"""The process that decodes strangers' files and runs the bundles: it may be killed at any time, and is replaced.

It holds no secret and no network connection, cannot write files, and has a limited address space. It is started by the
engine as `python -m isyarat.server.worker FD`, reads one job after another from that socket, and ends when the server
does.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..data.errors import ClipError, IsyaratError
from ..data.lexicon import NO_SIGN
from ..export.runtime import Recogniser
from .channel import ChannelClosedError, Message, receive_message, send_message
from .frames import JobCancelledError, LimitedFrames, decode_picture, explain_clip, open_clip, read_pictures
from .grammar import load_grammar
from .limits import DecodeLimits
from .problem import ProblemError
from .translation import UNKNOWN, ClipWarning, SignResult, Translation
from .translator import SURE, Translator, warn_unsure

# Files that a job needs open at once, with room for those that libraries hold.
MOST_FILES = 128


class Cancellation:
    """Set by SIGUSR1: the job at hand is no longer wanted."""

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(signal.SIGUSR1, self._set)

    def _set(self, *_: object) -> None:
        self.is_set = True

    def __call__(self) -> bool:
        return self.is_set


class Worker:
    """Serves jobs with loaded bundles.

    Arguments:
        translators: by name of the bundle.
        limits: of one job.
    """

    def __init__(self, translators: dict[str, Translator], limits: DecodeLimits) -> None:
        self.translators, self.limits = translators, limits
        self.cancellation = Cancellation()

    def serve(self, connection: socket.socket) -> None:
        """Answers jobs until the server closes the socket."""
        while True:
            try:
                job = receive_message(connection)
            except ChannelClosedError:
                return
            self.cancellation.is_set = False
            allow_cpu(self.limits.cpu_s)
            try:
                answer = self.answer(job)
            finally:
                if job.file is not None:
                    os.close(job.file)
            try:
                send_message(connection, Message(answer))
            except ChannelClosedError:
                return

    def answer(self, job: Message) -> dict[str, Any]:
        """The result of a job, or the problem with it."""
        try:
            return {"result": self.run(job)}
        except ProblemError as problem:
            return {"problem": {"code": problem.code, "detail": problem.detail}}
        except ClipError as error:
            explained = explain_clip(error)
            return {"problem": {"code": explained.code, "detail": explained.detail}}
        except JobCancelledError:
            return {"cancelled": True}
        except MemoryError:
            detail = f"The clip needs more than the {self.limits.memory_mb} MB that decoding may take."
            return {"problem": {"code": "clip-too-costly", "detail": detail}}

    def run(self, job: Message) -> dict[str, Any]:
        """Does what the job's `kind` says."""
        fields = job.fields
        translator = self.translators[fields["bundle"]]
        if fields["kind"] == "clip":
            assert job.file is not None
            reader = open_clip(Path(f"/dev/fd/{job.file}"), self.limits)
            return self.translate(translator, reader, fields)
        if fields["kind"] == "frames":
            return self.translate(translator, read_pictures(job.blobs, fields["times_s"]), fields)
        if fields["kind"] == "grid":
            return translate_grid(translator, job.blobs[0], fields).to_dict()
        raise ProblemError("internal", f"A worker was given a job of the unknown kind {fields['kind']!r}.")

    def translate(self, translator: Translator, source: Any, fields: dict[str, Any]) -> dict[str, Any]:
        """A whole clip, from its frames."""
        frames = LimitedFrames(source, self.limits, self.cancellation)
        return translator.translate_frames(frames, fields["id"], variety=fields.get("variety")).to_dict()


def translate_grid(translator: Translator, data: bytes, fields: dict[str, Any]) -> Translation:
    """One sign whose motion grid the client has drawn itself."""
    recogniser = translator.recogniser
    image = decode_picture(data)
    if image is None:
        raise ProblemError("picture-unreadable", "The motion grid is no picture that can be read.")
    size = recogniser.spec.image_size
    if image.shape != (size, size, 3):
        raise ProblemError(
            "grid-unfit", f"The grid has {image.shape[1]} x {image.shape[0]} pixels; the bundle reads {size} x {size}."
        )
    answer = recogniser.recognise(image)
    signs, warnings = [], []
    if answer.gloss == NO_SIGN:
        warnings.append(ClipWarning("no_sign", "No sign was recognised in this motion grid."))
    else:
        gloss = UNKNOWN if answer.unknown else answer.gloss
        sign = SignResult(gloss, fields["start_s"], fields["end_s"], answer.confidence, answer.alternatives)
        signs.append(sign)
        if not answer.unknown and answer.confidence < SURE:
            warnings.append(warn_unsure(sign))
    sentence = translator.grammar.compose([sign.gloss for sign in signs], variety=fields.get("variety"))
    bundle = recogniser.bundle.manifest.name
    return Translation(fields["id"], sentence.text, signs, bundle, sentence.backend, {}, warnings)


def load_translators(folders: dict[str, str], grammar: str, precision: str | None) -> dict[str, Translator]:
    """Loads and warms every bundle and the grammar's word lists; one thread each, since workers run side by side.

    Raises:
        IsyaratError: a bundle cannot be loaded.
    """
    from ..export.bundle import Bundle

    composer = load_grammar(grammar)
    composer.compose(["SAYA", "MAKAN"])
    translators = {
        name: Translator(Recogniser(Bundle.open(folder), precision=precision, threads=1), composer)
        for name, folder in folders.items()
    }
    nothing = np.zeros((240, 320, 3), np.uint8)
    for translator in translators.values():
        # Loads the models that the rendering needs, before memory is limited and the first clip waits for them.
        spec, rendering = translator.recogniser.spec, translator.recogniser.rendering
        rendering.draw([rendering.keep(nothing, spec.cell_size)] * spec.frames, spec.cell_size)
    return translators


def confine(memory_mb: int) -> None:
    """Takes from this process what decoding does not need: memory without end, files, core dumps."""
    page = resource.getpagesize()
    try:
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * page
    except OSError:  # no /proc, as on macOS, where RLIMIT_AS has no effect either
        used = 0
    if used:
        most = used + memory_mb * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))


def allow_cpu(seconds: float) -> None:
    """The kernel ends this process when it takes `seconds` and a little more from now on, even inside a decoder."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 3, hard))


def set_up(connection: socket.socket) -> tuple[dict[str, Translator], DecodeLimits, str]:
    """Reads the first message, loads what it names, and says so.

    Returns:
        (translators, limits, role).
    """
    fields = receive_message(connection).fields
    limits = DecodeLimits.model_validate(fields["limits"])
    try:
        translators = load_translators(fields["bundles"], fields["grammar"], fields["precision"])
    except IsyaratError as error:
        send_message(connection, Message({"error": str(error)}))
        sys.exit(1)
    confine(limits.memory_mb)
    send_message(connection, Message({"ready": sorted(translators)}))
    return translators, limits, fields["role"]


def main(arguments: Sequence[str]) -> None:
    """Runs until the server closes the socket whose number is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    connection = socket.socket(fileno=int(arguments[0]))
    with contextlib.suppress(ChannelClosedError):
        translators, limits, role = set_up(connection)
        if role == "stream":
            from .live import LiveWorker

            LiveWorker(translators, limits).serve(connection)
        else:
            Worker(translators, limits).serve(connection)


if __name__ == "__main__":
    main(sys.argv[1:])
