"""The tracker on the synthetic signer: the drawn joints are the truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.errors import IsyaratError
from isyarat.data.pose import LEFT, RIGHT, BodyPoint, Pose, PoseTracker
from isyarat.data.video import Image
from numpy.typing import NDArray

from .conftest import Draw

ARMS = [
    [BodyPoint.LEFT_SHOULDER, BodyPoint.LEFT_ELBOW, BodyPoint.LEFT_WRIST],
    [BodyPoint.RIGHT_SHOULDER, BodyPoint.RIGHT_ELBOW, BodyPoint.RIGHT_WRIST],
]
FACE_AND_ARMS = slice(0, BodyPoint.RIGHT_WRIST + 1)


def estimate(tracker: PoseTracker, image: Image) -> Pose:
    pose = tracker.estimate(image)
    assert pose is not None
    assert pose.body_33x4.shape == (33, 4)
    assert pose.hands_2x21x3.shape == (2, 21, 3)
    assert pose.presence_2.shape == (2,)
    for array in (pose.body_33x4, pose.hands_2x21x3, pose.presence_2):
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
    assert 0 <= pose.body_33x4[:, 3].min() <= pose.body_33x4[:, 3].max() <= 1
    assert 0 <= pose.presence_2.min() <= pose.presence_2.max() <= 1
    assert (pose.height, pose.width) == image.shape[:2]
    return pose


def find_centre(pose: Pose) -> NDArray[np.float32]:
    """Between the shoulders."""
    return pose.body_33x4[[BodyPoint.LEFT_SHOULDER, BodyPoint.RIGHT_SHOULDER], :2].mean(axis=0)


def put_beside(left: Image, right: Image) -> Image:
    return np.concatenate([left, right], axis=1)


@pytest.mark.parametrize("gloss", ["HALO", "BINGUNG", "BELAJAR", "SELAMAT_MALAM", "BERAPA"])
def test_joints_lie_on_the_drawn_ones(tracker: PoseTracker, draw: Draw, gloss: str) -> None:
    drawing = draw(gloss)
    body = estimate(tracker, drawing.image).body_33x4
    error_2x3 = np.linalg.norm(body[ARMS, :2] - drawing.arms_2x3x2, axis=-1) / drawing.unit_px
    inside_2x3 = drawing.arms_2x3x2[..., 1] < drawing.image.shape[0]
    assert inside_2x3[:, :2].all()  # the shoulders are about a unit apart
    assert error_2x3[inside_2x3].max() < 0.2


@pytest.mark.parametrize(("handed", "raised"), [("right", RIGHT), ("left", LEFT)])
def test_the_raised_hand_is_found_on_its_side(tracker: PoseTracker, draw: Draw, handed: str, raised: int) -> None:
    drawing = draw("HALO", handed=handed)
    pose = estimate(tracker, drawing.image)
    body = pose.body_33x4
    assert body[BodyPoint.RIGHT_SHOULDER, 0] < body[BodyPoint.LEFT_SHOULDER, 0]  # the signer faces the camera
    assert pose.presence_2[raised] > 0.5
    assert pose.presence_2[1 - raised] < 0.2  # it hangs below the picture
    error_21 = np.linalg.norm(pose.hands_2x21x3[raised, :, :2] - drawing.hands_2x21x2[raised], axis=1)
    assert error_21.max() / drawing.unit_px < 0.12


def test_two_raised_hands(tracker: PoseTracker, draw: Draw) -> None:
    drawing = draw("BINGUNG")
    pose = estimate(tracker, drawing.image)
    assert pose.presence_2.min() > 0.5
    error_2x21 = np.linalg.norm(pose.hands_2x21x3[..., :2] - drawing.hands_2x21x2, axis=-1)
    assert error_2x21.mean() / drawing.unit_px < 0.12


def test_hands_at_rest_are_not_there(tracker: PoseTracker, draw: Draw) -> None:
    assert estimate(tracker, draw(None).image).presence_2.max() < 0.2


def test_the_mirrored_picture_swaps_the_hands(tracker: PoseTracker, draw: Draw) -> None:
    drawing = draw("HALO")
    image = drawing.image
    pose = estimate(tracker, image)
    tracker.reset()
    mirrored = estimate(tracker, np.ascontiguousarray(image[:, ::-1]))
    assert mirrored.presence_2[LEFT] > 0.5
    wrist = image.shape[1] - 1 - mirrored.body_33x4[BodyPoint.LEFT_WRIST, 0]
    assert wrist == pytest.approx(pose.body_33x4[BodyPoint.RIGHT_WRIST, 0], abs=0.15 * drawing.unit_px)


def test_a_shifted_picture_shifts_the_points(tracker: PoseTracker, draw: Draw) -> None:
    image = draw("HALO").image
    pose = estimate(tracker, image)
    shifted = cv2.copyMakeBorder(image, 0, 0, 60, 0, cv2.BORDER_REPLICATE)[:, : image.shape[1]]
    tracker.reset()
    moved = estimate(tracker, shifted)
    difference = moved.body_33x4[FACE_AND_ARMS, :2] - pose.body_33x4[FACE_AND_ARMS, :2]
    raised = [point for point in range(15) if pose.body_33x4[point, 1] < image.shape[0]]
    assert np.abs(difference[raised] - (60, 0)).max() < 10
    assert np.abs(moved.hands_2x21x3[RIGHT, :, :2] - pose.hands_2x21x3[RIGHT, :, :2] - (60, 0)).mean() < 4


@pytest.mark.parametrize("factor", [0.5, 1.6, 9.6])
def test_a_scaled_picture_scales_the_points(tracker: PoseTracker, draw: Draw, factor: float) -> None:
    image = draw("HALO").image
    pose = estimate(tracker, image)
    height, width = (round(side * factor) for side in image.shape[:2])
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    tracker.reset()
    scaled = estimate(tracker, np.asarray(cv2.resize(image, (width, height), interpolation=method), np.uint8))
    for points, wanted in (
        (scaled.body_33x4[:15], pose.body_33x4[:15]),
        (scaled.hands_2x21x3[1], pose.hands_2x21x3[1]),
    ):
        assert np.abs((points[:, :2] + 0.5) / factor - 0.5 - wanted[:, :2]).max() < 8
    depth = scaled.body_33x4[BodyPoint.NOSE, 2] / pose.body_33x4[BodyPoint.NOSE, 2]
    assert depth == pytest.approx(factor, rel=0.3)


def test_a_grey_picture(tracker: PoseTracker, draw: Draw) -> None:
    drawing = draw("HALO")
    grey = np.asarray(cv2.cvtColor(drawing.image, cv2.COLOR_RGB2GRAY), np.uint8)
    pose = estimate(tracker, grey)
    assert pose.presence_2[RIGHT] > 0.5
    tracker.reset()
    assert np.array_equal(estimate(tracker, grey[..., None]).body_33x4, pose.body_33x4)


@pytest.mark.parametrize("size", [(32, 32), (1, 1), (640, 2), (3, 200)])
def test_a_tiny_picture_does_no_harm(tracker: PoseTracker, draw: Draw, size: tuple[int, int]) -> None:
    for image in (
        np.asarray(cv2.resize(draw("HALO").image, size, interpolation=cv2.INTER_AREA), np.uint8),
        np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3)).astype(np.uint8),
    ):
        tracker.reset()
        for _ in range(2):
            if tracker.estimate(image) is not None:
                estimate(tracker, image)


@pytest.mark.parametrize("image", ["black", "white", "noise", "room"])
def test_nobody_is_there(tracker: PoseTracker, image: str) -> None:
    pictures: dict[str, Image] = {
        "black": np.zeros((300, 400, 3), np.uint8),
        "white": np.full((300, 400, 3), 255, np.uint8),
        "noise": np.random.default_rng(0).integers(0, 256, (300, 400, 3)).astype(np.uint8),
        "room": next(synthetic.idle(0.1, behaviour="empty", scene=synthetic.Scene(background="room")).frames())[1],
    }
    assert tracker.estimate(pictures[image]) is None


def test_who_leaves_is_lost_and_who_comes_is_found(tracker: PoseTracker, draw: Draw) -> None:
    image = draw("HALO").image
    empty = next(synthetic.idle(0.1, behaviour="empty").frames())[1]
    assert tracker.estimate(empty) is None
    first = estimate(tracker, image)
    assert tracker.estimate(empty) is None
    assert np.array_equal(estimate(tracker, image).body_33x4, first.body_33x4)


def test_who_jumps_is_found_in_the_same_frame(tracker: PoseTracker, draw: Draw) -> None:
    image = draw("HALO").image
    wall = np.full_like(image, 200)
    estimate(tracker, put_beside(image, wall))
    pose = estimate(tracker, put_beside(wall, image))
    assert find_centre(pose)[0] > image.shape[1]


def test_the_same_input_gives_the_same_output(tracker: PoseTracker, draw: Draw) -> None:
    images = [draw("HALO", share=share).image for share in (0.3, 0.5)]
    first = [estimate(tracker, image) for image in images]
    tracker.reset()
    second = [estimate(tracker, image) for image in images]
    other = PoseTracker(threads=2)
    third = [estimate(other, image) for image in images]
    for one, again, twin in zip(first, second, third, strict=True):
        assert np.array_equal(one.body_33x4, again.body_33x4)
        assert np.array_equal(one.hands_2x21x3, again.hands_2x21x3)
        assert np.array_equal(one.presence_2, again.presence_2)
        assert one.body_33x4 == pytest.approx(twin.body_33x4, abs=0.5)


def test_the_picture_is_left_as_it_was(tracker: PoseTracker, draw: Draw) -> None:
    image = draw("HALO").image.copy()
    image.setflags(write=False)
    estimate(tracker, image)


def test_the_same_person_is_followed(tracker: PoseTracker, draw: Draw) -> None:
    signer, wall = draw("HALO").image, np.full_like(draw("HALO").image, 200)
    left = find_centre(estimate(tracker, put_beside(signer, wall)))
    # Somebody comes into the right half: the left one stays the one who is followed.
    for share in (0.4, 0.5, 0.6):
        both = put_beside(draw("HALO", share=share).image, signer)
        assert find_centre(estimate(tracker, both)) == pytest.approx(left, abs=12)
    tracker.reset()
    right = find_centre(estimate(tracker, put_beside(wall, signer)))
    assert find_centre(estimate(tracker, put_beside(signer, signer))) == pytest.approx(right, abs=12)


def test_one_of_two_people_is_chosen(tracker: PoseTracker, draw: Draw) -> None:
    signer = draw("HALO").image
    centre = find_centre(estimate(tracker, put_beside(signer, signer)))
    assert min(abs(centre[0] - x) for x in (200, 600)) < 15


@pytest.mark.parametrize(
    ("image", "fault"),
    [
        (np.zeros((8, 8, 3), np.float32), "float32"),
        (np.zeros((8, 8, 4), np.uint8), "4 channels"),
        (np.zeros((0, 8, 3), np.uint8), r"\(0, 8, 3\)"),
        (np.zeros(8, np.uint8), r"\(8,\)"),
    ],
)
def test_what_is_no_picture_is_refused(tracker: PoseTracker, image: Image, fault: str) -> None:
    with pytest.raises(IsyaratError, match=f"{fault}.*needed"):
        tracker.estimate(image)


def test_a_second_look_finds_more(draw: Draw) -> None:
    look = synthetic.Look(skin=(142, 96, 66), sleeves="long")
    show = synthetic.perform(["BELAJAR"], look=look, scene=synthetic.Scene(fps=4.0, noise=4.0), rest_s=0.0)
    once, twice = PoseTracker(), PoseTracker(second_look=True)
    found = np.zeros((2, 2), int)
    for _, image in show.frames():
        presences = [estimate(tracker, image).presence_2 for tracker in (once, twice)]
        assert (presences[1] >= presences[0]).all()
        found += np.array(presences) > 0.5
    assert found[1, RIGHT] > found[0, RIGHT]
    assert found[1, LEFT] == 0  # it hangs all the time
