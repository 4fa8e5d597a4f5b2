"""The verb: `serve(qrels, runs)` opens a workbench for this machine's browser."""

import os
import re
import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, Unpack

from rankscale.data.arguments import check_arguments
from rankscale.data.resources import library
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError, Setting
from rankscale.evaluation.notices import no_common_topic
from rankscale.evaluation.options import GradingOptions, judging_of, reading_of
from rankscale.inputs.files import distinct_names
from rankscale.inputs.options import SourceOptions
from rankscale.inputs.rankings import readable_twice
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, run_sources, runs_by_source
from rankscale.inputs.topics import read_groups
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.workbench.app import Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.documents import WORDS, Origin, open_texts
from rankscale.workbench.security import LONGEST_HEADERS, LONGEST_URL, SHORTEST_TOKEN, allowed_hosts

MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10", "Twist")  # offered unless others are named
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
TIME_TO_OPEN = 60.0  # seconds that a browser has to read the file which leads to the workbench


class ServeOptions(SourceOptions, GradingOptions, total=False):
    """Keywords of `serve` on reading and judging; what else there is can be changed in the workbench."""


class BenchOptions(ServeOptions, total=False):
    """Keywords of `open_bench`, as `serve` explains them."""

    docs: str | None
    queries: str | None
    groups: object
    group_column: str | None
    title: str
    words: Iterable[str]


class Serving:
    """A workbench that is open: its address, and how to close it.

    Attributes
    ----------
    url : str
        The address with the token, for the first visit.
    """

    def __init__(self, workbench: Workbench, host: str, port: int, token: str, *, remote: bool) -> None:
        uvicorn = library("uvicorn", "the workbench", "workbench")
        from rankscale.workbench.connections import Connection

        self._workbench = workbench
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        shown = "127.0.0.1" if host in {"0.0.0.0", "localhost"} else f"[{host}]" if ":" in host else host  # noqa: S104
        self.url = f"http://{shown}:{self.port}/?token={token}"
        hosts = allowed_hosts(host, self.port) | (_own_names(self.port) if remote else frozenset())
        application = workbench.application(token=token, hosts=hosts, cookie=f"rankscale-{self.port}")
        self._server = uvicorn.Server(
            uvicorn.Config(
                application,
                http=Connection,
                h11_max_incomplete_event_size=LONGEST_URL + LONGEST_HEADERS,
                log_level="warning",
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                limit_concurrency=100,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=2,
            )
        )
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Answer requests until Ctrl-C."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._workbench.jobs.close()

    def start(self) -> Self:
        """Answer requests in a thread of their own, and return at once."""
        self._thread = threading.Thread(target=self.run, name="workbench", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Answer no more requests."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(10)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workbench: {self._workbench.bench.title}, {self.url}>"

    def _repr_html_(self) -> str:
        title = escape(readable(self._workbench.bench.title))
        return f'<p>Workbench of {title}: <a href="{escape(self.url)}" target="_blank">open it</a></p>'


def serve(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    docs: str | None = None,
    queries: str | None = None,
    groups: object = None,
    group_column: str | None = None,
    title: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    open_browser: bool = False,
    block: bool = True,
    words: Iterable[str] = WORDS,
    **options: Unpack[ServeOptions],
) -> Serving:
    """Open a workbench: change measures and parameters in the browser, and compare runs, topics and documents.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`. Documents are read from the run files when a ranking is opened.
    measures : str, Measure or iterable of these
        Measures that are offered first; the first one orders the runs.
    docs : str, optional
        Texts of documents: a file of JSON Lines (`_id` or `id`, `title`, `text`) or of lines `name<TAB>text`, not
        packed; or the name of a collection of ir_datasets, `irds:NAME`.
    queries : str, optional
        Texts of topics, in the same forms.
    groups : path, mapping or data frame, optional
        Group of each topic, as for `topic_groups`.
    group_column : str, optional
        Column of the table that holds the groups.
    title : str
        What the collection is called; the name of the qrels by default.
    host : str
        Address to listen at. One that other machines can reach needs a `token`; anybody who knows both can look.
    port : int
        Port; 0 takes a free one.
    token : str, optional
        Secret in the link, at least 16 letters, digits, - and _; random by default.
    open_browser : bool
        Whether to open the page in the browser.
    block : bool
        Whether to answer requests until Ctrl-C. With False it goes on in a thread, as notebooks need it.
    words : iterable of str
        Files as they stand in the command lines that the pages show.
    **options
        Keywords on reading and judging, as `evaluate` explains them: grades, negative, order, max_size, threads.

    Returns
    -------
    Serving
        `url` is the address to open, `close()` ends it.

    Raises
    ------
    ParameterError
        If the host is not this machine's own and there is no token, or the token is too short.
    InputError
        If the port is taken, or there are no runs.
    MissingExtraError
        If the libraries of the workbench are not installed.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> with rs.serve(qrels, {"good": good, "bad": bad}, "P@1", block=False) as workbench:
    ...     workbench.url.startswith("http://127.0.0.1:")
    True
    """
    given = dict(locals())
    check_arguments(serve, given)
    remote = host not in LOOPBACK
    secret = _checked_token(token, host, remote=remote)
    if not 0 <= port <= 65535:
        raise ParameterError(f"port must lie between 0 and 65535, got {port}")
    looked_at: Any = {name: given[name] for name in ("docs", "queries", "groups", "group_column", "title", "words")}
    bench = open_bench(qrels, runs, measures, **looked_at, **options)
    serving = Serving(Workbench(bench), host, port, secret, remote=remote)
    if open_browser:
        threading.Thread(target=_open_page, args=[serving.url], daemon=True).start()
    if block:
        print(f"workbench of {readable(bench.title)}: {serving.url}\nCtrl-C ends it.", flush=True)  # noqa: T201
        serving.run()
        return serving
    return serving.start()


def open_bench(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    **given: Unpack[BenchOptions],
) -> Bench:
    """Read all that a workbench looks at; parameters as for `serve`."""
    requested = [str(measure) for measure in parse_all(measures)]
    if not requested:
        raise ParameterError("no measure is requested; name one, as in serve(qrels, runs, 'AP')")
    judging, reading = judging_of(given), reading_of(given)
    judgments = judging.regraded(read_qrels(qrels, max_size=reading.max_size))
    sources = [(name, readable_twice(source)) for name, source in run_sources(runs)]
    read: list[Run] = []
    places: list[tuple[Any, str | None]] = []
    for (_, source), of_source in zip(sources, runs_by_source(judgments, sources, reading), strict=True):
        read += of_source
        places += [(source, run.name if len(of_source) > 1 else None) for run in of_source]
    if not read:
        raise InputError("there are no runs")
    for run in read:
        if not len(run.rows):
            raise no_common_topic(run.source or run.name, judgments.source, judgments.topics)
    groups = given.get("groups")
    names, renamed = distinct_names([run.name for run in read], [run.source for run in read])
    return Bench(
        judgments,
        tuple(replace(run, name=name, documents=None) for run, name in zip(read, names, strict=True)),
        Origin(places, reading, tuple(given.get("words", WORDS))),
        tuple(requested),
        open_texts(given.get("docs"), given.get("queries")),
        title=given.get("title") or os.path.basename(readable(judgments.source)),
        groups={} if groups is None else read_groups(groups, given.get("group_column"))[1],
        notices=tuple(dict.fromkeys([*judgments.notices, *renamed, *(one for run in read for one in run.notices)])),
    )


def _checked_token(token: str | None, host: str, *, remote: bool) -> str:
    """The token given, or one that nobody can guess."""
    if token is None:
        if remote:
            raise ParameterError(
                f"host {host} lets other machines look: give a token of your own, too (",
                Setting("token", option="--token-file"),
                f"), of at least {SHORTEST_TOKEN} letters and digits",
            )
        return secrets.token_urlsafe(24)
    if not re.fullmatch(rf"[A-Za-z0-9_-]{{{SHORTEST_TOKEN},}}", token):
        raise ParameterError(f"a token has at least {SHORTEST_TOKEN} letters, digits, - and _, got {len(token)}")
    return token


def _open_page(url: str) -> None:
    """Open an address in the browser by way of a file that only this user can read.

    The arguments of a browser, which all users of the machine can list, name that file and not the token.
    """
    with TemporaryDirectory(prefix="rankscale-") as folder:  # which others cannot enter
        page = Path(folder, "workbench.html")
        page.write_text(f'<meta http-equiv="refresh" content="0;url={escape(url)}">', encoding="utf-8")
        webbrowser.open(page.as_uri())
        time.sleep(TIME_TO_OPEN)


def _own_names(port: int) -> frozenset[str]:
    """What others may call this machine: its name, and the addresses that it has."""
    name = socket.gethostname()
    names = {name}
    with suppress(OSError):
        names |= {str(info[4][0]) for info in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
    return frozenset(f"{name}:{port}" for name in names)


def _bound(host: str, port: int) -> socket.socket:
    """A socket at this address; raise InputError where it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(128)  # who comes before the server has started waits
    except OSError as error:
        made.close()
        raise InputError(f"cannot answer at {host}, port {port}: {error.strerror}; choose another port") from None
    return made
