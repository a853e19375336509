"""Speed and memory of `isyarat translate` on a 2.4-s clip, written to results/translate_clip.json.

Run it with the Python of a base install: `python tests/benchmarks/translate_clip.py [CLIP]`. Without CLIP the synthetic
signer is rendered. Cold is a whole process for one clip; warm is the second clip of one call.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

RUNS = 7
RESULTS = Path(__file__).parent / "results" / "translate_clip.json"


def run_process(arguments: list[str]) -> tuple[float, str]:
    """Seconds and standard output of one process."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "isyarat", *arguments], check=True, capture_output=True, text=True)
    return time.perf_counter() - started, done.stdout


def decode_only(clip: str) -> float:
    """The limit: milliseconds to decode the frames in process and do nothing with them."""
    import av

    best = float("inf")
    for _ in range(RUNS):
        started = time.perf_counter()
        with av.open(clip) as container:
            container.streams.video[0].thread_type = "AUTO"
            for frame in container.decode(video=0):
                frame.to_ndarray(format="rgb24")
        best = min(best, time.perf_counter() - started)
    return best * 1e3


def main() -> None:
    """Measures and writes the file."""
    with tempfile.TemporaryDirectory() as folder:
        clip = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder) / "clip.mp4")
        if len(sys.argv) == 1:
            run_process(["data", "synth", "SAYA", "--rest", "0.35", "-o", clip])
        run_process(["translate", clip])  # files into the page cache
        cold = [run_process(["translate", clip])[0] for _ in range(RUNS)]
        warm = []
        for _ in range(RUNS):
            _, output = run_process(["translate", clip, clip, "--json"])
            warm.append(json.loads(output.splitlines()[1])["timings_ms"]["total"])
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        limit = decode_only(clip)
    packages = Path(sysconfig.get_paths()["purelib"])
    size = sum(path.stat().st_size for path in Path(sys.prefix).rglob("*") if path.is_file() and not path.is_symlink())
    result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "runs": RUNS,
        "process_s": {"median": round(statistics.median(cold), 3), "largest": round(max(cold), 3)},
        "warm_clip_ms": {"median": round(statistics.median(warm), 1), "largest": round(max(warm), 1)},
        "decode_alone_ms": round(limit, 1),
        "warm_over_decode": round(statistics.median(warm) / limit, 2),
        "peak_memory_mb": round(peak, 1),
        "install_mb": round(size / 1e6) if (packages / "isyarat").is_dir() else None,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
