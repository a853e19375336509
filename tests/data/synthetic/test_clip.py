"""Written clips: readable, timed correctly, whole or absent."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.synthetic import Scene, perform, write_clip


@pytest.mark.parametrize("fps", [30.0, 29.97, 12.5])
def test_round_trip(tmp_path: Path, fps: float) -> None:
    performance = perform(["KAMU"], scene=Scene(width=160, height=120, fps=fps), rest_s=0.3, seed=1)
    path = write_clip(tmp_path / "new" / "kamu.mp4", performance)
    assert [p.name for p in path.parent.iterdir()] == ["kamu.mp4"]
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert stream.duration is not None
        assert stream.time_base is not None
        duration_s = float(stream.duration * stream.time_base)
        frames = list(container.decode(stream))
    assert duration_s == pytest.approx(performance.duration_s, abs=1.5 / fps)
    assert len(frames) == performance.frame_count
    wanted = [(time_s, image) for time_s, image in performance.frames()]
    times = [frame.time for frame in frames]
    assert np.allclose(np.array(times, float), [time_s for time_s, _ in wanted], atol=2e-3)
    middle = len(frames) // 2
    error = np.abs(frames[middle].to_ndarray(format="rgb24").astype(int) - wanted[middle][1])
    assert error.mean() < 6


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    performance = perform(["KAMU"], scene=Scene(width=160, height=120))
    target = tmp_path / "kamu.mp4"
    target.write_bytes(b"old")
    with pytest.raises(IsyaratError, match="libx264"):
        write_clip(target, performance, codec="no_such_codec")
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["kamu.mp4"]
