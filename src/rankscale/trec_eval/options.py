"""The command line of trec_eval, read as getopt_long reads it, with its numbers, its help text and its exit codes.

Numbers are read as C's atol and atof read them: the longest start of the text that is a number, 0 if there is none.
"""

import getopt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

USAGE = 1  # a bad option, an unknown measure
INPUT = 2  # a file that cannot be read, parameters that cannot be used
MEASURE = 4  # a measure that cannot be computed: duplicates, and in version 10 a topic that the run lacks
NO_TOPICS = 7  # no topic has both results and judgments
ABORT = 134  # killed by SIGABRT, as a shell shows it: preferences that contradict each other
ZSCORES = 255  # the file of -Z cannot be read (trec_eval returns -1)


class Quit(Exception):  # noqa: N818  # trec_eval's own word; leaving with code 0 is no error
    """Leave with this exit code, saying `message` on standard error."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


_LONG = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_DOUBLE = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:inf(?:inity)?|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.IGNORECASE
)
_LARGEST = 2**63 - 1


def atol(text: str) -> int:
    """A whole number.

    >>> [atol(text) for text in ("20", "23.4", "-1x", "ten")]
    [20, 23, -1, 0]
    """
    number = _LONG.match(text)
    return max(-_LARGEST - 1, min(int(number[1]), _LARGEST)) if number else 0


def atof(text: str) -> float:
    """A real number.

    >>> [atof(text) for text in ("4.5", ".25", "1e2x", "1e", "ten", "0x1p-1")]
    [4.5, 0.25, 100.0, 1.0, 0.0, 0.5]
    """
    if hexadecimal := _HEXADECIMAL.match(text):
        try:
            return float.fromhex(hexadecimal[1])
        except OverflowError:
            return math.copysign(math.inf, -1 if "-" in hexadecimal[1].partition("0")[0] else 1)
    number = _DOUBLE.match(text)
    return float(number[1]) if number else 0.0


TrecEvalVersion = Literal[9, 10]

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
PREFERENCE_FORMS = ("prefs", "qrels_prefs")
USAGE_TEXT = """\
Usage: rankscale trec_eval [-h] [-q] [-c] [-m measure[.params]]... [--compat 9|9.0.8|10] qrels run
   -h: all options, and how the two versions differ
   -q: values of each topic, besides those of all topics
   -c: average over all topics of the qrels; topics that the run lacks count as 0
   -m: print this measure or set of measures: official (the default), all_trec, set, map, ndcg_cut.10,20 ..."""


@dataclass(frozen=True)
class Options:
    """The options of one call, by what they do."""

    compat: TrecEvalVersion = 9
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
    def by_preference(self) -> bool:
        """Whether the judgments are preferences."""
        return self.qrels_form in PREFERENCE_FORMS

    @property
    def cut(self) -> int | None:
        """Where rankings are cut while they are read.

        -M cuts before duplicates are looked for; a ranking of one document has none. Preferences have ties in the other
        order, so that the cut comes later.
        """
        return None if self.depth is None or self.by_preference else max(self.depth, 1)


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


def _compat(argv: list[str]) -> tuple[TrecEvalVersion, bool, list[str]]:
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


HELP = """\
rankscale trec_eval [options] QRELS RUN

Evaluates the rankings in RUN against the judgments in QRELS, as trec_eval does: same options, same output.
Files may be compressed (gz, bz2, xz, zst). Options may be joined (-qc, -l2) and long names cut short.

 --compat 9|9.0.8|10
     The version to agree with: 9 for the tag v9.0.8 of 2020, which calls itself 9.0.7 (the default); 9.0.8 for the tag
     trec_eval-9.0.8 of 2023, the same with scores in double precision; 10 for the tag v10.0.
 -h  --help                         This text.
 -v  --version                      The version agreed with, on standard error.
 -q  --query_eval_wanted            Values of each topic, besides those of all topics.
 -n  --nosummary                    No values of all topics.
 -m  --measure NAME[.PARAMETERS]    Print this measure; may be repeated. Without -m: official.
     official      the main measures
     all_trec      all measures of the usual files
     set           measures of sets, not of rankings
     prefs         measures of preferences, with -R prefs and -R qrels_prefs; all_prefs has all 14
     qrels_jg      map, P and Rprec_mult averaged over assessors, with -R qrels_jg
     P.5,20        a measure with parameters: depths here; recall levels in iprec_at_recall and 11pt_avg, multiples of
                   the number of relevant documents in Rprec_mult, gains of grades in ndcg.1=3,2=9 (also ndcg_rel,
                   Rndcg, G, dcg, ideal_dcg, rbp), the persistence in rbp.p=0.8, weights in utility.1,-1,0,0, the
                   weight of recall in set_F.0.5, the length of relstring.20
 -c  --complete_rel_info_wanted     Average over all topics in QRELS; those that RUN lacks count as 0.
 -l  --level_for_rel N              The lowest grade that is relevant (1).
 -J  --Judged_docs_only             Take documents without a judgment out of the rankings.
 -M  --Max_retrieved_per_topic N    Look at the first N documents of each topic.
 -N  --Number_docs_in_coll N        Documents in the collection (for the fourth weight of utility).
 -Z  --Zscore FILE                  Print z-scores; lines of FILE: topic measure mean standard-deviation.
 -D  --Debug_level N[.TOPIC]        Evaluate this topic alone; the debug level itself prints nothing here.
 -R  --Rel_info_format FORM         The form of QRELS: qrels (the default), prefs, qrels_prefs or qrels_jg.
 -T  --Results_format trec_results  The form of RUN.
 -o                                 Ignored.

QRELS: topic iteration document grade. A grade below 0 means: pooled, but not judged.
       -R prefs: topic assessor list document level. In a list, a higher level is preferred to a lower one; several
       lists of an assessor are put together. -R qrels_prefs: topic assessor document level, one list for each
       assessor. -R qrels_jg: topic assessor document grade, qrels of several assessors.
RUN:   topic Q0 document rank score tag. Documents are ordered by score, then by document id, both descending.

Exit codes: 1 usage or unknown measure, 2 a file that cannot be read, 4 a measure that cannot be computed (a document
twice, another -R; in version 10 a topic missing from RUN without -c), 7 no topic in both files, 134 preferences that
contradict each other (trec_eval aborts), 255 the file of -Z.

What version 10 changed: scores in double precision (9: single), recall cutoffs rounded (9: up, from one tenth), comment
lines (#), RUN may be - for standard input, rbp, rbp_resid and unj in all_trec, dcg and ideal_dcg on request, and under
-c lines for the topics that RUN lacks; without -c such a topic ends the evaluation.

Defects of trec_eval that are reproduced, so that the output agrees (rankscale evaluate has none of them):
 - Grades are cut to whole numbers (1.7 is 1) and scores that are no numbers are 0; a warning says so.
 - Gains that differ by less than 1 are not put in order: ndcg.1=0.2,2=0.5,3=0.9 is 0.
 - num_rel of all topics under -c counts grades from 1, whatever -l says.
 - iprec_at_recall and 11pt_avg of an empty ranking (-J) are -nan.
 - Rndcg is 0 for a topic without relevant documents at the level of -l.
 - 10: rbp divides the gains of each topic by that topic's own highest grade.
 - 10: rbp_resid is 0 where all retrieved documents are judged, as if the ranking had no tail.
 - 10: under -c a missing topic is a ranking of one unknown document; it shows in yaap, and where the name of utility,
   relstring or rbp_resid carries parameters.
 - Preferences: equal scores are ordered by document id ascending (elsewhere descending); assessors without preferences
   count as 0 in prefs_avgjg; in prefs_avgjg_Rnonrel a perfect ranking can have less than 1, and one assessor to whom
   nothing is relevant makes the topic 0; 9 compares levels in single precision.

rankscale evaluate computes the same measures, and more, under their usual names.
"""
