"""What each surface shows of a question: numbers under labels, as far as the digits shown tell."""

import base64
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.errors import ParameterError
from rankscale.stats.tests.register import make_test
from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.state import State
from tests.answers.questions import Question

TURNED = ("paired_d", "hedges_g", "cliffs_delta", "rank_biserial", "d")  # effects that change their sign with the order
MARGIN = 0.05
SECTIONS = ("summary", "gate", "leaderboard", "compare", "diff", "statements")
Cell = tuple[str, str, str]  # its sort key, its title and its text
ALONE, AT_ONCE = "this pair alone", "for all pairs at once"
P = r"p (=|<) (\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
FAMILY = r"(?:, (this pair alone|[\d,]+ pairs, [\w' -]+))?"


@dataclass(frozen=True)
class Shown:
    """A number, or a word, that a surface shows under a label; a printed number lies between two ends."""

    surface: str
    label: tuple[str, ...]
    value: str = ""
    low: float = math.nan
    high: float = math.nan

    def __str__(self) -> str:
        if self.value:
            return f"{self.surface}: {self.value}"
        ends = f"{self.low!r}" if self.low == self.high else f"{self.low!r} to {self.high!r}"
        return f"{self.surface}: {ends}"


@dataclass(frozen=True)
class Surface:
    """Makes what one surface shows of a question about so many topics."""

    name: str
    of_topics: int

    def word(self, label: Sequence[str], value: object) -> Shown:
        return Shown(self.name, tuple(label), str(value))

    def exact(self, label: Sequence[str], value: Any) -> Shown:
        """A number in full; None and what is not a number are undefined."""
        number = math.nan if value is None else float(value)
        return Shown(self.name, tuple(label), "undefined" if math.isnan(number) else "", number, number)

    def near(self, label: Sequence[str], value: Any) -> Shown:
        """A number in full whose last digits may depend on which of two runs comes first, as in quantiles of draws."""
        return self.exact(label, value) if value is None else self._near(label, value, 1e-12 * abs(value) + 1e-15)

    def single(self, label: Sequence[str], value: float) -> Shown:
        """A number of single precision."""
        return self._near(label, value, 6e-8 * abs(value) + 1e-45)

    def printed(self, label: Sequence[str], text: str, unit: float = 1.0) -> Shown:
        """A number in digits: it lies within half a unit of the last one."""
        text = text.replace(",", "").rstrip("%")
        if text in {"-", "nan", "inf", "-inf"}:
            return self.exact(label, None if text == "-" else float(text))
        mantissa, _, exponent = text.partition("e")
        step = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        value = float(text) * unit
        return self._near(label, value, 0.5000001 * step * unit + 1e-15)

    def below(self, label: Sequence[str], text: str) -> Shown:
        """A p-value of which an upper limit is shown."""
        return Shown(self.name, tuple(label), "", 0.0, float(text))

    def _near(self, label: Sequence[str], value: float, by: float) -> Shown:
        number = float(value)
        if math.isinf(number):
            return Shown(self.name, tuple(label), "", number, number)
        return Shown(self.name, tuple(label), "undefined" if math.isnan(number) else "", number - by, number + by)

    def p(self, label: Sequence[str], sign: str, text: str) -> Shown:
        return self.below(label, text) if sign == "<" else self.printed(label, text)


@dataclass(frozen=True)
class Pair:
    """Two runs under a test, in the order of their names, whichever order a surface shows them in."""

    measure: str
    test: str
    first: str
    second: str
    ratio: bool = False

    @property
    def turned(self) -> bool:
        return self.first > self.second

    def by(self, on: Surface) -> Callable[[Sequence[str], Any], Shown]:
        """How numbers in full are shown: to the last digit by the default test."""
        return on.exact if self.test == "student" and not self.ratio else on.near

    def label(self, what: str, *more: str) -> tuple[str, ...]:
        return (what, self.measure, self.test, *sorted((self.first, self.second)), *more)

    def gap(self, number: Any) -> Any:
        """A difference, or a ratio, of the two in the order of their names."""
        if number is None or not self.turned:
            return number
        return 1 / number if self.ratio and number else 0.0 - number

    def difference(self, by: Callable[[Sequence[str], Any], Shown], number: Any, what: str = "difference") -> Shown:
        return by(self.label(what), self.gap(number))

    def interval(self, by: Callable[[Sequence[str], Any], Shown], ends: Sequence[Any], which: str) -> Iterator[Shown]:
        """Both ends of an interval of the pair alone, or of one that holds for all pairs at once."""
        low, high = map(self.gap, reversed(ends) if self.turned else ends)
        yield by(self.label("interval from", which), low)
        yield by(self.label("interval to", which), high)

    def mean(self, run: str, topics: int, on: Surface, word: str = "") -> tuple[str, ...]:
        """The label of what sums up one of the two over the topics on which both have a value."""
        summed_up = rs.parse(self.measure).summed_up
        word = summed_up if word == "mean" and summed_up == "geometric mean" else word or summed_up
        return (word, self.measure, run, *(self.label("")[3:] if topics < on.of_topics else ()))

    def means(self, on: Surface, both: Sequence[float | None], topics: int, word: str = "") -> Iterator[Shown]:
        for run, mean in zip((self.first, self.second), both, strict=True):
            yield on.exact(self.mean(run, topics, on, word), mean)

    def effects(self, by: Callable[[Sequence[str], Any], Shown], row: Mapping[str, Any]) -> Iterator[Shown]:
        for name in TURNED:
            if row.get(name) is not None:
                yield by(self.label(name), 0.0 - row[name] if self.turned else row[name])


def summed(measure: str) -> str:
    """What sums up a measure over topics: mean, total, geometric mean."""
    return rs.parse(measure).summed_up


def on_surface(asked: Question, name: str) -> Surface:
    return Surface(name, len(asked.topics or asked.collection.qrels.topics))


def called(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(cli, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in {0, 1, 3}, (words, done.output)
    return done.stdout


def tables(text: str) -> Iterator[list[dict[str, str]]]:
    """The tables of a terminal: a heading, and rows of which the columns are set apart by two blanks."""
    for block in text.split("\n\n"):
        lines = [re.split(r" {2,}", line.strip()) for line in block.splitlines()]
        starts = [place for place, line in enumerate(lines) if len(line) > 1]
        if starts:
            head, *rows = lines[starts[0] :]
            yield [dict(zip(head, row, strict=True)) for row in rows if len(row) == len(head)]


def pair_of_row(row: Mapping[str, Any], test: str) -> Pair:
    return Pair(row["measure"], test, row["run"], row["other"], "ratio" in row)


def pair_row(on: Surface, row: Mapping[str, Any]) -> Iterator[Shown]:
    """A row of `compare --pairs`, in full."""
    pair = pair_of_row(row, row["test"])
    yield pair.difference(pair.by(on), row.get("difference", row.get("ratio")))
    family = row.get("family", "")
    yield on.exact(pair.label("p", family), row["p"])
    yield on.exact(pair.label("topics"), row["topics"])
    yield on.word(pair.label("significant", family), bool(row["significant"]))
    which = "" if "lower" in row else "_uncorrected"
    if f"lower{which}" in row:
        yield from pair.interval(pair.by(on), [row[f"lower{which}"], row[f"upper{which}"]], ALONE)
    if "p_uncorrected" in row:
        yield on.exact(pair.label("p", ALONE if family else "uncorrected"), row["p_uncorrected"])
    yield from pair.effects(pair.by(on), row)


def printed_pair_row(on: Surface, row: Mapping[str, str], family: str, *, at_once: bool = False) -> Iterator[Shown]:
    """A row of the same table as people see it."""
    pair = pair_of_row(row, row["test"])
    for gap in {"difference", "ratio"} & set(row):
        if not (pair.ratio and pair.turned):
            yield on.printed(pair.label("difference"), turned_text(row[gap]) if pair.turned else row[gap])
    yield on.printed(pair.label("p", row.get("family", family)), row["p"])
    yield on.printed(pair.label("topics"), row["topics"])
    if "p_uncorrected" in row:
        yield on.printed(pair.label("p", ALONE), row["p_uncorrected"])


def turned_text(text: str) -> str:
    return text[1:] if text.startswith("-") else text if text in {"nan", "inf"} else f"-{text}"


def statement(on: Surface, one: Mapping[str, Any]) -> Iterator[Shown]:
    """A statement in full."""
    outcome, (first, second) = one["outcome"], one["runs"]
    pair = Pair(one["measure"], one["test"], first, second, outcome["is_ratio"])
    yield from pair.means(on, outcome["means"], outcome["topics"])
    yield pair.difference(pair.by(on), outcome["difference"])
    family = outcome.get("family", "")
    yield on.exact(pair.label("p", family), outcome["p"])
    yield on.exact(pair.label("p", ALONE), outcome["p_uncorrected"])
    yield on.exact(pair.label("topics"), outcome["topics"])
    yield on.word(pair.label("significant", family), outcome["significant"])
    if outcome["lower"] is not None:
        yield from pair.interval(pair.by(on), [outcome["lower"], outcome["upper"]], ALONE)
    by_topic = one["by_topic"]
    counts = [by_topic["losses"], by_topic["ties"], by_topic["wins"]]
    yield from wins(on, pair, counts)
    yield on.exact(("p", pair.measure, "sign", *pair.label("")[3:], ALONE), by_topic["p"])


def printed_statements(on: Surface, text: str, names: Sequence[str], tests: Mapping[str, str]) -> Iterator[Shown]:
    """The same in sentences; `tests` has the names of tests by what sentences call them."""
    either, label_of_test = ("|".join(map(re.escape, some)) for some in (names, tests))
    found = re.finditer(
        rf"({either}) (?:is \w+ than|and) ({either}) (?:in|cannot be told apart in|have the same) \w+(?: \w+)? (\S+) "
        rf"\(([\d.-]+) against ([\d.-]+), (\d+) topics?\).*?((?:not )?significant) \(({label_of_test}), {P}"
        rf"(?:, [A-Z][\w-]+)?{FAMILY}\)",
        re.sub(r"\s+", " ", text),
    )
    for one in found:
        first, second, measure, of_first, of_second, topics, verdict, label, sign, p, family = one.groups()
        pair = Pair(measure, tests[label], first, second)
        yield on.printed(pair.mean(first, int(topics), on), of_first)
        yield on.printed(pair.mean(second, int(topics), on), of_second)
        yield on.printed(pair.label("topics"), topics)
        yield on.p(pair.label("p", family or ""), sign, p)
        yield on.word(pair.label("significant", family or ""), verdict == "significant")


def wins(on: Surface, pair: Pair, counts: Sequence[int]) -> Iterator[Shown]:
    """Losses, ties and wins of the first run of a pair."""
    losses, ties, won = reversed(counts) if pair.turned else counts
    for name, count in (("losses", losses), ("ties", ties), ("wins", won)):
        yield on.exact((name, pair.measure, *pair.label("")[3:]), count)


def of_python(asked: Question) -> Iterator[Shown]:
    """The objects of the package."""
    of, on = asked.asked, on_surface(asked, "Python, evaluate")
    result = rs.evaluate(asked.collection.qrels, asked.collection.runs, asked.measure)
    if asked.topics:
        result = result.of_topics(asked.topics)
    means = result.means()
    measure = str(result.measures[0])
    for run, mean, counted in zip(result.runs, means.values[0].tolist(), means.counted[0].tolist(), strict=True):
        yield on.exact((summed(measure), measure, run), mean)
        yield on.exact(("topics", measure, run), counted)
    judged = rs.evaluate(of.qrels, list(of.runs), "Judged@10").means()
    for run, share in zip(of.names, judged.values[0].tolist(), strict=True):
        yield on.exact(("Judged@10", run), share)
    on = on_surface(asked, "Python, compare")
    correction = asked.correction if asked.takes_correction else None
    about = rs.compare(result, asked.test, correction, baseline=asked.baseline)
    for run, mean in zip(about.runs, about.means.tolist(), strict=True):
        yield on.exact((summed(measure), measure, run), mean)
    yield on.word(("leader", measure), about.runs[0])
    for row in about.rows():
        yield from pair_row(on, row)
    on = on_surface(asked, "Python, statements")
    for one in rs.statements(about):
        yield from statement(on, one.to_dict())
    if not make_test(asked.test).together:
        on = on_surface(asked, "Python, diff")
        yield from diff_row(on, next(iter(rs.diff(result, asked.b, asked.a, test=asked.test).table("summary"))))
    if gated(asked):
        on = on_surface(asked, "Python, gate")
        made = rs.gate(result, margin=margin(asked), test=asked.test, baseline=asked.b, candidate=asked.a)  # type: ignore[arg-type]  # see `gated`
        yield from gate_row(on, next(iter(made.table("gate"))), asked)


def margin(asked: Question) -> str:
    return "5%" if asked.measure == "GMAP" else str(MARGIN)


def gated(asked: Question) -> bool:
    """Whether a gate can decide: each measure here has a direction."""
    return asked.test in {"student", "randomisation"}


def diff_row(on: Surface, row: Mapping[str, Any]) -> Iterator[Shown]:
    """The summary of `diff`, in full."""
    pair = Pair(row["measure"], row.get("test") or "", row["candidate"], row["baseline"], "ratio" in row)
    word = "total" if "baseline_total" in row else "mean"
    yield from pair.means(on, (row[f"candidate_{word}"], row[f"baseline_{word}"]), row["topics"], word)
    yield from wins(on, pair, (row["losses"], row["ties"], row["wins"]))
    if not pair.test:
        return
    yield on.exact(pair.label("topics"), row["topics"])
    yield pair.difference(pair.by(on), row.get("difference", row.get("ratio")))
    family = row.get("family", "")
    yield on.exact(pair.label("p", family), row["p"])
    yield on.word(pair.label("significant", family), bool(row["significant"]))
    if "lower" in row:
        yield from pair.interval(pair.by(on), [row["lower"], row["upper"]], ALONE)
    yield from pair.effects(pair.by(on), row)


def gate_row(on: Surface, row: Mapping[str, Any], asked: Question) -> Iterator[Shown]:
    """A row of the gate, in full; its differences are in favour of the candidate."""
    pair = Pair(row["measure"], asked.test, row["candidate"], asked.b, "ratio" in row)
    yield from pair.means(on, (row["candidate_mean"], row["baseline_mean"]), row["topics"], "mean")
    yield on.exact(pair.label("topics"), row["topics"])
    number = row.get("difference", row.get("ratio"))
    yield pair.difference(pair.by(on), 0.0 - number if asked.measure == "ESL" else number)
    yield on.exact(pair.label("p_NI", row.get("family", "")), row["p_NI"])
    yield on.exact(pair.label("p_worse", row.get("family", "")), row["p_worse"])
    yield on.word(pair.label("gate"), row["verdict"])


def of_evaluate(asked: Question) -> Iterator[Shown]:
    """`rankscale evaluate`, its lines and what it prints; `--topics` in place of a file of judgments."""
    words = [*asked.collection.words, "-m", asked.measure, "-m", "Judged@10", *topics_file(asked)]
    on = on_surface(asked, "evaluate --format jsonl")
    for line in called("evaluate", *words, "--format", "jsonl").splitlines():
        row = json.loads(line)
        known = (
            (row["measure"], row["run"])
            if row["measure"] == "Judged@10"
            else (summed(row["measure"]), row["measure"], row["run"])
        )
        yield on.exact(known, row["value"])
    on = on_surface(asked, "evaluate")
    for table in tables(called("evaluate", *words)):
        for row in table:
            for name, cell in row.items():
                if name == "Judged@10":
                    yield on.printed((name, row["run"]), cell)
                elif name not in {"run", "topics"}:
                    yield on.printed((summed(name), name, row["run"]), cell.split()[0])  # before the number of topics


def topics_file(asked: Question) -> list[str]:
    if not asked.topics:
        return []
    file = asked.asked.qrels_file.with_suffix(".topics")
    file.write_text("".join(f"{topic}\n" for topic in asked.topics), encoding="utf-8")
    return ["--topics", str(file)]


def of_compare(asked: Question) -> Iterator[Shown]:
    """`rankscale compare`: rows, the document, and what it prints."""
    words = ["-m", asked.measure, "-t", asked.test]
    words += ["--correction", asked.correction] if asked.takes_correction else []
    words += ["--baseline", asked.baseline] if asked.baseline else []
    stated = ["compare", *asked.asked.words, *words, "--statements"]  # which takes no --topics
    on = on_surface(asked, "compare --format jsonl")
    families = set()
    for line in called(
        "compare", *asked.collection.words, *words, *topics_file(asked), "--format", "jsonl"
    ).splitlines():
        row = json.loads(line)
        families.add(row.get("family", ""))
        yield from pair_row(on, row)
    on = on_surface(asked, "compare --format json")
    for one in json.loads(called(*stated, "--format", "json"))["statements"]:
        yield from statement(on, one)
    on = on_surface(asked, "compare")
    text = called(*stated, "--pairs")
    (family,) = families
    for number, table in enumerate(tables(text)):
        for row in table:
            if number == 0:
                for name, cell in row.items():
                    if name != "run":
                        yield on.printed((summed(name), name, row["run"]), cell.split()[0])
            elif "p" in row and "other" in row:
                yield from printed_pair_row(on, row, family)
    yield from printed_statements(on, text, asked.collection.names, labels())


def labels() -> dict[str, str]:
    """Names of tests by what sentences call them."""
    from rankscale.stats.tests.register import known_tests

    return {make_test(name).label: name for name in known_tests()}


def of_check(asked: Question) -> Iterator[Shown]:
    """`rankscale check`: how much is judged."""
    words = ["check", *map(str, asked.collection.run_files), "--qrels", str(asked.asked.qrels_file)]
    for line in called(*words, "--format", "jsonl").splitlines():
        row = json.loads(line)
        yield on_surface(asked, "check").exact(("Judged@10", row["run"]), row["judged_at_10"])


def of_diff(asked: Question) -> Iterator[Shown]:
    """`rankscale diff`: the summary and the sentence."""
    if make_test(asked.test).together:
        return
    words = ["diff", *asked.asked.words, "-m", asked.measure, "-t", asked.test, "--no-interval"]
    words += ["--baseline", asked.b, "--candidate", asked.a]
    (row,) = map(json.loads, called(*words, "--table", "summary", "--format", "jsonl").splitlines())
    yield from diff_row(on_surface(asked, "diff --format jsonl"), row)
    on, pair = on_surface(asked, "diff"), Pair(row["measure"], asked.test, asked.a, asked.b)
    text = re.sub(r"\s+", " ", called(*words).partition("\n\n")[0])
    found = re.search(rf"\(([\d.-]+) against ([\d.-]+)\), (?:{P}{FAMILY}|not tested)", text)
    assert found, text
    yield on.printed(pair.mean(asked.a, row["topics"], on), found[1])
    yield on.printed(pair.mean(asked.b, row["topics"], on), found[2])
    if found[3]:
        yield on.p(pair.label("p", found[5] or ""), found[3], found[4])


def of_gate(asked: Question) -> Iterator[Shown]:
    """`rankscale gate`: its row and what it prints."""
    if not gated(asked):
        return
    words = ["gate", *asked.asked.words, "-m", asked.measure, "--margin", margin(asked), "--test", asked.test]
    words += ["--baseline", asked.b, "--candidate", asked.a]
    (row,) = map(json.loads, called(*words, "--format", "jsonl").splitlines())
    yield from gate_row(on_surface(asked, "gate --format jsonl"), row, asked)
    on = on_surface(asked, "gate")
    printed = next(row for table in tables(called(*words)) for row in table if "p_NI" in row)
    pair = Pair(printed["measure"], asked.test, asked.a, asked.b)
    yield on.printed(pair.mean(asked.a, row["topics"], on, "mean"), printed["candidate"])
    yield on.printed(pair.mean(asked.b, row["topics"], on, "mean"), printed["baseline"])
    yield on.printed(pair.label("topics"), printed["topics"])
    yield on.printed(pair.label("p_NI", row.get("family", "")), printed["p_NI"])
    yield on.word(pair.label("gate"), printed["verdict"])


class Page(HTMLParser):
    """The tables of a page by their ids, each cell with its sort key and text, and the texts of other elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[dict[str, Cell]]] = {}
        self.head: list[str] = []
        self.row: list[Cell] = []
        self.table = ""
        self.cell: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "table":
            self.table, self.head = given.get("id", ""), []
            self.tables[self.table] = []
        elif tag == "tr":
            self.row = []
        elif tag == "th" and "data-name" in given:
            self.head.append(given["data-name"])
        elif tag in {"td", "th"}:
            self.cell = [given.get("data-sort", ""), given.get("title", ""), ""]

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell[2] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"} and self.cell is not None:
            self.row.append((self.cell[0], self.cell[1], self.cell[2].strip()))
            self.cell = None
        elif tag == "tr" and self.row and self.table in self.tables and len(self.row) == len(self.head):
            self.tables[self.table].append(dict(zip(self.head, self.row, strict=True)))


def unpacked(text: str, kind: str) -> list[Any]:
    found: list[Any] = np.frombuffer(base64.b64decode(text), dtype=f"<{kind}").tolist()
    return found


def of_report(asked: Question) -> Iterator[Shown]:
    """The page of `report`: the numbers for its scripts, its tables and its sentences."""
    of = asked.asked
    options: dict[str, Any] = {"test": asked.test, "baseline": asked.baseline, "sections": SECTIONS}
    if asked.takes_correction:
        options["correction"] = asked.correction
    if gated(asked):
        options |= {"candidate": asked.a, "margin": margin(asked), "baseline": asked.b}
    else:
        options["sections"] = ("summary", "leaderboard", "compare", "statements")
    html = rs.report(of.qrels, of.runs, asked.measure, **options).html()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data, tables_of_page = json.loads(found[1]), Page(html).tables
    yield from report_scripts(on_surface(asked, "report, numbers of its scripts"), data, asked)
    yield from report_leaderboard(on_surface(asked, "report, leaderboard"), tables_of_page["runs"], data, asked)
    plain = unescape(re.sub(r"<[^>]*>", " ", html))
    yield from printed_statements(on_surface(asked, "report, statements"), plain, asked.collection.names, labels())
    if "gate-table" in tables_of_page:
        yield from report_candidates(tables_of_page, data["measure"], asked)


def report_scripts(on: Surface, data: Any, asked: Question) -> Iterator[Shown]:
    """What the scripts of the page show of two runs."""
    measure, pairs, runs = data["measure"], data["pairs"], data["runs"]
    for run, mean in zip(runs, data["means"], strict=True):
        yield on.exact((summed(measure), measure, run), mean)
    yield on.word(("leader", measure), runs[0])
    which = AT_ONCE if "at once" in pairs["words"] else ALONE
    columns = [unpacked(pairs[name], kind) for name, kind in (("first", "u2"), ("second", "u2"), ("p", "f8"))]
    columns += [unpacked(pairs[name], "f4") for name in ("difference", "lower", "upper")]
    for one, other, p, difference, *ends in zip(*columns, strict=True):
        pair = Pair(measure, asked.test, runs[one], runs[other], pairs["ratio"])
        yield on.exact(pair.label("p", pairs.get("family", "")), p)
        if not pair.ratio:
            yield pair.difference(on.single, difference)
            if not all(map(math.isnan, ends)):
                yield from pair.interval(on.single, ends, which)


def report_leaderboard(on: Surface, rows: Sequence[Mapping[str, Cell]], data: Any, asked: Question) -> Iterator[Shown]:
    """The leaderboard: means, shares of judged documents, and what is said of the best run or the baseline."""
    measure, reference = data["measure"], data["runs"][data["pairs"]["reference"]]
    for row in rows:
        run = row["run"][2]
        summed_up = row[summed(measure)]
        yield on.exact((summed(measure), measure, run), summed_up[0] or None)
        yield on.printed((summed(measure), measure, run), summed_up[2])
        yield on.exact(("Judged@10", run), row["Judged@10"][0] or None)
        yield on.printed(("Judged@10", run), row["Judged@10"][2], 0.01)
        about = next(cell[1] for name, cell in row.items() if name.startswith(("difference to", "ratio to")))
        told = re.search(rf"(not told apart|told apart) from {re.escape(reference)}, {P}{FAMILY}", about)
        if told:
            pair = Pair(measure, asked.test, run, reference, data["pairs"]["ratio"])
            yield on.p(pair.label("p", told[4] or ""), told[2], told[3])
            yield on.word(pair.label("significant", told[4] or ""), told[1] == "told apart")


def report_candidates(
    tables_of_page: Mapping[str, Sequence[Mapping[str, Cell]]], measure: str, asked: Question
) -> Iterator[Shown]:
    """The tables of the gate and of the differences by topic."""
    on, pair = on_surface(asked, "report, gate"), Pair(measure, asked.test, asked.a, asked.b)
    (row,) = tables_of_page["gate-table"]
    for run, name in ((asked.a, "candidate"), (asked.b, "baseline")):
        yield on.exact(pair.mean(run, int(row["topics"][0]), on, "mean"), row[name][0] or None)
    yield on.word(pair.label("gate"), row["verdict"][2])
    on = on_surface(asked, "report, diff")
    (row,) = tables_of_page["diff-1-summary"]
    word = "total" if "baseline total" in row else "mean"
    for run, name in ((asked.a, f"candidate {word}"), (asked.b, f"baseline {word}")):
        topics = sum(int(row[count][0]) for count in ("losses", "ties", "wins"))
        yield on.exact(pair.mean(run, topics, on, word), row[name][0] or None)
    if "p" in row:
        yield on.exact(pair.label("p", row["family"][2] if "family" in row else ""), row["p"][0] or None)


def of_workbench(asked: Question, workbench: Workbench) -> Iterator[Shown]:
    """The JSON of the workbench's views; topics that count are brushed in Compare, and elsewhere all count."""

    def answer(view: str, **state: str | None) -> Any:
        given = [(name, value) for name, value in state.items() if value]
        text = workbench.json(VIEWS[view], State.of([("m", asked.measure), *given]), lambda _done, _of: None)
        return json.loads(text)["data"]

    test = {"test": asked.test if asked.test != "student" else None}
    if not make_test(asked.test).together:
        brushed = {"topics": ",".join(asked.topics)}
        about = answer("compare", a=asked.a, b=asked.b, **test, **brushed)["brushed" if asked.topics else "all"]
        yield from compared(on_surface(asked, "workbench, compare"), about, asked)
    if asked.topics:
        return
    on = on_surface(asked, "workbench, overview")
    shown = answer("overview", **test, baseline=asked.baseline)
    measure = str(rs.parse(asked.measure))
    for run, mean, topics in zip(shown["runs"], shown["means"], shown["topics"], strict=True):
        yield on.exact((summed(measure), measure, run), mean)
        yield on.exact(("topics", measure, run), topics)
    for run, share in zip(shown["runs"], shown["judged"], strict=True):
        yield on.exact((f"Judged@{shown['judged_depth']}", run), share)
    yield on.word(("leader", measure), shown["runs"][0])
    tested = answer("overview", **test, baseline=asked.baseline, part="tests")
    if "why_not" in tested:
        return
    for run, one in zip(tested["runs"], tested["against_best"], strict=True):
        if one is not None:
            pair = Pair(measure, asked.test, run, tested["best"], tested["ratio"])
            family = one.get("family", tested.get("family", ""))
            if not pair.ratio:
                yield pair.difference(pair.by(on), one["difference"])
            yield on.exact(pair.label("p", family), one["p"])
            yield on.word(pair.label("significant", family), one["differs"])


def compared(on: Surface, about: Mapping[str, Any], asked: Question) -> Iterator[Shown]:
    """What Compare shows of A and B."""
    pair = Pair(str(rs.parse(asked.measure)), asked.test, asked.a, asked.b, about["ratio"])
    yield from pair.means(on, (about["a"], about["b"]), about["topics"])
    yield from wins(on, pair, (about["losses"], about["ties"], about["wins"]))
    test = about["test"]
    if test is None:
        return
    yield on.exact(pair.label("topics"), about["topics"])
    if not pair.ratio:
        yield pair.difference(pair.by(on), test["difference"])
        if test["interval"] is not None and None not in test["interval"]:  # JSON has no infinite numbers
            yield from pair.interval(pair.by(on), test["interval"], ALONE)
    family = test.get("family", "")
    yield on.exact(pair.label("p", family), test["p"])
    yield on.word(pair.label("significant", family), test["differs"])
    yield from pair.effects(pair.by(on), test["effects"])


def refused(by: Callable[[Question], Iterator[Shown]], asked: Question) -> list[Shown]:
    """What a surface shows; nothing where it says that it cannot."""
    try:
        return list(by(asked))
    except ParameterError:
        return []


COMMANDS = (of_evaluate, of_compare, of_check, of_diff, of_gate)
