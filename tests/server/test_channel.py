"""Messages between server and worker: what is sent arrives, and rubbish is never read as a message."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.server.channel import BLOB, HEAD, ChannelClosedError, Message, receive_message, send_message

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_fields_blobs_and_files_arrive(pair: Pair) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"clip")
        file.flush()
        send_message(pair[0], Message({"kind": "clip", "id": "é"}, [b"", b"\0\xff" * 1000], file.fileno()))
    message = receive_message(pair[1])
    assert message.fields == {"kind": "clip", "id": "é"}
    assert message.blobs == [b"", b"\0\xff" * 1000]
    assert message.file is not None
    assert os.pread(message.file, 10, 0) == b"clip", "the receiver's own file outlives the sender's"
    os.close(message.file)


def test_messages_stay_apart(pair: Pair) -> None:
    for number in range(3):
        send_message(pair[0], Message({"number": number}))
    assert [receive_message(pair[1]).fields["number"] for _ in range(3)] == [0, 1, 2]


def test_a_closed_socket(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(ChannelClosedError):
        receive_message(pair[1])
    with pytest.raises(ChannelClosedError):
        send_message(pair[1], Message({"a": 1}))


@pytest.mark.parametrize(
    "data",
    [
        HEAD.pack(5, 0) + b"[1,2]",
        HEAD.pack(4, 0) + b"{bad",
        HEAD.pack(2**31, 0),
        HEAD.pack(2, 2**31) + b"{}",
        HEAD.pack(2, 1) + b"{}" + BLOB.pack(2**60),
        HEAD.pack(100, 0) + b"{}",
        b"\0\0",
    ],
    ids=["list", "no JSON", "long text", "many blobs", "long blob", "cut text", "cut head"],
)
def test_what_is_no_message(pair: Pair, data: bytes) -> None:
    pair[0].sendall(data)
    pair[0].shutdown(socket.SHUT_WR)
    with pytest.raises(ChannelClosedError):
        receive_message(pair[1], largest=10_000)


@given(st.binary(max_size=64))
def test_any_bytes_are_a_message_or_an_error(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        try:
            message = receive_message(theirs, largest=1000)
        except ChannelClosedError:
            return
        assert isinstance(message.fields, dict)
