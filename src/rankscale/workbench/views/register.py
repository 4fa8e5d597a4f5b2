"""The views, in the order of the rail."""

from rankscale.workbench.view import View
from rankscale.workbench.views import compare, effort, judgments, measures, overview, ranking, topics

VIEWS: dict[str, View] = {
    one.VIEW.name: one.VIEW for one in (overview, compare, topics, ranking, effort, measures, judgments)
}
