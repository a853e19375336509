"""Messages between the server and a worker process: JSON, bytes and open files over one socket.

Nothing is pickled. What comes back from a worker has passed through decoders of strangers' files, so it is only ever
read as JSON of a bounded size.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Length of the JSON, number of blobs.
HEAD = struct.Struct("!II")
BLOB = struct.Struct("!Q")

# Largest message in bytes: a batch of frames is the largest that is sent.
LARGEST = 256 * 1024 * 1024
MOST_BLOBS = 100_000


class ChannelClosedError(Exception):
    """The other side is gone, or sent what is no message."""


@dataclass(slots=True)
class Message:
    """What is sent.

    Attributes:
        fields: anything that JSON holds.
        blobs: bytes that go along.
        file: an open file of the receiver's own, or None; the receiver closes it.
    """

    fields: dict[str, Any]
    blobs: Sequence[bytes] = ()
    file: int | None = None


def send_message(connection: socket.socket, message: Message) -> None:
    """Sends one message.

    Raises:
        ChannelClosedError: the other side is gone.
    """
    text = json.dumps(message.fields).encode()
    files = [] if message.file is None else [message.file]
    try:
        sent = socket.send_fds(connection, [HEAD.pack(len(text), len(message.blobs))], files)
        if sent != HEAD.size:
            raise ChannelClosedError("a head was cut in two")
        connection.sendall(text)
        for blob in message.blobs:
            connection.sendall(BLOB.pack(len(blob)))
            connection.sendall(blob)
    except OSError as error:
        raise ChannelClosedError(str(error)) from error


def receive_message(connection: socket.socket, *, largest: int = LARGEST) -> Message:
    """Waits for one message.

    Arguments:
        largest: bytes of JSON and blobs together that are accepted.

    Raises:
        ChannelClosedError: the other side is gone, or sent what is no message.
    """
    files: list[int] = []
    try:
        head, files, _, _ = socket.recv_fds(connection, HEAD.size, 1)
        if len(head) < HEAD.size:
            if not head:
                raise ChannelClosedError("the other side has closed")
            head += receive_exactly(connection, HEAD.size - len(head))
        length, count = HEAD.unpack(head)
        if length > largest or count > MOST_BLOBS:
            raise ChannelClosedError("the message is too large")
        fields = json.loads(receive_exactly(connection, length))
        if not isinstance(fields, dict):
            raise ChannelClosedError("the message is no object")
        blobs = []
        for _ in range(count):
            (size,) = BLOB.unpack(receive_exactly(connection, BLOB.size))
            length += size
            if length > largest:
                raise ChannelClosedError("the message is too large")
            blobs.append(receive_exactly(connection, size))
    except (OSError, ValueError, ChannelClosedError) as error:
        for file in files:
            os.close(file)
        raise error if isinstance(error, ChannelClosedError) else ChannelClosedError(str(error)) from error
    return Message(fields, blobs, files[0] if files else None)


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    """`size` bytes."""
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = connection.recv_into(view)
        if count == 0:
            raise ChannelClosedError("the other side closed in the middle of a message")
        view = view[count:]
    return bytes(data)
