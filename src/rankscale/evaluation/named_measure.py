"""A measure of which only the name and values are known: it was measured elsewhere."""

from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, Numbers, ScaleType


@dataclass(frozen=True)
class NamedMeasure(Measure):
    """A measure that values were read of; it has no formula, and no ranking can be measured by it."""

    name: ClassVar[str] = "Named"
    takes_depth: ClassVar[bool] = False

    label: str
    on: ScaleType | None = None  # the scale of the values; None where it is not known
    low: bool = False  # whether low is good
    of: Measure | None = None  # the measure of this name, where the grades that its scale depends on are not known

    def __post_init__(self) -> None:
        known: dict[str, object] = {
            "scale": self.on or "ordinal",
            "scale_known": self.on is not None,
            "low_is_good": self.low,
        }
        if self.of is not None:
            known |= {name: getattr(self.of, name) for name in ("uses_recall_base", "summary", "direction_note")}
        for name, value in known.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    def total(self, judged: Judged) -> Numbers:  # noqa: ARG002
        """Not of rankings."""
        raise ParameterError(f"{self} was read as values, and has no formula that could measure rankings")

    def __str__(self) -> str:
        return self.label
