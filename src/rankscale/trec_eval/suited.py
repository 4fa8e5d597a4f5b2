"""The forms of judgments, which measures go with which, and what trec_eval says of the others."""

from collections.abc import Collection, Iterable
from typing import Literal, cast

from rankscale.measures.base.trec_names import JUDGMENT_GROUPS, PREFERENCES
from rankscale.trec_eval.exits import MEASURE, Quit

OtherForm = Literal["prefs", "qrels_prefs", "qrels_jg"]  # than plain qrels
OTHER_FORMS = ("prefs", "qrels_prefs", "qrels_jg")
PREFERENCE_FORMS = ("prefs", "qrels_prefs")
EVERY = ("runid", "num_q")
RESULTS = "or results format not trec_results"
WANTED = {
    "qrels": f"trec_eval.form_res_qrels: rel_info format not qrels {RESULTS}",
    "qrels_jg": f"trec_eval: rel_info format not qrels_jg {RESULTS}",
    "prefs": f"trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) {RESULTS}",
}


def other_form(form: str) -> OtherForm | None:
    """The form where it is not that of plain qrels."""
    return cast("OtherForm", form) if form in OTHER_FORMS else None


def _kind(measure: str) -> str:
    """The form that a measure wants."""
    if measure in PREFERENCES:
        return "prefs"
    return "qrels_jg" if measure in JUDGMENT_GROUPS else "qrels"


def unsuited(requested: Iterable[str], form: str) -> Quit | None:
    """The error of the first requested measure that does not go with a form."""
    kind = "prefs" if form == "qrels_prefs" else form
    for measure in requested:
        if measure not in EVERY and _kind(measure) != kind:
            return Quit(MEASURE, f"{WANTED[_kind(measure)]}\ntrec_eval: Can't calculate measure '{measure}'")
    return None


def suited(form: str) -> Collection[str]:
    """The measures that go with one of the other forms, besides those that go with every form."""
    return JUDGMENT_GROUPS if form == "qrels_jg" else PREFERENCES


def first_measure(requested: Iterable[str]) -> str:
    """The first requested measure that judgments are needed for; empty where there is none."""
    return next((measure for measure in requested if measure not in EVERY), "")
