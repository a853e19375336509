"""The JSON of the design, key by key."""

from __future__ import annotations

import json

from isyarat.server.translation import UNKNOWN, ClipWarning, SignResult, Translation


def test_keys_and_rounding() -> None:
    signs = [
        SignResult("SAYA", 0.80049, 2.3, 0.912345, (("SAYA", 0.912345), ("DIA", 0.05))),
        SignResult(UNKNOWN, 3.1, 5.0, 0.21, (("MAKAN", 0.21),)),
    ]
    warnings = [ClipWarning("too_dark", "The picture is too dark.")]
    translation = Translation("a.mp4", "Saya.", signs, "nano", "rules", {"total": 12.3456}, warnings)
    assert json.loads(json.dumps(translation.to_dict())) == {
        "clip": "a.mp4",
        "sentence": "Saya.",
        "glosses": [
            {
                "gloss": "SAYA",
                "start_s": 0.8,
                "end_s": 2.3,
                "confidence": 0.9123,
                "unknown": False,
                "alternatives": [{"gloss": "SAYA", "confidence": 0.9123}, {"gloss": "DIA", "confidence": 0.05}],
            },
            {
                "gloss": "[?]",
                "start_s": 3.1,
                "end_s": 5.0,
                "confidence": 0.21,
                "unknown": True,
                "alternatives": [{"gloss": "MAKAN", "confidence": 0.21}],
            },
        ],
        "bundle": "nano",
        "grammar": "rules",
        "timings_ms": {"total": 12.3},
        "warnings": [{"code": "too_dark", "message": "The picture is too dark."}],
    }
