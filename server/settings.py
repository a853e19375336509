"""Settings of the server: options of `isyarat serve`, else ISYARAT_… in the environment, else these defaults."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..data.errors import IsyaratError
from .engine import count_cores
from .limits import DecodeLimits

# Passwords of data bases that stand in everyone's examples.
DEFAULT_PASSWORDS = {"", "postgres", "password", "changeme", "secret", "isyarat", "admin", "example"}


class ServerSettings(BaseSettings):
    """All that can be set.

    Attributes:
        environment: "production" refuses what is only fit for a developer's own machine.
        host, port: where to listen; another than this machine needs keys.
        bundles: folders of bundles, the first is the default; none is the one shipped with isyarat.
        precision: of the bundles; their default when none is given.
        grammar: what puts glosses into words.
        workers: processes that decode and recognise clips; none is one a core.
        queue_size: requests that may wait for a worker; a worker does about ten short clips a second, so that
            nobody waits longer than their patience.
        request_timeout_s: for one request once it is uploaded, waiting included.
        upload_timeout_s: for the upload itself.
        max_upload_bytes: of a request.
        max_uploads: requests that may be uploading at the same time.
        max_bytes_in_flight: of all requests together that are uploading or worked on; frames lie in memory, three times
            at worst.
        max_streams: live streams at the same time.
        stream_idle_s: a stream without frames for this long is ended.
        resume_s: a stream whose client has gone is kept for this long.
        limits: on decoding.
        keys_file: API keys (`isyarat serve --create-key`); none: every client of this machine may call.
        rate_per_minute: requests a minute of one key, or of one address where there are no keys; 0 is no limit.
        origins: web origins that may call from a browser, besides the server's own pages.
        web: folder of the web app, served at /.
        database_url: SQLAlchemy URL of the feedback store; none: feedback is off.
        blobs_url: folder or fsspec URL (s3://…) for pictures and clips that were given with consent.
    """

    model_config = SettingsConfigDict(env_prefix="ISYARAT_", env_nested_delimiter="__", extra="ignore")

    environment: Literal["development", "production"] = "development"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    bundles: list[Path] = []
    precision: str | None = None
    grammar: str = "rules"
    workers: int | None = Field(default=None, ge=1, le=256)
    queue_size: int = Field(default=32, ge=1)
    request_timeout_s: float = Field(default=60.0, gt=0)
    upload_timeout_s: float = Field(default=60.0, gt=0)
    max_upload_bytes: int = Field(default=100_000_000, gt=0)
    max_uploads: int = Field(default=256, ge=1)
    max_bytes_in_flight: int = Field(default=400_000_000, gt=0)
    max_streams: int = Field(default=16, ge=0)
    stream_idle_s: float = Field(default=60.0, gt=0)
    resume_s: float = Field(default=120.0, ge=0)
    limits: DecodeLimits = DecodeLimits()
    keys_file: Path | None = None
    rate_per_minute: int = Field(default=0, ge=0)
    origins: list[str] = []
    web: Path | None = None
    database_url: SecretStr | None = None
    blobs_url: str | None = None

    @property
    def worker_count(self) -> int:
        """Processes for clips."""
        return self.workers or count_cores()

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @model_validator(mode="after")
    def refuse_defaults(self) -> ServerSettings:
        """What would leave a server open to strangers is an error, not a warning."""
        if not self.is_local and self.keys_file is None:
            raise ValueError(
                f"listening on {self.host} lets strangers in, and there are no keys; "
                "make one with `isyarat serve --create-key NAME --keys FILE`"
            )
        if self.environment == "production":
            if self.keys_file is None:
                raise ValueError("production needs keys; make one with `isyarat serve --create-key NAME --keys FILE`")
            if "*" in self.origins:
                raise ValueError("production must not allow every origin; list the web pages that may call")
            self._refuse_password()
        return self

    def _refuse_password(self) -> None:
        if self.database_url is None:
            return
        place = self.database_url.get_secret_value().partition("://")[2].rpartition("@")[0]
        if place and place.partition(":")[2].lower() in DEFAULT_PASSWORDS:
            raise ValueError("production must not use a well-known database password; set another one")


def read_settings(**options: object) -> ServerSettings:
    """Settings from options that were given (not None), the environment, and the defaults.

    Raises:
        IsyaratError: one does not fit; the message names it, never its value.
    """
    from pydantic import ValidationError

    try:
        return ServerSettings(**{name: value for name, value in options.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise IsyaratError(f"Settings{' ' + where if where else ''}: {message}.") from None
