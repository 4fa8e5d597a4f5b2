"""Many inputs tried in worker processes, so that a crash or a hang is laid to the input that caused it."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LIMIT = 5.0  # seconds that one input may take
STARTING = 60.0  # seconds that a worker may take to come up on a busy machine
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Trouble:
    """An input, and what is wrong with how it was read."""

    seed: int
    number: int
    words: str
    form: str = "trec"

    def __str__(self) -> str:
        again = f"--form {self.form} --seed {self.seed} --start {self.number} --count 1"
        return f"{self.words}\n    again: python -m tests.fuzz {again}"


def campaign(seed: int, start: int, count: int, workers: int = 2, form: str = "trec") -> list[Trouble]:
    """All troubles with inputs `start` to `start + count` of a form."""
    size = -(-count // workers)
    ranges = [(at, min(at + size, start + count)) for at in range(start, start + count, size)]
    with ThreadPoolExecutor(max_workers=workers) as watchers:
        found = watchers.map(lambda ends: list(_troubles(form, seed, *ends)), ranges)
        return [trouble for troubles in found for trouble in troubles]


def _troubles(form: str, seed: int, start: int, stop: int) -> Iterator[Trouble]:
    """Those of one worker; where it dies or hangs another goes on after that input."""
    while start < stop:
        for at, words in _worker(form, seed, start, stop):
            if words:
                yield Trouble(seed, at, words, form)
            start = at + 1


def _worker(form: str, seed: int, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """The number of each input as it is begun, and again with words where there is trouble with it."""
    command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, (seed, start, stop, form))]
    at, rest, limit = start, b"", STARTING
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        assert process.stdout is not None
        while select.select([process.stdout], [], [], limit)[0]:
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                if code := process.wait():
                    yield at, f"the process ended with {code}"
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                at = at if line.startswith(b"!") else int(line)
                yield at, line.decode() if line.startswith(b"!") else ""
            limit = LIMIT
        process.kill()
        yield at, f"still reading after {limit:g} s"
