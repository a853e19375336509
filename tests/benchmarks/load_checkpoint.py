"""Memory and time of loading a checkpoint of the shape of PaliGemma 3B (random numbers, bfloat16, Hugging Face).

    python tests/benchmarks/load_checkpoint.py --json tests/benchmarks/results/load_checkpoint.json

Writes about 6 GB into a temporary folder and deletes them. `--model paligemma2-3b-448` and `--format npz` measure
others.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

CHILD = """
import json, pathlib, sys, time
import jax, jax.numpy as jnp
from flax import nnx
from isyarat.training.model.paligemma import PaliGemma

def read(key):
    text = pathlib.Path("/proc/self/status").read_text()
    return int(text.split(key + ":")[1].split()[0]) * 1024

jnp.zeros(1).block_until_ready()
before = read("VmRSS")
start = time.perf_counter()
model = PaliGemma.from_pretrained(sys.argv[1])
seconds = time.perf_counter() - start
weights = sum(leaf.nbytes for leaf in jax.tree.leaves(nnx.state(model, nnx.Param)))
print(json.dumps({"seconds": seconds, "before": before, "peak": read("VmHWM"), "after": read("VmRSS"),
                  "weights": weights, "name": model.config.name}))
"""


def write_checkpoint(folder: Path, name: str, kind: str) -> Path:
    """Random weights of a published shape."""
    from isyarat.training.model.config import find_config
    from isyarat.training.pretrained import big_vision, huggingface
    from isyarat.training.pretrained.load import list_block_shapes
    from isyarat.training.pretrained.save import SHARD_BYTES, cut_shards
    from isyarat.training.pretrained.tensor_file import write_npz, write_safetensors

    config = find_config(name)
    layout = (huggingface if kind == "safetensors" else big_vision).list_rules(config)
    specs = {n: (shape, BFLOAT16) for n, shape in layout.list_shapes(list_block_shapes(config)).items()}
    noise = np.random.default_rng(0).normal(0, 0.02, 1 << 20).astype(BFLOAT16)

    def draw(key: str) -> np.ndarray:
        return np.resize(noise, specs[key][0])  # the same million numbers over and over: it is about memory

    if kind == "npz":
        write_npz(folder / "model.npz", specs, lambda key: [draw(key)])
        return folder / "model.npz"
    shards = cut_shards(specs, SHARD_BYTES)
    for file, shard in shards.items():
        write_safetensors(folder / file, shard, draw, {"format": "pt"})
    weight_map = {key: file for file, shard in shards.items() for key in shard}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    (folder / "config.json").write_text(json.dumps(huggingface.write_config(config, "bfloat16")))
    return folder


def measure(path: Path) -> dict[str, float | str]:
    """Loads in a new process; the peak is the kernel's own count, mapped files included."""
    result = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(result.stderr)
    found = json.loads(result.stdout)
    files = [path] if path.is_file() else list(path.glob("*.safetensors"))
    shard = max(file.stat().st_size for file in files)
    # On a CPU the weights themselves are in host memory, too; with an accelerator they are not.
    host = found["peak"] - found["before"] - found["weights"]
    return {
        "model": found["name"],
        "files": len(files),
        "seconds": round(found["seconds"], 1),
        "weights GB": round(found["weights"] / 1e9, 3),
        "largest shard GB": round(shard / 1e9, 3),
        "peak of the process GB": round(found["peak"] / 1e9, 3),
        "before loading GB": round(found["before"] / 1e9, 3),
        "after loading GB": round(found["after"] / 1e9, 3),
        "peak host memory beside the weights GB": round(host / 1e9, 3),
        "of the largest shard": round(host / shard, 3),
    }


def main() -> None:
    """Writes, measures, deletes; exit status 1 where more than 1.2 times the largest shard is taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="paligemma-3b-224")
    parser.add_argument("--format", choices=("safetensors", "npz"), default="safetensors")
    parser.add_argument("--folder", type=Path, help="where the temporary files go")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        report = measure(write_checkpoint(Path(temporary), options.model, options.format))
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    share = report["of the largest shard"]
    assert isinstance(share, float)
    if not math.isfinite(share) or share > 1.2:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
