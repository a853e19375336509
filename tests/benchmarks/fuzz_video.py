"""Damages thousands of clips and reads them: no crash, no hang above 10 s, no memory above 1 GB.

`python tests/benchmarks/fuzz_video.py --work FOLDER` damages 80,000 files of 20 kinds (seeds fixed: file n is the same
in every run), decodes them in a process that can be killed, and writes results/fuzz_video.json. A run that was stopped
goes on where it was. `--show N` writes damaged file N into the folder, to look into what it did.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "fuzz_video.json"
FILES = 80_000
HANG_S = 10.0
MEMORY_MB = 1024
# A guard for the machine: far above the limit, so that what a file takes is measured and not merely refused.
GUARD_BYTES = 8 << 30

Encoding = tuple[str, str, dict[str, str], dict[str, str]]
QUICK = {"preset": "ultrafast"}
PQ = "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
# File name: encoder, format of its pixels, options of the encoder, options of the container.
KINDS: dict[str, Encoding] = {
    "h264.mp4": ("libx264", "yuv420p", {"bf": "2", **QUICK}, {}),
    "fragments.mp4": ("libx264", "yuv420p", QUICK, {"movflags": "frag_keyframe+empty_moov"}),
    "start.mp4": ("libx264", "yuv420p", QUICK, {"movflags": "faststart"}),
    "hevc10.mov": ("libx265", "yuv420p10le", {"x265-params": "log-level=none", **QUICK}, {}),
    "av1.mp4": ("libsvtav1", "yuv420p", {"preset": "12"}, {}),
    "h264.mkv": ("libx264", "yuv420p", QUICK, {}),
    "vp8.webm": ("libvpx", "yuv420p", {}, {}),
    "vp9.webm": ("libvpx-vp9", "yuv420p", {"cpu-used": "8"}, {}),
    "mpeg4.avi": ("mpeg4", "yuv420p", {}, {}),
    "h264.ts": ("libx264", "yuv420p", QUICK, {}),
    "h264.flv": ("libx264", "yuv420p", QUICK, {}),
    "palette.gif": ("gif", "rgb8", {}, {}),
    "animated.webp": ("libwebp_anim", "bgra", {}, {}),
    "motion.mjpeg": ("mjpeg", "yuvj420p", {}, {}),
    "pq.mkv": ("libx265", "yuv420p10le", {"x265-params": f"log-level=none:{PQ}", **QUICK}, {}),
    "raw.h264": ("libx264", "yuv420p", QUICK, {}),
    "prores.mov": ("prores", "yuv422p10le", {}, {}),
    "mpeg2.mpg": ("mpeg2video", "yuv420p", {}, {}),
    "wmv2.wmv": ("wmv2", "yuv420p", {}, {}),
    "animated.apng": ("apng", "rgb24", {}, {}),
}


def paint(index: int, width: int = 96, height: int = 64) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A noisy picture with a square that moves: every part of the file matters."""
    image = np.random.default_rng(index).integers(90, 160, (height, width, 3), np.uint8)
    x = 6 * index % (width - 20)
    image[20:40, x : x + 20] = 230, 200, 30
    return image


def write_kinds(folder: Path) -> None:
    """One sound clip of every kind."""
    for name, (codec, pix_fmt, options, muxer) in KINDS.items():
        # Matroska would write a random number into every file.
        with av.open(str(folder / name), "w", options={"fflags": "+bitexact", **muxer}) as container:
            stream = container.add_stream(codec, rate=25, options=options)
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height, stream.pix_fmt = 96, 64, pix_fmt
            stream.codec_context.thread_count = 1  # with more, some encoders give other bytes in every run
            for index in range(12):
                frame = av.VideoFrame.from_ndarray(paint(index), format="rgb24")
                frame.pts, frame.time_base = index, Fraction(1, 25)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))


# Clips made to fill the memory: black, a few kB, and as many reference pictures as a stream may ask a decoder to hold.
BOMBS = {"bomb-8-bit.mp4": (5312, 3760, "yuv420p"), "bomb-10-bit.mp4": (3840, 2560, "yuv420p10le")}


def write_bombs(folder: Path) -> None:
    """The largest pictures that are read, with 16 reference pictures."""
    for name, (width, height, pix_fmt) in BOMBS.items():
        with av.open(str(folder / name), "w") as container:
            stream = container.add_stream("libx264", rate=25, options={"preset": "superfast", "refs": "16", "bf": "0"})
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
            black = av.VideoFrame.from_ndarray(np.zeros((height, width, 3), np.uint8), format="rgb24")
            black = black.reformat(format=pix_fmt)
            for index in range(20):
                black.pts, black.time_base = index, Fraction(1, 25)
                container.mux(stream.encode(black))
            container.mux(stream.encode(None))


def damage(contents: list[bytes], number: int) -> tuple[int, bytes]:
    """Index of the kind and the bytes of damaged file `number`."""
    rng = np.random.default_rng(number)
    kind = number % len(contents)
    data = bytearray(contents[kind])
    for _ in range(int(rng.choice([1, 2, 4, 8, 32]))):
        # Half of the damage goes where headers and indexes lie.
        end = min(len(data), 1500)
        near = [int(rng.integers(end)), len(data) - 1 - int(rng.integers(end)), int(rng.integers(len(data)))]
        at = near[int(rng.choice([0, 1, 2, 2]))]
        length = int(rng.choice([1, 4, 16, 64, 512]))
        match rng.integers(9):
            case 0:
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                data[at : at + length] = rng.bytes(length)[: len(data) - at]
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = data[at : at + length]
            case 4:
                extreme = [b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", bytes(4), b"\x00\x00\x00\x01"]
                data[at : at + 4] = extreme[int(rng.integers(5))]
            case 5:
                data[at : at + 2] = int(rng.choice([8191, 16384, 65535])).to_bytes(2, "big" if at % 2 else "little")
            case 6:
                other = contents[int(rng.integers(len(contents)))]
                start = int(rng.integers(len(other)))
                data[at : at + length] = other[start : start + length]
            case 7:
                source = int(rng.integers(len(data)))
                data[at : at + length] = data[source : source + length]
            case _ if rng.random() < 0.3:
                del data[at:]
        if not data:
            return kind, contents[kind][:1]
    return kind, bytes(data)


def read_peak_mb() -> float:
    """Largest resident memory since the last reset, in MB."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def serve(folder: Path) -> None:
    """The worker: a number on standard input (below zero a bomb), one line of JSON on standard output."""
    from isyarat.data.errors import ClipError
    from isyarat.data.video import VideoReader

    cv2.setNumThreads(1)
    resource.setrlimit(resource.RLIMIT_AS, (GUARD_BYTES, GUARD_BYTES))
    contents = [(folder / name).read_bytes() for name in KINDS]
    names = list(KINDS)
    for line in sys.stdin:
        number = int(line)
        if number < 0:
            path = folder / list(BOMBS)[-1 - number]
        else:
            kind, data = damage(contents, number)
            path = folder / f"damaged-{os.getpid()}-{names[kind]}"
            path.write_bytes(data)
        Path("/proc/self/clear_refs").write_text("5")
        started = time.perf_counter()
        outcome, frames, last_s = "frames", 0, -1.0
        try:
            for frame in VideoReader(path):
                frame.reduce(32)
                if frame.image.shape[2] != 3 or max(frame.image.shape) > 640 or not frame.time_s > last_s:
                    raise AssertionError(f"{frame.image.shape} at {frame.time_s} s")
                last_s = frame.time_s
                frames += 1
        except ClipError:
            outcome = "refused"
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - started
        answer = {"n": number, "outcome": outcome, "frames": frames, "s": seconds, "mb": read_peak_mb()}
        if number >= 0:
            path.unlink()
        print(json.dumps(answer), flush=True)


class Worker:
    """A process that reads damaged files and may be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._start()

    def _start(self) -> None:
        command = [sys.executable, __file__, "--serve", "--work", str(self.folder)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        os.set_blocking(self.process.stderr.fileno(), False)  # type: ignore[union-attr]

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()

    def read(self, number: int) -> dict[str, Any]:
        """What became of damaged file `number`; a process that hangs or dies is replaced."""
        assert self.process.stdin and self.process.stdout and self.process.stderr
        with contextlib.suppress(BrokenPipeError):  # a process that died says so below
            self.process.stdin.write(f"{number}\n".encode())
        # Twice the limit: a busy machine must not make a hang of what the worker itself times below it.
        ready, _, _ = select.select([self.process.stdout], [], [], 2 * HANG_S)
        line = self.process.stdout.readline() if ready else b""
        noise = self.process.stderr.read() or b""
        if line:
            return json.loads(line) | {"noise": len(noise)}
        self.process.kill()
        status = self.process.wait()
        self._start()
        outcome = f"crash: exit status {status}" if ready else "hang"
        return {"n": number, "outcome": outcome, "frames": 0, "s": 2 * HANG_S, "mb": 0.0, "noise": len(noise)}


def run(folder: Path, files: int) -> Iterator[dict[str, Any]]:
    """Results of all files; those in the journal are not read again."""
    journal = folder / "journal.jsonl"
    done = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    known = {result["n"] for result in done}
    yield from (result for result in done if result["n"] < files)
    worker = Worker(folder)
    try:
        with journal.open("a") as file:
            for number in range(files):
                if number not in known:
                    result = worker.read(number)
                    file.write(json.dumps(result) + "\n")
                    file.flush()
                    yield result
    finally:
        worker.stop()


def read_bombs(folder: Path) -> dict[str, dict[str, Any]]:
    """What became of each bomb."""
    write_bombs(folder)
    worker = Worker(folder)
    try:
        return {name: worker.read(-1 - index) for index, name in enumerate(BOMBS)}
    finally:
        worker.stop()


def is_fault(result: dict[str, Any]) -> bool:
    """Whether a damaged file did what none may do."""
    return result["outcome"] not in ("frames", "refused") or result["s"] > HANG_S or result["mb"] > MEMORY_MB


def main() -> None:
    """Runs the fuzzer and writes the figures; exit status 1 when a file did what none may do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--work", type=Path, help="scratch folder; holds the journal of a run", required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument(
        "--bombs", action=argparse.BooleanOptionalAction, default=True, help="also clips that fill memory"
    )
    parser.add_argument("--show", type=int, help="write this damaged file into the scratch folder, and do nothing else")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.work)
        return
    args.work.mkdir(parents=True, exist_ok=True)
    if not all((args.work / name).exists() for name in KINDS):  # a resumed run goes on with the files it began with
        write_kinds(args.work)
    if args.show is not None:
        kind, data = damage([(args.work / name).read_bytes() for name in KINDS], args.show)
        path = args.work / f"{args.show}-{list(KINDS)[kind]}"
        path.write_bytes(data)
        print(path)
        return
    results = sorted(run(args.work, args.files), key=lambda result: result["n"])
    bombs = read_bombs(args.work) if args.bombs else {}
    faults = [result for result in [*results, *bombs.values()] if is_fault(result)]
    names = list(KINDS)
    seconds = sorted(result["s"] for result in results)
    summary = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "pyav": av.__version__,
        "files": len(results),
        "kinds": {
            name: dict(Counter(r["outcome"] for r in results if r["n"] % len(names) == index and not is_fault(r)))
            for index, name in enumerate(names)
        },
        "crashes": sum("crash" in r["outcome"] for r in results),
        "hangs": sum(r["outcome"] == "hang" or r["s"] > HANG_S for r in results),
        "above_1_gb": sum(r["mb"] > MEMORY_MB for r in results),
        "other_faults": sum(
            r["outcome"] not in ("frames", "refused", "hang") and "crash" not in r["outcome"] for r in results
        ),
        "faults": faults[:20],
        "noisy": sum(r["noise"] > 0 for r in results),
        "largest_mb": round(max(r["mb"] for r in results)),
        "longest_s": round(seconds[-1], 2),
        "median_ms": round(seconds[len(seconds) // 2] * 1e3, 1),
        "bombs_mb": {name: round(result["mb"]) for name, result in bombs.items()},
        "frames_decoded": sum(r["frames"] for r in results),
    }
    args.output.parent.mkdir(exist_ok=True)
    partial = args.output.with_name(args.output.name + ".partial")
    partial.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    partial.replace(args.output)
    print(json.dumps(summary, indent=1))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
