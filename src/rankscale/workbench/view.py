"""View: one question, answered as a page, as JSON, as a table and as a figure; all by the same functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankscale.data.table import Table
from rankscale.figures.base.figure import Figure
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import State

Data = Mapping[str, object]  # what JSON can hold


@dataclass(frozen=True)
class View:
    """What a view is called, and what makes its parts; each is given the bench and a settled state."""

    name: str  # of its addresses: /compare, /compare.json, /compare.tsv, /compare.svg, /compare.txt
    title: str
    question: str
    data: Callable[[Bench, State, Progress | None], Data]
    table: Callable[[Bench, State], Table]
    command: Callable[[Bench, State], str]
    figure: Callable[[Bench, State], Figure] | None = None
    more_commands: Callable[[Bench, State], Mapping[str, str]] | None = (
        None  # for what `command` does not print, by what
    )
    about_command: str = ""  # what `command` prints, where there are more
    text: Callable[[Bench, State], str] | None = None  # plain lines, for tools and people without tables

    @property
    def path(self) -> str:
        """The address of its page."""
        return "/" if self.name == "overview" else f"/{self.name}"
