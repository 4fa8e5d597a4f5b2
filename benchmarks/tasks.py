"""One call that is timed in a fresh process, and how much it may take."""

from collections.abc import Mapping
from dataclasses import dataclass

CPU, PEAK = "cpu", "peak_mb"  # fields of a sample


@dataclass(frozen=True)
class Task:
    """`limits` names what is shown of a call, with a number where there is a most."""

    tool: str
    script: str  # in the folder `inside`
    arguments: tuple[str, ...]
    limits: Mapping[str, float | None]
    over_runs: bool = False  # whether the script takes qrels and runs as well
    slow: bool = False  # whether few repeats have to do
