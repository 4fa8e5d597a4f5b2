"""What to be careful about: the few cautions that matter most, and the others folded."""

from rankscale.data.names import counted
from rankscale.data.notices import render
from rankscale.reporting.of_values import left_out
from rankscale.reporting.parts import Bullets, Paragraph, Part, Section
from rankscale.reporting.results import Results
from rankscale.reporting.sections.statements import chosen_statements

SHOWN = 3  # cautions; the others are folded


def summary(results: Results) -> Section:
    """The cautions that matter, then the others, folded."""
    about = [*_on_interval_version(results), *results.cautions]
    about += [] if results.has_rankings else [left_out()]
    if not about:
        return Section("summary", "Cautions", [Paragraph("Nothing was found that calls for caution.")])
    minor = {render(notice) for notice in getattr(results.interval, "notices", ())}  # about the interval version alone
    first = [one for one in about if one not in minor][:SHOWN]
    others = [one for one in about if one not in first]
    parts: list[Part] = [Bullets(first, "warnings")] if first else []
    if others:
        parts.append(Bullets(others, "warnings", counted(len(others), "more caution" if first else "minor caution")))
    return Section("summary", "Cautions", parts)


def _on_interval_version(results: Results) -> list[str]:
    """A caution where the scale of the measure makes a difference to what is said of the leading runs."""
    chosen = chosen_statements(results)
    known = [one.on_interval for one in chosen if one.on_interval is not None]
    differing, opposite = known.count(False), sum(one.interval.reversed for one in chosen)
    if not differing:
        return []
    which = f"{differing} of {len(known)} statements about the leading runs differ{'s' * (differing == 1)}"
    reversed_ = f", {opposite} of them with means reversed" if opposite else ""
    return [f"on the interval version of {results.main} {which}{reversed_} (see Statements)"]
