"""Milliseconds a frame of the pose tracker, on one thread and on two, written to results/pose_speed.json.

`python tests/benchmarks/pose_speed.py` follows the synthetic signer through a sign. Wall time, the median of all
frames.
"""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path

import cv2
import numpy as np
from isyarat.data import synthetic
from isyarat.data.pose import PoseTracker
from isyarat.data.video import Image
from tqdm import tqdm

RESULTS = Path(__file__).parent / "results" / "pose_speed.json"
SIZES = {"400x300": (400, 300), "1280x720": (1280, 720), "3840x2160": (3840, 2160)}
ROUNDS = 3


def measure(tracker: PoseTracker, images: list[Image]) -> float:
    """Median of the milliseconds a frame."""
    times = []
    for image in images:
        start = time.perf_counter()
        tracker.estimate(image)
        times.append((time.perf_counter() - start) * 1e3)
    return round(float(np.median(times)), 1)


def main() -> None:
    figures: dict[str, float] = {}
    for name, (width, height) in tqdm(SIZES.items(), unit="size", disable=None):
        show = synthetic.perform(["HALO"], scene=synthetic.Scene(fps=8), rest_s=0.2)
        frames = [np.asarray(cv2.resize(image, (width, height)), np.uint8) for _, image in show.frames()]
        for threads in (1, 2):
            tracker = PoseTracker(threads)
            tracker.estimate(frames[0])  # the first call prepares kernels
            figures[f"{name}, {threads} threads, ms a frame"] = measure(tracker, frames * ROUNDS)
        empty = np.zeros((height, width, 3), np.uint8)
        figures[f"{name}, 2 threads, nobody there, ms a frame"] = measure(tracker, [empty] * 10)
    start = time.perf_counter()
    PoseTracker()
    figures["loading, ms"] = round((time.perf_counter() - start) * 1e3, 1)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    RESULTS.parent.mkdir(exist_ok=True)
    part = RESULTS.with_suffix(".part")
    part.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n", encoding="utf-8")
    part.replace(RESULTS)
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
