"""What must hold after a fault: old or new, whole; words, no traceback; nothing left after the next run."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.warm import Ended, Fault, Warm

OLD = b"the old file\n"
Sound = Callable[[bytes], bool]
ENDS = {  # forms whose bytes differ from run to run: how they start and end
    ".pdf": (b"%PDF-", b"%%EOF"),
    ".html": (b"<!doctype html>", b"</html>"),
}


@dataclass
class Bench:
    """A warm process, a small collection, and a folder that is written to."""

    warm: Warm
    inputs: Path
    folder: Path
    cases: list[Case]
    expected: dict[Case, dict[str, bytes]] = field(default_factory=dict)
    usual: dict[Case, Ended] = field(default_factory=dict)

    def run(
        self,
        case: Case,
        fault: Fault | None = None,
        signals: list[tuple[float, int]] | None = None,
        *,
        brief: bool = True,
    ) -> Ended:
        """Run a case here; a brief one leaves out the end of Python, which takes longer than the command."""
        return self.warm.run(case.arguments(self.inputs, self.folder), fault, signals or (), brief=brief)

    def learn(self, case: Case) -> Ended:
        """What a case writes when nothing happens, and how many calls that takes; said once."""
        if case not in self.usual:
            self.clear()
            self.usual[case] = self.run(case, Fault(str(self.folder)))
            assert self.usual[case].code == 0, f"{case.line}: {self.usual[case].err}"
            self.expected[case] = content(self.folder)
            assert left_behind(case, self.expected[case]) == [], case.line
        return self.usual[case]

    def done(self, what: str, number: int) -> None:
        """Say how far work has come, now and then."""
        if number % 50 == 0:
            print(f"{what}: {number}", flush=True)

    def clear(self) -> None:
        """An empty folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def prepare(self, case: Case) -> None:
        """An empty folder with an old file; folders that are written are new."""
        self.clear()
        if not case.out.endswith((".set", ".job")):
            (self.folder / case.out).write_bytes(OLD)

    def complaints(self, case: Case, ended: Ended, codes: set[int]) -> list[str]:
        """What is wrong after a fault, and after another run without one."""
        wrong = [] if ended.code in codes else [f"exit code {ended.code}, expected one of {sorted(codes)}"]
        wrong += complaints_of_words(ended)
        wrong += self._complaints_of_files(case, ended)
        if case.out.endswith(".set"):  # where there is one already, none is written
            shutil.rmtree(self.folder / case.out, ignore_errors=True)
        again = self.run(case)
        if again.code != 0:
            wrong.append(f"the next run ends with {again.code}: {again.err}")
        there = content(self.folder)
        if left := left_behind(case, there):
            wrong.append(f"left after the next run: {left}")
        if not self.is_new(case, there):
            wrong.append("the next run writes something else")
        return wrong

    def _complaints_of_files(self, case: Case, ended: Ended) -> list[str]:
        if case.is_job:  # whole or not is said by the run that resumes it
            return []
        there = content(self.folder)
        seen = {name: bytes_ for name, bytes_ in there.items() if name.split(os.sep)[0] == case.out}
        old = {} if case.out.endswith(".set") else {case.out: OLD}
        if self.is_new(case, seen):
            return []
        if seen != old:
            return [f"neither old nor new: {sorted(seen)}"]
        return ["exit code 0 and the old file"] if ended.code == 0 else []

    def is_new(self, case: Case, there: dict[str, bytes]) -> bool:
        """Whether files are those of a run without faults."""
        expected = self.expected[case]
        if case.is_job:
            return set(expected) <= set(there)
        if there == expected:
            return True
        start, end = ENDS.get(os.path.splitext(case.out)[1], (b"", b""))
        made = there.get(case.out, b"")
        return bool(start) and made.startswith(start) and made.rstrip().endswith(end) and list(there) == [case.out]


def content(folder: Path) -> dict[str, bytes]:
    """All files in a folder and below, by their names; empty folders too."""
    files = {}
    for above, folders, names in os.walk(folder):
        for name in names:
            path = Path(above) / name
            files[str(path.relative_to(folder))] = path.read_bytes()
        for name in folders:
            if not os.listdir(Path(above) / name):
                files[str((Path(above) / name).relative_to(folder))] = b""
    return files


def left_behind(case: Case, there: dict[str, bytes]) -> list[str]:
    """Names of files that are neither the output nor within it; in the folder of a job, temporary ones."""
    parts = {name: name.split(os.sep) for name in there}
    return [
        name
        for name, words in parts.items()
        if words[0] != case.out or any(word.startswith((".tmp-", ".rankscale-")) for word in words)
    ]


def complaints_of_words(ended: Ended) -> list[str]:
    """A traceback, Python's own words at its end, or no words for an error."""
    wrong = [
        f"{words!r} in: {ended.err[-1500:]}"
        for words in ("Traceback", "Exception ignored", "panicked", "Fatal Python error")
        if words in ended.err
    ]
    if (
        ended.code == 2
        and "rankscale: " not in ended.err
        and "Error: " not in ended.err
        and "trec_eval: " not in ended.err
    ):
        wrong.append(f"exit code 2 without a message: {ended.err[-300:]!r}")
    return wrong
