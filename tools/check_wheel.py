"""Whether wheels hold what they must, and keep what their names promise: `python tools/check_wheel.py dist/*.whl`.

A wheel named manylinux_2_17 must not ask for symbols of a later glibc, one named musllinux for none of glibc's at all;
licence, third-party notices and bills of materials must be inside, and nothing but the package.
"""

import re
import sys
import zipfile
from collections.abc import Sequence
from email import message_from_string
from pathlib import Path

GLIBC = re.compile(
    rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)"
)  # versions of symbols, in the table of names of an ELF file
MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_")
LEGACY = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
EXTENSIONS = {"win": "rankscale/_core.pyd", "": "rankscale/_core.abi3.so"}
INSIDE = (
    "licenses/LICENSE",
    "licenses/THIRD-PARTY-NOTICES.txt",
    "sboms/rankscale-core.cyclonedx.json",
    "sboms/third-party.cyclonedx.json",
    "entry_points.txt",
)


def main(paths: Sequence[str]) -> int:
    """Print what is wrong with each wheel; 1 if anything is, 2 without a wheel."""
    if not paths:
        print("no wheels given: python tools/check_wheel.py dist/*.whl", file=sys.stderr)
        return 2
    problems = [f"{Path(path).name}: {problem}" for path in paths for problem in wrong(Path(path))]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(paths)} wheels, {len(problems)} problems")
    return 1 if problems else 0


def wrong(path: Path) -> list[str]:
    """Return the problems of a wheel."""
    name, version, python, abi, platform = path.stem.split("-")
    problems = [] if (python, abi) == ("cp311", "abi3") else [f"tags {python}-{abi}, expected cp311-abi3"]
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        info = f"{name}-{version}.dist-info"
        extension = EXTENSIONS["win" if platform.startswith("win") else ""]
        wanted = [extension, *(f"{info}/{file}" for file in INSIDE)]
        problems += [f"{file} is missing" for file in wanted if file not in names]
        problems += [
            f"{file} does not belong there" for file in names if not file.startswith(("rankscale/", f"{info}/"))
        ]
        problems += metadata(wheel.read(f"{info}/METADATA").decode(), version)
        if extension in names:
            problems += symbols(wheel.read(extension), platform)
    return sorted(problems)


def metadata(text: str, version: str) -> list[str]:
    """Return what is wrong with the metadata."""
    found = message_from_string(text)
    expected = {"Version": version, "License-Expression": "Apache-2.0", "Requires-Python": ">=3.11"}
    problems = [f"{key}: {found[key]}, expected {value}" for key, value in expected.items() if found[key] != value]
    pre = [line for line in found.get_all("Requires-Dist", []) if re.search(r"\d(?:a|b|rc)\d", line)]
    return problems + [f"depends on a version before a release: {line}" for line in pre]


def symbols(binary: bytes, platform: str) -> list[str]:
    """Return what the extension asks of the C library beyond what the name of the wheel allows."""
    needed = max(((int(major), int(minor)) for major, minor in GLIBC.findall(binary)), default=None)
    if platform.startswith("musllinux"):
        return [] if needed is None else ["asks for glibc, but is named musllinux"]
    tags = platform.split(".")
    claims = [LEGACY[tag.partition("_")[0]] for tag in tags if tag.partition("_")[0] in LEGACY]
    claims += [(int(match[1]), int(match[2])) for tag in tags if (match := MANYLINUX.match(tag))]
    if not claims or needed is None or needed <= min(claims):
        return []
    return [f"asks for glibc {needed[0]}.{needed[1]}, but is named {platform}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
