"""Groups of topics on the command line: the options, and where they do not go."""

from collections.abc import Mapping
from dataclasses import dataclass

import click

from rankscale.cli import options
from rankscale.cli.command import bundled

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
    options.option("--groups", GROUPS, options.PATH, shown="none", metavar="FILE"),
    options.option("--group-column", COLUMN, shown="the only one, or one called group, category, ...", metavar="NAME"),
)
family = options.choice("--family", ("all", "group"), FAMILY, shown="all")
