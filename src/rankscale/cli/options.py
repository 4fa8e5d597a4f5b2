"""Options that several commands share, declared once, and the measures that a command line names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankscale.cli import values
from rankscale.cli.command import OptionDecorator, RunsOrNames, bundled, executing, together
from rankscale.cli.output import Writing

if TYPE_CHECKING:
    from rankscale.evaluation.curves.curves import CurveRequest
    from rankscale.evaluation.options import EvaluationRequest
    from rankscale.evaluation.read_values import RowsOf, ValuesForm
    from rankscale.evaluation.result import Evaluation
    from rankscale.measures.base.measure import Measure, ScaleType
    from rankscale.measures.base.parser import Relevance


TIE_ORDERS = 200  # as in rankscale.data.orders, which imports numpy
MEASURED = ("missing", "judged_only", "grades", "negative", "order", "threads", "max_size")  # keywords of all verbs
UNCERTAIN = ("bounds", "ties", "tie_orders", "seed")  # those of `evaluate` and `curves`


def one_measure(relevance: "Relevance", text: str, flag: str = "--measure") -> "Measure":
    """The measure of an option that takes one."""
    measures = relevance.measures((text,))
    if len(measures) != 1:
        raise click.UsageError(f"{flag} is one measure, and {text} names {len(measures)}")
    return measures[0]


def measures_of_curves(relevance: "Relevance", texts: Sequence[str]) -> "list[CurveRequest]":
    """The measures whose curves these texts name."""
    from rankscale.evaluation.curves.curves import curve_requests

    named = ((one, text) for text in texts for one in curve_requests(text))
    return [replace(one, measure=relevance.given_to(one.measure, text)) for one, text in named]


@dataclass(frozen=True)
class Measuring:
    """The measures of a command, as they were given, what goes to all of them, and how they are measured."""

    texts: tuple[str, ...]
    relevance: "Relevance"  # parameters that go to all measures that take them and were not given their own
    how: Mapping[str, Any]  # keywords of verbs: how rankings are read, judged and measured

    def request(self, defaults: Sequence[str]) -> "EvaluationRequest":
        """The measures given, or else the defaults, and how they are measured: what a unit of work is given."""
        from rankscale.evaluation.options import EvaluationRequest

        return EvaluationRequest.of(self.measures(defaults), self.how)

    def measures(self, defaults: Sequence[str]) -> "tuple[Measure, ...]":
        """The measures given, or else the defaults."""
        return self.relevance.measures(self.texts or defaults)


def check_files(qrels: object, runs: Sequence[object], instead: str) -> None:
    """Raise UsageError where an argument is missing; `instead` is what can take the place of files."""
    if not (qrels and runs):
        raise click.UsageError(f"Missing argument '{'RUN...' if qrels else 'QRELS'}': give QRELS RUN..., {instead}")


@dataclass(frozen=True)
class ValuesIn:
    """Values in place of qrels and runs, and what they may leave open."""

    given_values: bool
    scale: "ScaleType | None"
    low_is_good: bool
    levels: tuple[float, ...] | None
    rows: "RowsOf | None"
    values_form: "ValuesForm | None"

    def check_files(self, qrels: str | None, runs: Sequence[str], other: str = "") -> None:
        """Raise UsageError where an argument is missing, or an option is given that goes only with values."""
        if self.given_values:
            if not qrels:
                raise click.UsageError("Missing argument: --values takes one file of values or more")
            return
        only = {name: value for name, value in vars(self).items() if value}
        if only:
            flag = f"--{next(iter(only)).replace('_', '-')}"
            raise click.UsageError(f"{flag} is for values that were measured before: give --values VALUES... too")
        check_files(qrels, runs, f"{other}or --values VALUES...")

    def read(self, files: Sequence[str], measures: Sequence[str]) -> "Evaluation":
        """The values of the measures that are named, or of all that there are; options for rankings alone are refused.

        The only measure that is named is that of tables of one measure.
        """
        from rankscale.evaluation.read_values import read_values

        context = click.get_current_context()
        for param in context.command.params:
            is_given = context.get_parameter_source(str(param.name)) is not ParameterSource.DEFAULT
            if param.name in NEED_RANKINGS and is_given:
                raise click.UsageError(
                    f"{param.opts[-1]} needs rankings, and --values has only what was measured of them: leave one out, "
                    "or give QRELS RUN..."
                )
        given = context.get_parameter_source("missing") is not ParameterSource.DEFAULT
        evaluation = read_values(
            list(files),
            measure=measures[0] if len(measures) == 1 else None,
            scale=self.scale,
            low_is_good=self.low_is_good,
            levels=self.levels,
            missing=context.params["missing"] if given else "skip",
            rows=self.rows,
            form=self.values_form,
        )
        return evaluation[list(measures)] if measures else evaluation


NEED_RANKINGS = (  # options that are refused where there are values
    *("rel", "gains", "grades", "negative", "judged_only", "depth", "order", "threads", "max_size"),
    *("form", "columns", "duplicates", "document_from", "qrels_form", "qrels_columns", "qrels_merge"),
    *("names", "interval", "statements", "top_k", "details", "robustness", "inspect", "effort", "gain"),
    *("overlap", "agree"),
)


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """Names of measures that start like this."""
    from rankscale.measures.base.register import names

    return [name for name in names() if name.lower().startswith(incomplete.lower())]


def _separated(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG001
    """Measures one by one: a text may name several, as in AP,P@10."""
    if not any("," in text for text in texts):
        return tuple(texts)
    from rankscale.measures.base.register import separated

    return tuple(measure for text in texts for measure in separated(text))


def option(
    flags: str,
    about: str,
    kind: click.ParamType[object] | None = None,
    default: object = None,
    shown: str = "",
    *,
    metavar: str | None = None,
    multiple: bool = False,
    required: bool = False,
) -> OptionDecorator:
    """An option that takes a value; `flags` as in '-t --test tests', `shown` is the default in words."""
    is_measure = metavar in {"MEASURE", "CURVE"}
    make = partial(
        click.option,
        *flags.split(),
        type=kind,
        show_default=shown or not multiple,
        metavar=metavar,
        multiple=multiple,
        required=required,
        help=f"{about} May be given several times." if multiple else about,
        shell_complete=complete_measure if is_measure else None,
        callback=_separated if is_measure and multiple else None,
    )
    return make() if default is None else make(default=default)  # None would be a value, and nothing required


def flag(flags: str, about: str) -> OptionDecorator:
    """An option that is given or not."""
    return click.option(*flags.split(), is_flag=True, help=about)


class OpenChoice(click.Choice[str]):
    """Values that are listed, and those that other packages add: names of entry points of a group."""

    def __init__(self, choices: Sequence[str], group: str) -> None:
        super().__init__(choices)
        self.group = group

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value; packages are looked for where it is none of ours."""
        if value not in self.choices:
            from rankscale.data.extensions import extensions

            if value in extensions(self.group).names:
                return value
        return super().convert(value, param, ctx)


def choice(
    name: str, choices: Sequence[str], about: str, default: str | None = None, shown: str = ""
) -> OptionDecorator:
    """An option with a few values, the default among them or described by `shown`."""
    return option(name, about, click.Choice(choices), default, shown)


def measures(defaults: Sequence[str]) -> OptionDecorator:
    """The measures of a command that takes several."""
    about = (
        "Measure, such as nDCG@10, AP(rel=2), RBP(p=0.9), or as other tools spell it (ndcg_cut_10, all_trec, mrr@10); "
        "several between commas."
    )
    return option("-m --measure measures", about, shown=", ".join(defaults), metavar="MEASURE", multiple=True)


PATH = click.Path(allow_dash=True)  # one for all: click looks for translations each time it makes one


def _file(
    name: str, metavar: str, *, several: bool = False, required: bool = True, kind: type[click.Argument] | None = None
) -> OptionDecorator:
    return click.argument(name, metavar=metavar, nargs=-1 if several else 1, required=required, type=PATH, cls=kind)


def _qrels_and_runs(qrels: str = "QRELS", runs: str = "RUN...", *, required: bool = False) -> OptionDecorator:
    """Arguments as help names them; options can take the place of those that are not required."""
    return together(_file("qrels", qrels, required=required), _file("runs", runs, several=True, required=False))


files = together(_file("qrels", "QRELS"), _file("runs", "RUN...", several=True, required=False, kind=RunsOrNames))
files_without_qrels = _qrels_and_runs("[QRELS]", required=True)
run_files = _file("runs", "RUN...", several=True)
one_run = together(_file("qrels", "QRELS"), _file("run", "RUN"))
optional_files = _qrels_and_runs("[QRELS", "RUN...]")
collections = click.option(
    "--collection",
    "collections",
    type=(str, PATH, str),
    multiple=True,
    metavar="NAME QRELS RUNS",
    show_default="QRELS RUN...",
    help=(
        "In place of QRELS RUN..., one collection of several: its name, its qrels, and its runs as a folder or as a "
        "pattern in quotes. May be given several times."
    ),
)
baseline_and_candidates = _qrels_and_runs(runs="BASELINE CANDIDATE...")
baseline_and_candidate = _qrels_and_runs(runs="BASELINE CANDIDATE")
files_or_values = _qrels_and_runs()
runs_if_any = _file("runs", "[RUN...]", several=True, required=False)
two_qrels = together(_file("qrels_a", "QRELS"), _file("qrels_b", "QRELS"), runs_if_any)
one_or_two_qrels = together(_file("qrels_a", "QRELS"), _file("qrels_b", "[QRELS]", required=False), runs_if_any)
FILES: Mapping[str, OptionDecorator] = {  # by what a declared command is made from
    **dict.fromkeys(("runs", "evaluation", "curves", "study"), files),
    "run": one_run,
    "two qrels": two_qrels,
    "optional runs": optional_files,
    "rankings": _file("runs", "RUN...", several=True, required=False, kind=RunsOrNames),
}

POSITIVE = values.PositiveInteger(min=1)
THREADS = click.IntRange(1, 1024)
NATURAL = click.IntRange(min=0)
ADDED_FORMS = "rankscale.forms"  # group of the entry points of other packages
FORMS = ("trec", "msmarco", "tsv", "csv", "jsonl", "json", "parquet", "arrow")  # as in rankscale.inputs.options
duplicates = choice(
    "--duplicates",
    ("error", "best", "first"),
    "A document twice in a ranking: refuse it, or keep the one ranked highest, or the first in the file.",
    "error",
)
document_from = option(
    "--document-from",
    "Regular expression whose first group is the document: '^(.*)#' counts passages for their documents.",
    shown="the whole name",
    metavar="REGEX",
)
forms_of_runs = together(
    option("--form", "Form of the run files.", OpenChoice(FORMS, ADDED_FORMS), shown="recognised by their content"),
    option(
        "--columns",
        "Columns of the run files, by name or by number from 1: topic=qid,document=pid,score=sim.",
        values.COLUMNS,
        shown="by their usual names",
    ),
    duplicates,
    document_from,
)
forms_of_qrels = together(
    option(
        "--qrels-form",
        "Form of the qrels; prefs: preferences.",
        OpenChoice((*FORMS, "prefs"), ADDED_FORMS),
        shown="recognised by their content",
    ),
    option(
        "--qrels-columns",
        "Columns of the qrels: topic=qid,document=pid,grade=label, and subtopic=nugget where there is one.",
        values.COLUMNS,
        shown="by their usual names",
    ),
    choice(
        "--qrels-merge",
        ("error", "max", "min", "mean"),
        "Grade of a document that is judged twice, in one file or in several (QRELS may be a folder or a pattern in "
        "quotes): the highest, lowest or mean one, or an error.",
        shown="error; max where sub-topics or assessors differ",
    ),
)
intents = option(
    "--intents qrels_intents",
    "Probabilities of sub-topics, for measures of sub-topics: a file of lines 'topic sub-topic probability'.",
    shown="the same for all of a topic",
    metavar="FILE",
)
reading_of_files = together(
    choice(
        "--order",
        ("score", "score64", "rank", "file"),
        "What orders a ranking: the score in 32 bits (as trec_eval 9) or 64 (as 10), the rank column, or the file.",
        shown="score; rank or file where there is no score",
    ),
    option("--threads", "How many files to read at once.", THREADS, shown="all cores", metavar="N"),
    option(
        "--max-size", "Largest size a file may unpack to, such as 50G.", values.SIZE, shown="40 times the packed size"
    ),
)
reading = together(
    option(
        "--name names",
        "Name of a run and its file, in place of the file or besides it.",
        values.NAMED_FILE,
        shown="the tag in the file",
        metavar="NAME=RUN",
        multiple=True,
    ),
    forms_of_runs,
    forms_of_qrels,
    intents,
    reading_of_files,
)
RELEVANT = "Lowest relevant grade, for all measures that take one."
relevance = option("--rel", RELEVANT, values.NUMBER, shown="1", metavar="G")
gains = option(
    "--gains",
    "Gain of each grade, for measures with gains: 0,1,10 (for grades 0, 1, 2) or 1=3,2=9 or exp or linear.",
    values.GAINS,
    shown="each measure's own",
)
grades = together(
    option(
        "--grades",
        "Map grades before anything else: -2=0,4=3, or 0,0,1,1 for grades 0 to 3.",
        values.GRADE_MAP,
        shown="as they are",
    ),
    choice("--negative", ("unjudged", "not relevant"), "What a negative grade means.", "unjudged"),
)
judged_only = flag("--judged-only", "Remove unjudged documents from every ranking first.")
cut = option("--depth", "Cut every ranking at rank K first.", POSITIVE, shown="whole rankings", metavar="K")
MISSING = "Topics that a run lacks: zero (an empty ranking), common (only topics that all runs have), "
missing = choice("--missing", ("zero", "common", "error"), f"{MISSING}error.", "zero")
missing_of_runs = choice(
    "--missing", ("zero", "skip", "common", "error"), f"{MISSING}skip (left out of the run's means), error.", "zero"
)
METHODS = ("auto", "exact", "certified", "estimated")
method = choice("--method", METHODS, "How to count ranks: exactly, within proven bounds, or from a sample.", "auto")
scaling = together(
    choice(
        "--universe",
        ("all", "feasible"),
        "Rankings that the scale is over: all, or those that a topic's documents allow.",
        shown="all; feasible for measures that have no other, such as Twist, Rprec and Bpref",
    ),
    method,
    choice(
        "--deduplicate",
        ("exact", "float"),
        "How values of AP are compared: exactly, or as floating-point sums, as published tables did.",
        "exact",
    ),
)
uncertainty = together(
    flag("--bounds", "Add how far unjudged documents could move each value."),
    choice(
        "--ties",
        ("trec", "expected", "range"),
        "Documents with equal scores: in trec_eval's order, the mean over all orders, or the range over them.",
        "trec",
    ),
    option(
        "--tie-orders",
        "Orders of tied documents to draw where there is no exact mean or range over all.",
        click.IntRange(min=2),
        TIE_ORDERS,
        metavar="N",
    ),
    option("--seed", "Random seed for draws.", click.IntRange(min=0), 0, metavar="N"),
)
SUMMARY = "What to show of each run: the mean over topics, or what ordinal measures support, the median or quantiles."
summary = choice("--summary", ("mean", "median", "quantiles"), SUMMARY, "mean")
confidence = option("--confidence", "Confidence level of intervals.", values.SHARE, 0.95)
DRAWS = "Random draws of topics for intervals, or `all` draws that there are, for up to 6 topics."
draws = option("--draws", DRAWS, values.DRAWS, shown="1000")
levels = option("--levels", "Grades that documents can have.", values.GRADES, "0,1")
alpha = option("--alpha", "Significance level.", values.SHARE, 0.05)
correction = choice(
    "--correction",
    ("none", "bonferroni", "holm", "bh", "by"),
    "Correction for multiple comparisons.",
    shown="holm; none for tests that correct by themselves",
)
baseline = option("--baseline", "Run that all others are compared with.", shown="all pairs", metavar="RUN")
formulas = choice(
    "--formulas",
    ("escape", "keep"),
    "In csv and tsv, names that a spreadsheet would run as formulas: escape puts an apostrophe before them, keep "
    "writes them as they are.",
    "escape",
)
output = option("-o --output", "Write to FILE (atomically).", shown="standard output", metavar="FILE")


def measuring(option_of_measures: OptionDecorator, *keywords: str) -> OptionDecorator:
    """The measures of a command, with --rel and --gains, and other options by their names, as one keyword."""

    def made(measures: tuple[str, ...], rel: float | None, gains: values.GainsText | None, **how: object) -> Measuring:
        from rankscale.measures.base.parser import Relevance

        return Measuring(measures, Relevance(rel, gains), how)

    return bundled("measuring", made, option_of_measures, relevance, gains, others=keywords)


CAPTION = "In LaTeX: put the table into a table environment with this caption, which is LaTeX itself."
CITE = "In LaTeX: cite the papers of measures; `rankscale measures --bibtex` writes their entries."


def writing(forms: Sequence[str], example: str, *, checked: bool = True) -> OptionDecorator:
    """The form of what is written, and where to, as one keyword `writing`; `example` is a file that can be written.

    A form that the command does not write is refused before any work, unless the command checks it by itself.
    """

    def make(**how: object) -> Writing:
        made = Writing(forms=tuple(forms), example=example, **how)  # type: ignore[arg-type]  # options by their names
        if checked:
            made.check_form()
        return made

    shown = "table, or by the ending of FILE" if len(forms) > 2 else "table"
    return bundled(
        "writing",
        make,
        option(
            "--format written_as",
            "Form of the output.",
            OpenChoice(forms, ADDED_FORMS) if "tsv" in forms else click.Choice(forms),
            shown=shown,
        ),
        option(
            "--digits", "Decimal places.", click.IntRange(0, 17), shown="4 in tables, all in other forms", metavar="N"
        ),
        output,
        option("--caption", CAPTION, shown="none", metavar="TEXT"),
        option("--label", "With --caption: label of the table, such as tab:means.", shown="none", metavar="LABEL"),
        formulas,
        flag("--cite", CITE),
        others=("written_as", "digits", "output", "caption", "label", "formulas", "cite"),
    )


topics = option(
    "--topics",
    "Keep only the topics that FILE lists, one in each line.",
    PATH,
    shown="all",
    metavar="FILE",
)
values_in = bundled(
    "values_in",
    ValuesIn,
    flag(
        "--values given_values",
        "The files hold values that were measured before, in place of QRELS RUN...: those that rankscale, trec_eval -q "
        "or ir_measures -q wrote, results of MTEB, tables of topics by runs.",
    ),
    choice(
        "--scale",
        ("ordinal", "interval", "ratio"),
        "Scale of values whose measure is not known by its name.",
        shown="not known",
    ),
    flag("--low-is-good", "Low values are good, where the measure is not known by its name."),
    option(
        "--levels", "Grades of the collection that values are from, such as 0,1,2.", values.FLOATS, shown="not known"
    ),
    choice("--rows", ("topics", "runs"), "What the rows of a table of values are.", shown="as its header says"),
    choice(
        "--values-form",
        ("trec_eval", "ir_measures", "mteb", "json", "table"),
        "Form of files of values.",
        shown="by content",
    ),
)

grading = together(grades, judged_only)
judging = together(grading, cut)
SHARED: Mapping[str, OptionDecorator] = {  # as declarations name them
    "missing": missing,
    "missing_of_runs": missing_of_runs,
    "relevance": relevance,
    "gains": gains,
    "grades": grades,
    "judged_only": judged_only,
    "cut": cut,
    "judging": together(relevance, gains, judging),
    "grading": together(relevance, gains, grading),
    "scaling": scaling,
    "ideal": click.option("--ideal/--no-ideal", default=True, show_default=True, help="Draw the ideal too."),
    "top": option(
        "--top",
        "Use only this share of the runs, the best by mean AP, and all tied with the last of them.",
        values.SHARE,
        shown="all runs",
    ),
    "reading": reading,
    "collections": collections,
    "values": values_in,
    "executing": executing,
}


GROUPS = "Show groups of topics: FILE has lines of a topic and its group, or is a table (csv, tsv, JSON Lines)."
COLUMN = "With --groups: column of the table that holds the groups."
FAMILY = "With --groups: correct for all pairs in all groups together, or for those of each group."


@dataclass(frozen=True)
class GroupsIn:
    """A file of groups, and the column of a table."""

    groups: str | None
    group_column: str | None

    def check(self, others: Mapping[str, bool]) -> None:
        """Raise UsageError for a column without groups, and for options (whether they are given) that do not go along.

        Done before any work.
        """
        if self.groups is None and self.group_column is not None:
            raise click.UsageError("--group-column names a column of a file of groups: give --groups FILE too")
        refused = [name for name, is_given in others.items() if is_given] if self.groups is not None else []
        if refused:
            raise click.UsageError(f"{refused[0]} is about all topics together: leave out --groups, or {refused[0]}")


groups_in = bundled(
    "groups_in",
    GroupsIn,
    option("--groups", GROUPS, PATH, shown="none", metavar="FILE"),
    option("--group-column", COLUMN, shown="the only one, or one called group, category, ...", metavar="NAME"),
)
family = choice("--family", ("all", "group"), FAMILY, shown="all")
