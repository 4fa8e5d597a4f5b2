"""Two runs that a reader chooses: their differences by topic, the biggest wins and losses, and both rankings."""

from rankscale.data.table import readable
from rankscale.reporting.page_data import pairs_data, values_data
from rankscale.reporting.parts import Section, TwoRuns
from rankscale.reporting.results import Results


def compare(results: Results) -> Section:
    """Lists to choose two runs from, by default the best two, and what the page draws of them."""
    part = TwoRuns(str(results.main), list(map(readable, results.evaluation.topics)), has_rankings=results.has_rankings)
    return Section("compare", "Two runs", [part], data={**values_data(results), **pairs_data(results)})
