"""The views, in the order of the rail."""

from rankscale.workbench.view import View
from rankscale.workbench.views import compare, judgments, measures, overview, ranking

VIEWS: dict[str, View] = {one.VIEW.name: one.VIEW for one in (overview, compare, ranking, measures, judgments)}
