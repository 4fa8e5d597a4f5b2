"""Study: what the results of all studies have in common, that is named tables, a sentence and a provenance."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankscale.data.notices import Noticed
from rankscale.data.table import Table
from rankscale.errors import UnknownNameError
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.blocks import Block
from rankscale.outputs.results import TabularResult
from rankscale.outputs.text import json_chunks


class Study(Noticed, TabularResult, ABC):
    """The result of a study: several tables, of which the first is the answer and the others its details."""

    evaluation: Evaluation

    @abstractmethod
    def tables(self) -> Mapping[str, Table]:
        """Every table that the study has, by name."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """The options of the study, without runs, qrels and measures: `{"study": "robustness", "seed": 0, ...}`."""

    @property
    def origin(self) -> Mapping[str, object]:
        """Where the values come from: the provenance of the evaluation that the study is about."""
        return self.evaluation.provenance

    @property
    def signature(self) -> str:
        """All that the numbers depend on other than runs, qrels and measures, in one line."""
        settings = [f"{name}:{_plain(value)}" for name, value in self.settings.items() if value is not None]
        return "|".join([*settings, str(self.origin["signature"])])

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to reproduce the numbers."""
        return {**self.origin, "signature": self.signature, "settings": dict(self.settings)}

    def sentence(self) -> str:
        """What the answer says, or how to read it; empty if the table needs no comment."""
        return ""

    def over_all(self, studies: "Sequence[Study]") -> Mapping[str, Table]:
        """Rows about several collections together, by the table that they go below.

        `studies` are those of all collections, this one first. Most studies have no such rows.
        """
        del studies
        return {}

    def shown(self) -> tuple[str, ...]:
        """Names of the tables that `text` shows by default."""
        return tuple(self.tables())[:1]

    @property
    def chosen_table(self) -> str | None:
        """Name of the table that the options select, if they select one."""
        return None

    def table(self, name: str | None = None) -> Table:
        """One table, the answer if none is named, with its provenance."""
        tables = self.tables()
        chosen = next(iter(tables)) if name is None else name
        if chosen not in tables:
            raise UnknownNameError("table", chosen, tables, f"this study has {', '.join(tables)}")
        return replace(tables[chosen], provenance=self.provenance)

    def to_json(self, table: str | None = None, *, places: int | None = None) -> str:
        """One JSON document: provenance, the other tables unless one is named, and the rows of the answer."""
        answer, *rest = self.tables()
        others = {} if table else {name: self.table(name) for name in rest}
        return "".join(json_chunks(self.table(table or answer), places, **others))

    def shown_tables(self) -> list[Table]:
        """The tables that `text` shows by default."""
        return [self.table(name) for name in self.shown()]

    def blocks(self, name: str | None = None) -> Sequence[Block]:
        """Tables for people, and the sentence that sums them up."""
        if name is not None:
            return self.views(name)
        return [*self.shown_tables(), *filter(None, [self.sentence()])]

    def __str__(self) -> str:
        return "\n\n".join([self.text(), *("warning: " + warning for warning in self.warnings)])

    __repr__ = __str__


def _plain(value: object) -> str:
    """A setting as one word of a signature.

    >>> _plain((90, 70)), _plain("rank sum")
    ('90,70', 'rank-sum')
    """
    parts = value if isinstance(value, tuple | list) else [value]
    return ",".join(str(part).replace(" ", "-") for part in parts)
