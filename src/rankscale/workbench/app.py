"""The application: addresses and what answers them, with a description in OpenAPI.

Every answer is made from the bench and the state in the URL.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from rankscale import __version__
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import InputError, ParameterError, RankscaleError
from rankscale.figures.base.look import Appearance
from rankscale.figures.base.rendering import as_script, pdf, svg
from rankscale.inputs.read import read_qrels
from rankscale.outputs.convert import qrels_lines
from rankscale.outputs.text import tidy_text
from rankscale.reporting.html_report import page_file
from rankscale.workbench.bench import Bench
from rankscale.workbench.jobs import AnswerJobs, Asker, BusyError, Job, LeftError, Progress
from rankscale.workbench.security import Guard
from rankscale.workbench.state import PARSE, State
from rankscale.workbench.view import BenchView, frame, offered
from rankscale.workbench.views import compare, effort, judgments, measures, overview, ranking, topics
from rankscale.workbench.views.ranking import looks

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

VIEWS: dict[str, BenchView] = {
    one.VIEW.name: one.VIEW for one in (overview, compare, topics, ranking, effort, measures, judgments)
}
ABOUT = {
    "m": "The measure, such as nDCG@10.",
    "rel": "The lowest relevant grade.",
    "judged": "1: unjudged documents are left out.",
    "depth": "The rank at which rankings are cut.",
    "missing": "Topics that a run lacks: zero or common.",
    "a": "The run that is looked at.",
    "b": "The run that it is compared with.",
    "baseline": "The run that all are compared with.",
    "topics": "Topics between commas; all others are left out of what is brushed.",
    "topic": "The topic whose rankings are shown.",
    "judge": "What if: DOCUMENT:GRADE, or DOCUMENT:- for unjudged, between commas.",
    "swap": "What if: a3-7 swaps the documents of A at ranks 3 and 7.",
    "value": "plain, or interval: measures are taken by their interval versions.",
    "measures": "Measures to correlate, between commas.",
    "pair": "Two measures whose orders of runs are shown.",
    "pool": "Depth of the pool whose judgments count; 0 is all.",
    "weigh": "The measure of bounds and of the weights of documents, such as RBP(p=0.8).",
    "cost": "How many documents to judge next are listed.",
    "sort": "What tables of the page are sorted by, TABLE:COLUMN:up or down; answers are the same.",
    "part": "values, or tests: what takes longer.",
}
KINDS = {".css": "text/css", ".js": "text/javascript"}
TYPES = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "txt": "text/plain; charset=utf-8",
}
LIGHT = Appearance(width=480, font_size=9)
WAIT, FIRST_WAIT = 1.0, 2.5  # seconds until an answer says how far it is instead


class Workbench:
    """Answers requests about one bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.jobs = AnswerJobs()
        self.assets = dict(_assets())
        self.template = _template()

    def application(self, *, token: str, hosts: frozenset[str], cookie: str) -> "ASGIApp":
        """The application, guarded."""
        starlette = library("starlette.applications", "the workbench", "workbench").Starlette
        route = library("starlette.routing", "the workbench", "workbench").Route
        routes = [
            route("/topic/{topic:path}", partial(self.page, VIEWS["ranking"])),
            route("/document.json", self.document),
            route("/openapi.json", self.openapi),
            route("/qrels.txt", self.qrels),
            route("/report.html", self.report),
            route("/assets/{name}", self.asset),
        ]
        for view in VIEWS.values():
            routes.append(route(view.path, partial(self.page, view)))
            routes += [route(f"/{view.name}.{ending}", partial(self.part, view, ending)) for ending in TYPES]
        application = starlette(routes=routes, exception_handlers={InputError: _refused})
        return Guard(application, token=token, hosts=hosts, cookie=cookie)

    async def page(self, view: BenchView, request: "Request") -> "Response":
        """The page of a view, with its first answer."""
        try:
            state = self._state(request)
            make = partial(self.json, view, state)
            status, answer = await self._answer(request, f"{view.name}.json", state, make, FIRST_WAIT)
        except InputError as error:
            status, answer = 400, _error(error)
        page = {"view": view.name, "status": status, "offered": offered(), "version": __version__}
        html = self.template.render(
            title=readable(f"{view.title}, {self.bench.title}"),
            name=readable(self.bench.title),
            views=list(VIEWS.values()),
            current=view.name,
            page=_within_script(json.dumps(page)),
            answer=_within_script(answer.decode()),
        )
        return _response(html.encode("utf-8", "replace"), "text/html; charset=utf-8", 200 if status < 400 else status)

    async def part(self, view: BenchView, ending: str, request: "Request") -> "Response":
        """A view as JSON, as a table or as a figure."""
        state = self._state(request)
        make = partial(self.json, view, state) if ending == "json" else partial(self._export, view, ending, state)
        wait = WAIT if ending == "json" else 60.0
        status, answer = await self._answer(request, f"{view.name}.{ending}", state, make, wait)
        if status != 200 or ending == "json":
            return _response(answer, TYPES["json"], status)
        return _response(answer, TYPES[ending], name=f"{view.name}.{ending}")

    async def document(self, request: "Request") -> "Response":
        """The text of one document, by its name."""
        query = parse_qsl(request.url.query, errors="surrogateescape")
        if [key for key, _ in query] != ["name"]:
            raise ParameterError("expected name=DOCUMENT")
        name = query[0][1]
        to_thread = library("anyio.to_thread", "the workbench", "workbench")
        text = await to_thread.run_sync(self.bench.texts.document, name)
        return _response(_json({"name": name, "text": text}), TYPES["json"])

    async def openapi(self, request: "Request") -> "Response":
        """The OpenAPI description of the JSON views."""
        del request
        return _response(_json(description(self.bench)), TYPES["json"])

    async def qrels(self, request: "Request") -> "Response":
        """The judgments of one topic with the changes of the state, as lines of qrels."""
        state = self.bench.settled(self._state(request))
        if not state.topic:
            raise ParameterError("expected topic=TOPIC, whose judgments are written")
        _, look = looks(self.bench, state)
        text = b"".join(qrels_lines(read_qrels({state.topic: look.grades}))) if look.grades else b""
        return _response(text, TYPES["txt"], name="qrels.txt")

    async def report(self, request: "Request") -> "Response":
        """The report of all runs by the measure of the state, as a file."""
        state = self._state(request)
        status, answer = await self._answer(request, "report.html", state, partial(self._report, state), 120.0)
        if status != 200:
            return _response(answer, TYPES["json"], status)
        return _response(answer, "text/html; charset=utf-8", name="report.html")

    async def asset(self, request: "Request") -> "Response":
        """A style or script of ours; names of files of the machine mean nothing here."""
        name = request.path_params["name"]
        if name not in self.assets:
            return _response(b"there is no such file", "text/plain", 404)
        return _response(self.assets[name], KINDS[name[name.rindex(".") :]])

    def _state(self, request: "Request") -> State:
        """The state that the address names; the topic of /topic/120 is in its path."""
        query = parse_qsl(request.url.query, errors="surrogateescape")
        topic = request.path_params.get("topic")
        return State.of([*query, *([("topic", topic)] if topic else [])])

    async def _answer(
        self, request: "Request", name: str, state: State, make: Callable[[Progress], bytes], wait: float
    ) -> tuple[int, bytes]:
        """Status and content: the answer, or how far it is."""
        anyio = library("anyio", "the workbench", "workbench")
        to_thread = library("anyio.to_thread", "the workbench", "workbench")
        key, asker = (name, state), Asker()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_follow, request, asker)
                answer = await to_thread.run_sync(_outcome, partial(self.jobs.answer, key, make, wait, asker))
                group.cancel_scope.cancel()
            if isinstance(answer, Exception):
                raise answer
        except BusyError:
            return 503, _json({"error": "There is too much to do already; wait a little, and try again."})
        except LeftError:  # nobody reads this
            return 503, _json({"error": "The request was broken off."})
        except RankscaleError as error:  # of the work itself
            return 400, _error(error)
        if isinstance(answer, Job):
            return 202, _json({"working": {"done": answer.done, "of": answer.of}})
        return 200, answer

    def json(self, view: BenchView, state: State, progress: Progress) -> bytes:
        """The JSON of a view: what it shows, and the frame around it."""
        settled = self.bench.settled(state)
        made = view.data(self.bench, settled, progress)
        if view.name == "ranking":
            settled = settled.changed(topic=str(made["topic"]))
        return _json(
            {
                "view": view.name,
                "state": settled.parameters(),
                "query": state.query(),
                "frame": frame(self.bench, settled, view),
                "data": made,
            }
        )

    def _export(self, view: BenchView, ending: str, state: State, progress: Progress) -> bytes:
        """A view as a file."""
        del progress
        settled = self.bench.settled(state)
        if ending == "tsv":
            return b"".join(tidy_text(view.table(self.bench, settled), "tsv"))
        if ending == "txt" and view.text:
            return view.text(self.bench, settled).encode("utf-8", "surrogateescape")
        if ending == "txt" or not view.figure:
            what = "plain text" if ending == "txt" else "figure"
            raise ParameterError(f"{view.name} has no {what}; take its table (tsv) or its data (json)")
        drawn = view.figure(self.bench, settled)
        return svg(drawn, LIGHT).encode("utf-8", "replace") if ending == "svg" else pdf(drawn, LIGHT)

    def _report(self, state: State, progress: Progress) -> bytes:
        from rankscale.reporting.report import report

        settled = self.bench.settled(state)
        made = report(
            self.bench.qrels,
            list(self.bench.runs),
            self.bench.measures_from(settled),
            baseline=settled.baseline or None,
            judged_only=settled.judged,
            title=self.bench.title,
            test=settled.test,
            anonymous_paths=True,
            progress=progress,
        )
        return made.html().encode("utf-8", "replace")


async def _refused(request: "Request", error: Exception) -> "Response":
    """The response for a request that is refused."""
    del request
    return _response(_error(error), TYPES["json"], 400)


async def _follow(request: "Request", asker: Asker) -> None:
    """Wait for the end of a request, and say so to the work that it waits for."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    asker.leave()


def _outcome(work: Callable[[], bytes | Job]) -> bytes | Job | Exception:
    """What work gives, or the error that it raises; a group of tasks would wrap that into another one."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001  # raised again by the caller
        return error


def _assets() -> Mapping[str, bytes]:
    """Styles and scripts by the name in their address."""
    own = (files("rankscale.workbench") / "page").iterdir()
    own_files = {one.name: one.read_bytes() for one in own if one.name.endswith((".css", ".js")) and one.is_file()}
    return {**own_files, "base.css": page_file("base.css").encode()}


def _template() -> Any:  # noqa: ANN401  # of a library that is imported when it is used
    jinja = library("jinja2", "the workbench", "workbench")
    text = (files("rankscale.workbench") / "page" / "frame.html.jinja").read_text(encoding="utf-8")
    blocks = {"trim_blocks": True, "lstrip_blocks": True}
    return jinja.Environment(autoescape=True, undefined=jinja.StrictUndefined, **blocks).from_string(text)


def _within_script(written: str) -> Any:  # noqa: ANN401  # markup
    """JSON that can stand within a script element."""
    return library("markupsafe", "the workbench", "workbench").Markup(as_script(json.loads(written)))


def _json(value: object) -> bytes:
    """JSON in ASCII: names of files need not be UTF-8, and their bytes come back as they were."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _error(error: Exception) -> bytes:
    return _json({"error": readable(str(error))})


def _response(content: bytes, kind: str, status: int = 200, name: str = "") -> "Response":
    """An answer; with a name it is a file to save."""
    headers = {"content-type": kind}
    if name:
        headers["content-disposition"] = f'attachment; filename="{name}"'
    made: Response = library("starlette.responses", "the workbench", "workbench").Response(content, status, headers)
    return made


def description(bench: Bench) -> Mapping[str, object]:
    """The OpenAPI document of a workbench: each view is an address, and parameters are those of the state."""
    topics, runs = list(bench.qrels.topics[:20]), list(bench.names[:20])
    known = {"m": list(bench.measures), "a": runs, "b": runs, "baseline": runs, "topic": topics, "topics": topics}
    parameters = [
        {
            "name": one.name,
            "in": "query",
            "required": False,
            "description": ABOUT.get(one.name, ""),
            "schema": _schema(one.default if one.default is not MISSING else "", known.get(one.name)),
        }
        for one in fields(State)
        if PARSE in one.metadata
    ]
    answers: dict[str, Any] = {
        "200": {"description": "What the view shows.", "content": {"application/json": {"schema": {"type": "object"}}}},
        "202": {"description": "How far it is; ask again."},
        "400": {"description": "What is wrong with the request, in words."},
        "503": {"description": "Too much to do already; ask again later."},
    }

    def operation(view: BenchView) -> Mapping[str, object]:
        about = {"operationId": view.name, "summary": view.question}
        return {**about, "parameters": parameters, "responses": answers}

    return {
        "openapi": "3.0.3",
        "info": {"title": f"Workbench of {bench.title}", "version": __version__},
        "paths": {f"/{view.name}.json": {"get": operation(view)} for view in VIEWS.values()},
    }


def _schema(default: object, known: list[str] | None) -> Mapping[str, object]:
    """The kind of a parameter, with values that exist where they are names."""
    if known is not None:
        return {"anyOf": [{"type": "string", "enum": known}, {"type": "string", "maxLength": 60}]}
    if isinstance(default, bool):
        return {"type": "string", "enum": ["0", "1"]}
    return {"type": "integer"} if isinstance(default, int) else {"type": "string", "maxLength": 60}
