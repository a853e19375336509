"""The model files beside this module: found, checked, run.

They are the files of MediaPipe 0.10.21, unchanged (models/NOTICE says where each is from); their cards describe
BlazePose (arXiv:2006.10204) and MediaPipe Hands (arXiv:2006.10214).
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray

from ..errors import IsyaratError
from .native_log import mute_native_log

FOLDER = Path(__file__).parent / "models"
DETECTOR = "pose_detection.tflite"
BODY = "pose_landmark_full.tflite"
HAND_RECROP = "hand_recrop.tflite"
HAND = "hand_landmark_lite.tflite"
SHA256 = {
    DETECTOR: "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c",
    BODY: "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
    HAND_RECROP: "67d996ce96f9d36fe17d2693022c6da93168026ab2f028f9e2365398d8ac7d5d",
    HAND: "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
}

Tensor = NDArray[np.float32]


@cache
def find_model(name: str, folder: Path = FOLDER) -> Path:
    """The path of a model file, whose content was checked (once per process).

    Raises:
        IsyaratError: the file is missing or is not the one that was tested.
    """
    path = folder / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise IsyaratError(
            f"{path}: the model of the pose cannot be read ({error.strerror}); install isyarat again."
        ) from error
    if hashlib.sha256(content).hexdigest() != SHA256[name]:
        raise IsyaratError(f"{path}: the model of the pose is damaged; install isyarat again.")
    return path


class Model:
    """One model file, loaded. Not for several threads at once.

    Arguments:
        name: one of the file names above.
        threads: of the runtime.

    Raises:
        IsyaratError: the file is missing or damaged, or LiteRT cannot run it.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        path = find_model(name)
        try:
            with mute_native_log():
                self._interpreter = Interpreter(model_path=str(path), num_threads=threads)
                self._interpreter.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            raise IsyaratError(f"{path}: LiteRT cannot run the model of the pose; install isyarat again.") from error
        (entry,) = self._interpreter.get_input_details()
        self._input = entry["index"]
        self.side = int(entry["shape"][1])
        self._outputs = {str(o["name"]): o["index"] for o in self._interpreter.get_output_details()}

    def run(self, image_SxSx3: Tensor, *names: str) -> tuple[Tensor, ...]:
        """The outputs of these names, without the dimension of the batch, for one float32 picture of `side` pixels."""
        self._interpreter.set_tensor(self._input, image_SxSx3[None])
        self._interpreter.invoke()
        return tuple(self._interpreter.get_tensor(self._outputs[name])[0] for name in names)
