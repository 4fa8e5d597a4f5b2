"""The command line of trec_eval, read as getopt_long reads it."""

import getopt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankscale.trec_eval.c_numbers import atol
from rankscale.trec_eval.exits import USAGE, Quit

Compat = Literal[9, 10]

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Output_old_results_format=": "o",  # trec_eval requires a value here, though -o takes none
    "Zscore=": "Z",
}
LETTERS = {f"--{name.removesuffix('=')}": letter for name, letter in LONG.items()}
FLAGS = {"h": "help", "v": "version", "q": "per_topic", "c": "complete", "n": "no_summary", "J": "judged_only"}
NUMBERS = {"l": "level", "N": "collection", "M": "depth"}
TEXTS = {"R": "qrels_form", "T": "run_form", "Z": "zscores"}
USAGE_TEXT = """\
Usage: rankscale trec_eval [-h] [-q] [-c] [-m measure[.params]]... [--compat 9|9.0.8|10] qrels run
   -h: all options, and how the two versions differ
   -q: values of each topic, besides those of all topics
   -c: average over all topics of the qrels; topics that the run lacks count as 0
   -m: print this measure or set of measures: official (the default), all_trec, set, map, ndcg_cut.10,20 ..."""


@dataclass(frozen=True)
class Options:
    """The options of one call, by what they do."""

    compat: Compat = 9
    doubles: bool = False  # --compat 9.0.8: version 9 with numbers in double precision
    help: bool = False  # -h
    version: bool = False  # -v
    per_topic: bool = False  # -q
    no_summary: bool = False  # -n
    complete: bool = False  # -c
    judged_only: bool = False  # -J
    level: int = 1  # -l
    collection: int = 0  # -N
    depth: int | None = None  # -M
    topic: str | None = None  # -D level.topic: this one only
    qrels_form: str = "qrels"  # -R
    run_form: str = "trec_results"  # -T
    zscores: str | None = None  # -Z
    measures: tuple[str, ...] = ()  # -m, as they were written
    files: tuple[str, ...] = ()

    @property
    def single(self) -> bool:
        """Whether scores and levels of preferences are compared in single precision."""
        return self.compat == 9 and not self.doubles

    @property
    def order(self) -> str:
        """What puts rankings in order."""
        return "score" if self.single else "score64"

    @property
    def dialect(self) -> str:
        """How files are read: as the chosen version reads them."""
        return f"trec_eval {self.compat}"

    @property
    def cut(self) -> int | None:
        """Where rankings are cut while they are read.

        -M cuts before duplicates are looked for; a ranking of one document has none.
        """
        return None if self.depth is None else max(self.depth, 1)


def read_options(argv: Sequence[str]) -> Options:
    """The options and the files.

    >>> read_options(["-qc", "-l2", "--meas", "P.5", "qrels", "run"])
    Options(compat=9, doubles=False, help=False, version=False, per_topic=True, no_summary=False, complete=True, \
judged_only=False, level=2, collection=0, depth=None, topic=None, qrels_form='qrels', run_form='trec_results', \
zscores=None, measures=('P.5',), files=('qrels', 'run'))
    """
    compat, doubles, rest = _compat(list(argv))
    try:
        given, files = getopt.gnu_getopt(rest, SHORT, list(LONG))
    except getopt.GetoptError as error:
        raise Quit(USAGE, f"trec_eval: {error}\n{USAGE_TEXT}") from None
    settings: dict[str, Any] = {}
    for name, value in given:
        settings |= _setting(LETTERS.get(name, name[-1]), value)
    measures = tuple(value for name, value in given if LETTERS.get(name, name) in {"m", "-m"})
    return Options(compat=compat, doubles=doubles, measures=measures, files=tuple(files), **settings)


def _setting(letter: str, value: str) -> dict[str, Any]:
    if letter in FLAGS:
        return {FLAGS[letter]: True}
    if letter in NUMBERS:
        return {NUMBERS[letter]: atol(value)}
    if letter in TEXTS:
        return {TEXTS[letter]: value}
    if letter == "D" and "." in value:
        return {"topic": value.partition(".")[2]}
    return {}  # -m is gathered apart, -o is obsolete, and the level of -D adds nothing to the output here


def _compat(argv: list[str]) -> tuple[Compat, bool, list[str]]:
    """The version, whether it is the one of doubles, and all other words.

    It is our own option, taken out first: trec_eval's may be cut short (--comp for --complete_...), this one may not.
    """
    end = argv.index("--") if "--" in argv else len(argv)
    version = "9"
    rest = []
    words = iter(argv[:end])
    for word in words:
        if word != "--compat" and not word.startswith("--compat="):
            rest.append(word)
            continue
        version = next(words, "") if word == "--compat" else word.removeprefix("--compat=")
        if version not in {"9", "9.0.8", "10"}:
            raise Quit(USAGE, f"trec_eval: --compat: expected 9, 9.0.8 or 10, got '{version[:80]}'\n{USAGE_TEXT}")
    return 10 if version == "10" else 9, version == "9.0.8", rest + argv[end:]
