"""How deep rankings must be judged for an accuracy of RBP, before there are judgments or runs.

After Moffat and Zobel, TOIS 27(1), 2008, section 4.4: with all documents down to depth d judged, the residual is p^d.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from rankscale import __version__
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.measures.rbp import RBP, depth_needed, largest_p
from rankscale.studies.support.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class BoundsInAdvance(Study):
    """Result of `bounds` without files: depths, accuracies and persistence that go together.

    Attributes
    ----------
    p : tuple of float
        Persistence of RBP.
    depths : tuple of int
        Depths down to which all documents are judged.
    accuracy : tuple of float
        Residuals to stay below.
    notices : tuple of Notice
        What users should know about the result: nothing.
    """

    p: tuple[float, ...]
    depths: tuple[int, ...]
    accuracy: tuple[float, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of the study."""
        return {"study": "bounds", "p": self.p, "depths": self.depths, "accuracy": self.accuracy}

    @property
    def origin(self) -> Mapping[str, object]:
        """The version alone: no file is read."""
        return {"rankscale": __version__, "signature": f"version:{__version__}"}

    def sentence(self) -> str:
        """How to read the tables."""
        return (
            "With every ranking judged down to `depth`, RBP is known to less than `accuracy`. `largest_p` is the "
            "largest p for which that depth leaves no more than `accuracy` open."
        )

    def shown(self) -> tuple[str, ...]:
        """The depth that each accuracy needs, and the p that each depth supports."""
        return ("cost", "supports")

    def tables(self) -> Mapping[str, Table]:
        """Depths by p and accuracy (`cost`), residuals by p and depth (`depths`), largest p by depth (`supports`)."""
        needed = ((p, accuracy, depth_needed(p, accuracy)) for p, accuracy in product(self.p, self.accuracy))
        left = (
            (p, depth, residual)
            for p in self.p
            for depth, residual in zip(self.depths, RBP(p=p).tail(np.array(self.depths)).tolist(), strict=True)
        )
        supported = ((*one, largest_p(*one)) for one in product(self.depths, self.accuracy))
        return {
            "cost": Table.of(("p", "accuracy", "depth"), needed),
            "depths": Table.of(("p", "depth", "residual"), left),
            "supports": Table.of(("depth", "accuracy", "largest_p"), supported),
        }
