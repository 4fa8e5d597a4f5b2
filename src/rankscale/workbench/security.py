"""Who may ask: this machine's browser, with the token of this workbench, from its own pages, and only to look.

A page of another site can make a browser send requests to this machine. It is kept out by the names it would have to
use (Host, against rebinding of names; Origin and Sec-Fetch-Site, against foreign pages), by the token, which it does
not know, and by there being nothing to change: every request is a GET.
"""

import hmac
import secrets
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_URL, LONGEST_HEADERS = 48 << 10, 16 << 10  # bytes
SHORTEST_TOKEN = 16  # letters of one that a user chooses
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
OTHER_ADDRESS = "This is not the address of this workbench; use the link that `rankscale serve` printed."
NO_PATH = "An address here starts with /."
FOREIGN = "Pages of other sites may not ask this workbench."
NO_CONTENT = "A workbench takes no content with a request."
UNKNOWN_VISITOR = "This workbench wants the token of its first address: open the link that `rankscale serve` printed."
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """What the Host header may say: the address that is served, and this machine's names for itself."""
    own = f"[{host}]" if ":" in host and not host.startswith("[") else host
    names = (*LOOPBACK, *([] if host in {"0.0.0.0", "::"} else [own]))  # noqa: S104  # compared, not bound
    ports = {f":{port}", ""} if port == 80 else {f":{port}"}
    return frozenset(f"{name}{end}" for name in names for end in ports)


class Guard:
    """Checks every request before the application sees it, and adds headers to every answer."""

    def __init__(self, app: "ASGIApp", *, token: str, hosts: Iterable[str], cookie: str) -> None:
        self.app = app
        self.token = token.encode()
        self.hosts = frozenset(hosts)
        self.origins = frozenset(f"http://{host}" for host in self.hosts)
        self.cookie = cookie
        # Browsers send cookies to all ports of a host: they get a secret of this workbench alone, never the token.
        self.secret = secrets.token_urlsafe(24).encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Refuse, welcome or pass on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here: the server closes them
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(send, *refusal)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if given:
            rest = [pair for pair in query if pair[0] != "token"]
            await self._welcome(scope, send, given[0], rest, followed=_from_elsewhere(headers))
            return
        if not self._known(headers.get("cookie", "")):
            await _refuse(send, 401, UNKNOWN_VISITOR)
            return

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in there]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self.app(scope, receive, with_headers)

    def _refusal(self, scope: "Scope", headers: dict[str, str]) -> tuple[int, str] | None:
        """Status and reason for a request that nobody at this machine would send; None for others."""
        # Somebody may follow a link from elsewhere to a page, which cannot be read from there.
        is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        foreign = _from_elsewhere(headers) and not is_visit
        length = len(scope["raw_path"]) + len(scope["query_string"])
        length_of_headers = sum(len(name) + len(value) for name, value in scope["headers"])
        reasons = (
            (length_of_headers > LONGEST_HEADERS, 431, f"The headers are longer than {LONGEST_HEADERS >> 10} kB."),
            (headers.get("host", "") not in self.hosts, 421, OTHER_ADDRESS),
            (not scope["raw_path"].startswith(b"/"), 400, NO_PATH),
            ("origin" in headers and headers["origin"] not in self.origins, 403, FOREIGN),
            (foreign, 403, FOREIGN),
            (scope["method"] not in {"GET", "HEAD"}, 405, "A workbench only shows: it takes GET and HEAD."),
            (headers.get("content-length", "0") != "0" or "transfer-encoding" in headers, 413, NO_CONTENT),
            (length > LONGEST_URL, 414, f"The address is longer than {LONGEST_URL >> 10} kB: choose fewer topics."),
        )
        return next(((status, words) for holds, status, words in reasons if holds), None)

    async def _welcome(
        self, scope: "Scope", send: "Send", token: str, rest: list[tuple[str, str]], *, followed: bool
    ) -> None:
        """A first visit: set a cookie that scripts cannot read, and take the token out of the address.

        After a link that was `followed` from a file or from another site, a browser sends no such cookie to where it is
        redirected; it does if a page of ours sends it there.
        """
        if not hmac.compare_digest(token.encode(), self.token):
            await _refuse(send, 401, "The token in the address is not that of this workbench.")
            return
        path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")  # never another site
        where = path + (f"?{urlencode(rest)}" if rest else "")
        kept = ("set-cookie", f"{self.cookie}={self.secret.decode()}; Path=/; HttpOnly; SameSite=Strict")
        if followed:
            page = f'<meta http-equiv="refresh" content="0;url={escape(where)}">'
            await _answer(send, 200, page, [kept, ("content-type", "text/html; charset=utf-8")])
        else:
            await _answer(send, 303, "", [kept, ("location", where)])

    def _known(self, given: str) -> bool:
        """Whether a Cookie header has the cookie of this workbench; read in one pass, whatever it holds."""
        pairs = (one.strip().partition("=") for one in given.split(";"))
        return any(hmac.compare_digest(text.encode(), self.secret) for name, _, text in pairs if name == self.cookie)


def _from_elsewhere(headers: dict[str, str]) -> bool:
    """Whether a browser says that another site, or a file, made it send a request."""
    return headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}


async def _refuse(send: "Send", status: int, words: str) -> None:
    """Say why not, and hang up: who may not ask keeps no connection."""
    await _answer(send, status, words, [("connection", "close")])


async def _answer(send: "Send", status: int, words: str, extra: Iterable[tuple[str, str]] = ()) -> None:
    headers = {**HEADERS, "content-type": "text/plain; charset=utf-8", **dict(extra)}
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    await send(start)
    await send({"type": "http.response.body", "body": words.encode()})
