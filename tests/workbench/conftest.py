"""A workbench of the sample collection, opened once, and a browser that looks at it."""

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

import rankscale as rs
from rankscale.sample import QRELS
from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State

RUNS = QRELS.parent / "runs"
TOKEN = "0123456789abcdef0123456789"


def ask(serving: rs.Serving, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str) -> Any:
    """An answer, with its content read, to a visitor who came with the token; headers are given with _ for -."""
    given = {} if "Cookie" in headers else {"Cookie": cookie_of(serving)}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=120)
    connection.request(method, path, body=body, headers={name: value for name, value in given.items() if value})
    made = connection.getresponse()
    made.content = made.read()  # type: ignore[attr-defined]
    connection.close()
    return made


def cookie_of(serving: rs.Serving) -> str:
    """The cookie that a first visit sets."""
    made = ask(serving, serving.url.removeprefix(f"http://127.0.0.1:{serving.port}"), Cookie="")
    return str(made.headers["set-cookie"]).partition(";")[0]


@pytest.fixture(scope="session")
def bench() -> Bench:
    """The sample collection."""
    return open_bench(str(QRELS), str(RUNS), title="sample")


@pytest.fixture(scope="session")
def answer(bench: Bench) -> Callable[[str, str], Any]:
    """The JSON of a view, given the query of its address."""
    import json

    workbench = Workbench(bench)

    def ask(view: str, query: str = "") -> Any:
        state = State.of(parse_qsl(query, errors="surrogateescape"))
        return json.loads(workbench.json(VIEWS[view], state, lambda _done, _of: None))

    return ask


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Texts of two documents of topic 101 and of two topics."""
    folder = tmp_path_factory.mktemp("texts")
    first = next(iter(rs.read_qrels(QRELS).grades("101")))
    (folder / "docs.jsonl").write_text(
        f'{{"_id": "{first}", "title": "A title", "text": "Its words <script>alert(1)</script>"}}\n', encoding="utf-8"
    )
    (folder / "queries.tsv").write_text("101\tblack bear attacks\n102\tanother question\n", encoding="utf-8")
    return folder / "docs.jsonl", folder / "queries.tsv"


@pytest.fixture(scope="session")
def serving(texts: tuple[Path, Path]) -> Iterator[rs.Serving]:
    """A workbench that answers at a free port of this machine."""
    docs, queries = texts
    with rs.serve(
        str(QRELS),
        str(RUNS),
        title="sample",
        docs=str(docs),
        queries=str(queries),
        token=TOKEN,
        block=False,
    ) as opened:
        yield opened


@pytest.fixture(scope="session")
def visitor(browser: Any, serving: rs.Serving) -> Iterator[Any]:
    """A context of the browser that has visited the workbench with its token."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    first = context.new_page()
    first.goto(serving.url)
    first.close()
    yield context
    context.close()


@pytest.fixture
def page(visitor: Any, serving: rs.Serving) -> Iterator[Any]:
    """The first page of the workbench; at its end nothing may have been refused or gone wrong."""
    made = visitor.new_page()
    troubles: list[str] = []
    made.on("console", lambda message: troubles.append(message.text) if message.type in {"error", "warning"} else None)
    made.on("pageerror", lambda error: troubles.append(str(error)))
    made.goto(serving.url.partition("?")[0], wait_until="commit")
    yield made
    made.evaluate("localStorage.clear()")
    made.close()
    assert not troubles
