"""Geometry of a motion grid: where each cell lies, so that no patch of the encoder mixes two frames."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from .errors import IsyaratError

# Largest side of a motion grid in pixels: PaliGemma reads 896.
LARGEST = 4096


@dataclass(frozen=True, slots=True)
class GridSpec:
    """A square picture of `rows` x `columns` cells on a patch raster.

    Every cell starts on a patch boundary and is a whole number of patches wide. Patches that are left over become
    gutters between the cells: shared out evenly, the later gaps taking the remainder. So 224 px in 16-px patches has
    64-px cells at 0, 80 and 160; 224 px in 14-px patches has 70-px cells at patches 0, 5 and 11; 448 px has 140-px
    cells at patches 0, 11 and 22.

    Arguments:
        image_size: side of the picture in pixels.
        patch_size: side of a patch in pixels; must divide `image_size`.
        rows, columns: cells; read row by row, left to right, they are frames in time.

    Raises:
        IsyaratError: the numbers do not fit together.
    """

    image_size: int = 224
    patch_size: int = 16
    rows: int = 3
    columns: int = 3

    def __post_init__(self) -> None:
        if min(self.image_size, self.patch_size, self.rows, self.columns) < 1:
            raise IsyaratError(
                "A motion grid needs positive sizes; give image_size, patch_size, rows and columns >= 1."
            )
        if self.image_size > LARGEST:
            raise IsyaratError(
                f"A motion grid of {self.image_size} px is too large; choose image_size up to {LARGEST}."
            )
        if self.image_size % self.patch_size:
            raise IsyaratError(
                f"A picture of {self.image_size} px is no whole number of {self.patch_size}-px patches; "
                f"choose image_size as a multiple of patch_size."
            )
        if self.image_size // self.patch_size < max(self.rows, self.columns):
            raise IsyaratError(
                f"{self.image_size // self.patch_size} patches a side are too few for "
                f"{self.rows} x {self.columns} cells; choose a larger picture or smaller patches."
            )

    @property
    def patches(self) -> int:
        """Patches a side."""
        return self.image_size // self.patch_size

    @property
    def frames(self) -> int:
        """Cells in the picture = frames of one sign."""
        return self.rows * self.columns

    @property
    def cell_size(self) -> int:
        """Side of a (square) cell in pixels."""
        return self.patches // max(self.rows, self.columns) * self.patch_size

    def origins(self) -> list[tuple[int, int]]:
        """(y, x) of the upper left pixel of every cell, in the order of time."""
        cell = self.cell_size // self.patch_size
        ys, xs = starts(self.patches, self.rows, cell), starts(self.patches, self.columns, cell)
        return [(y * self.patch_size, x * self.patch_size) for y in ys for x in xs]


def starts(patches: int, cells: int, cell: int) -> list[int]:
    """First patch of each of `cells` runs of `cell` patches, with the spare patches as gaps between them."""
    spare, gaps = patches - cells * cell, cells - 1
    sizes = [(spare * (i + 1)) // gaps - (spare * i) // gaps for i in range(gaps)]
    return [0, *accumulate(cell + gap for gap in sizes)]
