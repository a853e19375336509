"""Tone mapping against the numbers of the standards, and what a viewer would see."""

from __future__ import annotations

import numpy as np
import pytest
from av.video.reformatter import ColorTrc
from isyarat.data.tone import (
    BT709,
    BT2020,
    P3,
    Transfer,
    compress,
    convert_primaries,
    hlg_to_scene,
    map_tones,
    nits_to_pq,
    pq_to_nits,
)
from numpy.typing import NDArray

from .recorder import grade_hdr


def fill(signal: float | tuple[float, float, float]) -> NDArray[np.uint16]:
    return np.full((2, 3, 3), np.round(np.array(signal) * 65535), np.uint16)


def test_pq_against_the_table_of_the_standard() -> None:
    """BT.2408-7, table 1: 203 cd/m2 is 58 % of PQ; 100 is 51 %, 1000 is 75 %."""
    assert nits_to_pq(np.array([100.0, 203.0, 1000.0, 10_000.0])) == pytest.approx(
        [0.508, 0.581, 0.752, 1.0], abs=0.001
    )
    nits = np.array([0.0, 0.01, 1.0, 203.0, 10_000.0])
    assert pq_to_nits(nits_to_pq(nits)) == pytest.approx(nits, rel=1e-6, abs=1e-5)


def test_hlg_against_the_standard() -> None:
    """BT.2100-2, table 5: half the signal is a twelfth of the light, the whole is all of it."""
    assert hlg_to_scene(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.0, 1 / 12, 1.0], abs=1e-6)


def test_compression_keeps_the_dark_and_ends_at_white() -> None:
    nits = np.array([0.1, 5.0, 50.0, 85.0])
    assert compress(nits) == pytest.approx(nits, rel=1e-6)
    bright = compress(np.array([100.0, 203.0, 500.0, 1000.0, 4000.0]))
    assert np.all(np.diff(bright) >= -1e-9)
    assert bright[-2:] == pytest.approx([203.0, 203.0], rel=1e-6)


@pytest.mark.parametrize(("transfer", "signal"), [(Transfer.PQ, 0.581), (Transfer.HLG, 0.75)])
def test_reference_white_is_nearly_white(transfer: Transfer, signal: float) -> None:
    """Paper white stays bright, and leaves room for lamps above it (BT.2408-7, table 1)."""
    image = map_tones(fill(signal), transfer, BT2020)
    assert 205 <= image.min() <= image.max() <= 235


@pytest.mark.parametrize("transfer", Transfer)
def test_ends_of_the_range(transfer: Transfer) -> None:
    assert map_tones(fill(0.0), transfer, BT2020).max() == 0
    assert map_tones(fill(1.0), transfer, BT2020).min() >= 254


@pytest.mark.parametrize("transfer", Transfer)
def test_grey_stays_grey_and_more_light_is_no_darker(transfer: Transfer) -> None:
    ramp = np.repeat(np.linspace(0, 65535, 256).astype(np.uint16)[None, :, None], 3, axis=2)
    image = map_tones(ramp, transfer, BT2020).astype(int)
    assert np.ptp(image, axis=2).max() <= 1
    assert np.diff(image[0, :, 0]).min() >= 0
    assert np.diff(image[0, :, 0]).max() <= 9  # no banding


@pytest.mark.parametrize("trc", [ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67])
@pytest.mark.parametrize("colour", [(180, 130, 105), (95, 60, 45), (30, 90, 40), (40, 40, 150), (120, 120, 120)])
def test_skin_clothes_and_screens_come_back(trc: ColorTrc, colour: tuple[int, int, int]) -> None:
    """What lies below the knee - skin of every tone, clothes, green screens - has the colour that SDR has."""
    graded = grade_hdr(np.full((2, 3, 3), colour, np.uint8), trc)
    transfer = Transfer.PQ if trc is ColorTrc.SMPTE2084 else Transfer.HLG
    assert np.abs(map_tones(graded, transfer, BT2020).astype(int) - colour).max() <= 2


@pytest.mark.parametrize("transfer", Transfer)
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (300, 200), (3, 40_000)])
def test_any_size(transfer: Transfer, size: tuple[int, int]) -> None:
    """Large pictures are worked through in strips; each pixel stands for itself."""
    signal = np.random.default_rng(0).integers(0, 65536, (*size, 3)).astype(np.uint16)
    image = map_tones(signal, transfer, BT2020)
    assert image.shape == signal.shape
    assert image.dtype == np.uint8
    assert np.array_equal(image[-1:, -1:], map_tones(signal[-1:, -1:], transfer, BT2020))


def test_primaries_keep_white_and_agree_with_bt_2087() -> None:
    for primaries in (BT709, BT2020, P3):
        assert convert_primaries(primaries) @ np.ones(3) == pytest.approx(np.ones(3), abs=1e-5)
    assert convert_primaries(BT709) == pytest.approx(np.eye(3), abs=1e-6)
    published = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
    assert convert_primaries(BT2020) == pytest.approx(np.array(published), abs=2e-4)


def test_wide_colours_are_clipped_not_wrapped() -> None:
    """The green of BT.2020 lies outside BT.709: full green, and no red or blue."""
    assert map_tones(fill((0.0, 1.0, 0.0)), Transfer.SDR, BT2020)[0, 0].tolist() == [0, 255, 0]
