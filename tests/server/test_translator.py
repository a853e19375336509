"""From clips to sentences, with the shipped bundle where weights matter and a scripted recogniser where they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.errors import ClipError
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.video import Image
from isyarat.server.translation import UNKNOWN
from isyarat.server.translator import Translator, judge_light

Script = Callable[..., Translator]
WriteFrames = Callable[[Path, Iterable[Image]], Path]
TwoSigns = tuple[Path, synthetic.Performance]


def film(*glosses: str, scene: synthetic.Scene) -> list[Image]:
    """Pictures of a performance."""
    return [image for _, image in synthetic.perform(glosses, scene=scene).frames()]


# The shipped bundle.


def test_one_sign(shipped: Translator, small: synthetic.Scene, tmp_path: Path) -> None:
    clip = synthetic.write_clip(tmp_path / "saya.mp4", synthetic.perform(["SAYA"], scene=small))
    translation = shipped.translate(clip)
    assert [sign.gloss for sign in translation.signs] == ["SAYA"]
    assert translation.sentence == "Saya."
    assert translation.warnings == []
    assert (translation.bundle, translation.grammar) == ("nano", "rules")
    assert sum(p for _, p in translation.signs[0].alternatives) <= 1


def test_two_signs_with_a_rest_are_two(shipped: Translator, two_signs: TwoSigns) -> None:
    clip, show = two_signs
    translation = shipped.translate(clip)
    assert [sign.gloss for sign in translation.signs] == ["SAYA", "MAKAN"]
    assert translation.sentence == "Saya makan."
    for sign, truth in zip(translation.signs, show.truth, strict=True):
        assert sign.start_s == pytest.approx(truth.start_s, abs=0.2)
        assert sign.end_s == pytest.approx(truth.end_s, abs=0.2)


def test_the_same_sign_twice_counts_twice(shipped: Translator, small: synthetic.Scene, tmp_path: Path) -> None:
    show = synthetic.perform(["SAYA", "SAYA"], scene=small)
    translation = shipped.translate(synthetic.write_clip(tmp_path / "twice.mp4", show))
    assert [sign.gloss for sign in translation.signs] == ["SAYA", "SAYA"]
    assert translation.signs[0].end_s < translation.signs[1].start_s


@pytest.mark.parametrize("behaviour", synthetic.BEHAVIOURS)
def test_who_does_not_sign_says_nothing(shipped: Translator, tmp_path: Path, behaviour: str) -> None:
    clip = synthetic.write_clip(tmp_path / "idle.mp4", synthetic.idle(5.0, behaviour=behaviour))
    translation = shipped.translate(clip)
    assert translation.signs == []
    assert translation.sentence == ""
    assert translation.warnings[-1].code in {"no_movement", "no_sign", "small_movement", "no_rest"}
    assert translation.warnings[-1].message.endswith(".")


def test_a_clip_gives_the_same_answer_every_time(shipped: Translator, two_signs: TwoSigns) -> None:
    first, again = (shipped.translate(two_signs[0]) for _ in range(2))
    assert first.signs == again.signs


# A scripted recogniser.


def test_keys_are_those_of_the_design(script: Script, two_signs: TwoSigns) -> None:
    record = script("SAYA", ("MAKAN", 0.4)).translate(two_signs[0]).to_dict()
    assert list(record) == [
        "clip", "sentence", "glosses", "bundle", "grammar", "timings_ms", "warnings",
    ]  # fmt: skip
    assert [list(gloss) for gloss in record["glosses"]] == [
        ["gloss", "start_s", "end_s", "confidence", "unknown", "alternatives"]
    ] * 2
    assert list(record["glosses"][0]["alternatives"][0]) == ["gloss", "confidence"]
    assert record["clip"] == str(two_signs[0])
    assert set(record["timings_ms"]) == {"decode", "recognise", "grammar", "total"}
    assert 0 < record["timings_ms"]["decode"] < record["timings_ms"]["total"]


def test_an_unknown_sign_is_shown_as_one(script: Script, two_signs: TwoSigns) -> None:
    translation = script("SAYA", ("MAKAN", 0.4)).translate(two_signs[0])
    assert [sign.gloss for sign in translation.signs] == ["SAYA", UNKNOWN]
    assert translation.signs[1].alternatives[0] == ("MAKAN", 0.4), "the nearest candidates stay"
    assert "makan" not in translation.sentence.lower(), "what was refused must not come back in the sentence"


def test_a_doubtful_sign_is_marked_and_a_sure_one_is_not(script: Script, two_signs: TwoSigns) -> None:
    translation = script(("SAYA", 0.7), ("MAKAN", 0.95)).translate(two_signs[0])
    (warning,) = [w for w in translation.warnings if w.code == "unsure"]
    assert warning.message.startswith("SAYA at")
    assert "70%" in warning.message
    assert "may be APA" in warning.message


def test_what_the_model_holds_for_no_sign_is_left_out(script: Script, two_signs: TwoSigns) -> None:
    translation = script("SAYA", NO_SIGN).translate(two_signs[0])
    assert [sign.gloss for sign in translation.signs] == ["SAYA"]
    assert translation.warnings == []
    silent = script(NO_SIGN, NO_SIGN).translate(two_signs[0])
    assert (silent.signs, silent.sentence) == ([], "")
    assert [w.code for w in silent.warnings] == ["no_sign"]


def test_the_recogniser_sees_the_moving_part(script: Script, two_signs: TwoSigns) -> None:
    translator = script("SAYA", "MAKAN")
    translator.translate(two_signs[0])
    recogniser: Any = translator.recogniser
    assert len(recogniser.images) == 2
    for image in recogniser.images:
        assert image.shape == (112, 112, 3)
        cells = [image[y : y + 32, x : x + 32].astype(int) for y, x in recogniser.spec.origins()]
        assert np.abs(cells[0] - cells[4]).mean() > 3, "the middle of a sign looks like its beginning"


def test_a_single_frame(script: Script, small: synthetic.Scene, write_frames: WriteFrames, tmp_path: Path) -> None:
    clip = write_frames(tmp_path / "one.mp4", film("SAYA", scene=small)[20:21])
    translation = script().translate(clip)
    assert translation.signs == []
    assert [w.code for w in translation.warnings] == ["one_frame"]


def test_a_dark_clip(script: Script, small: synthetic.Scene, write_frames: WriteFrames, tmp_path: Path) -> None:
    frames = [(image * 0.06).astype(np.uint8) for image in film("SAYA", scene=small)]
    translation = script("SAYA").translate(write_frames(tmp_path / "dark.mp4", frames))
    assert "too_dark" in [w.code for w in translation.warnings]
    assert "light" in next(w.message for w in translation.warnings if w.code == "too_dark")


def test_light() -> None:
    assert [w.code for w in judge_light([20.0, 20.0])] == ["too_dark"]
    assert judge_light([100.0]) == []
    assert [w.code for w in judge_light([250.0])] == ["too_bright"]


def test_movement_without_a_rest_is_not_guessed_at(script: Script, small: synthetic.Scene, tmp_path: Path) -> None:
    show = synthetic.perform(["SAYA", "MAKAN", "HALO", "APA"], scene=small, rest_s=[0.6, 0.0, 0.0, 0.0, 0.6])
    translation = script(*["SAYA"] * 9).translate(synthetic.write_clip(tmp_path / "run.mp4", show))
    if not translation.signs:
        assert "no_rest" in [w.code for w in translation.warnings]
    assert all(sign.end_s - sign.start_s < 5.0 for sign in translation.signs)


def test_a_cut_off_clip_says_so(script: Script, two_signs: TwoSigns, tmp_path: Path) -> None:
    """A stream that ends in the middle gives what there is of it, and a warning."""
    import av

    path = tmp_path / "whole.mkv"
    with av.open(str(two_signs[0])) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    whole = path.read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole[: len(whole) * 6 // 10])
    translation = script("SAYA", "MAKAN").translate(cut)
    assert translation.signs[0].gloss == "SAYA"
    assert all(w.message[0].isupper() and w.message.endswith(".") for w in translation.warnings)


def test_an_unreadable_clip_is_an_error(script: Script, tmp_path: Path) -> None:
    with pytest.raises(ClipError, match="no such file"):
        script().translate(tmp_path / "nowhere.mp4")
