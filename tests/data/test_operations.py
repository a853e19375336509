"""Operations: stored, made again to the byte, and each does what its name says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isyarat.data.grid_spec import GridSpec
from isyarat.data.motion_grid import split_grid
from isyarat.data.operations import (
    Affine,
    Background,
    Blur,
    Compression,
    Drop,
    Jitter,
    Light,
    Mirror,
    Noise,
    Operation,
    Speed,
    draw_operations,
    draw_variant,
    list_operations,
    parse_operations,
)
from isyarat.data.rendering import find_rendering
from isyarat.data.segment import Segment
from isyarat.data.sign import Sign
from isyarat.data.video import Image
from pydantic import ValidationError

SPEC = GridSpec()
GREEN = (30, 200, 60)


def make_sign(fps: float = 25.0, seconds: float = 2.0) -> Sign:
    """A sign whose frame k has the grey level k, but for a texture at the top left."""
    count = round(fps * seconds)
    cells = np.empty((count, 64, 64, 3), np.uint8)
    cells[:] = np.arange(count)[:, None, None, None] + 40
    cells[:, :20, :20] = np.random.default_rng(0).integers(0, 255, (20, 20, 3))
    return Sign(Segment(0.4, seconds - 0.4), np.arange(count) / fps, list(cells), find_rendering("pixels"))


def read_frames(image: Image) -> list[int]:
    """Numbers of the frames in the cells."""
    return [int(cell[50, 50, 0]) - 40 for cell in split_grid(image, SPEC)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4))
def test_stored_operations_make_the_grid_again(seed: list[int]) -> None:
    sign = make_sign()
    operations = draw_operations(seed)
    stored = json.loads(json.dumps(list_operations(operations)))
    assert parse_operations(stored) == operations == draw_operations(seed)
    first, again = draw_variant(sign, SPEC, operations), draw_variant(sign, SPEC, parse_operations(stored))
    assert np.array_equal(first.image, again.image)
    assert first.times_s == again.times_s == tuple(sorted(first.times_s))


def test_no_operation_is_the_plain_grid() -> None:
    sign = make_sign()
    plain = draw_variant(sign, SPEC, [])
    for nothing in (Jitter(start_s=0, end_s=0), Speed(factor=1, bend=1), Drop(share=0, seed=1), Light(ev=0)):
        assert np.array_equal(draw_variant(sign, SPEC, [nothing]).image, plain.image)


def test_all_kinds_are_drawn() -> None:
    drawn = [operation for seed in range(60) for operation in draw_operations([seed])]
    kinds = {type(operation) for operation in drawn}
    assert kinds == {Jitter, Speed, Drop, Mirror, Background, Affine, Light, Blur, Noise, Compression}
    light = [operation.ev for operation in drawn if isinstance(operation, Light)]
    assert -2 <= min(light) < -1.7
    assert 1.7 < max(light) <= 2


def test_time() -> None:
    sign = make_sign()
    plain = read_frames(draw_variant(sign, SPEC, []).image)
    later = read_frames(draw_variant(sign, SPEC, [Jitter(start_s=0.2, end_s=0.2)]).image)
    assert all(abs(b - a - 5) <= 1 for a, b in zip(plain, later, strict=True))  # a slot midway may round either way
    slow_start = read_frames(draw_variant(sign, SPEC, [Speed(factor=1, bend=1.3)]).image)
    assert (slow_start[0], slow_start[-1]) == (plain[0], plain[-1])
    assert all(b < a for a, b in zip(plain[1:-1], slow_start[1:-1], strict=True))
    fast = read_frames(draw_variant(sign, SPEC, [Speed(factor=5, bend=1)]).image)
    assert set(fast) <= set(range(0, 50, 5))
    dropped = draw_variant(sign, SPEC, [Drop(share=0.9, seed=3)])
    assert len(set(read_frames(dropped.image))) < 7
    assert draw_variant(sign, SPEC, [Drop(share=0.999999, seed=3)]).times_s == (0.0,) * 9


@pytest.mark.parametrize("ev", [-2.0, -1.0, 1.0, 2.0])
def test_light_is_linear(ev: float) -> None:
    """A stop doubles the light, not the pixel value: 2^(1/2.2) in the sRGB curve."""
    cells = np.full((9, 8, 8, 3), 60, np.uint8)
    changed = Light(ev=ev).change(cells)
    assert abs(float(changed.mean()) - 60 * 2 ** (ev / 2.2)) <= 0.6


def test_mirror_and_background() -> None:
    cells = np.empty((9, 64, 64, 3), np.uint8)
    cells[:] = GREEN
    cells[:, 16:, 10:30] = 200, 150, 120
    assert np.array_equal(Mirror().change(cells)[:, :, ::-1], cells)
    walled = Background(seed=4).change(cells)
    assert np.array_equal(walled[:, 16:, 10:30], cells[:, 16:, 10:30])
    assert not (walled == GREEN).all(-1).any()
    grey = np.full_like(cells, 128)
    assert Background(seed=4).change(grey) is grey


@pytest.mark.parametrize(
    "operation",
    [
        Blur(sigma=1),
        Noise(sigma=8, seed=1),
        Compression(quality=30),
        Affine(rotation=5, zoom=1.1, shift_x=0.05, shift_y=0),
    ],
)
def test_pictures_change_a_little(operation: Operation) -> None:
    cells = np.stack(make_sign().kept[:9])
    before = cells.copy()
    changed = operation.change(cells)
    assert changed.dtype == np.uint8
    assert changed.shape == cells.shape
    assert np.array_equal(cells, before)
    assert 0.5 < np.abs(changed.astype(int) - cells).mean() < 25


@pytest.mark.parametrize("seed", range(8))
def test_frames_need_not_be_square(seed: int) -> None:
    """Some renderings keep whole frames, and draw the cells after the operations."""
    frames = np.empty((9, 48, 80, 3), np.uint8)
    frames[:] = GREEN
    frames[:, 20:, 30:50] = 200, 150, 120
    for operation in draw_operations([seed]):
        frames = operation.change(frames)
    assert frames.shape == (9, 48, 80, 3)


def test_noise_differs_from_cell_to_cell() -> None:
    noisy = Noise(sigma=8, seed=1).change(np.full((9, 32, 32, 3), 100, np.uint8)).astype(float) - 100
    assert abs(noisy.std() - 8) < 0.3
    assert abs(np.corrcoef(noisy[0].ravel(), noisy[1].ravel())[0, 1]) < 0.1


@pytest.mark.parametrize("row", [{"op": "dance"}, {"op": "light", "ev": 9}, {"op": "mirror", "x": 1}, {"ev": 1}])
def test_what_is_no_operation(row: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parse_operations([row])
