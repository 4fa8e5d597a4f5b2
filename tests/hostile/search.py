"""Search for small inputs that take much: `python -m tests.hostile.search [NAME...]`, a quarter of an hour for all.

Each case of `extremes.py` goes through each command in a process of its own; its largest memory and its CPU time are
measured. The list is sorted by memory; the exit code is 1 if any case exceeds the limits that docs/trust.md states.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.extremes import COMMANDS, EXTREMES, written

MOST_MEMORY, MOST_SECONDS = 500.0, 10.0  # megabytes, and seconds of CPU
# A small process between: the memory of a process counts that of the one that it was forked from.
MEASURING = """
import os, resource, sys
nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
for limit, most in (resource.RLIMIT_CPU, 30), (resource.RLIMIT_DATA, 3 << 30):  # so that no machine suffers
    resource.setrlimit(limit, (most, most))
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[nowhere])
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss, used.ru_utime + used.ru_stime)
"""


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    name: str
    command: str
    code: int
    megabytes: float
    seconds: float
    said: str

    @property
    def exceeds(self) -> bool:
        """Whether it took more than is promised, or ended otherwise than with a result or an error."""
        return (
            self.megabytes > MOST_MEMORY
            or self.seconds > MOST_SECONDS
            or not 0 <= self.code <= 10
            or "Traceback" in self.said
        )

    def __str__(self) -> str:
        wrong = "EXCEEDS " if self.exceeds else ""
        took = f"{self.megabytes:7.0f} MB {self.seconds:6.2f} s  {self.code:4}"
        return f"{took}  {self.name} {self.command}  {wrong}{self.said[:90]!r}"


def measure(name: str, command: str, place: Path) -> Cost:
    """Run a command on the files of a case; memory and time are those of its process alone."""
    return measure_words(name, command, COMMANDS[command], place)


def measure_words(name: str, command: str, arguments: list[str], place: Path) -> Cost:
    """The same of a command with these arguments, called so."""
    words = [sys.executable, "-I", "-S", "-c", MEASURING, sys.executable, "-m", "rankscale", *arguments]
    with open(place / "said", "wb") as said:
        written = subprocess.run(words, cwd=place, stdout=subprocess.PIPE, stderr=said, check=True).stdout
    code, size, seconds = map(float, written.split())
    last = (place / "said").read_text("utf-8", "replace")
    return Cost(name, command, int(code), size * (1024 if sys.platform != "darwin" else 1) / 1e6, seconds, last)


def main(names: list[str]) -> int:
    """Print what each case took, the most memory first."""
    costs = []
    for name in names or EXTREMES:
        with tempfile.TemporaryDirectory() as folder:
            place = written(name, Path(folder))
            for command in COMMANDS:
                costs.append(measure(name, command, place))
                print(costs[-1], flush=True)
    print("\nmost memory")
    print(*sorted(costs, key=lambda cost: -cost.megabytes)[:12], sep="\n")
    print("\nmost time")
    print(*sorted(costs, key=lambda cost: -cost.seconds)[:12], sep="\n")
    return int(any(cost.exceeds for cost in costs))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
