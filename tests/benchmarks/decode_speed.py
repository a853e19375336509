"""Frames a second of the reader beside its limit, on one core, written to results/decode_speed.json.

`python tests/benchmarks/decode_speed.py` writes clips of the synthetic signer (with the noise of a camera) and reads
each: PyAV decoding the frames in process and doing nothing with them (the limit); the reader with frames nobody looks
at; with small pictures of every frame (`Frame.reduce`); with whole images. Processor time, best of several rounds taken
in turn, so that other work on the machine changes little.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import cv2
import numpy as np
from isyarat.data import synthetic
from isyarat.data.video import Frame, VideoReader
from tqdm import tqdm

RESULTS = Path(__file__).parent / "results" / "decode_speed.json"
ROUNDS = 7
# Width, height, encoder, format of the pixels, options.
CLIPS = {
    "400x300 H.264": (400, 300, "libx264", "yuv420p", {"crf": "23"}),
    "568x320 H.264": (568, 320, "libx264", "yuv420p", {"crf": "23"}),
    "640x480 H.264": (640, 480, "libx264", "yuv420p", {"crf": "23"}),
    "1280x720 H.264": (1280, 720, "libx264", "yuv420p", {"crf": "23"}),
    "1920x1080 H.264": (1920, 1080, "libx264", "yuv420p", {"crf": "23"}),
    "1920x1080 HEVC 10 bit HLG": (1920, 1080, "libx265", "yuv420p10le", {"crf": "26", "preset": "ultrafast"}),
    "1280x720 VP9": (1280, 720, "libvpx-vp9", "yuv420p", {"crf": "32", "b:v": "0", "cpu-used": "8"}),
}
HLG = "log-level=none:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc"
WAYS: dict[str, Callable[[Frame], object]] = {
    "unused": lambda frame: None,
    "reduce(64)": lambda frame: frame.reduce(64),
    "reduce(128)": lambda frame: frame.reduce(128),
    "image": lambda frame: frame.image,
}


def write_clip(path: Path, name: str, count: int = 60) -> None:
    """The synthetic signer with sensor noise, which no decoder gets for free."""
    width, height, codec, pix_fmt, options = CLIPS[name]
    show = synthetic.perform(["SAYA"], rest_s=0.4)
    noise = np.random.default_rng(0).normal(0, 3, (8, height, width, 1))
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30, options=options | ({"x265-params": HLG} if "HLG" in name else {}))
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        for index, (_, image) in zip(range(count), show.frames(), strict=False):
            noisy = cv2.resize(image, (width, height)) + noise[index % 8]
            frame = av.VideoFrame.from_ndarray(np.clip(noisy, 0, 255).astype(np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def decode(path: Path) -> int:
    """The limit: decodes every frame on one thread, and does nothing with it."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        return sum(1 for _ in container.decode(stream))


def read(path: Path, look: Callable[[Frame], object]) -> int:
    """The reader, and what is looked at of each frame."""
    count = 0
    for frame in VideoReader(path):
        look(frame)
        count += 1
    return count


def main() -> None:
    """Measures and writes the file."""
    if hasattr(os, "sched_setaffinity"):  # one core: decoders start as many threads as they may use cores
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cv2.setNumThreads(1)
    table: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in tqdm(CLIPS, disable=None):
            path = Path(folder) / "clip.mp4"
            write_clip(path, name)
            jobs: dict[str, Callable[[], int]] = {"limit": lambda path=path: decode(path)}  # type: ignore[misc]
            for way, look in WAYS.items():
                jobs[way] = lambda path=path, look=look: read(path, look)  # type: ignore[misc]
            best = dict.fromkeys(jobs, float("inf"))
            for _ in range(ROUNDS):
                for job, work in jobs.items():
                    started = time.process_time()
                    count = work()
                    best[job] = min(best[job], (time.process_time() - started) / count)
            row = {"limit_frames_per_s": round(1 / best["limit"])}
            row |= {f"{way}_of_limit": round(best["limit"] / best[way], 2) for way in WAYS}
            table[name] = row
    result = {
        "machine": f"one core of {os.cpu_count()}, {platform.machine()}, Python {platform.python_version()}",
        "pyav": av.__version__,
        "opencv": cv2.__version__,
        "rounds": ROUNDS,
        "clips": table,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    partial = RESULTS.with_name(RESULTS.name + ".partial")
    partial.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    partial.replace(RESULTS)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
