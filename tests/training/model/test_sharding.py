"""Which axis of a parameter is split over which devices."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from isyarat.training.model.sharding import choose_sharding
from jax.sharding import Mesh, PartitionSpec


@pytest.fixture
def mesh() -> Mesh:
    """One device on three axes; what devices cannot divide is in `pretrained/test_load.py`, on eight."""
    return Mesh(np.array(jax.devices()[:1]).reshape(1, 1, 1), ("data", "fsdp", "tensor"))


@pytest.mark.parametrize(
    ("path", "shape", "spec"),
    [
        (("decoder", "embedding"), (64, 16), ("tensor", "fsdp")),
        (("decoder", "blocks", "q", "kernel"), (3, 16, 32), (None, "fsdp", "tensor")),
        (("decoder", "blocks", 2, "down", "kernel"), (24, 16), ("tensor", "fsdp")),
        (("decoder", "blocks", "up", "base", "kernel"), (3, 16, 24), (None, "fsdp", "tensor")),
        (("encoder", "blocks", "attention", "o", "kernel"), (2, 16, 16), (None, "tensor", "fsdp")),
        (("encoder", "blocks", "up", "bias"), (2, 24), (None, None)),
        (("decoder", "norm", "scale"), (16,), (None,)),
        (("encoder", "stem", "conv", "kernel"), (14, 14, 3, 16), (None,) * 4),
    ],
)
def test_rules(path: tuple[str | int, ...], shape: tuple[int, ...], spec: tuple[str | None, ...], mesh: Mesh) -> None:
    assert choose_sharding(path, shape, mesh).spec == PartitionSpec(*spec)


def test_axes_that_the_mesh_lacks(mesh: Mesh) -> None:
    one = Mesh(np.array(jax.devices()[:1]), ("fsdp",))
    assert choose_sharding(("decoder", "embedding"), (64, 16), one).spec == PartitionSpec(None, "fsdp")


def test_explicit_axes_become_automatic() -> None:
    # Under explicit axes, jax.make_mesh's default, a product of two split arrays would be an error.
    made = jax.make_mesh((1,), ("fsdp",))
    sharding = choose_sharding(("decoder", "embedding"), (64, 16), made)
    assert set(sharding.mesh.axis_types) == {jax.sharding.AxisType.Auto}
