"""Whether the sources are ready to be released: `python tools/check_release.py [--tag v0.2.0]`.

Without a tag, the version must be the same wherever it is written. With one it must be that of the tag as well,
CHANGELOG.md must have a part for it with a date, and pyproject.toml and the guide must say where the project lives.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
GATE = "docs/guide/gate.md"
URLS = (
    "Homepage",
    "Documentation",
    "Repository",
    "Changelog",
    "Issues",
)  # names that PyPI shows with a sign of their own


def main(arguments: list[str] | None = None) -> int:
    """Print what is to be done; 1 if there is something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="such as v0.2.0; what a tagged version needs is checked as well")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the sources")
    options = parser.parse_args(arguments)
    versions = written_versions(options.root)
    problems = different(versions)
    if options.tag is not None:
        problems += unready(options.root, options.tag, versions["pyproject.toml"])
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(problems)} to be done" if problems else f"ready: {versions['pyproject.toml']}")
    return 1 if problems else 0


def written_versions(root: Path) -> dict[str, str]:
    """Return the version by the file that has it."""
    code = (root / "src" / "rankscale" / "__init__.py").read_text(encoding="utf-8")
    recipe = (root / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    return {
        "pyproject.toml": tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "rust/Cargo.toml": tomllib.loads((root / "rust" / "Cargo.toml").read_text(encoding="utf-8"))["package"][
            "version"
        ],
        "Cargo.lock": locked_version(root / "Cargo.lock"),
        "fuzz/Cargo.lock": locked_version(root / "fuzz" / "Cargo.lock"),
        "src/rankscale/__init__.py": "".join(re.findall(r'^__version__ = "(.*)"$', code, re.MULTILINE)),
        "packaging/conda/recipe.yaml": "".join(re.findall(r'^  version: "(.*)"$', recipe, re.MULTILINE)),
    }


def locked_version(lock: Path) -> str:
    """Return the version of the core in a lock of cargo."""
    crates = tomllib.loads(lock.read_text(encoding="utf-8"))["package"]
    version: str = next(crate["version"] for crate in crates if crate["name"] == "rankscale-core")
    return version


def different(versions: dict[str, str]) -> list[str]:
    """Return a problem for each file whose version is not that of pyproject.toml."""
    wanted = versions["pyproject.toml"]
    return [
        f"{file}: version {found or '(none)'}, but pyproject.toml has {wanted}; write the same into both"
        for file, found in versions.items()
        if found != wanted
    ]


def unready(root: Path, tag: str, version: str) -> list[str]:
    """Return what a tagged version lacks."""
    problems = []
    if tag != f"v{version}":
        problems.append(f"tag {tag}: pyproject.toml has version {version}, whose tag is v{version}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        problems.append(f"CHANGELOG.md: no part of this version; expected a heading '## {version}, year-month-day'")
    if re.search(r"^## Unreleased\n+(?!\n*## )", changes, re.MULTILINE):
        problems.append("CHANGELOG.md: there are lines under Unreleased; move them under the version")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if missing := [name for name in URLS if not project.get("urls", {}).get(name, "").startswith("https://")]:
        problems.append(
            f"pyproject.toml: [project.urls] has no https address for {', '.join(missing)}; see RELEASING.md"
        )
    return problems + unnamed_action(root, tag)


def unnamed_action(root: Path, tag: str) -> list[str]:
    """Return what is wrong with the workflow that the guide shows: whose action, of which version."""
    guide = (root / GATE).read_text(encoding="utf-8")
    problems = [f"{GATE}: write the account of the repository in place of OWNER"] if "OWNER" in guide else []
    return problems + [
        f"{GATE}: the action is shown as of {shown}, but the tag is {tag}"
        for shown in re.findall(r"/rankscale@(\S+)", guide)
        if shown != tag
    ]


if __name__ == "__main__":
    sys.exit(main())
