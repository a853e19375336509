"""Speed and memory of `isyarat data build`, written to results/build_speed.json.

`python tests/benchmarks/build_speed.py [--part NAME …] [--clips 10000] [--turns 3]`. All clips are generated.
one_core: in one run, by turns: the build; the limit (decoding the same frames in process and doing nothing with them);
and what a user would script, `ffmpeg` with select, crop, scale and tile, one process a clip. They are compared by CPU
time, which neighbours on the machine disturb less than wall time. workers: 1 and 2 of them, by wall time, so the
machine must be idle. memory: the peak of a whole process for 10 clips and for --clips.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import multiprocessing
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import av
import cv2
from isyarat.data import synthetic
from isyarat.data.builder.build import build_dataset
from isyarat.data.builder.engine import LocalEngine, one_thread
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.video import VideoReader

RESULTS = Path(__file__).parent / "results" / "build_speed.json"
WAVER = Path(__file__).parents[1] / "data" / "builder" / "waver.py"
SIZES = {"400x300": (400, 300), "640x480": (640, 480), "1280x720": (1280, 720)}
PARTS = ("one_core", "workers", "memory")


def measure_cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process and its children."""

    def now() -> float:
        usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    started = now()
    work()
    return now() - started


def film_signer(folder: Path, size: tuple[int, int], count: int) -> list[Path]:
    """Clips of four performances of the synthetic signer, each under several names, in one folder a gloss."""
    clips = []
    for number in range(count):
        gloss = ("SAYA", "MAKAN", "HALO", "TULI")[number % 4]
        path = folder / gloss / f"{number:04d}.mp4"
        if number < 4:
            scene = dataclasses.replace(synthetic.Scene(), width=size[0], height=size[1])
            synthetic.write_clip(path, synthetic.perform([gloss], scene=scene, rest_s=0.35, seed=number))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(clips[number % 4], path)
        clips.append(path)
    return clips


def decode_frames(clips: list[Path]) -> None:
    """The limit: upright RGB frames, as the build reads them, and nothing done with them."""
    for clip in clips:
        for _ in VideoReader(clip):
            pass


def decode_raw(clips: list[Path]) -> None:
    """Frames as the decoder leaves them, not even converted to RGB."""
    for clip in clips:
        with av.open(str(clip)) as container:
            container.streams.video[0].codec_context.thread_count = 1
            for _ in container.decode(video=0):
                pass


def run_script(clips: list[Path], folder: Path) -> None:
    """What a user would write."""
    folder.mkdir(exist_ok=True)
    for number, clip in enumerate(clips):
        every = max(1, VIDEO_FRAMES[clip] // 9)
        chain = f"select='not(mod(n,{every}))',crop='min(iw,ih)':'min(iw,ih)',scale=74:74,tile=3x3"
        command = ["ffmpeg", "-v", "error", "-y", "-i", str(clip), "-vf", chain, "-frames:v", "1"]
        subprocess.run([*command, str(folder / f"{number}.png")], check=True)


VIDEO_FRAMES: dict[Path, int] = {}


def compare_on_one_core(folder: Path, size: tuple[int, int], per_clip: int, turns: int) -> dict[str, Any]:
    """Grids per CPU second of the build, beside the limit and the script; the best of several turns."""
    clips = film_signer(folder / "clips", size, 48)
    for clip in clips:
        with av.open(str(clip)) as container:
            VIDEO_FRAMES[clip] = container.streams.video[0].frames
    settings = BuildSettings(per_clip=per_clip)
    best: dict[str, float] = {}
    works: dict[str, Callable[[], object]] = {
        "decode to RGB": partial(decode_frames, clips),
        "decode only": partial(decode_raw, clips),
        "build": lambda: build_dataset(folder / "clips", folder / "grids", settings, LocalEngine(1)),
    }
    if shutil.which("ffmpeg"):
        works["ffmpeg, one process a clip"] = partial(run_script, clips, folder / "script")
    for _ in range(turns):
        for name, work in works.items():
            shutil.rmtree(folder / "grids", ignore_errors=True)
            with one_thread():
                best[name] = min(best.get(name, float("inf")), measure_cpu(work))
    grids = len(clips) * per_clip
    figures: dict[str, Any] = {
        "clips": len(clips), "frames": sum(VIDEO_FRAMES[clip] for clip in clips), "grids": grids,
        "grids_per_cpu_s": {name: round((grids if name == "build" else len(clips)) / s, 1) for name, s in best.items()},
        "build_over_limit": round(best["decode to RGB"] / best["build"], 3),
        "build_over_decode_only": round(best["decode only"] / best["build"], 3),
    }  # fmt: skip
    script = best.get("ffmpeg, one process a clip")
    figures["build_over_script"] = round(per_clip * script / best["build"], 2) if script else "ffmpeg is not installed"
    return figures


def compare_workers(folder: Path, turns: int) -> dict[str, Any]:
    """Wall seconds of one and of two workers; the best of several turns."""
    film_signer(folder / "clips", SIZES["640x480"], 240)
    best: dict[int, float] = {}
    for _ in range(turns):
        for workers in (1, 2):
            shutil.rmtree(folder / "grids", ignore_errors=True)
            command = [
                sys.executable,
                "-m",
                "isyarat",
                "data",
                "build",
                str(folder / "clips"),
                "-o",
                str(folder / "grids"),
            ]
            started = time.perf_counter()
            subprocess.run([*command, "--workers", str(workers)], check=True, capture_output=True)
            best[workers] = min(best.get(workers, float("inf")), time.perf_counter() - started)
    return {
        "clips": 240, "seconds": {str(workers): round(s, 2) for workers, s in best.items()},
        "speed_up": round(best[1] / best[2], 2),
    }  # fmt: skip


def write_wavers(folder: Path, numbers: range) -> None:
    """Quick clips that differ from each other (see tests/data/builder/waver.py)."""
    spec = importlib.util.spec_from_file_location("waver", WAVER)
    assert spec is not None
    assert spec.loader is not None
    waver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(waver)
    cv2.setNumThreads(1)
    for number in numbers:
        waver.write_waver(folder / f"GLOSS{number % 100}" / f"{number:06d}.mp4", number, size=64)


def measure_memory(folder: Path, clips: int) -> dict[str, Any]:
    """Peak memory of a whole process that builds, and its speed."""
    step = max(1, clips // 16)
    # Spawned: the threads of OpenCV and of the decoder do not survive a fork.
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        list(
            pool.map(
                partial(write_wavers, folder / "clips"), [range(k, min(k + step, clips)) for k in range(0, clips, step)]
            )
        )
    command = [sys.executable, "-m", "isyarat", "data", "build", str(folder / "clips"), "-o", str(folder / "grids")]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--workers", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    report = (folder / "grids" / "report.html").stat().st_size
    return {
        "grids": json.loads(output)["grids"], "peak_mb": round(usage.ru_maxrss / 1024, 1),
        "seconds": round(time.perf_counter() - started, 1), "report_mb": round(report / 1e6, 2),
    }  # fmt: skip


def main() -> None:
    """Measures, and writes each part into the file as soon as it is there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one; the others stay as they are")
    parser.add_argument("--clips", type=int, default=10_000, help="of the measurement of memory")
    parser.add_argument("--turns", type=int, default=3, help="the best of so many counts")
    options = parser.parse_args()
    result: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    result["machine"] = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    for part in options.part or PARTS:
        load = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory() as name:
            figures = measure_part(part, Path(name), options.clips, options.turns)
        result[part] = {"load_before": load, "turns": options.turns, **figures}
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(json.dumps({part: result[part]}, indent=1), flush=True)


def measure_part(part: str, folder: Path, clips: int, turns: int) -> dict[str, Any]:
    """One part of the result."""
    if part == "one_core":
        return {
            f"{size}, {per_clip} a clip": compare_on_one_core(
                folder / f"{size}-{per_clip}", SIZES[size], per_clip, turns
            )
            for size, per_clip in (("400x300", 1), ("640x480", 1), ("1280x720", 1), ("1280x720", 12))
        }
    if part == "workers":
        return compare_workers(folder, turns)
    few, many = (measure_memory(folder / f"memory-{n}", n) for n in (10, clips))
    growth = round(many["peak_mb"] / few["peak_mb"] - 1, 3)
    return {"10 clips": few, f"{clips} clips": many, "peak_growth": growth}


if __name__ == "__main__":
    main()
