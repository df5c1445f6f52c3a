"""resp.py - a small client for Redis and Valkey, in both protocols.

Replies keep what a table of expectations must tell apart: a simple string is a
Simple, a bulk string is bytes, an error is an Error (returned, not raised), a
RESP3 map is a dict, a boolean a bool. A Client belongs to one connection.
"""
import socket


class Simple(str):
    """A simple string, +OK."""

    def __eq__(self, other):
        return type(other) is Simple and str(self) == str(other)

    __hash__ = str.__hash__


class Error(Exception):
    """An error reply; equal to another of the same words."""

    def __eq__(self, other):
        return isinstance(other, Error) and str(self) == str(other)

    __hash__ = Exception.__hash__


class Closed(OSError):
    """The server closed the connection, or died."""


def encode(words):
    out = [b"*%d\r\n" % len(words)]
    for word in words:
        if not isinstance(word, bytes):
            word = str(word).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(out)


class Client:
    def __init__(self, port, protocol=2, timeout=60):
        self.port = port
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self("HELLO", 3)

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, *words):
        self.socket.sendall(encode(words))

    def __call__(self, *words):
        """Sends one command and returns its reply, an Error included."""
        self.send(*words)
        return self.read()

    def ok(self, *words):
        """The same, for a command that must not fail."""
        reply = self(*words)
        if isinstance(reply, Error):
            raise AssertionError(f"{words[:3]}: {reply}")
        return reply

    def pipeline(self, commands):
        """Sends all, then returns all replies."""
        self.socket.sendall(b"".join(encode(words) for words in commands))
        return [self.read() for _ in commands]

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Closed("the connection ended")
        return self._value(line[:1], line[1:-2])

    def _bytes(self, size):
        data = self.file.read(size + 2)
        if len(data) != size + 2:
            raise Closed("the connection ended")
        return data[:-2]

    def _value(self, mark, rest):
        if mark == b"+":
            return Simple(rest.decode())
        if mark == b"-":
            return Error(rest.decode())
        if mark in b":(":
            return int(rest)
        if mark == b"$":
            return None if rest == b"-1" else self._bytes(int(rest))
        if mark in b"*~>":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if mark == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        if mark == b"#":
            return rest == b"t"
        if mark == b"_":
            return None
        if mark == b",":
            return float(rest)
        if mark == b"=":
            return self._bytes(int(rest))[4:]
        raise ValueError(f"not RESP: {mark!r}")
