"""API keys: shown once, kept as hashes, limited by rate."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.server.keys import RateLimiter, create_key, hash_key, read_keys


def test_a_key_is_found_and_its_file_does_not_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    first, second = create_key(path, "school"), create_key(path, "clinic")
    ring = read_keys(path)
    found = [ring.find(first), ring.find(second)]
    assert [key.name if key else None for key in found] == ["school", "clinic"]
    assert ring.find(first[:-1]) is None
    assert ring.find("") is None
    assert ring.find("\udcff") is None
    text = path.read_text(encoding="utf-8")
    assert first not in text
    assert hash_key(first) in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(first) > 40


def test_own_rate_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(f"# our clients\n\nschool {hash_key('k')} 30 # since May\n", encoding="utf-8")
    assert read_keys(path).keys[0].rate_per_minute == 30


@pytest.mark.parametrize("line", ["school", "school abc", "a b c d", f"sch/ool {'0' * 64}", f"school {'0' * 64} fast"])
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(f"# x\n{line}\n", encoding="utf-8")
    with pytest.raises(IsyaratError, match="line 2"):
        read_keys(path)


def test_no_keys(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="cannot be read"):
        read_keys(tmp_path / "none.txt")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(IsyaratError, match="no key in it"):
        read_keys(tmp_path / "empty.txt")


def test_names(tmp_path: Path) -> None:
    create_key(tmp_path / "k", "school")
    for name in ("school", "a b", "", "x" * 65):
        with pytest.raises(IsyaratError):
            create_key(tmp_path / "k", name)


def test_rate() -> None:
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    assert [limiter.take("a", 60) for _ in range(10)] == [0.0] * 10, "a sixth of a minute's may come at once"
    assert limiter.take("a", 60) == pytest.approx(1.0)
    assert limiter.take("b", 60) == 0.0, "clients do not share"
    now[0] = 1.0
    assert limiter.take("a", 60) == 0.0
    assert limiter.take("a", 60) > 0
    now[0] = 1e6
    assert [limiter.take("a", 60) for _ in range(11)].count(0.0) == 10, "waiting saves up no more than the burst"


def test_a_slow_rate_lets_one_through() -> None:
    limiter = RateLimiter(lambda: 0.0)
    assert limiter.take("a", 1) == 0.0
    assert limiter.take("a", 1) == pytest.approx(60.0)
