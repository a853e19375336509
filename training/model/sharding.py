"""Which device holds which part of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

# The last two axes of each kind of matrix. "tensor" splits heads, the inside of MLPs and the vocabulary, so that a
# device computes its share alone (Megatron-LM, arXiv:1909.08053); "fsdp" splits the other axis, to save memory only.
RULES = {
    ("embedding",): ("tensor", "fsdp"),
    ("q", "kernel"): ("fsdp", "tensor"),
    ("k", "kernel"): ("fsdp", "tensor"),
    ("v", "kernel"): ("fsdp", "tensor"),
    ("o", "kernel"): ("tensor", "fsdp"),
    ("gate", "kernel"): ("fsdp", "tensor"),
    ("up", "kernel"): ("fsdp", "tensor"),
    ("down", "kernel"): ("tensor", "fsdp"),
    ("projector", "kernel"): ("fsdp", "tensor"),
}


def choose_sharding(path: Sequence[Any], shape: Sequence[int], mesh: Mesh) -> NamedSharding:
    """Where a parameter lives.

    Arguments:
        path: of the parameter in the model, e.g. ("decoder", "blocks", "q", "kernel").
        shape: of the parameter; a leading axis of stacked blocks is not split.
        mesh: devices along axes named "data", "fsdp" and "tensor" (any of them may be missing).

    Returns:
        An axis is split only where the devices divide it; what no rule names is on every device.
    """
    # XLA finds out how activations are split; under explicit axes (jax.make_mesh's default) every product would ask.
    mesh = Mesh(mesh.devices, mesh.axis_names, axis_types=(AxisType.Auto,) * len(mesh.axis_names))
    names = [part for part in path if part != "base"]  # a layer that LoRA or quantisation wraps
    axes: list[str | None] = [None] * len(shape)
    for key, last in RULES.items():
        if tuple(names[-len(key) :]) == key:
            for i, axis in zip((-2, -1), last, strict=True):
                if axis in mesh.shape and shape[i] % mesh.shape[axis] == 0:
                    axes[i] = axis
    return NamedSharding(mesh, PartitionSpec(*axes))
