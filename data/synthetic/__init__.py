"""A synthetic signer: scripted signs by a drawn person, for tests, demonstrations and augmentation.

>>> performance = perform(["HALO", "SAYA"], seed=1)
>>> [interval.gloss for interval in performance.truth]
['HALO', 'SAYA']
"""

from .clip import write_clip
from .idle import BEHAVIOURS, idle
from .look import Look, random_look
from .performance import DISTRACTORS, GLOSSES, Interval, Performance, perform
from .scene import Scene, random_scene
from .style import Style, random_style

distractors: tuple[str, ...] = DISTRACTORS  # signs that are no word: a recogniser has to refuse them

__all__ = [
    "BEHAVIOURS",
    "DISTRACTORS",
    "GLOSSES",
    "Interval",
    "Look",
    "Performance",
    "Scene",
    "Style",
    "distractors",
    "idle",
    "perform",
    "random_look",
    "random_scene",
    "random_style",
    "write_clip",
]
