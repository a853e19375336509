"""How much one request may take."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DecodeLimits(BaseModel):
    """Limits on decoding, kept by the worker process; the defaults let any phone's recording of a sentence through.

    Attributes:
        max_pixels: of one picture; 4K is 8.3 million.
        max_duration_s: of a clip, by presentation time.
        max_frames: of a clip; 120 a second for `max_duration_s`.
        cpu_s: processor seconds for one request.
        memory_mb: address space that decoding may use beyond what the loaded worker has.
    """

    model_config = ConfigDict(frozen=True)

    max_pixels: int = Field(default=4096 * 2304, gt=0)
    max_duration_s: float = Field(default=120.0, gt=0)
    max_frames: int = Field(default=14_400, gt=0)
    cpu_s: float = Field(default=60.0, gt=0)
    memory_mb: int = Field(default=1024, ge=64)
