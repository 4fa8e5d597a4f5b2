"""What the tests of the pages share."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

GROUP = re.compile(r'^\[project\.entry-points\."(.+)"\]$', re.MULTILINE)


@pytest.fixture
def install() -> Callable[..., None]:
    """Makes a package of a file, found as any other package is: through its entry points.

    They are those of a `pyproject.toml`; without one, the classes of the file are measures.
    """

    def install(source: str, folder: Path, project: str = "") -> None:
        if project:
            (group,) = GROUP.findall(project)
            entries = re.sub(r'"', "", GROUP.sub("", project))
            module = re.findall(r" = (\w+):?", entries)[0]
        else:
            measures = re.findall(r"^class (\w+)\(", source, re.MULTILINE)
            group, module = "rankscale.measures", measures[0].lower()
            entries = "".join(f"{name} = {module}:{name}\n" for name in measures)
        package = folder / f"{module}-1.0.dist-info"
        package.mkdir(parents=True)
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (package / "entry_points.txt").write_text(f"[{group}]\n{entries}")

    return install
