"""Connections: a request has to arrive within some seconds, and those who send nothing make room for others.

uvicorn times out connections between requests only: half a request would keep its place for ever.
"""

from asyncio import TimerHandle, Transport
from typing import ClassVar

from h11 import IDLE, SEND_BODY
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_OPEN = 64  # connections; the next one closes the one that has waited longest without a request


class Connection(H11Protocol):
    """uvicorn's connection, closed if a request is not complete in time."""

    SECONDS: ClassVar[float] = 10.0  # from the first byte of a request, or from the start of a connection

    since = 0.0  # when it was opened, or the last request was complete
    _deadline: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._deadline = self.loop.call_later(self.SECONDS, transport.close)
        others = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(others) > MOST_OPEN:
            min((one for one in others if one.waits), key=lambda one: one.since).transport.close()

    @property
    def waits(self) -> bool:
        """Whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Take what was sent; where a request is not complete, the time that it has goes on."""
        super().data_received(data)
        if self.conn.their_state not in {IDLE, SEND_BODY}:
            self._forget()
            self.since = self.loop.time()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.SECONDS, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._forget()
        super().connection_lost(exc)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
