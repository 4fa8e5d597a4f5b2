"""Requests that are sent by halves: they end in time, and keep nobody from being answered."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import rankscale as rs
from rankscale.workbench.connections import MOST_OPEN, Connection
from tests.workbench.conftest import ask

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"
WITHOUT_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"


@pytest.fixture
def small() -> Iterator[rs.Serving]:
    with rs.serve({"1": {"a": 1}}, {"x": {"1": {"a": 1}}}, "P@1", block=False) as opened:
        yield opened


def connected(serving: rs.Serving, sent: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", serving.port), timeout=20)
    made.sendall(sent)
    return made


def answered(one: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    parts = []
    try:
        while part := one.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize("sent", [b"", b"G", HALF])
def test_half_a_request_is_not_waited_for(small: rs.Serving, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(Connection, "SECONDS", 0.2)
    with connected(small, sent) as one:
        assert answered(one) == b""


def test_bytes_that_trickle_in_give_no_more_time(small: rs.Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "SECONDS", 0.3)
    with connected(small, HALF) as one:
        one.settimeout(0.05)
        for _ in range(40):
            try:
                one.sendall(b"x")
                if one.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return
    pytest.fail("the connection was kept")


def test_the_second_request_of_a_connection_has_no_more_time(
    small: rs.Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "SECONDS", 0.2)
    first = f"GET {small.url.partition(str(small.port))[2]} HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\n\r\n".encode()
    with connected(small, first) as one:
        assert one.recv(1 << 16).startswith(b"HTTP/1.1 303 ")
        one.sendall(HALF)
        assert b"HTTP/1.1" not in answered(one)


def test_a_body_that_does_not_come_is_not_waited_for(small: rs.Serving) -> None:
    with connected(small, WITHOUT_BODY) as one:
        assert answered(one).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize("sent", [b"", HALF, WITHOUT_BODY])
def test_many_halves_keep_nobody_out(small: rs.Serving, sent: bytes) -> None:
    """No time passes: those who wait longest make room."""
    with ExitStack() as opened:
        for _ in range(3 * MOST_OPEN):
            opened.enter_context(connected(small, sent))
            if _ % 40 == 0:
                assert ask(small, "/overview.json").status == 200
        assert ask(small, "/overview.json").status == 200
