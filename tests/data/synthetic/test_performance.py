"""Performances: the same for the same seed, drawn when asked for, and true about what was signed when."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.synthetic import (
    DISTRACTORS,
    GLOSSES,
    Look,
    Performance,
    Scene,
    Style,
    distractors,
    perform,
    random_look,
    random_scene,
    random_style,
)
from isyarat.data.synthetic.figure import Figure
from isyarat.data.synthetic.pose import STRONG, WEAK

SMALL = Scene(width=160, height=120, noise=0.0)
Images = npt.NDArray[np.uint8]


def film(performance: Performance) -> Images:
    """All frames [T,H,W,3]."""
    return np.stack([image for _, image in performance.frames()])


def test_glosses() -> None:
    assert len(GLOSSES) == 26
    assert {"APA", "TERIMA_KASIH", "SELAMAT_PAGI", "TULI"} <= set(GLOSSES)
    assert len(distractors) >= 8
    assert distractors == DISTRACTORS
    assert not set(distractors) & set(GLOSSES)


def test_same_seed_same_frames() -> None:
    scene = Scene(width=160, height=120, shake=1.0)
    performance = perform(["SAYA"], scene=scene, rest_s=0.2, seed=5)
    frames = film(performance)
    assert np.array_equal(frames, film(performance)), "a second pass differs"
    assert np.array_equal(frames, film(perform(["SAYA"], scene=scene, rest_s=0.2, seed=5)))
    other = film(perform(["SAYA"], scene=scene, rest_s=0.2, seed=6))
    assert other.shape != frames.shape or not np.array_equal(frames, other)


def test_the_same_sign_twice_is_never_quite_alike() -> None:
    first, second = perform(["HALO", "HALO"], scene=SMALL, rest_s=0.5, seed=1).truth
    assert first.gloss == second.gloss == "HALO"
    assert first.end_s + 0.5 == pytest.approx(second.start_s)
    assert first.end_s - first.start_s != pytest.approx(second.end_s - second.start_s, abs=1e-6)


def test_times_and_rests() -> None:
    performance = perform(["APA", "SAYA"], scene=SMALL, rest_s=[0.5, 0.0, 1.0], seed=2)
    first, second = performance.truth
    assert first.start_s == pytest.approx(0.5)
    assert second.start_s == pytest.approx(first.end_s)
    assert performance.duration_s == pytest.approx(second.end_s + 1.0)
    times = [time_s for time_s, _ in performance.frames()]
    assert len(times) == performance.frame_count == round(performance.duration_s * 30)
    assert np.allclose(np.diff(times), 1 / 30)


def test_nothing_signed_is_a_person_at_rest() -> None:
    performance = perform([], scene=SMALL, rest_s=1.0)
    assert performance.truth == []
    assert len(film(performance)) == 30


def test_frames_are_lazy() -> None:
    performance = perform(["SAYA"] * 400, scene=SMALL)
    assert performance.duration_s > 600
    tracemalloc.start()
    for _, image in itertools.islice(performance.frames(), 60):
        assert image.dtype == np.uint8
        assert image.shape == (120, 160, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * 2**20


@pytest.mark.parametrize("gloss", GLOSSES)
def test_truth_is_where_the_movement_is(gloss: str) -> None:
    performance = perform([gloss], scene=SMALL, style=Style(sway=0.0, mouthing=0.0), seed=3)
    frames = film(performance).astype(np.int16)
    change_T = np.abs(np.diff(frames, axis=0)).mean(axis=(1, 2, 3))
    (sign,) = performance.truth
    time_T = (np.arange(len(change_T)) + 1) / performance.fps
    inside = (time_T > sign.start_s) & (time_T <= sign.end_s + 1 / 30)
    assert change_T[inside].mean() > 6 * change_T[~inside].mean()
    assert 1.2 < sign.end_s - sign.start_s < 2.9
    # Both edges are tight: a fifth of a second into the sign something moves, and so before its end.
    for edge in (sign.start_s + 0.2, sign.end_s - 0.2):
        assert change_T[np.abs(time_T - edge) < 0.1].max() > 3 * change_T[~inside].mean()


@pytest.mark.parametrize("gloss", [*GLOSSES, *DISTRACTORS])
def test_hands_stay_in_the_picture(gloss: str) -> None:
    scene = Scene()
    performance = perform([gloss], scene=scene, seed=4)
    assert performance.motion is not None
    figure = Figure(performance.look, scene)
    (sign,) = performance.truth
    for time_s in np.linspace(sign.start_s + 0.5, sign.end_s - 0.4, 12):
        pose_P = performance.motion.pose(float(time_s))
        both_10x4x2 = figure.locate_fingers(pose_P)
        for hand, fingers_5x4x2 in ((STRONG, both_10x4x2[:5]), (WEAK, both_10x4x2[5:])):
            if hand == STRONG or pose_P[hand][1] > -0.9:  # the weak hand may hang below the picture
                assert (fingers_5x4x2 > 0).all()
                assert (fingers_5x4x2 < (scene.width, scene.height)).all()


def test_left_handed_signers_mirror() -> None:
    def moved_columns(handed: str) -> npt.NDArray[np.float64]:
        style = Style(handed=handed, sway=0.0, mouthing=0.0)
        look = Look(watch=False, pattern="plain")
        frames = film(perform(["HALO"], look=look, scene=SMALL, style=style, seed=1)).astype(np.float64)
        return np.asarray(np.abs(np.diff(frames, axis=0)).mean(axis=(0, 1, 3)))

    right_W, left_W = moved_columns("right"), moved_columns("left")
    assert right_W[:80].sum() > 3 * right_W[80:].sum(), "a right hand is on the picture's left"
    assert left_W[80:].sum() > 3 * left_W[:80].sum()
    assert np.corrcoef(right_W, left_W[::-1])[0, 1] > 0.95


def test_exposure_changes_brightness() -> None:
    means = []
    for ev in (-2.0, -1.0, 0.0, 1.0, 2.0):
        scene = Scene(width=160, height=120, ev=ev)
        _, image = next(perform(["APA"], scene=scene).frames())
        means.append(float(image.mean()))
    assert means == sorted(means)
    assert means[-1] - means[0] > 80
    assert means[0] > 10


def test_an_unknown_gloss_names_the_known_ones() -> None:
    with pytest.raises(IsyaratError, match=r"TERBANG.*APA.*TULI.*X_CIRCLE"):
        perform(["APA", "TERBANG"])
    with pytest.raises(IsyaratError, match="list of glosses"):
        perform("APA")
    with pytest.raises(IsyaratError, match="3"):
        perform(["APA", "SAYA"], rest_s=[1.0, 1.0])


def test_anybody_anywhere_can_be_drawn() -> None:
    pictures = []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        look, style = random_look(rng), random_style(rng)
        scene = random_scene(rng, width=128, height=96, close_up=seed % 6 == 5)
        performance = perform(["BAIK"], look=look, scene=scene, style=style, rest_s=0.0, seed=seed)
        _, image = next(itertools.islice(performance.frames(), 20, None))
        assert 3 < image.mean() < 252
        pictures.append(image.mean(axis=(0, 1)))
    assert np.std(pictures, axis=0).min() > 20, "the scenes are all alike"


@pytest.mark.parametrize(("width", "height"), [(320, 568), (96, 64), (640, 360)])
def test_any_format(width: int, height: int) -> None:
    performance = perform(["BINGUNG"], scene=Scene(width=width, height=height), rest_s=0.0)
    _, image = next(itertools.islice(performance.frames(), 25, None))
    assert image.shape == (height, width, 3)
