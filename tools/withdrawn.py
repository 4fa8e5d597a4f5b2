"""Whether a locked version was withdrawn ("yanked") by its authors: `python tools/withdrawn.py`.

Asks the two registries that the locks name, crates.io and PyPI, and nothing else, so that it works where lists of
advisories cannot be had. Exit code 1 where a version is withdrawn or not in its registry any more, 3 where a registry
does not answer.
"""

import json
import re
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError, URLError

ROOT = Path(__file__).resolve().parent.parent
CRATES = "https://index.crates.io"
PYPI = "https://pypi.org/simple"
LOCKS = ("requirements.lock", "requirements-oldest.lock")  # what users of the package get, newest and oldest
LINK = re.compile(
    r"<a ([^>]*)>([^<]*)</a>"
)  # of the simple index (PEP 503): a file, and whether it is withdrawn (PEP 592)
Fetch = Callable[[str], str]


def main() -> int:
    """Print what is withdrawn; 1 if anything is, 3 if it could not be asked."""
    try:
        crates = locked_crates((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
        packages = sorted({one for lock in LOCKS for one in locked_packages((ROOT / lock).read_text(encoding="utf-8"))})
        gone = [*map_all(crates, crate_state, fetch), *map_all(packages, package_state, fetch)]
    except (URLError, OSError) as error:
        print(f"withdrawn versions: not looked at, a registry does not answer: {error}", file=sys.stderr)
        return 3
    print(*gone, sep="\n", end="\n" if gone else "")
    print(f"withdrawn versions: {len(gone) or 'none'} of {len(crates)} crates and {len(packages)} Python packages")
    return 1 if gone else 0


def locked_crates(lock: str) -> list[tuple[str, str]]:
    """Name and version of all crates of a registry."""
    packages = tomllib.loads(lock)["package"]
    return [(one["name"], one["version"]) for one in packages if "source" in one]


def locked_packages(lock: str) -> list[tuple[str, str]]:
    """Name and version of all packages of a lock."""
    return re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE)


def map_all(locked: Iterable[tuple[str, str]], state: Callable[[str, str, Fetch], str], asked: Fetch) -> list[str]:
    """Sentences about the versions of which there is something to say."""
    with ThreadPoolExecutor(8) as pool:
        return [text for text in pool.map(lambda one: state(one[0], one[1], asked), locked) if text]


def crate_state(name: str, version: str, asked: Fetch) -> str:
    """What is wrong with a version of a crate; empty if nothing is."""
    folder = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}").lower()
    lines = map(json.loads, asked(f"{CRATES}/{folder}/{name.lower()}").splitlines())
    withdrawn = {line["vers"]: line["yanked"] for line in lines}
    return sentence("crate", name, version, withdrawn=withdrawn.get(version))


def package_state(name: str, version: str, asked: Fetch) -> str:
    """What is wrong with a version of a Python package; empty if nothing is."""
    simple = re.sub(r"[-_.]+", "-", name).lower()
    spelled = re.sub(r"[-_.]+", "[-_.]+", re.escape(simple).replace(r"\-", "-"))
    file = re.compile(rf"{spelled}-{re.escape(version)}(?:-|\.tar|\.zip)", re.IGNORECASE)
    links = LINK.findall(asked(f"{PYPI}/{simple}/"))
    states = ["data-yanked" in attributes for attributes, text in links if file.match(text)]
    return sentence("package", name, version, withdrawn=all(states) if states else None)


def sentence(kind: str, name: str, version: str, *, withdrawn: bool | None) -> str:
    """Say that a version is withdrawn, or not there at all (None)."""
    if withdrawn is None:
        return f"{kind} {name} {version}: its registry has no such version"
    return f"{kind} {name} {version}: withdrawn by its authors; lock another" if withdrawn else ""


def fetch(address: str) -> str:
    """The text of a page of a registry; empty where it has no such name."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310  # one of the two above
            text: str = answer.read().decode("utf-8")
            return text
    except HTTPError as error:
        if error.code in {404, 410}:
            return ""
        raise


if __name__ == "__main__":
    sys.exit(main())
