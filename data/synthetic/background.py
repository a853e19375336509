"""The picture behind the signer, painted once."""

from __future__ import annotations

import cv2
import numpy as np

from .scene import Scene
from .vectors import Image

MARGIN = 12  # pixels around the picture for a shaking camera


def paint_background(scene: Scene) -> Image:
    """The background [H+2*MARGIN, W+2*MARGIN, 3] in even light."""
    rng = np.random.default_rng(scene.seed)
    height, width = scene.height + 2 * MARGIN, scene.width + 2 * MARGIN
    y_H = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    x_W = np.linspace(-1, 1, width, dtype=np.float32)[None]
    colour = np.array((30, 150, 50) if scene.background == "green" else scene.colour, np.float32)
    picture = np.broadcast_to(colour, (height, width, 3)).copy()
    if scene.background != "plain":
        # Light falls off from the lamp's side.
        fall = 1.0 - 0.13 * ((x_W - 0.8 * scene.light_side) ** 2 * 0.5 + (y_H + 0.5) ** 2 * 0.4)
        if scene.background == "gradient":
            fall *= 1.0 + 0.28 * (rng.uniform(-1, 1) * y_H + rng.uniform(-1, 1) * x_W)
        picture *= fall[..., None]
    if scene.background in ("wall", "room", "green"):
        picture += _texture(rng, height, width)[..., None] * (1.5 if scene.background == "green" else 2.6)
    painted = np.asarray(np.clip(picture, 0, 255), np.uint8)
    if scene.background == "room":
        _furnish(painted, rng)
    elif scene.background == "wall" and rng.random() < 0.6:
        _scratch(painted, rng)
    return painted


def _texture(rng: np.random.Generator, height: int, width: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Blotches of several sizes, standard deviation about 1."""
    total = np.zeros((height, width), np.float32)
    for cell, weight in ((64, 1.0), (16, 0.45), (4, 0.2)):
        coarse = rng.normal(0, weight, (height // cell + 2, width // cell + 2)).astype(np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return total


def _scratch(picture: Image, rng: np.random.Generator) -> None:
    """A skirting board, a socket, a few marks on the wall."""
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(1, 5))):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        cv2.circle(picture, (x, y), int(rng.integers(1, 3)), (120, 112, 104), -1, cv2.LINE_AA)
    if rng.random() < 0.4:
        x, y = int(rng.choice([0.1, 0.86]) * width), int(rng.uniform(0.3, 0.8) * height)
        cv2.rectangle(picture, (x, y), (x + 14, y + 20), (232, 230, 226), -1)
        cv2.rectangle(picture, (x, y), (x + 14, y + 20), (170, 166, 160), 1)


def _furnish(picture: Image, rng: np.random.Generator) -> None:
    """Doors, shelves, pictures, plants: a few blurred things of any colour."""
    height, width = picture.shape[:2]

    def colour(low: int, high: int) -> tuple[int, int, int]:
        r, g, b = rng.integers(low, high, 3).tolist()
        return r, g, b

    def box(place: tuple[float, float, float, float], rgb: tuple[int, int, int], line: bool = True) -> None:
        x, y, w, h = place
        a, b = (int(x * width), int(y * height)), (int((x + w) * width), int((y + h) * height))
        cv2.rectangle(picture, a, b, rgb, -1)
        if line:
            cv2.rectangle(picture, a, b, tuple(c // 2 for c in rgb), 1, cv2.LINE_AA)

    x = float(rng.choice([0.02, 0.72]))
    if rng.random() < 0.5:
        box((x, 0.1, 0.26, 0.95), colour(60, 200))  # a door
    else:
        box((x, 0.08, 0.25, 0.4), colour(150, 250))  # a window
        box((x + 0.12, 0.08, 0.01, 0.4), (90, 90, 90), line=False)
    other = 0.74 - x
    for row in range(int(rng.integers(1, 4))):  # shelves with books
        y = 0.15 + 0.24 * row
        box((other - 0.04, y + 0.14, 0.3, 0.018), colour(50, 140))
        left = other - 0.03
        while left < other + 0.22:
            w = float(rng.uniform(0.012, 0.04))
            top = float(rng.uniform(0.02, 0.07))
            box((left, y + top, w, 0.14 - top), colour(20, 240))
            left += w + float(rng.uniform(0.0, 0.03))
    if rng.random() < 0.6:
        box((float(rng.uniform(0.3, 0.6)), 0.05, 0.12, 0.2), colour(40, 240))  # a picture behind the head
    if rng.random() < 0.5:
        box((0.0, 0.86, 1.0, 0.2), colour(60, 160), line=False)  # a sofa or a table
    for _ in range(int(rng.integers(0, 10))):  # a plant
        foot = np.array([other + 0.1, 0.8]) * (width, height)
        tip = foot + rng.normal(0, 1, 2) * (0.07 * width, 0.05 * height) - (0, 0.15 * height)
        cv2.line(
            picture,
            tuple(foot.astype(int).tolist()),
            tuple(tip.astype(int).tolist()),
            (40, int(rng.integers(70, 140)), 50),
            5,
            cv2.LINE_AA,
        )
    picture[:] = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.6, 2.2)))
