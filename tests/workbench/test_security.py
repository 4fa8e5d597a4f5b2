"""Who may ask a workbench, and what a request can and cannot do: a test for each promise."""

import http.client
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.workbench.security import LONGEST_HEADERS, LONGEST_URL, Guard
from tests.workbench.conftest import TOKEN, ask

SMALL = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
RUN = {"1": {"b": 2, "a": 1}, "2": {"a": 1}}


def test_with_the_cookie_a_page_is_answered_with_a_strict_policy(serving: rs.Serving) -> None:
    made = ask(serving, "/")
    assert made.status == 200
    policy = dict(part.split(" ", 1) for part in made.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"  # nothing inline, nothing evaluated, nothing from elsewhere
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert made.headers["x-content-type-options"] == "nosniff"
    assert made.headers["referrer-policy"] == "no-referrer"
    assert "server" not in made.headers
    assert b"<script>" not in made.content
    assert b"style=" not in made.content
    assert b" onclick" not in made.content


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"]
)
def test_a_foreign_host_is_refused(serving: rs.Serving, host: str) -> None:
    assert ask(serving, "/overview.json", Host=host).status == 421


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_this_machine_may_call_itself_by_its_names(serving: rs.Serving, name: str) -> None:
    assert ask(serving, "/overview.json", Host=f"{name}:{serving.port}").status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", "http://[", "http://[::1", "http://]@x"],
)
def test_a_foreign_origin_is_refused(serving: rs.Serving, origin: str) -> None:
    assert ask(serving, "/overview.json", Origin=origin).status == 403
    assert ask(serving, "/overview.json", Origin=f"http://127.0.0.1:{serving.port}").status == 200


def test_requests_that_other_sites_make_are_refused_but_not_their_links(serving: rs.Serving) -> None:
    assert ask(serving, "/overview.json", Sec_Fetch_Site="cross-site").status == 403
    assert ask(serving, "/overview.json", Sec_Fetch_Site="same-site", Sec_Fetch_Mode="cors").status == 403
    visit: dict[str, Any] = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert ask(serving, "/", **visit).status == 200
    assert ask(serving, "/", **{**visit, "Sec_Fetch_Dest": "iframe"}).status == 403


@pytest.mark.parametrize("cookie", ["", "rankscale-1=x", "x", "=;;=", 'a="\x01'])
def test_without_the_token_nothing_is_told(serving: rs.Serving, cookie: str) -> None:
    for path in ("/", "/overview.json", "/assets/main.js", "/report.html", "/nothing"):
        made = ask(serving, path, Cookie=cookie)
        assert made.status == 401
        assert b"open the link that `rankscale serve` printed" in made.content
        assert b"bm25" not in made.content


def test_the_first_visit_takes_the_token_out_of_the_address(serving: rs.Serving) -> None:
    made = ask(serving, f"/compare?a=bm25&token={TOKEN}&b=ql", Cookie="")
    assert (made.status, made.headers["location"]) == (303, "/compare?a=bm25&b=ql")
    cookie = made.headers["set-cookie"]
    assert cookie.startswith(f"rankscale-{serving.port}=")
    assert TOKEN not in cookie  # browsers send cookies to all ports of a host, and so to other programs
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask(serving, "/?token=" + "x" * 24, Cookie="").status == 401
    assert ask(serving, f"//evil.example/?token={TOKEN}", Cookie="").headers["location"].startswith("/evil.example")


def test_the_token_is_no_cookie(serving: rs.Serving) -> None:
    assert ask(serving, "/", Cookie=f"rankscale-{serving.port}={TOKEN}").status == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_can_be_changed(serving: rs.Serving, method: str) -> None:
    assert ask(serving, "/overview.json", method=method).status == 405


def test_contents_and_long_addresses_are_refused(serving: rs.Serving) -> None:
    assert ask(serving, "/overview.json", body=b"x").status == 413
    assert ask(serving, "/overview.json", Content_Length="99999999999").status == 413
    assert ask(serving, "/overview.json?m=" + "x" * LONGEST_URL).status == 414
    with pytest.raises((http.client.HTTPException, ConnectionError, AssertionError)):  # refused before it is read
        assert ask(serving, "/overview.json?m=" + "x" * 3_000_000).status not in {400, 414, 431}


@pytest.mark.parametrize("cookie", ['\\"' * 30_000, 'a="' + '\\"' * 30_000, "a=1; " * 12_000])
def test_long_headers_are_refused_before_they_are_read(serving: rs.Serving, cookie: str) -> None:
    made = ask(serving, "/", Cookie=cookie)
    assert (made.status, made.content) == (431, b"The headers are longer than 16 kB.")
    assert ask(serving, "/", Cookie=cookie[: LONGEST_HEADERS // 2]).status == 401


def test_an_address_that_is_no_path_is_refused(serving: rs.Serving) -> None:
    for target in ("http://evil.example/", "x[", "*"):
        assert ask(serving, target, Host=f"127.0.0.1:{serving.port}").status == 400


def test_who_may_not_ask_keeps_no_connection(serving: rs.Serving) -> None:
    assert ask(serving, "/", Cookie="").headers["connection"] == "close"
    assert ask(serving, "/").headers["connection"] is None


async def _through_guard(headers: list[tuple[bytes, bytes]], target: bytes) -> int:
    """The status of an answer to a request that came without a token; the application behind is never called."""

    async def app(*_: object) -> None:
        raise AssertionError("the application was called")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    path, _, query = target.partition(b"?")
    scope = {"type": "http", "method": "GET", "headers": headers, "raw_path": path, "query_string": query}
    guard = Guard(app, token=TOKEN, hosts={"127.0.0.1:80"}, cookie="rankscale-80")
    await guard(scope, None, send)  # type: ignore[arg-type]  # nothing is received
    return int(sent[0]["status"])


NAMES = (b"host", b"origin", b"cookie", b"sec-fetch-site", b"sec-fetch-mode", b"content-length", b"transfer-encoding")
VALUES = (b"127.0.0.1:80", b"http://127.0.0.1:80", b"http://[", b"rankscale-80=", b'rankscale-80="\\"', b"none", b"0")


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.binary(max_size=40)), max_size=8),
    st.binary(max_size=20).map(lambda target: b"/" + target) | st.binary(max_size=20),
)
@settings(max_examples=400)
def test_whatever_is_sent_without_a_token_is_refused(headers: list[tuple[bytes, bytes]], target: bytes) -> None:
    # Refusing waits for nothing, so that no event loop is needed: a browser that is tested in this process has one.
    answering = _through_guard([(b"host", b"127.0.0.1:80"), *headers], target)
    with pytest.raises(StopIteration) as ended:
        answering.send(None)
    assert 400 <= ended.value.value < 500


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/..%2fapp.py",
        "/assets/%2e%2e/%2e%2e/errors.py",
        "/assets//etc/passwd",
        "/assets/frame.html.jinja",
        "/topic/../../etc/passwd",
        "/topic/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/document.json?name=../../../etc/passwd",
        "/document.json?name=/etc/passwd",
        "/document.json?name=file:///etc/passwd",
        "/overview.json?a=/etc/passwd",
        "/ranking.json?topic=/etc/passwd",
    ],
)
def test_no_file_of_the_machine_can_be_named(serving: rs.Serving, path: str) -> None:
    made = ask(serving, path)
    assert made.status in {200, 400, 404}
    assert b"root:" not in made.content
    assert b"import" not in made.content.split(b"<script")[0]
    if made.status == 200:  # a document that nobody has
        assert json.loads(made.content)["text"] is None


def test_a_request_has_a_bounded_cost(serving: rs.Serving) -> None:
    assert ask(serving, "/ranking.json?topic=101&shown=1001").status == 400
    assert ask(serving, "/overview.json?m=P@" + "9" * 30).status == 400
    assert b"expected at most" in ask(serving, "/overview.json?m=" + "x" * 500).content


HOSTILE = '</script><script>window.owned=1</script>"\'><img src=x onerror="window.owned=1">'


def test_hostile_names_are_shown_as_text(browser: Any, tmp_path: Path) -> None:
    """Names of runs, topics and documents, texts and queries: script never runs."""
    topic, other = "t" + HOSTILE.replace(" ", "_"), "2"
    qrels = {topic: {HOSTILE: 1, "b": 0}, other: {HOSTILE: 1, "b": 0}, "3": {"b": 1}}
    runs = {
        HOSTILE: {t: {HOSTILE: 2.0, "b": 1.0} for t in qrels},
        "plain": {t: {"b": 2.0, HOSTILE: 1.0} for t in qrels},
    }
    (tmp_path / "docs.jsonl").write_text(json.dumps({"_id": HOSTILE, "title": HOSTILE, "text": HOSTILE}) + "\n")
    (tmp_path / "queries.tsv").write_text(f"{topic}\t{HOSTILE}\n{other}\t{HOSTILE}\n")
    with rs.serve(
        qrels,
        runs,
        "P@1",
        title=HOSTILE,
        docs=str(tmp_path / "docs.jsonl"),
        queries=str(tmp_path / "queries.tsv"),
        groups={topic: HOSTILE, other: "x", "3": "x"},
        block=False,
    ) as opened:
        context = browser.new_context()
        page = context.new_page()
        page.goto(opened.url)
        for view in ("/", "/compare", "/topics", "/effort", f"/topic/{quote(topic, safe='')}", "/topic/2"):
            page.goto(opened.url.partition("?")[0].rstrip("/") + view)
            page.wait_for_selector("#content table")
            page.wait_for_selector("body[data-shows=all]")
            assert page.evaluate("window.owned") is None
            assert page.locator("img").count() == 0
        page.get_by_role("button", name="Text of").first.click()
        page.wait_for_selector(".document-text h2")
        assert page.locator(".document-text h2").inner_text() == HOSTILE
        assert (page.evaluate("window.owned"), page.locator("img").count()) == (None, 0)
        context.close()


def test_other_machines_need_a_token() -> None:
    for host in ("0.0.0.0", "192.0.2.1"):
        with pytest.raises(ParameterError, match="lets other machines look: give a token of your own"):
            rs.serve(SMALL, RUN, host=host, block=False)
    with pytest.raises(ParameterError, match="a token has at least 16 letters"):
        rs.serve(SMALL, RUN, host="0.0.0.0", token="short", block=False)
    with pytest.raises(ParameterError, match="a token has at least 16 letters"):
        rs.serve(SMALL, RUN, token='"; Path=/evil; x="aaaaaaaaaa', block=False)
