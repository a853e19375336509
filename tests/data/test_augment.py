"""Augmentation: the same change for all cells, and a green screen gives way to a wall."""

from __future__ import annotations

import numpy as np
import pytest
from isyarat.data.augment import AugmentSettings, augment_cells, draw_wall, find_green, replace_green, tone_table
from isyarat.data.video import Image

STILL = AugmentSettings(zoom=0, shift=0, rotation=0, exposure=0, tint=0, contrast=0, blur=0, background=0)
GREEN = (30, 200, 60)
SKIN = (200, 150, 120)


def paint_cells(wall: tuple[int, int, int] = GREEN, count: int = 9, size: int = 64) -> Image:
    """A signer of one colour before a wall of another."""
    cells = np.empty((count, size, size, 3), np.uint8)
    cells[:] = wall
    cells[:, 16:, 20:44] = SKIN
    return cells


def test_shape_type_and_input_untouched() -> None:
    cells = paint_cells()
    before = cells.copy()
    changed = augment_cells(cells, np.random.default_rng(0))
    assert changed.shape == cells.shape
    assert changed.dtype == np.uint8
    assert np.array_equal(cells, before)
    assert not np.array_equal(changed, cells)


def test_seed_reproduces() -> None:
    cells = paint_cells()
    first, second, other = (augment_cells(cells, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_settings_of_nothing_change_nothing() -> None:
    cells = np.random.default_rng(0).integers(0, 256, (9, 64, 64, 3), np.uint8)
    changed = augment_cells(cells, np.random.default_rng(0), STILL)
    assert np.abs(changed.astype(int) - cells).max() <= 1  # rounding of the look-up table


@pytest.mark.parametrize("seed", range(5))
def test_all_cells_change_alike(seed: int) -> None:
    """Nine equal cells stay equal: movement between cells must come from the signer alone."""
    changed = augment_cells(paint_cells(), np.random.default_rng(seed))
    assert all(np.array_equal(changed[0], cell) for cell in changed[1:])


def test_left_and_right_are_never_swapped() -> None:
    cells = paint_cells((90, 90, 90))
    cells[:, :, :16] = 0, 0, 250
    for seed in range(20):
        changed = augment_cells(cells, np.random.default_rng(seed)).astype(int)
        blue = changed[..., 2] - changed[..., 0]
        assert blue[..., :16].mean() > blue[..., 48:].mean()


def test_find_green() -> None:
    assert np.array_equal(find_green(paint_cells()), (paint_cells() == GREEN).all(-1))
    assert not find_green(paint_cells((120, 120, 120))).any()


def test_green_screen_is_replaced_and_the_signer_stays() -> None:
    cells = paint_cells()
    changed = replace_green(cells, np.random.default_rng(0))
    signer = (cells == SKIN).all(-1)
    assert np.array_equal(changed[signer], cells[signer])
    assert not find_green(changed).any()
    assert np.array_equal(changed[0], changed[8])  # one wall for the whole sign


def test_pictures_without_a_screen_stay() -> None:
    grey = paint_cells((120, 120, 120))
    assert replace_green(grey, np.random.default_rng(0)) is grey
    grey[:, :10, :10] = GREEN  # a plant
    assert replace_green(grey, np.random.default_rng(0)) is grey


def test_tone_table() -> None:
    table = tone_table(np.random.default_rng(0), STILL)
    assert table.shape == (1, 256, 3)
    assert np.abs(table[0, :, 0].astype(int) - np.arange(256)).max() <= 1
    for seed in range(20):
        table = tone_table(np.random.default_rng(seed), AugmentSettings())
        assert np.all(np.diff(table[0].astype(int), axis=0) >= 0)  # brighter stays brighter


def test_walls() -> None:
    walls = [draw_wall(64, np.random.default_rng(seed)) for seed in range(30)]
    assert all(wall.shape == (64, 64, 3) and wall.dtype == np.uint8 for wall in walls)
    means = np.array([wall.mean() for wall in walls])
    assert means.std() > 20  # dark and bright ones
