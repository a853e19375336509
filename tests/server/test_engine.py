"""Jobs on real worker processes: whatever happens to one of them, every other job gets its answer."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.errors import IsyaratError
from isyarat.server.channel import Message
from isyarat.server.engine import Engine, open_bundles
from isyarat.server.limits import DecodeLimits
from isyarat.server.problem import ProblemError
from live_server import BUNDLE

TwoSigns = tuple[Path, synthetic.Performance]
Run = Callable[[Engine], Awaitable[Any]]


@asynccontextmanager
async def running(**options: Any) -> AsyncIterator[Engine]:
    engine = Engine([BUNDLE], **{"workers": 1, "queue_size": 16, "limits": DecodeLimits(), **options})
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


async def translate(engine: Engine, clip: Path, *, timeout_s: float = 60.0, bundle: str | None = None) -> Any:
    with clip.open("rb") as file:
        fields = {"kind": "clip", "id": "x", "bundle": bundle}
        return await engine.run(Message(fields, file=file.fileno()), timeout_s)


def list_glosses(result: Any) -> list[str]:
    return [gloss["gloss"] for gloss in result["glosses"]]


@pytest.fixture(scope="session")
def long_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two minutes of a moving square, which take a second or two to decode."""
    path = tmp_path_factory.mktemp("clips") / "long.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"preset": "ultrafast", "g": "250"})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for i in range(2990):
            image = np.full((240, 320, 3), 90, np.uint8)
            image[60:180, (i * 7) % 200 : (i * 7) % 200 + 120] = 200
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts = i
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def count_open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture(autouse=True)
def no_file_is_left_open() -> Iterator[None]:
    before = count_open_files() if Path("/proc/self/fd").is_dir() else 0
    yield
    if before:
        deadline = time.monotonic() + 5
        while count_open_files() > before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert count_open_files() <= before


def test_a_clip(two_signs: TwoSigns) -> None:
    async def act() -> Any:
        async with running() as engine:
            assert engine.is_ready
            return await translate(engine, two_signs[0])

    result = asyncio.run(act())
    assert list_glosses(result) == ["SAYA", "MAKAN"]
    assert result["clip"] == "x"


def test_a_worker_killed_in_the_middle_loses_nothing(two_signs: TwoSigns, long_clip: Path) -> None:
    async def act() -> list[Any]:
        async with running(workers=1) as engine:
            jobs = [asyncio.create_task(translate(engine, c)) for c in (long_clip, two_signs[0], two_signs[0])]
            await asyncio.sleep(0.3)
            os.kill(engine.process_ids[0], signal.SIGKILL)
            results = await asyncio.gather(*jobs)
            assert engine.restarts == 1
            return results

    results = asyncio.run(act())
    assert [list_glosses(result) for result in results[1:]] == [["SAYA", "MAKAN"]] * 2


def test_a_clip_that_kills_three_workers_is_refused(two_signs: TwoSigns, long_clip: Path) -> None:
    async def act() -> Any:
        async with running(workers=1) as engine:
            job = asyncio.create_task(translate(engine, long_clip))
            for restarts in range(3):
                while engine.restarts < restarts or not engine.is_ready:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.2)
                os.kill(engine.process_ids[0], signal.SIGKILL)
            with pytest.raises(ProblemError) as caught:
                await job
            assert caught.value.code == "clip-too-costly"
            while not engine.is_ready:
                await asyncio.sleep(0.05)
            return await translate(engine, two_signs[0])

    assert list_glosses(asyncio.run(act())) == ["SAYA", "MAKAN"]


def test_an_idle_worker_that_is_killed_is_replaced(two_signs: TwoSigns) -> None:
    async def act() -> Any:
        async with running() as engine:
            os.kill(engine.process_ids[0], signal.SIGKILL)
            deadline = time.monotonic() + 20
            while engine.restarts == 0 or not engine.is_ready:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            return await translate(engine, two_signs[0])

    assert list_glosses(asyncio.run(act())) == ["SAYA", "MAKAN"]


def test_bundles_are_swapped_without_dropping_a_request(two_signs: TwoSigns) -> None:
    async def act() -> tuple[list[Any], list[int], list[int]]:
        async with running() as engine:
            before = list(engine.process_ids)
            jobs = [asyncio.create_task(translate(engine, two_signs[0])) for _ in range(6)]
            await asyncio.sleep(0)
            await engine.swap()
            jobs += [asyncio.create_task(translate(engine, two_signs[0])) for _ in range(2)]
            return await asyncio.gather(*jobs), before, list(engine.process_ids)

    results, before, after = asyncio.run(act())
    assert [list_glosses(result) for result in results] == [["SAYA", "MAKAN"]] * 8
    assert not set(before) & set(after)


def test_a_damaged_bundle_is_not_swapped_in(two_signs: TwoSigns, tmp_path: Path) -> None:
    async def act() -> Any:
        async with running() as engine:
            with pytest.raises(IsyaratError, match=r"bundle\.json"):
                await engine.swap([tmp_path])
            assert engine.served.generation == 1
            return await translate(engine, two_signs[0])

    assert list_glosses(asyncio.run(act())) == ["SAYA", "MAKAN"]


def copy_bundle(folder: Path, name: str) -> Path:
    """The bundle under another name."""
    import shutil

    shutil.copytree(BUNDLE, folder)
    manifest = folder / "bundle.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"name": "nano"', f'"name": "{name}"', 1))
    return folder


def test_several_bundles(two_signs: TwoSigns, tmp_path: Path) -> None:
    async def act() -> list[Any]:
        async with running() as engine:
            with pytest.raises(ProblemError, match="no bundle of that name"):
                await translate(engine, two_signs[0], bundle="second")
            await engine.swap([BUNDLE, copy_bundle(tmp_path / "second", "second")])
            return [await translate(engine, two_signs[0], bundle=name) for name in (None, "second")]

    assert [result["bundle"] for result in asyncio.run(act())] == ["nano", "second"]


def test_two_bundles_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="Two bundles are named"):
        open_bundles([BUNDLE, copy_bundle(tmp_path / "twin", "nano")])


def test_a_full_queue_turns_away_at_once(long_clip: Path) -> None:
    async def act() -> None:
        async with running(queue_size=2) as engine:
            jobs = [asyncio.create_task(translate(engine, long_clip)) for _ in range(3)]
            await asyncio.sleep(0.2)
            started = time.monotonic()
            with pytest.raises(ProblemError) as caught:
                await translate(engine, long_clip)
            assert time.monotonic() - started < 0.1
            assert caught.value.code == "busy"
            assert int(caught.value.headers["Retry-After"]) >= 1
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)

    asyncio.run(act())


def measure_cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_deadline_and_cancellation_free_the_worker(two_signs: TwoSigns, long_clip: Path) -> None:
    async def act() -> tuple[Any, list[int], list[int]]:
        async with running() as engine:
            workers = list(engine.process_ids)
            with pytest.raises(ProblemError) as caught:
                await translate(engine, long_clip, timeout_s=0.2)
            assert caught.value.code == "deadline"
            left = asyncio.create_task(translate(engine, long_clip))
            await asyncio.sleep(0.2)
            left.cancel()
            used_s = measure_cpu_s(workers[0])
            result = await translate(engine, two_signs[0])
            # Two minutes of film take more than a second, however busy the machine is.
            assert measure_cpu_s(workers[0]) - used_s < 0.8, "the worker went on with a clip that nobody waits for"
            return result, workers, list(engine.process_ids)

    result, before, after = asyncio.run(act())
    assert list_glosses(result) == ["SAYA", "MAKAN"]
    assert before == after, "a worker that stops by itself is not killed"


def test_processor_time_is_limited_inside_the_decoder_too(long_clip: Path, two_signs: TwoSigns) -> None:
    async def act() -> Any:
        async with running(limits=DecodeLimits(cpu_s=0.9)) as engine:
            with pytest.raises(ProblemError) as caught:
                await translate(engine, long_clip)
            assert caught.value.code == "clip-too-costly"
            return await translate(engine, two_signs[0])

    assert list_glosses(asyncio.run(act())) == ["SAYA", "MAKAN"]


def test_memory_is_limited(two_signs: TwoSigns, tmp_path: Path) -> None:
    """Frames of 64 megapixels, which the decoder would need a gigabyte for."""
    path = tmp_path / "huge.gif"
    side = 8000
    path.write_bytes(
        b"GIF89a" + side.to_bytes(2, "little") * 2 + b"\x80\0\0" + b"\0\0\0\xff\xff\xff"
        + (b",\0\0\0\0" + side.to_bytes(2, "little") * 2 + b"\0\x02\x02L\x01\0") * 30 + b";"
    )  # fmt: skip

    async def act() -> Any:
        limits = DecodeLimits(memory_mb=256, max_pixels=10**8)
        async with running(limits=limits) as engine:
            with pytest.raises(ProblemError) as caught:
                await translate(engine, path)
            assert caught.value.code in {"clip-too-costly", "clip-unreadable"}
            return await translate(engine, two_signs[0])

    assert list_glosses(asyncio.run(act())) == ["SAYA", "MAKAN"]


def test_a_worker_can_write_no_file_and_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISYARAT_DATABASE_URL", "postgresql://u:geheim@db/x")

    async def act() -> tuple[tuple[int, int], tuple[int, int], bytes]:
        async with running() as engine:
            (worker,) = engine.process_ids
            environment = Path(f"/proc/{worker}/environ").read_bytes()
            sizes = resource.prlimit(worker, resource.RLIMIT_FSIZE), resource.prlimit(worker, resource.RLIMIT_AS)
            return *sizes, environment

    written, memory, environment = asyncio.run(act())
    assert written == (0, 0)
    assert 0 < memory[1] < 8 << 30
    assert b"geheim" not in environment


def test_workers_end_with_the_server() -> None:
    async def act() -> list[int]:
        async with running() as engine:
            return list(engine.process_ids)

    for worker in asyncio.run(act()):
        assert not Path(f"/proc/{worker}").exists()
