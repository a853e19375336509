"""What would leave a server open is refused, and faults name the setting, never its value."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.server.settings import read_settings


def test_defaults_are_for_this_machine_only() -> None:
    settings = read_settings()
    assert (settings.host, settings.port, settings.origins, settings.database_url) == ("127.0.0.1", 8000, [], None)
    assert settings.is_local


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_this_machine(host: str) -> None:
    assert read_settings(host=host).is_local


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "example.org"])
def test_strangers_need_keys(host: str, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="no keys"):
        read_settings(host=host)
    assert not read_settings(host=host, keys_file=tmp_path / "keys.txt").is_local


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "production needs keys"),
        ({"keys_file": "k", "origins": ["*"]}, "every origin"),
        ({"keys_file": "k", "database_url": "postgresql://u:postgres@db/isyarat"}, "well-known"),
        ({"keys_file": "k", "database_url": "postgresql://isyarat@db/isyarat"}, "well-known"),
    ],
)
def test_production_refuses(options: dict[str, object], reason: str) -> None:
    with pytest.raises(IsyaratError, match=reason):
        read_settings(environment="production", **options)


def test_production_with_all_it_needs() -> None:
    url = "postgresql://isyarat:K7vMx2-q9@db/isyarat"
    settings = read_settings(environment="production", keys_file="k", database_url=url)
    assert "K7vMx2" not in repr(settings), "a secret shows in logs and tracebacks"
    assert read_settings(environment="production", keys_file="k", database_url="sqlite:////srv/f.db")


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISYARAT_PORT", "9001")
    monkeypatch.setenv("ISYARAT_LIMITS__MAX_DURATION_S", "30")
    settings = read_settings(host="127.0.0.1")
    assert (settings.port, settings.limits.max_duration_s, settings.limits.max_frames) == (9001, 30.0, 14_400)
    assert read_settings(port=9002).port == 9002, "an option goes before the environment"


def test_faults_name_the_setting_and_not_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISYARAT_QUEUE_SIZE", "-17")
    with pytest.raises(IsyaratError, match=r"queue_size: .*greater") as caught:
        read_settings()
    assert "-17" not in str(caught.value)
