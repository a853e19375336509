"""What the API takes and gives, as documented in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

Probability = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]

# One gloss of the notation (grammar.notation reads the same): letters, spelled letters, numbers, or an unknown sign.
_LETTER = "A-Za-zÀ-ÖØ-Þà-öø-þ"
GLOSS_PATTERN = rf"^([{_LETTER}]+([_-][{_LETTER}0-9]+)*|[0-9]+([.,:/-][0-9]+)*|\[\?\])$"


class Alternative(BaseModel):
    """A gloss that the sign may be, too."""

    gloss: str
    confidence: Probability


class Gloss(BaseModel):
    """One sign."""

    gloss: str = Field(description="Its name; [?] for a sign that cannot be named.")
    start_s: Seconds
    end_s: Seconds
    confidence: Probability
    unknown: bool
    alternatives: list[Alternative] = Field(description="The likeliest first.")


class WarningOut(BaseModel):
    """Why a result may be other than expected."""

    model_config = ConfigDict(title="Warning")

    code: str = Field(description="For programs, e.g. no_movement.")
    message: str = Field(description="For people, with what to do.")


class TranslationOut(BaseModel):
    """The translation of one clip; the same as `isyarat translate --json` prints."""

    model_config = ConfigDict(
        title="Translation",
        json_schema_extra={
            "examples": [
                {
                    "clip": "9f0c2b7e5d1a4c68",
                    "sentence": "Saya makan.",
                    "glosses": [
                        {
                            "gloss": "SAYA",
                            "start_s": 0.83,
                            "end_s": 2.3,
                            "confidence": 0.9991,
                            "unknown": False,
                            "alternatives": [{"gloss": "SAYA", "confidence": 0.9991}],
                        }
                    ],
                    "bundle": "nano",
                    "grammar": "rules",
                    "timings_ms": {"decode": 88.2, "recognise": 16.1, "grammar": 0.5, "total": 192.3},
                    "warnings": [],
                }
            ]
        },
    )

    clip: str = Field(description="The id of the request, to refer to in feedback; never a name that a client gave.")
    sentence: str = Field(description="Empty when nothing was signed; a warning then says why.")
    glosses: list[Gloss]
    bundle: str
    grammar: str
    timings_ms: dict[str, float]
    warnings: list[WarningOut]


class GlossOut(BaseModel):
    """The answer to one motion grid."""

    model_config = ConfigDict(title="GlossAnswer")

    gloss: str | None = Field(description="Null when the model holds the movement for no sign at all.")
    confidence: Probability
    unknown: bool
    alternatives: list[Alternative]
    bundle: str


class SentenceIn(BaseModel):
    """Glosses to put into a sentence."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"glosses": ["KAMU", "SAKIT"], "question": True}]},
    )

    glosses: list[Annotated[str, Field(max_length=200, pattern=GLOSS_PATTERN)]] = Field(
        min_length=1, max_length=500, description="In order; TERIMA_KASIH, B-U-D-I, [?] for an unknown sign."
    )
    variety: str | None = Field(default=None, max_length=50, description="Regional variety of the signer.")
    question: StrictBool = Field(default=False, description="The signer's face marked a question.")


class SentenceOut(BaseModel):
    """A sentence, with the glosses that it was made of."""

    model_config = ConfigDict(title="Sentence")

    glosses: list[str]
    sentence: str
    backend: str


class FileOut(BaseModel):
    """A file of a bundle."""

    model_config = ConfigDict(title="BundleFile")

    name: str
    bytes: int
    sha256: str
    url: str


class BundleOut(BaseModel):
    """A bundle that this server runs and gives away."""

    model_config = ConfigDict(title="Bundle")

    name: str
    default: bool = Field(description="Used when a request names no bundle.")
    glosses: list[str]
    grid: dict[str, Any] = Field(description="Geometry and rendering of its motion grids.")
    licence: str
    files: list[FileOut]


class BundlesOut(BaseModel):
    """All bundles of this server."""

    model_config = ConfigDict(title="Bundles")

    bundles: list[BundleOut]


class FeedbackOut(BaseModel):
    """What became of the feedback."""

    model_config = ConfigDict(title="FeedbackAnswer")

    stored: bool = Field(description="False without consent: nothing of the request was kept.")
    id: str | None = Field(description="Of what was stored.")
    withdrawal_token: str | None = Field(
        description="Shown once, to a person whose first feedback this is; whoever has it can delete all of theirs."
    )


class WithdrawalIn(BaseModel):
    """The wish that everything of a person be deleted."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=1, max_length=200, description="The withdrawal_token of the first feedback.")


class WithdrawalOut(BaseModel):
    """What was deleted."""

    model_config = ConfigDict(title="Withdrawal")

    feedback: int = Field(description="Entries deleted.")
    files: int = Field(description="Pictures and clips deleted.")


class HealthOut(BaseModel):
    """The server is alive, or ready."""

    model_config = ConfigDict(title="Health")

    status: Literal["ok"]


class ProblemOut(BaseModel):
    """RFC 9457 problem details."""

    model_config = ConfigDict(title="Problem", extra="allow")

    type: str = Field(description="urn:isyarat:problem:CODE")
    title: str
    status: int
    detail: str
    way_out: str
    request_id: str
