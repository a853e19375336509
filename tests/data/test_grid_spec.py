"""Geometry: no patch mixes two frames, whatever the sizes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from isyarat.data.errors import IsyaratError
from isyarat.data.grid_spec import GridSpec, starts


@pytest.mark.parametrize(
    ("image_size", "patch_size", "first_patches", "cell_size"),
    [(224, 16, [0, 5, 10], 64), (224, 14, [0, 5, 11], 70), (448, 14, [0, 11, 22], 140)],
)
def test_known_geometries(image_size: int, patch_size: int, first_patches: list[int], cell_size: int) -> None:
    spec = GridSpec(image_size, patch_size)
    assert spec.cell_size == cell_size
    pixels = [patch * patch_size for patch in first_patches]
    assert spec.origins() == [(y, x) for y in pixels for x in pixels]


def test_pixels_of_the_default() -> None:
    assert {y for y, _ in GridSpec().origins()} == {0, 80, 160}
    assert GridSpec().frames == 9


@given(st.integers(1, 40), st.integers(1, 20), st.integers(1, 6), st.integers(1, 6))
def test_cells_lie_on_patches_and_do_not_overlap(patches: int, patch_size: int, rows: int, columns: int) -> None:
    assume(patches >= max(rows, columns))
    spec = GridSpec(patches * patch_size, patch_size, rows, columns)
    origins = spec.origins()
    assert len(origins) == spec.frames == rows * columns
    assert spec.cell_size % patch_size == 0
    assert spec.cell_size >= patch_size
    for y, x in origins:
        assert y % patch_size == x % patch_size == 0
        assert min(y, x) >= 0
        assert max(y, x) + spec.cell_size <= spec.image_size
    for (y1, x1), (y2, x2) in itertools.combinations(origins, 2):
        assert abs(y1 - y2) >= spec.cell_size or abs(x1 - x2) >= spec.cell_size
    assert origins == sorted(origins)  # read row by row


@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 10))
def test_gutters_take_all_spare_patches_evenly(patches: int, cells: int, cell: int) -> None:
    assume(patches >= cells * cell)
    firsts = starts(patches, cells, cell)
    gaps = [b - a - cell for a, b in itertools.pairwise(firsts)]
    assert firsts[0] == 0
    if gaps:
        assert sum(gaps) == patches - cells * cell
        assert max(gaps) - min(gaps) <= 1
        assert firsts[-1] + cell == patches


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ((225, 16), "no whole number of 16-px patches"),
        ((0, 16), "positive sizes"),
        ((32, 16, 3, 3), "too few"),
        ((224, 16, 0, 3), "positive sizes"),
    ],
)
def test_numbers_that_do_not_fit(sizes: tuple[int, ...], reason: str) -> None:
    with pytest.raises(IsyaratError, match=reason):
        GridSpec(*sizes)
