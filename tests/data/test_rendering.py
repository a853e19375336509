"""What is drawn into a cell."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.rendering import RENDERINGS, find_rendering, render_pixels


@pytest.mark.parametrize("name", RENDERINGS)
@pytest.mark.parametrize("shape", [(300, 400), (570, 320), (8, 8), (33, 47), (1, 1)])
def test_every_rendering_fills_its_cell(name: str, shape: tuple[int, int]) -> None:
    image = np.random.default_rng(0).integers(0, 256, (*shape, 3), np.uint8)
    before = image.copy()
    rendering = find_rendering(name)
    cells = rendering.draw([rendering.keep(image, 64)] * 3, 64)
    assert cells.shape == (3, 64, 64, 3)
    assert cells.dtype == np.uint8
    assert np.array_equal(image, before)


def test_pixels_are_the_centre_square() -> None:
    image = np.zeros((64, 128, 3), np.uint8)
    image[:, 32:96] = 200
    assert np.all(render_pixels(image, 64) == 200)


def test_pixels_average_areas() -> None:
    """Every second pixel white: a cell half as large is grey, not black or white."""
    image = np.zeros((128, 128, 3), np.uint8)
    image[::2, ::2] = image[1::2, 1::2] = 255
    assert np.all(np.abs(render_pixels(image, 64).astype(int) - 128) <= 1)


def test_pixels_keep_left_and_right() -> None:
    image = np.zeros((64, 64, 3), np.uint8)
    image[:, :32, 0] = 255
    cell = render_pixels(image, 16)
    assert cell[8, 2].tolist() == [255, 0, 0]
    assert cell[8, 13].tolist() == [0, 0, 0]


def test_unknown_rendering() -> None:
    with pytest.raises(IsyaratError, match=r"choose one of: .*pixels"):
        find_rendering("hologram")
