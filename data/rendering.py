"""What is drawn into the cells of the motion grid: named strategies, one of which is stored in a bundle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from .errors import IsyaratError
from .video import Image

if TYPE_CHECKING:
    from .pose.track import PoseTrack
    from .pose.tracker import PoseTracker

# Longest side of the frames that are kept until a sign is over and its pose is looked for: hands of a tenth of it
# still fill the hand model's picture.
POSE_SIDE = 480


@dataclass(frozen=True, slots=True)
class Rendering:
    """One strategy. Frames pass one by one before it is known which of them a sign needs, so it has two steps.

    Attributes:
        name: as in a bundle.
        keep: (upright HxWx3 uint8 RGB frame, side of a cell in pixels) -> what has to be kept of it, HxWx3 uint8.
        draw: (what was kept of the T chosen frames, side of a cell) -> TxSxSx3 uint8 RGB cells.
        is_empty: whether cells show no hand, so that there is nothing to recognise; pixels cannot tell.
    """

    name: str
    keep: Callable[[Image, int], Image]
    draw: Callable[[Sequence[Image], int], Image]
    is_empty: Callable[[Image], bool]


def render_pixels(image: Image, size: int) -> Image:
    """The centre square of the frame, scaled by pixel area relation.

    Arguments:
        image: HxWx3 uint8 RGB.
        size: side of the cell in pixels.

    Returns:
        size x size x 3 uint8 RGB.
    """
    height, width = image.shape[:2]
    side = min(height, width)
    y, x = (height - side) // 2, (width - side) // 2
    square = image[y : y + side, x : x + side]
    return resize_image(square, size, size)


def resize_image(image: Image, width: int, height: int) -> Image:
    """Area averaging, which is exact for shrinking; enlarging (a 32-px clip) needs interpolation."""
    method = cv2.INTER_AREA if image.shape[0] >= height else cv2.INTER_LINEAR
    return cv2.resize(image, (width, height), interpolation=method).astype("uint8", copy=False)


def stack_cells(kept: Sequence[Image], size: int) -> Image:
    """Cells that are finished already."""
    return np.stack(kept)


def keep_frame(image: Image, size: int) -> Image:
    """The whole frame, its longer side `POSE_SIDE` at most."""
    height, width = image.shape[:2]
    scale = POSE_SIDE / max(height, width)
    if scale >= 1:
        return image
    return resize_image(image, max(1, round(width * scale)), max(1, round(height * scale)))


def draw_poses(kept: Sequence[Image], size: int) -> Image:
    """The signer's pose in every frame, as colours (pose/colours.py)."""
    from .pose.colours import colour_motion
    from .pose.signing_space import enter_signing_space

    return colour_motion(enter_signing_space(track_poses(kept)), size)


def lacks_hands(cells: Image) -> bool:
    """Whether no cell of a pose rendering shows a hand."""
    from .pose.colours import shows_hand

    return not shows_hand(cells)


def track_poses(frames: Sequence[Image]) -> PoseTrack:
    """The poses of one person in frames that follow each other."""
    from .pose.track import stack_poses

    tracker = start_tracker()
    return stack_poses([tracker.estimate(frame) for frame in frames])


def start_tracker() -> PoseTracker:
    """A tracker that follows nobody yet. One a thread: loading its models takes longer than a sign."""
    from .pose.tracker import PoseTracker

    tracker: PoseTracker | None = getattr(_local, "tracker", None)
    if tracker is None:
        tracker = _local.tracker = PoseTracker()
    tracker.reset()
    return tracker


_local = threading.local()

RENDERINGS: dict[str, Rendering] = {
    rendering.name: rendering
    for rendering in (
        Rendering("pixels", render_pixels, stack_cells, lambda cells: False),
        Rendering("pose", keep_frame, draw_poses, lacks_hands),
    )
}


def list_models(name: str) -> dict[str, str]:
    """SHA-256 of the model files that a rendering needs, by name."""
    if name != "pose":
        return {}
    from .pose.models import SHA256

    return dict(SHA256)


def find_rendering(name: str) -> Rendering:
    """The rendering of that name.

    Raises:
        IsyaratError: there is none; the message lists those there are.
    """
    if name not in RENDERINGS:
        raise IsyaratError(f"There is no rendering {name!r}; choose one of: {', '.join(sorted(RENDERINGS))}.")
    return RENDERINGS[name]
