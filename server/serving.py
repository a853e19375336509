"""`isyarat serve`: one process that listens, workers that decode, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from ..data.errors import IsyaratError
from .application import create_application, run_services, swap_bundles
from .logs import set_up_logs
from .settings import ServerSettings

# A frame of a stream; whatever is larger is no picture of a signer.
MOST_MESSAGE_BYTES = 4 * 1024 * 1024

# What is under way may finish within this time when the server is told to stop.
GRACE_S = 20


def serve(settings: ServerSettings, announce: Callable[[str], None]) -> None:
    """Listens until SIGINT or SIGTERM; SIGHUP reads the bundles anew without dropping a request.

    Arguments:
        announce: told the address once requests are answered.

    Raises:
        IsyaratError: the address is taken, or something that the settings name cannot be used.
    """
    set_up_logs()
    raise_file_limit()
    listener = listen(settings.host, settings.port)
    with listener:
        asyncio.run(run(settings, listener, announce))


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound, so that a taken port is known before the workers are loaded.

    Raises:
        IsyaratError: it is taken, or not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise IsyaratError(
            f"{host}:{port}: it cannot be listened on ({error.strerror or error}); choose another --host or --port."
        ) from None


def raise_file_limit() -> None:
    """Every connection and upload is an open file; shells allow 1024 by default."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def run(settings: ServerSettings, listener: socket.socket, announce: Callable[[str], None]) -> None:
    """Serves on a bound socket."""
    application = create_application(settings)
    config = uvicorn.Config(
        application,
        lifespan="off",  # run_services below does it, and lets its errors through
        log_config=None,
        access_log=False,  # the gate's log has ids and no addresses
        server_header=False,
        ws="wsproto",
        ws_max_size=MOST_MESSAGE_BYTES,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = Server(config)
    async with run_services(application):
        loop = asyncio.get_running_loop()
        swaps: set[asyncio.Task[None]] = set()

        def swap() -> None:
            task = asyncio.create_task(swap_bundles(application))
            swaps.add(task)
            task.add_done_callback(swaps.discard)

        loop.add_signal_handler(signal.SIGHUP, swap)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, server.handle_exit, number, None)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        host, port = listener.getsockname()[:2]
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        await serving


class Server(uvicorn.Server):
    """uvicorn's, which leaves signals alone: it would raise them again before the workers are ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing; `run` handles them."""
        yield
