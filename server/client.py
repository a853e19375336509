"""A typed client of the REST API, and of the stream. The answers are those of the OpenAPI document.

>>> client = Client("http://127.0.0.1:8000")                # doctest: +SKIP
>>> client.translate(Path("clip.mp4")).sentence             # doctest: +SKIP
'Saya makan.'
"""

from __future__ import annotations

import hashlib
import http.client
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel

from ..data.errors import IsyaratError
from .schema import BundleOut, BundlesOut, FeedbackOut, GlossOut, SentenceOut, TranslationOut, WithdrawalOut

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

Answer = TypeVar("Answer", bound=BaseModel)

CHUNK = 1 << 20

# Name in the form, and what is sent: a text, bytes, or a file that is read while it is sent.
Field = tuple[str, str | bytes | Path]


class ServerProblemError(IsyaratError):
    """The server's refusal, with its way out.

    Attributes:
        problem: RFC 9457 problem details.
        retry_after_s: when another try makes sense, if the server says so.
    """

    def __init__(self, problem: dict[str, Any], retry_after_s: float | None) -> None:
        super().__init__(f"{problem.get('detail', 'The server refused.')} {problem.get('way_out', '')}".strip())
        self.problem, self.retry_after_s = problem, retry_after_s

    @property
    def code(self) -> str:
        """What kind of problem, e.g. "busy"."""
        return str(self.problem.get("type", "")).rpartition(":")[2]


class Client:
    """Talks to one server; one connection a request, so it may be used from several threads.

    Arguments:
        url: e.g. http://127.0.0.1:8000.
        key: the API key, where the server wants one.
        timeout_s: without a byte from the server.
    """

    def __init__(self, url: str, *, key: str | None = None, timeout_s: float = 120.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise IsyaratError(f"{url!r} is no address of a server; give one like http://127.0.0.1:8000.")
        self._parts, self._key, self._timeout_s = parts, key, timeout_s

    def translate(self, clip: Path | bytes, *, bundle: str | None = None, variety: str | None = None) -> TranslationOut:
        """Translates a clip (a file, or its bytes).

        Raises:
            ServerProblemError: the server refuses; IsyaratError: it cannot be reached.
        """
        fields = [("video", clip), *list_texts(bundle=bundle, variety=variety)]
        return self._post_form("/v1/translations", fields, TranslationOut)

    def translate_frames(
        self, frames: Sequence[bytes], times_s: Sequence[float], *, bundle: str | None = None
    ) -> TranslationOut:
        """Translates JPEG pictures with their presentation times in seconds."""
        texts = list_texts(times_s=json.dumps(list(times_s)), bundle=bundle)
        return self._post_form("/v1/translations", [*(("frames", f) for f in frames), *texts], TranslationOut)

    def name_sign(self, grid: bytes, *, bundle: str | None = None) -> GlossOut:
        """Names the sign of one motion grid (PNG)."""
        return self._post_form("/v1/glosses", [("grid", grid), *list_texts(bundle=bundle)], GlossOut)

    def compose(self, glosses: Sequence[str], *, question: bool = False, variety: str | None = None) -> SentenceOut:
        """Puts glosses into a sentence."""
        body = {"glosses": list(glosses), "question": question, "variety": variety}
        return self._post_json("/v1/sentences", body, SentenceOut)

    def list_bundles(self) -> list[BundleOut]:
        """The bundles that the server runs."""
        status, headers, body = self._request("GET", "/v1/bundles")
        return read_answer(status, headers, body, BundlesOut).bundles

    def download_bundle(self, name: str, folder: Path) -> Path:
        """Downloads a bundle; what a broken download left is completed, and every file's SHA-256 is checked.

        Returns:
            `folder`, which then holds bundle.json and is a bundle.

        Raises:
            IsyaratError: there is no such bundle, or a file arrives damaged.
        """
        found = [bundle for bundle in self.list_bundles() if bundle.name == name]
        if not found:
            raise IsyaratError(f"{name!r}: the server has no such bundle; see list_bundles().")
        # bundle.json, the first, comes last: a folder that has it is whole.
        for file in reversed(found[0].files):
            target = folder / file.name
            if not target.resolve().is_relative_to(folder.resolve()):
                raise IsyaratError(f"{file.name!r}: the server names a file outside the bundle; do not trust it.")
            if not (target.is_file() and hash_bytes(target.read_bytes()) == file.sha256):
                self._download(f"/v1/bundles/{quote(name)}/{quote(file.name)}", target, file.sha256)
        return folder

    def give_feedback(
        self,
        *,
        consent: bool,
        clip: str | None = None,
        answered: Sequence[str] = (),
        corrected: Sequence[str] = (),
        sentence: str | None = None,
        rating: int | None = None,
        token: str | None = None,
        grid: bytes | None = None,
    ) -> FeedbackOut:
        """Rates or corrects a translation; without consent nothing of it is kept."""
        texts = list_texts(
            consent="true" if consent else "false", clip=clip, answered=" ".join(answered),
            corrected=" ".join(corrected), sentence=sentence, token=token,
            rating=None if rating is None else str(rating),
        )  # fmt: skip
        media: list[Field] = [] if grid is None else [("grid", grid)]
        return self._post_form("/v1/feedback", [*texts, *media], FeedbackOut)

    def withdraw(self, token: str) -> WithdrawalOut:
        """Deletes everything that was given under the token."""
        return self._post_json("/v1/withdrawals", {"token": token}, WithdrawalOut)

    @contextmanager
    def stream(
        self, *, bundle: str | None = None, variety: str | None = None, session: str | None = None, after: int = 0
    ) -> Iterator[Stream]:
        """A live stream; with `session` and `after` one that was cut off goes on.

        Raises:
            IsyaratError: the package `websockets` is missing, or the server cannot be reached.
        """
        try:
            from websockets.sync.client import connect
        except ImportError:
            raise IsyaratError('Streams need the package websockets: pip install "isyarat[server]".') from None
        query = {"bundle": bundle, "variety": variety, "session": session, "after": after or None}
        text = urlencode({name: value for name, value in query.items() if value is not None})
        scheme = "wss" if self._parts.scheme == "https" else "ws"
        url = f"{scheme}://{self._parts.netloc}{self._parts.path.rstrip('/')}/v1/stream?{text}"
        try:
            connection = connect(url, additional_headers=self._headers(), open_timeout=self._timeout_s)
        except Exception as error:
            raise IsyaratError(f"{url}: the stream cannot be opened ({error}); check the server.") from error
        with connection:
            yield Stream(connection)

    def _download(self, path: str, target: Path, sha256: str) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(target.name + ".partial")
        have = partial.stat().st_size if partial.is_file() else 0
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{sha256}"'} if have else {}
        with self._open("GET", path, headers=headers) as response:
            if response.status not in {200, 206}:
                read_answer(response.status, lower_names(response), response.read(), BundlesOut)
            with partial.open("ab" if response.status == 206 else "wb") as file:
                while chunk := response.read(CHUNK):
                    file.write(chunk)
        if hash_bytes(partial.read_bytes()) != sha256:
            partial.unlink()
            raise IsyaratError(f"{target}: it arrived damaged; download the bundle again.")
        partial.replace(target)

    def _post_json(self, path: str, body: dict[str, Any], kind: type[Answer]) -> Answer:
        headers = {"Content-Type": "application/json"}
        return read_answer(*self._request("POST", path, [json.dumps(body).encode()], headers), kind)

    def _post_form(self, path: str, fields: Sequence[tuple[str, Any]], kind: type[Answer]) -> Answer:
        boundary = secrets.token_hex(16)
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return read_answer(*self._request("POST", path, encode_form(fields, boundary), headers), kind)

    def _request(
        self, method: str, path: str, body: Sequence[bytes | Path] = (), headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        with self._open(method, path, body, headers) as response:
            return response.status, lower_names(response), response.read()

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    @contextmanager
    def _open(
        self, method: str, path: str, body: Sequence[bytes | Path] = (), headers: Mapping[str, str] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout_s)
        length = sum(part.stat().st_size if isinstance(part, Path) else len(part) for part in body)
        sent = {**self._headers(), **(headers or {}), "Content-Length": str(length)}
        try:
            # Refused before all of it was sent: the answer says why.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, self._parts.path.rstrip("/") + path, read_parts(body), sent)
            yield connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            place = f"{self._parts.scheme}://{self._parts.netloc}"
            raise IsyaratError(f"{place}: the server cannot be reached ({error}); check that it runs.") from error
        finally:
            connection.close()


class Stream:
    """One connection of a live stream; iterating gives the events as the server sends them.

    Attributes:
        session: with it and the last `seq` a stream that was cut off goes on.
    """

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        opened = json.loads(connection.recv())
        if opened["event"] != "open":
            raise ServerProblemError(opened["problem"], None)
        self.session: str = opened["session"]

    def send_frame(self, time_s: float, jpeg: bytes) -> None:
        """One picture of the camera with its time in seconds, on any clock that goes on."""
        self._connection.send(json.dumps({"type": "frame", "time_s": time_s}).encode() + b"\n" + jpeg)

    def send_grid(self, start_s: float, end_s: float, png: bytes) -> None:
        """One motion grid that was drawn here."""
        head = {"type": "grid", "start_s": start_s, "end_s": end_s}
        self._connection.send(json.dumps(head).encode() + b"\n" + png)

    def end(self) -> None:
        """No more frames; the event "end" is the last one."""
        self._connection.send(json.dumps({"type": "end"}))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for text in self._connection:
            yield json.loads(text)


def list_texts(**values: str | None) -> list[tuple[str, str]]:
    """The fields that have a value."""
    return [(name, value) for name, value in values.items() if value]


def encode_form(fields: Sequence[Field], boundary: str) -> list[bytes | Path]:
    """A form (RFC 7578) in parts; files are named by their field, never by their own name."""
    parts: list[bytes | Path] = []
    for name, value in fields:
        is_text = isinstance(value, str)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        head += "\r\n\r\n" if is_text else f'; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        parts += [head.encode(), value.encode() if isinstance(value, str) else value, b"\r\n"]
    return [*parts, f"--{boundary}--\r\n".encode()]


def read_parts(parts: Sequence[bytes | Path]) -> Iterator[bytes]:
    """The bytes of a body; files are read piece by piece."""
    for part in parts:
        if isinstance(part, Path):
            with part.open("rb") as file:
                yield from iter(lambda file=file: file.read(CHUNK), b"")  # type: ignore[misc]
        else:
            yield part


def read_answer(status: int, headers: Mapping[str, str], body: bytes, kind: type[Answer]) -> Answer:
    """The answer, checked against its schema.

    Raises:
        ServerProblemError: it is a problem; IsyaratError: it is not from an isyarat server.
    """
    try:
        if status == 200:
            return kind.model_validate_json(body)
        problem = json.loads(body)
        if isinstance(problem, dict) and "detail" in problem:
            wait = headers.get("retry-after", "")
            raise ServerProblemError(problem, float(wait) if wait.isdecimal() else None)
    except ValueError:
        pass
    raise IsyaratError(f"The answer (status {status}) is none of an isyarat server; check the address.")


def lower_names(response: http.client.HTTPResponse) -> dict[str, str]:
    """The headers of an answer by their names in lower case."""
    return {name.lower(): value for name, value in response.getheaders()}


def hash_bytes(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


__all__ = ["Client", "ServerProblemError", "Stream"]
