"""JAX to LiteRT: several signatures, one set of weights."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from isyarat.export.converter import convert

Inputs = dict[str, jax.Array]


def test_two_signatures_share_their_weights(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    params = {"kernel": rng.normal(size=(64, 256)).astype(np.float32), "bias": np.arange(64, dtype=np.float32)}

    def project(p: dict[str, jax.Array], inputs: Inputs) -> Inputs:
        y = jax.lax.dot_general(inputs["x"], p["kernel"], (((1,), (1,)), ((), ())))
        return {"y": y + p["bias"], "doubled": 2 * y}

    def rescale(p: dict[str, jax.Array], inputs: Inputs) -> Inputs:
        y = jax.lax.dot_general(inputs["b"], p["kernel"], (((1,), (1,)), ((), ())))
        return {"z": y * inputs["a"][0]}

    wide = jax.ShapeDtypeStruct((1, 256), jnp.float32)
    path = tmp_path / "model.tflite"
    signatures = {
        "project": (project, {"x": wide}),
        # Not in the order of the alphabet: names, not positions, bind inputs.
        "rescale": (rescale, {"b": wide, "a": jax.ShapeDtypeStruct((1,), jnp.float32)}),
    }
    convert(signatures, params, path)
    assert params["kernel"].nbytes < path.stat().st_size < 1.2 * params["kernel"].nbytes

    interpreter = Interpreter(model_path=str(path))
    assert set(interpreter.get_signature_list()) == {"project", "rescale"}
    x = rng.normal(size=(1, 256)).astype(np.float32)
    expected = x @ params["kernel"].T
    outputs = interpreter.get_signature_runner("project")(x=x)
    assert np.allclose(outputs["y"], expected + params["bias"], atol=1e-4)
    assert np.allclose(outputs["doubled"], 2 * expected, atol=1e-4)
    rescaled = interpreter.get_signature_runner("rescale")(a=np.array([3], np.float32), b=x)
    assert np.allclose(rescaled["z"], 3 * expected, atol=1e-4)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    params = [np.ones((40, 40), np.float32)]

    def multiply(p: list[jax.Array], inputs: Inputs) -> Inputs:
        return {"y": inputs["x"] @ p[0]}

    shape = jax.ShapeDtypeStruct((1, 40), jnp.float32)
    for name in ("a", "b"):
        convert({"main": (multiply, {"x": shape})}, params, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
