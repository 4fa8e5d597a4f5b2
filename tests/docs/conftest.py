"""What the tests of the pages share."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def install() -> Callable[[str, Path], None]:
    """Makes a package of a measure's file, found as any other package is: through its entry points."""

    def install(source: str, folder: Path) -> None:
        measures = re.findall(r"^class (\w+)\(", source, re.MULTILINE)
        module = measures[0].lower()
        package = folder / f"{module}-1.0.dist-info"
        package.mkdir(parents=True)
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        entries = "".join(f"{name} = {module}:{name}\n" for name in measures)
        (package / "entry_points.txt").write_text(f"[rankscale.measures]\n{entries}")

    return install
