"""The feedback store: nothing half-kept, everything withdrawn, on SQLite and on PostgreSQL."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from isyarat.data.errors import IsyaratError
from isyarat.server.feedback.blobs import BlobStore
from isyarat.server.feedback.models import Base, Entry, Person
from isyarat.server.feedback.store import Feedback, FeedbackStore
from isyarat.server.problem import ProblemError
from sqlalchemy import select
from sqlalchemy.orm import Session

CORRECTION = {"answered": ["SAYA"], "corrected": ["SAYA", "MAKAN"], "sentence": "Saya makan.", "rating": 2}


class Postgres:
    """A PostgreSQL server of the tests' own, on a socket in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # PostgreSQL refuses to run as root.
        self._user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
        if self._user:
            shutil.chown(folder, "nobody", "nogroup")
        self._run("initdb", "-A", "trust", "-U", "isyarat")
        self.url = f"postgresql://isyarat@/postgres?host={folder}"

    def _run(self, program: str, *options: str) -> None:
        command = [*self._user, program, "-D", str(self.folder / "data"), *options]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=120)
        log = self.folder / "log"
        assert done.returncode == 0, log.read_text(encoding="utf-8") if log.exists() else program

    def start(self) -> None:
        """Until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        """At once."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        pytest.skip("PostgreSQL is not installed")
    # Not among pytest's folders, which another user than root cannot enter.
    with tempfile.TemporaryDirectory(prefix="isyarat-pg-") as folder:
        server = Postgres(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FeedbackStore]:
    url = f"sqlite:///{tmp_path}/feedback.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").url
    opened = FeedbackStore(url, BlobStore(str(tmp_path / "blobs")))
    yield opened
    with Session(opened.engine) as session:
        for person in session.scalars(select(Person)):
            session.delete(person)
        session.commit()
    opened.close()


def list_blobs(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "blobs").iterdir())


def count_rows(store: FeedbackStore) -> int:
    with Session(store.engine) as session:
        return len(session.scalars(select(Entry)).all())


def test_what_is_given_is_kept(store: FeedbackStore, tmp_path: Path) -> None:
    receipt = store.add(Feedback(**CORRECTION, media=(io.BytesIO(b"picture"), "grid")), None)
    assert receipt.token is not None
    with Session(store.engine) as session:
        (entry,) = session.scalars(select(Entry)).all()
        assert (entry.id, entry.corrected, entry.rating) == (receipt.id, ["SAYA", "MAKAN"], 2)
        assert entry.media_key is not None
        assert store.blobs is not None
        assert store.blobs.read(entry.media_key) == b"picture"
        assert receipt.token not in str(vars(entry.person)), "the token itself is kept"
    assert list_blobs(tmp_path) == [entry.media_key]


def test_withdrawal_deletes_all_of_a_person_and_nothing_of_others(store: FeedbackStore, tmp_path: Path) -> None:
    first = store.add(Feedback(**CORRECTION, media=(io.BytesIO(b"1"), "grid")), None)
    again = store.add(Feedback(rating=5, media=(io.BytesIO(b"2"), "video")), first.token)
    other = store.add(Feedback(rating=1, media=(io.BytesIO(b"3"), "grid")), None)
    assert again.token is None
    assert first.token is not None
    assert store.withdraw(first.token) == (2, 2)
    assert count_rows(store) == 1
    assert len(list_blobs(tmp_path)) == 1
    for token in (first.token, "unknown", ""):
        with pytest.raises(ProblemError, match="Nobody"):
            store.withdraw(token)
    with pytest.raises(ProblemError, match="Nobody"):
        store.add(Feedback(rating=1), first.token)
    assert other.token is not None
    assert store.withdraw(other.token) == (1, 1)
    assert (count_rows(store), list_blobs(tmp_path)) == (0, [])


def test_no_text_of_a_person_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "feedback.db"
    store = FeedbackStore(f"sqlite:///{path}", None)
    token = store.add(Feedback(sentence="Rumah saya di Jalan Melati."), None).token
    assert b"Melati" in path.read_bytes()
    assert token is not None
    store.withdraw(token)
    store.close()
    assert b"Melati" not in path.read_bytes(), "SQLite keeps deleted rows unless told not to"


def test_migrations_make_what_the_models_say(store: FeedbackStore) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_opening_again_keeps_everything(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/feedback.db"
    FeedbackStore(url, None).add(Feedback(rating=3), None)
    assert count_rows(FeedbackStore(url, None)) == 1


class FullDisk(io.BytesIO):
    """Bytes whose second part does not find space."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().read(4)


def test_a_full_disk_leaves_nothing(store: FeedbackStore, tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        store.add(Feedback(rating=1, media=(FullDisk(b"12345678"), "video")), None)
    assert caught.value.code == "disk-full"
    assert (count_rows(store), list_blobs(tmp_path)) == (0, [])


def test_a_database_that_is_gone_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "feedback.db"
    store = FeedbackStore(f"sqlite:///{path}", BlobStore(str(tmp_path / "blobs")))
    token = store.add(Feedback(rating=1), None).token
    path.rename(tmp_path / "away.db")
    store.close()  # connections are lost with the database
    path.mkdir()
    with pytest.raises(ProblemError) as caught:
        store.add(Feedback(rating=2, media=(io.BytesIO(b"x"), "grid")), None)
    assert caught.value.code == "store-down"
    assert list_blobs(tmp_path) == [], "a picture without its entry stays behind"
    path.rmdir()
    (tmp_path / "away.db").rename(path)
    store.add(Feedback(rating=3), token)
    assert count_rows(store) == 2


def test_a_postgres_that_is_gone_and_comes_back(postgres: Postgres, tmp_path: Path) -> None:
    store = FeedbackStore(postgres.url, BlobStore(str(tmp_path / "blobs")))
    token = store.add(Feedback(rating=1), None).token
    assert token is not None
    postgres.stop()
    try:
        for _ in range(2):
            with pytest.raises(ProblemError) as caught:
                store.add(Feedback(rating=2, media=(io.BytesIO(b"x"), "grid")), token)
            assert caught.value.code == "store-down"
        assert list_blobs(tmp_path) == []
    finally:
        postgres.start()
    store.add(Feedback(rating=3), token)
    assert store.withdraw(token) == (2, 0)
    store.close()


def test_withdrawal_can_be_tried_again_when_the_pictures_are_away(
    store: FeedbackStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = store.add(Feedback(rating=1, media=(io.BytesIO(b"x"), "grid")), None).token
    assert token is not None
    assert store.blobs is not None

    def fail(_: str) -> None:
        raise OSError(errno.EIO, "away")

    with monkeypatch.context() as patch:
        patch.setattr(store.blobs, "delete", fail)
        with pytest.raises(ProblemError, match="try again"):
            store.withdraw(token)
    assert count_rows(store) == 1
    assert store.withdraw(token) == (1, 1)
    assert list_blobs(tmp_path) == []


@pytest.mark.parametrize("url", ["", "nonsense", "mysterydb://u:geheim@h/x", "postgresql://u:geheim@127.0.0.1:9/x"])
def test_a_wrong_url_is_a_sentence_without_the_password(url: str) -> None:
    with pytest.raises(IsyaratError) as caught:
        FeedbackStore(url, None)
    assert "geheim" not in str(caught.value)


def test_blobs_by_url(tmp_path: Path) -> None:
    blobs = BlobStore(f"file://{tmp_path}/deep/er")
    key = blobs.put(io.BytesIO(b"x" * 3_000_000), "video")
    assert len(blobs.read(key)) == 3_000_000
    blobs.delete(key)
    blobs.delete(key)
    assert list((tmp_path / "deep" / "er").iterdir()) == []


def test_blobs_in_another_kind_of_store() -> None:
    """What S3 is to fsspec, its memory is, too: no folders, no renaming in place."""
    blobs = BlobStore("memory://isyarat")
    key = blobs.put(io.BytesIO(b"x"), "grid")
    assert blobs.read(key) == b"x"
    blobs.delete(key)
    with pytest.raises(FileNotFoundError):
        blobs.read(key)
