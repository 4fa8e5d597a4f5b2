"""Works for other processes, which import this file; some end the process that does them."""

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path


def die() -> None:
    """End this process as the system does where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Deadly:
    """Doubles numbers; some end their process, the first time or every time, and each attempt is noted."""

    folder: str
    deadly: tuple[int, ...] = ()
    deaths: int = 1000

    def __call__(self, number: int) -> int:
        notes = Path(self.folder, f"{number}.txt")
        with notes.open("a") as file:
            file.write("x")
        if number in self.deadly and notes.stat().st_size <= self.deaths:
            die()
        time.sleep(0.01)
        return 2 * number

    def attempts(self, number: int) -> int:
        """How often a number was given to a process."""
        return Path(self.folder, f"{number}.txt").stat().st_size


@dataclass(frozen=True)
class Leaving(Deadly):
    """Doubles numbers; some end their process a moment after they gave their result, while it is fetched or before."""

    moment: float = 0.0  # seconds

    def __call__(self, number: int) -> int:
        notes = Path(self.folder, f"{number}.txt")
        with notes.open("a") as file:
            file.write("x")
        if number in self.deadly and notes.stat().st_size <= self.deaths:
            threading.Timer(self.moment, die).start()
        return 2 * number


def divided(number: int) -> float:
    """Raises for 0."""
    return 1 / number


def quits(number: int) -> int:
    """Ends its process as a script would."""
    raise SystemExit(3)


def slow_first(number: int) -> int:
    """Takes long for 0."""
    time.sleep(0.5 if number == 0 else 0.0)
    return number


def no_result(number: int) -> object:
    """Gives what cannot be sent."""
    return lambda: number


class UnmadeError(Exception):
    """Is pickled, and cannot be made again."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def no_error(number: int) -> None:
    """Raises what cannot be made again."""
    raise UnmadeError("a", "b")
