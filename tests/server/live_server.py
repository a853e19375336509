"""A whole server on loopback, in a thread of the tests: real workers, real sockets."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from isyarat.export.bundle import SHIPPED
from isyarat.server.application import create_application, run_services
from isyarat.server.client import Client
from isyarat.server.services import Services
from isyarat.server.serving import MOST_MESSAGE_BYTES, listen
from isyarat.server.settings import read_settings

T = TypeVar("T")

# Another bundle can be put to these tests before it is shipped.
BUNDLE = Path(os.environ.get("ISYARAT_TEST_BUNDLE", SHIPPED))


class LiveServer:
    """Started when made; call `stop`."""

    def __init__(self, **settings: Any) -> None:
        self.settings = read_settings(**{"workers": 1, "max_streams": 0, "port": 0, **settings})
        self.application = create_application(self.settings)
        self.services: Services = self.application.state.services
        self._listener = listen(self.settings.host, self.settings.port)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._ready = threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as fault:
            self._fault = fault
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            self.application, lifespan="off", log_config=None, access_log=False, ws="wsproto",
            ws_max_size=MOST_MESSAGE_BYTES, timeout_graceful_shutdown=2,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        async with run_services(self.application):
            self._ready.set()
            await self._server.serve(sockets=[self._listener])

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the server's loop."""
        return self.begin(work).result(60)

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Starts a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @property
    def client(self) -> Client:
        """A client of it."""
        return Client(self.url)

    def stop(self) -> None:
        """Ends it."""
        self._server.should_exit = True
        self._thread.join(20)
        self._listener.close()
