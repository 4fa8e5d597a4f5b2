"""Write docs/peers.md: other tools run on the same files, beside rankscale. `make peers` runs this.

Everything in the tables is what the installed versions gave when this ran; nothing is typed in but the words. `--check`
writes nothing, and ends with exit code 1 where the page is not what the tools give.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools.peers import TOOLS, Grades, Scores, Tool, read_grades, read_scores

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # ranx compiles for minutes what it runs here for moments
warnings.simplefilter("ignore")  # what their libraries warn of is theirs

PAGE = Path(__file__).resolve().parent.parent / "docs" / "peers.md"
MEASURES = ("AP", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "RBP(p=0.8)")
DIGITS = 6
TIED: Scores = {"1": {f"d{number:02}": 1.0 for number in range(30)}}
RANKED: Scores = {"1": {"a": 4.0, "b": 3.0, "c": 2.0}}
NONE = "none"

TEXT = """\
# Beside other tools

<!-- Made by tools/compare_peers.py: `make peers` runs the tools and writes it anew. -->

What the tools gave on the same rankings when `make peers` ran them: {versions}. Nothing here is a judgment of them:
each was made for a purpose, rankscale learned from all of them, and took its names from ir_measures and its values
from trec_eval. Where numbers differ, both can be right; what matters is to know which convention a number follows.
[From other tools](guide/from-other-tools.md) says how to change over, [trec_eval](guide/trec_eval.md) has its own
page, and [known differences](#why-numbers-differ) are tested one by one.

## Means of a run without ties

`manual` of the sample collection: 50 topics, no two documents of a ranking with the same score. Rounded to six
digits; **bold** where a tool differs from rankscale, {none} where it has no such measure.

{plain}

## Means of a run with ties

`dense-int8`: most documents share their score with others, as scores in eight bits do.

{tied}

## Small cases

One or two topics, so small that the value can be worked out by hand. A word such as `TypeError` is the error that the
tool raised.

{cases}

## What else each can do

Each cell is what came out when it was called: p-values, values of a fused run, shares. {none}: there was nothing to
call.

{features}

## Why numbers differ

- **Ties.** trec_eval orders documents of equal score by id, descending, and so do rankscale, pytrec_eval, and for
  most measures ir_measures. Others take them as they come, or average. `--ties range` gives the lowest and highest
  value over all orders.
- **Missing topics.** A topic of the qrels that a run lacks counts as 0, or is left out of the mean. Here it counts as
  0, a warning says so, and `--missing skip` leaves it out.
- **Real-valued grades** are kept here; where grades are integers, 1.7 is cut to 1 or refused.
- **RBP** is binary here, as in its paper; `gRBP` takes grades. ranx multiplies by the grade itself.
- **Bpref** of a topic without documents judged not relevant: each relevant document that is retrieved counts 1 in
  trec_eval; other formulas divide by the number of such documents, which is 0.
- **Rprec** of trectools: it was made before pandas 3, which is installed here, and under which it loses the column of
  topics.

`tests/measures/test_known_differences.py` holds each difference that is known, with its reason, so that a change in
either tool is noticed.
"""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def attempt(call: Callable[[], float | None]) -> str:
    """What came out: a number, the name of an error, or a dash where there is nothing to call."""
    try:
        value = call()
    except (NotImplementedError, KeyError):
        return NONE
    except (Exception, SystemExit) as error:  # noqa: BLE001  # any error is an answer here
        return f"`{type(error).__name__}`"
    return NONE if value is None else f"{value:.{DIGITS}f}"


def compared(rows: dict[str, list[str]], *, marked: bool = True) -> list[list[str]]:
    """Rows of answers, ours first; those that differ from ours are bold."""
    return [
        [name, ours, *(f"**{cell}**" if marked and cell not in {ours, NONE} else cell for cell in others)]
        for name, (ours, *others) in rows.items()
    ]


def values(qrels: Grades, run: Scores) -> str:
    """Means of all measures by all tools."""
    rows = {
        f"`{measure}`": [attempt(partial(tool.mean, qrels, run, measure)) for tool in TOOLS] for measure in MEASURES
    }
    return table(["measure", *(tool.name for tool in TOOLS)], compared(rows))


CASES: dict[str, tuple[Grades, Scores, str]] = {
    "30 documents with one score, only `d29` is relevant: `RR`": ({"1": {"d29": 1}}, TIED, "RR"),
    "the same, only `d00` is relevant: `RR`": ({"1": {"d00": 1}}, TIED, "RR"),
    "two topics, the run has one, perfectly: `AP`": ({"1": {"a": 1}, "2": {"a": 1}}, RANKED, "AP"),
    "two topics, one without relevant documents: `AP`": (
        {"1": {"a": 1}, "2": {"a": 0}},
        {**RANKED, "2": {"a": 1.0}},
        "AP",
    ),
    "grades 1.7 and 1.2, the lower first: `nDCG@10`": ({"1": {"a": 1.2, "b": 1.7}}, RANKED, "nDCG@10"),
    "grades 3, 0, 3 in this order: `RBP(p=0.8)`": ({"1": {"a": 3, "b": 0, "c": 3}}, RANKED, "RBP(p=0.8)"),
    "all judged documents are relevant, two of three retrieved: `Bpref`": (
        {"1": {"a": 1, "b": 1, "z": 1}},
        {"1": {"a": 2.0, "b": 1.0}},
        "Bpref",
    ),
    "relevant, not, relevant of three relevant ones: `AP`": ({"1": {"a": 1, "c": 1, "z": 1}}, RANKED, "AP"),
}

FEATURES: dict[str, Callable[[Tool, Grades, dict[str, Scores]], float | None]] = {
    "p-value of a paired t test, AP of bm25 and bm25-rm3": lambda tool, qrels, runs: tool.p_value(
        qrels, runs["bm25"], runs["bm25-rm3"]
    ),
    "the same, corrected (Holm) for all pairs with tfidf and ql": lambda tool, qrels, runs: tool.corrected_p_value(
        qrels, {name: runs[name] for name in ("bm25", "bm25-rm3", "tfidf", "ql")}
    ),
    "share of judged documents in the first ten, dense-hard": lambda tool, qrels, runs: tool.mean(
        qrels, runs["dense-hard"], "Judged@10"
    ),
    "how far unjudged documents could raise RBP(p=0.8), dense-hard": lambda tool, qrels, runs: tool.residual(
        qrels, runs["dense-hard"]
    ),
    "AP of bm25 and manual, fused by reciprocal ranks (k = 60)": lambda tool, qrels, runs: tool.fused(
        qrels, [runs["bm25"], runs["manual"]]
    ),
    "mean AP over all orders of tied documents, dense-int8": lambda tool, qrels, runs: tool.over_ties(
        qrels, runs["dense-int8"]
    ),
    "AP on an interval scale (depth 10), bm25": lambda tool, qrels, runs: tool.interval(qrels, runs["bm25"]),
}


def page() -> str:
    """The page, as the tools give it now."""
    qrels = read_grades()
    names = ("manual", "dense-int8", "dense-hard", "bm25", "bm25-rm3", "tfidf", "ql")
    runs = {name: read_scores(name) for name in names}
    cases = {name: [attempt(partial(tool.mean, *case)) for tool in TOOLS] for name, case in CASES.items()}
    features = {name: [attempt(partial(call, tool, qrels, runs)) for tool in TOOLS] for name, call in FEATURES.items()}
    head = [tool.name for tool in TOOLS]
    peers = [tool for tool in TOOLS if tool.package != "rankscale"]
    return TEXT.format(
        none=NONE,
        versions=", ".join(f"{tool.package} {version(tool.package)}" for tool in peers),
        plain=values(qrels, runs["manual"]),
        tied=values(qrels, runs["dense-int8"]),
        cases=table(["case", *head], compared(cases)),
        features=table(["called", *head], compared(features, marked=False)),
    )


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the page is out of date")
    check = parser.parse_args().check
    made: Any = page()
    if check:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == made
        if not same:
            print("docs/peers.md is not what the tools give; `make peers` writes it anew", file=sys.stderr)
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
