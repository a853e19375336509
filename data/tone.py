"""HDR and wide-gamut pictures as SDR: what an SDR camera would have shown of the same scene.

Signals are turned into light (PQ and HLG: ITU-R BT.2100-2, tables 4 and 5), the range above SDR white is compressed
(BT.2390-11, 5.4.1, on the largest of R, G and B, so that hues stay), the primaries become those of BT.709 (BT.2087-0
for BT.2020), and the light is encoded for an SDR screen (BT.1886). SDR white is the reference white of HDR production,
203 cd/m2 (BT.2408-7, 2.1). Everything that depends on one number alone is a table, made once.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TypeVar, cast

import cv2
import numpy as np
from numpy.typing import NDArray

Light = NDArray[np.float32]
Pixels = TypeVar("Pixels", NDArray[np.uint16], NDArray[np.float32])

WHITE_NITS = 203.0
# Peak of an HLG screen (BT.2100) and of the PQ that phones and most gradings write; brighter light is clipped.
PEAK_NITS = 1000.0
# gamma of an HLG screen of that peak (BT.2100, table 5, note 5e), and of an SDR screen (BT.1886).
HLG_GAMMA = 1.2
SDR_GAMMA = 2.4

# Steps of the tables. 12 bits tell every value of 10-bit video apart.
STEPS = 4096

# Pixels at a time: what is computed between the tables stays in the cache of a core, which is three times as fast.
STRIP_PIXELS = 16_384

# Chromaticities x, y of red, green, blue (BT.709, BT.2020, SMPTE RP 431-2 / EG 432-1); white is D65 in all.
BT709 = ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060))
BT2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
D65 = (0.3127, 0.3290)
Primaries = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


class Transfer(Enum):
    """How light was turned into a signal."""

    SDR = "SDR"
    PQ = "PQ"
    HLG = "HLG"


def map_tones(signal_HxWx3: NDArray[np.uint16], transfer: Transfer, primaries: Primaries) -> NDArray[np.uint8]:
    """SDR picture in BT.709 primaries.

    Arguments:
        signal_HxWx3: uint16 R'G'B', full range, encoded by `transfer` in `primaries`.

    Returns:
        HxWx3 uint8 RGB.
    """
    height, width = signal_HxWx3.shape[:2]
    rows = max(1, STRIP_PIXELS // width)
    strips = [map_strip(signal_HxWx3[y : y + rows], transfer, primaries) for y in range(0, height, rows)]
    return np.concatenate(strips)


def map_strip(signal_HxWx3: NDArray[np.uint16], transfer: Transfer, primaries: Primaries) -> NDArray[np.uint8]:
    """`map_tones` of a few rows."""
    codes = np.asarray(signal_HxWx3 >> 4, np.uint16)
    light = np.take(light_table(transfer), codes)
    if transfer is Transfer.PQ:
        light = scale(light, np.take(pq_gain_table(), find_largest(codes)))
    elif transfer is Transfer.HLG:
        light = scale(light, gain_hlg(light, primaries))
    light = np.asarray(cv2.transform(light, convert_primaries(primaries)), np.float32)
    # Square roots spread the dark steps that a screen shows apart; negative light lies outside BT.709.
    roots = cv2.sqrt(np.clip(light, 0.0, 1.0)) * np.float32(STEPS - 1) + np.float32(0.5)
    return np.take(code_table(), roots.astype(np.uint16))


def scale(light_HxWx3: Light, gain_HxW: Light) -> Light:
    """Every pixel times its factor."""
    return np.asarray(cv2.multiply(light_HxWx3, cv2.merge((gain_HxW, gain_HxW, gain_HxW))), np.float32)


def find_largest(image_HxWx3: Pixels) -> Pixels:
    """HxW: the largest of R, G and B."""
    red, green, blue = cv2.split(image_HxWx3)
    return cast("Pixels", cv2.max(cv2.max(red, green), blue))


def gain_hlg(scene_HxWx3: Light, primaries: Primaries) -> Light:
    """HxW factors that turn the light of a scene (0..1) into the light of an SDR screen (1 is its white).

    The first part is the OOTF of BT.2100 (a power of the luminance), the second compresses.
    """
    weights = to_xyz(primaries)[1].astype(np.float32)
    luminance = cv2.transform(scene_HxWx3, weights[None])
    ootf = cv2.pow(np.maximum(luminance, np.float32(1e-6)), HLG_GAMMA - 1)
    largest = np.minimum(find_largest(scene_HxWx3) * ootf, np.float32(1.0))
    roots = cv2.sqrt(largest) * np.float32(STEPS - 1) + np.float32(0.5)
    return np.asarray(ootf * np.take(hlg_gain_table(), roots.astype(np.uint16)), np.float32)


@cache
def light_table(transfer: Transfer) -> Light:
    """Light of each signal value: scene light 0..1 for HLG, otherwise screen light with 1 at SDR white."""
    signal = np.arange(STEPS) / (STEPS - 1)
    match transfer:
        case Transfer.PQ:
            light = pq_to_nits(signal) / WHITE_NITS
        case Transfer.HLG:
            light = hlg_to_scene(signal)
        case Transfer.SDR:
            light = signal**SDR_GAMMA
    return light.astype(np.float32)


@cache
def pq_gain_table() -> Light:
    """Compression by the PQ signal of the largest component."""
    nits = pq_to_nits(np.arange(STEPS) / (STEPS - 1))
    return find_gain(nits)


@cache
def hlg_gain_table() -> Light:
    """Screen light of SDR over light of an HLG screen (1 is its peak), by the root of the latter."""
    nits = PEAK_NITS * (np.arange(STEPS) / (STEPS - 1)) ** 2
    return find_gain(nits) * np.float32(PEAK_NITS / WHITE_NITS)


@cache
def code_table() -> NDArray[np.uint8]:
    """SDR code (BT.1886) by the root of the light."""
    roots = np.arange(STEPS) / (STEPS - 1)
    return np.round(255 * roots ** (2 / SDR_GAMMA)).astype(np.uint8)


def find_gain(nits: NDArray[np.float64]) -> Light:
    """Factors that bring light below SDR white: compressed over given."""
    floor = np.maximum(nits, 1e-6)
    return (compress(floor) / floor).astype(np.float32)


def compress(nits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The EETF of BT.2390-11, 5.4.1, from PEAK_NITS to WHITE_NITS: nothing below the knee, a spline above it."""
    peak, white = float(nits_to_pq(np.array(PEAK_NITS))), float(nits_to_pq(np.array(WHITE_NITS)))
    signal = np.minimum(nits_to_pq(nits) / peak, 1.0)
    most = white / peak
    knee = 1.5 * most - 0.5
    t = np.maximum(signal - knee, 0.0) / (1 - knee)
    spline = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (-2 * t**3 + 3 * t**2) * most
    return pq_to_nits(np.where(signal < knee, signal, spline) * peak)


# Constants of PQ (BT.2100-2, table 4) and of HLG (table 5).
M1, M2 = 2610 / 16384, 2523 / 4096 * 128
C1, C2, C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
A, B, C = 0.17883277, 0.28466892, 0.55991073


def pq_to_nits(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    """EOTF of PQ: signal 0..1 to cd/m2."""
    root = signal ** (1 / M2)
    return 10_000 * (np.maximum(root - C1, 0.0) / (C2 - C3 * root)) ** (1 / M1)


def nits_to_pq(nits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse EOTF of PQ: cd/m2 to signal 0..1."""
    root = (nits / 10_000) ** M1
    return np.asarray(((C1 + C2 * root) / (1 + C3 * root)) ** M2, np.float64)


def hlg_to_scene(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse OETF of HLG: signal 0..1 to scene light 0..1."""
    return np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - C) / A) + B) / 12)


@cache
def to_xyz(primaries: Primaries) -> NDArray[np.float64]:
    """3x3 matrix from linear RGB of these primaries and white D65 to CIE XYZ (SMPTE RP 177)."""
    columns = np.array([[x / y, 1.0, (1 - x - y) / y] for x, y in primaries]).T
    x, y = D65
    scale = np.linalg.solve(columns, np.array([x / y, 1.0, (1 - x - y) / y]))
    return np.asarray(columns * scale, np.float64)


@cache
def convert_primaries(primaries: Primaries) -> Light:
    """3x3 matrix from linear RGB of `primaries` to that of BT.709."""
    return np.asarray(np.linalg.solve(to_xyz(BT709), to_xyz(primaries)), np.float32)
