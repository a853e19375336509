"""What native code writes to stderr while it is muted is lost, and only that."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from isyarat.data.pose.native_log import mute_native_log


def test_it_mutes_and_restores(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(2, b"before ")
    with mute_native_log():
        os.write(2, b"muted ")
    os.write(2, b"after")
    assert capfd.readouterr().err == "before after"


def test_an_error_restores(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="inside"), mute_native_log():
        raise ValueError("inside")
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_threads_that_mute_together_restore(capfd: pytest.CaptureFixture[str]) -> None:
    def mute(_: int) -> None:
        with mute_native_log():
            os.write(2, b"muted")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(mute, range(64)))
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_the_user_sees_nothing_of_the_runtime() -> None:
    code = (
        "import numpy as np\n"
        "from isyarat.data.pose import PoseTracker\n"
        "assert PoseTracker().estimate(np.zeros((64, 64, 3), np.uint8)) is None\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_closed_stderr_does_no_harm() -> None:
    code = "import os\nos.close(2)\nfrom isyarat.data.pose import PoseTracker\nPoseTracker()\nprint('loaded')"
    result = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    assert result.stdout == "loaded\n"
