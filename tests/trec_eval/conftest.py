"""What the tests of the drop-in share."""

import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankscale.trec_eval import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def values(self) -> dict[tuple[str, str], str]:
        """(measure, topic) -> value, as printed."""
        fields = (line.split("\t") for line in self.out.splitlines())
        return {(measure.rstrip(), topic): value for measure, topic, value in fields}


@pytest.fixture
def trec_eval(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """`rankscale trec_eval` in this process: arguments in, exit code and both outputs out."""

    def run(*argv: object) -> Outcome:
        code = main([str(word) for word in argv])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return run


@pytest.fixture(scope="session")
def unpacked() -> Callable[[Path], dict[str, str]]:
    """Outputs of trec_eval in a tar.xz: name of the file -> its text."""
    kept: dict[Path, dict[str, str]] = {}

    def read(path: Path) -> dict[str, str]:
        if path not in kept:
            with tarfile.open(path) as archive:
                files = [(member.name, archive.extractfile(member)) for member in archive if member.isfile()]
                kept[path] = {Path(name).name: file.read().decode() for name, file in files if file}
        return kept[path]

    return read
