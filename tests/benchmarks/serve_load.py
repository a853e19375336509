"""Load on `isyarat serve` over loopback, written to results/serve_load.json.

`python tests/benchmarks/serve_load.py [PART…]` measures the parts named, or all: load, overload, memory, mutations,
stream, batching. Everything is made by the synthetic signer. Results of parts that are not measured stay.
"""

from __future__ import annotations

import http.client
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from isyarat.data import synthetic
from isyarat.data.metrics import measure_percentiles
from isyarat.data.sign import cut_signs
from isyarat.data.video import VideoReader
from isyarat.export.runtime import Recogniser
from isyarat.server.client import Client, encode_form
from isyarat.server.grammar import load_grammar
from isyarat.server.translator import Translator
from tqdm import tqdm

RESULTS = Path(__file__).parent / "results" / "serve_load.json"
SECONDS = 20.0
REQUESTS = 20_000
MUTATIONS = 10_000
CONVERSATION = [
    "HALO", "APA_KABAR", "SAYA", "BAIK", "KAMU", "MAKAN", "APA", "SAYA", "BELAJAR", "DIA", "TIDUR", "MAAF", "SAYA",
    "BINGUNG", "TERIMA_KASIH",
]  # fmt: skip


class Server:
    """A running `isyarat serve` with its defaults."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "isyarat", "serve", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[3]
        self.port = int(self.url.rpartition(":")[2])

    def list_workers(self) -> list[int]:
        """Process ids of its workers (its threads start them, and each thread has its own children)."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]

    def measure_cpu_s(self) -> dict[str, float]:
        """Processor seconds that the server and its workers have taken."""
        workers = sum(read_cpu_s(worker) for worker in self.list_workers())
        return {"server": read_cpu_s(self.process.pid), "workers": workers}

    def measure_memory(self) -> dict[str, float]:
        """Resident MB of the server and of its workers together, and the number of its open files."""
        return {
            "server_mb": read_resident_mb(self.process.pid),
            "workers_mb": round(sum(read_resident_mb(worker) for worker in self.list_workers()), 1),
            "open_files": float(sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())),
        }


def read_resident_mb(process: int) -> float:
    """Resident memory in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def read_cpu_s(process: int) -> float:
    """Processor seconds, in user and in system mode."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """A server that is ended afterwards."""
    server = Server(*options)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait(30)


class Request:
    """A request that is made once and sent often."""

    def __init__(self, path: str, *fields: tuple[str, str | bytes | Path], text: bytes | None = None) -> None:
        self.path = path
        if text is not None:
            self.body, self.headers = text, {"Content-Type": "application/json"}
        else:
            self.body = b"".join(part for part in encode_form(fields, "b") if isinstance(part, bytes))
            self.headers = {"Content-Type": "multipart/form-data; boundary=b"}

    def send(self, connection: http.client.HTTPConnection) -> tuple[int, float, float]:
        """(status, seconds, Retry-After)."""
        started = time.perf_counter()
        connection.request("POST", self.path, self.body, self.headers)
        response = connection.getresponse()
        response.read()
        return response.status, time.perf_counter() - started, float(response.headers.get("Retry-After", 0))


def ask_together(
    server: Server, choose: Callable[[int], Request], clients: int, is_over: Callable[[int], bool], *, polite: bool
) -> tuple[list[tuple[int, float]], float]:
    """Asks with many clients at once until `is_over(number of requests begun)`.

    Arguments:
        polite: clients that are turned away wait as long as they are told to.

    Returns:
        ((status, seconds) of every answer, seconds of it all).
    """
    answers: list[tuple[int, float]] = []
    lock = threading.Lock()
    begun = [0]

    def run() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        while True:
            with lock:
                if is_over(begun[0]):
                    break
                number, begun[0] = begun[0], begun[0] + 1
            try:
                status, seconds, wait_s = choose(number).send(connection)
            except (OSError, http.client.HTTPException):
                connection.close()
                status, seconds, wait_s = 0, 0.0, 0.0
            with lock:
                answers.append((status, seconds))
            if wait_s and polite:
                connection.close()  # the server closes what is idle
                time.sleep(wait_s)
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers, time.perf_counter() - started


def describe(answers: list[tuple[int, float]], seconds: float) -> dict[str, Any]:
    """Rate, latency of what was answered, and how often every status came."""
    good = [s * 1e3 for status, s in answers if status == 200]
    counts = Counter(str(status) for status, _ in answers)
    return {
        "answered_per_s": round(len(good) / seconds, 2),
        "ms": {name: round(value, 1) for name, value in measure_percentiles(good).items()} if good else {},
        "statuses": dict(sorted(counts.items())),
    }


def make_requests(folder: Path) -> dict[str, Request]:
    """A clip of one sign (2.4 s, as in translate_clip.py), its grid, and glosses."""
    clip = folder / "clip.mp4"
    synthetic.write_clip(clip, synthetic.perform(["SAYA"], rest_s=0.35))
    recogniser = Recogniser.load()
    (sign,) = cut_signs(VideoReader(clip), recogniser.spec, recogniser.rendering)
    picture = sign.draw_grid(recogniser.spec).image
    png = cv2.imencode(".png", picture[..., ::-1])[1].tobytes()
    glosses = json.dumps({"glosses": ["SAYA", "MAKAN"]}).encode()
    return {
        "translations": Request("/v1/translations", ("video", clip.read_bytes())),
        "glosses": Request("/v1/glosses", ("grid", png)),
        "sentences": Request("/v1/sentences", text=glosses),
    }


def measure_load(requests: dict[str, Request]) -> dict[str, Any]:
    """Throughput and latency at 1, 8 and 64 clients that wait when they are told to."""
    result: dict[str, Any] = {}
    with running() as server:
        for name in ("translations", "glosses"):
            ask_together(server, lambda _, name=name: requests[name], 2, lambda n: n >= 20, polite=True)  # type: ignore[misc]
            for clients in tqdm((1, 8, 64), desc=name, disable=None):
                until = time.perf_counter() + SECONDS
                before = server.measure_cpu_s()
                answers, seconds = ask_together(
                    server,
                    lambda _, name=name: requests[name],  # type: ignore[misc]
                    clients,
                    lambda _, until=until: time.perf_counter() > until,  # type: ignore[misc]
                    polite=True,
                )
                after, count = server.measure_cpu_s(), sum(status == 200 for status, _ in answers)
                cpu_ms = {part: round((after[part] - before[part]) / count * 1e3, 1) for part in after}
                result[f"{name}, {clients} clients"] = {**describe(answers, seconds), "cpu_ms_each": cpu_ms}
    return result


def measure_overload(requests: dict[str, Request]) -> dict[str, Any]:
    """128 clients that never wait: every request is answered or turned away, at once."""
    with running() as server:
        until = time.perf_counter() + SECONDS
        answers, seconds = ask_together(
            server, lambda _: requests["translations"], 128, lambda _: time.perf_counter() > until, polite=False
        )
        turned_away = [s * 1e3 for status, s in answers if status == 429]
        after = Client(server.url)._request("GET", "/readyz")[0]
    ms = {name: round(value, 1) for name, value in measure_percentiles(turned_away).items()} if turned_away else {}
    return {**describe(answers, seconds), "turned_away_ms": ms, "ready_afterwards": after == 200}


def measure_memory(requests: dict[str, Request]) -> dict[str, Any]:
    """Memory over 20,000 requests: grids, sentences, and a clip among twenty."""
    mix = [requests["glosses"]] * 10 + [requests["sentences"]] * 9 + [requests["translations"]]
    samples = []
    with running() as server:
        step = REQUESTS // 20
        for done in tqdm(range(0, REQUESTS, step), desc="memory", disable=None):
            answers, _ = ask_together(server, lambda n: mix[n % len(mix)], 8, lambda n: n >= step, polite=True)
            samples.append(
                {"requests": done + step, **server.measure_memory(), "not_200": sum(s != 200 for s, _ in answers)}
            )
    # The first fifth warms caches up.
    settled = samples[len(samples) // 5 :]
    total = [s["server_mb"] + s["workers_mb"] for s in settled]
    slope = float(np.polyfit([s["requests"] for s in settled], total, 1)[0])
    return {
        "requests": REQUESTS,
        "grows_mb_per_10000": round(slope * 1e4, 2),
        "open_files": [settled[0]["open_files"], settled[-1]["open_files"]],
        "samples": samples,
    }


def measure_mutations(folder: Path) -> dict[str, Any]:
    """10,000 damaged uploads; between them good ones, which must be answered."""
    scene = synthetic.Scene(width=96, height=72, fps=15)
    show = synthetic.idle(1.0, behaviour="sway", scene=scene)
    clip = synthetic.write_clip(folder / "short.mp4", show).read_bytes()
    rng = random.Random(5)
    bad = [Request("/v1/translations", ("video", mutate(clip, rng))) for _ in range(MUTATIONS)]
    good = Request("/v1/translations", ("video", clip))
    with running() as server:
        before = server.measure_memory()
        answers, seconds = ask_together(server, lambda n: bad[n], 4, lambda n: n >= MUTATIONS, polite=True)
        check, _ = ask_together(server, lambda _: good, 1, lambda n: n >= 20, polite=True)
        after = server.measure_memory()
        text = Client(server.url)._request("GET", "/metrics")[2].decode()
    restarts = next(float(line.split()[1]) for line in text.splitlines() if line.startswith("isyarat_worker_restarts"))
    return {
        "uploads": MUTATIONS,
        "statuses": describe(answers, seconds)["statuses"],
        "good_ones_after": describe(check, 1)["statuses"],
        "workers_replaced": restarts,
        "memory_before": before,
        "memory_after": after,
    }


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, left out, doubled, or the end cut off."""
    mutated = bytearray(data)
    for _ in range(rng.choice([1, 4, 64])):
        position = rng.randrange(len(mutated))
        match rng.randrange(4):
            case 0:
                mutated[position] = rng.randrange(256)
            case 1:
                mutated[position : position + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"])
            case 2:
                del mutated[position : position + rng.randrange(1, 64)]
            case 3:
                mutated[position:position] = mutated[position : position + rng.randrange(1, 64)]
    return bytes(mutated[: rng.randrange(1, len(mutated) + 1)] if rng.random() < 0.2 else mutated)


def measure_stream(folder: Path) -> dict[str, Any]:
    """A conversation of 15 signs in real time: the glosses of the file, and how soon after its end a sign is named."""
    rest_s = [0.8] * (len(CONVERSATION) + 1)
    show = synthetic.perform(CONVERSATION, rest_s=rest_s)
    rest_s[-1] += max(0.0, 60.0 - show.duration_s)
    show = synthetic.perform(CONVERSATION, rest_s=rest_s)
    clip = synthetic.write_clip(folder / "conversation.mp4", show)
    file = [sign.gloss for sign in Translator(Recogniser.load(), load_grammar()).translate(clip).signs]
    frames = [(f.time_s, cv2.imencode(".jpg", f.image[..., ::-1])[1].tobytes()) for f in VideoReader(clip)]
    came: list[tuple[dict[str, Any], float]] = []
    with running() as server, Client(server.url).stream() as stream:
        started = time.monotonic()

        def send() -> None:
            for time_s, jpeg in tqdm(frames, desc="stream", disable=None):
                time.sleep(max(0.0, started + time_s - time.monotonic()))
                stream.send_frame(time_s, jpeg)
            stream.end()

        sender = threading.Thread(target=send)
        sender.start()
        came.extend((event, time.monotonic() - started) for event in stream)
        sender.join()
    glosses = [(event, at) for event, at in came if event["event"] == "gloss"]
    delays = [(at - event["end_s"]) * 1e3 for event, at in glosses]
    stages = [event["dropped"] for event, _ in came if event["event"] == "stage"]
    return {
        "seconds": round(frames[-1][0], 1),
        "frames": len(frames),
        "frames_dropped": stages[-1] if stages else 0,
        "performed": CONVERSATION,
        "file": file,
        "stream": [event["gloss"] for event, _ in glosses],
        "same_as_file": [event["gloss"] for event, _ in glosses] == file,
        "first_gloss_after_its_sign_ms": round(delays[0], 1) if delays else None,
        "gloss_after_its_sign_ms": {n: round(v, 1) for n, v in measure_percentiles(delays).items()} if delays else {},
        "sentences": [event["text"] for event, _ in came if event["event"] == "sentence" and event["final"]],
    }


def measure_batching(folder: Path) -> dict[str, Any]:
    """Whether recognising eight grids at once would pay: processor time a grid at batch 1 and 8, and its share.

    The model is the nano of training/ with untrained weights, exported with either batch size; one thread.
    """
    import jax
    import jax.numpy as jnp
    from ai_edge_litert.interpreter import Interpreter
    from flax import nnx
    from isyarat.export.converter import convert
    from isyarat.export.layout import prepare_model
    from isyarat.export.litert import build_signatures
    from isyarat.export.quantise import quantise
    from isyarat.training.model.config import nano
    from isyarat.training.model.paligemma import PaliGemma

    model = PaliGemma(nano(512), rngs=nnx.Rngs(0))
    model.eval()
    grid_ms = {}
    for batch in (1, 8):
        signatures, params = build_signatures(prepare_model(model), 5)
        prefill, _ = signatures["prefill"]
        shapes = {
            "images": jax.ShapeDtypeStruct((batch, 224, 224, 3), jnp.float32),
            "tokens": jax.ShapeDtypeStruct((batch, 5), jnp.int32),
        }
        base, small = folder / f"batch{batch}.tflite", folder / f"batch{batch}_int8.tflite"
        convert({"prefill": (prefill, shapes)}, params, base)
        quantise(base, "int8", small)
        run = Interpreter(model_path=str(small), num_threads=1).get_signature_runner("prefill")
        images = np.random.default_rng(0).random((batch, 224, 224, 3), np.float32)
        tokens = np.zeros((batch, 5), np.int32)
        grid_ms[batch] = min(time_cpu_ms(lambda: run(images=images, tokens=tokens)) for _ in range(30)) / batch  # noqa: B023
    clip = synthetic.write_clip(folder / "clip.mp4", synthetic.perform(["SAYA"], rest_s=0.35))
    translator = Translator(Recogniser.load(), load_grammar())
    clip_ms = min(time_cpu_ms(lambda: translator.translate(clip)) for _ in range(10))
    return {
        "grid_cpu_ms": {f"batch {batch}": round(ms, 2) for batch, ms in grid_ms.items()},
        "batch_8_wins": round(grid_ms[1] / grid_ms[8], 2),
        "clip_cpu_ms": round(clip_ms, 1),
        "most_that_any_batching_could_win": round(clip_ms / (clip_ms - grid_ms[1]), 2),
    }


def time_cpu_ms(work: Callable[[], object]) -> float:
    """Processor time of this process, which others at work on the machine do not change."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1e3


def main() -> None:
    """Measures and writes the file."""
    parts = sys.argv[1:] or ["load", "overload", "memory", "mutations", "stream", "batching"]
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requests = make_requests(folder)
        measures: dict[str, Callable[[], dict[str, Any]]] = {
            "load": lambda: measure_load(requests),
            "overload": lambda: measure_overload(requests),
            "memory": lambda: measure_memory(requests),
            "mutations": lambda: measure_mutations(folder),
            "stream": lambda: measure_stream(folder),
            "batching": lambda: measure_batching(folder),
        }
        for part in parts:
            if part not in measures:
                raise SystemExit(f"{part!r} is no part; choose of: {', '.join(measures)}.")
            # Others at work on the machine make every figure worse: how many is part of the result.
            load_before = os.getloadavg()[0]
            results[part] = {
                **measures[part](),
                "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
                "load_average_before": round(load_before, 1),
            }
            partial = RESULTS.with_suffix(".partial")
            partial.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            partial.replace(RESULTS)
            print(part, json.dumps({k: v for k, v in results[part].items() if k != "samples"}, indent=1))


if __name__ == "__main__":
    main()
