"""What the results of `agree` share: sentences first, then tables, and coefficients as dots in notebooks."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankscale.data.table import Table
from rankscale.outputs.blocks import Block
from rankscale.outputs.pictures import dots_of
from rankscale.outputs.results import Page
from rankscale.studies.support.study import Study


class AgreementStudy(Study):
    """Agreement of judges, told in sentences and shown in tables, the table `agreement` among them."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """What the result says, a sentence each."""

    @abstractmethod
    def titled_tables(self) -> Iterator[Table]:
        """The tables for people, titled, in their order."""

    def sentence(self) -> str:
        """How far judges agree and, with runs, what that does to them."""
        return "\n".join(self.sentences())

    def views(self, name: str | None = None) -> list[Table]:
        """Tables for people, with the sentences below the first."""
        if name is not None:
            return [self.table(name)]
        first, *others = self.titled_tables()
        return [replace(first, notes=tuple(self.sentences()), provenance=self.provenance), *others]

    def page(self) -> Page:
        """What a notebook shows: the tables with sentences, and coefficients as dots with their intervals."""
        drawn = dots_of(self.table("agreement"))
        return replace(super().page(), blocks=self.views(), pictures=[drawn] if drawn else [])

    def blocks(self, name: str | None = None) -> Sequence[Block]:
        """The sentences first, then the tables."""
        return self.views(name) if name is not None else [self.sentence(), *self.titled_tables()]
