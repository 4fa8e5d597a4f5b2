"""Reports of values alone: which measures and files they are about, and what needs rankings."""

from collections.abc import Collection, Iterable, Mapping

from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.scales.interval import NotKnown, interval_version, why_no_version

NEED_RANKINGS = {  # sections, as sentences call them
    "effort": "effort and gain",
    "archetypes": "archetypes of rankings",
    "rankings": "single rankings",
    "overlap": "overlap of runs",
    "judges": "agreement of judges",
    "robustness": "fewer judgments",
}
DEFAULTS: Mapping[str, object] = {  # of options that only rankings can follow
    "runs": None,
    "robustness": False,
    "overlap": False,
    "agree": None,
    "inspect": (),
    "effort": None,
    "gain": None,
    "rel": 1,
    "depth": None,
    "order": None,
    "threads": None,
    "max_size": None,
    "grades": None,
    "negative": "unjudged",
    "judged_only": False,
}


def refuse_options(given: Mapping[str, object], sections: Collection[str]) -> None:
    """Raise ParameterError for an option or a section that needs rankings, where there are values alone."""
    for name, default in DEFAULTS.items():
        value = given[name]
        if value != default and not (isinstance(value, Collection) and not value):
            raise ParameterError(f"{name} needs rankings, and an evaluation has only what was measured of them")
    for name in sections:
        if name in NEED_RANKINGS:
            raise ParameterError(
                f"the section {name} needs rankings, and there are only values: leave it out, or give qrels and runs"
            )


def chosen_values(
    evaluation: Evaluation, measures: str | Measure | Iterable[str | Measure] | None
) -> tuple[tuple[Measure, ...], Evaluation | NotKnown]:
    """The measures of a report, all unless some are named, and what there is of the main one's interval version."""
    if measures is None:
        chosen = evaluation.measures
    else:
        named = [measures] if isinstance(measures, str | Measure) else list(measures)
        chosen = evaluation[[*named]].measures
    if not chosen:
        raise ParameterError("no measure is requested, or the evaluation has none")
    version = interval_version(chosen[0])
    if version is None:
        return chosen, NotKnown(why_no_version(chosen[0]))
    if version not in evaluation.measures:
        return chosen, NotKnown("there are values alone, and it takes rankings")
    others = chosen if measures is not None else tuple(one for one in chosen if one != version)
    return others, evaluation[version]


def value_files(evaluation: Evaluation) -> tuple[str, ...]:
    """The files that values were read from; those of qrels and runs where they were measured in this process."""
    read = [notice["files"] for notice in evaluation.notices if notice.kind == "read as"]
    there = [file for files in read if isinstance(files, tuple) for file in files]
    return tuple(dict.fromkeys(map(str, there or evaluation.sources)))


def left_out() -> str:
    """A sentence about what is missing on the page, and why."""
    *others, last = NEED_RANKINGS.values()
    return (
        f"This page is made from values that were measured before, without rankings and judgments: there is nothing on "
        f"{', '.join(others)} and {last}, on tied scores, and on how much was judged. `rankscale report QRELS RUN...` "
        "has all of it."
    )
