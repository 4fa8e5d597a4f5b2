"""Make the links and the picture of README.md absolute, for PyPI: `python tools/absolute_readme.py`.

PyPI shows README.md at an address of its own, where relative links lead nowhere. `release.yml` calls this before it
builds; in the repository, links stay relative. They then lead to the files of the version's tag, at the address that
pyproject.toml has as Repository. Where it has none, README.md is left as it is, and a line says so.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
COMMENT = re.compile(r"<!--.*?-->\n\n?", re.DOTALL)  # for those who write README.md


def main(arguments: list[str] | None = None) -> int:
    """Rewrite README.md; 0, as a rehearsal without an address is no error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the sources")
    root = parser.parse_args(arguments).root
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project.get("urls", {}).get("Repository", "")
    if not repository:
        print(
            "README.md: links left relative, since pyproject.toml has no Repository in [project.urls]", file=sys.stderr
        )
        return 0
    page = root / "README.md"
    page.write_text(absolute(page.read_text(encoding="utf-8"), repository, f"v{project['version']}"), encoding="utf-8")
    return 0


def absolute(text: str, repository: str, tag: str) -> str:
    """The page with links to the files of a tag, without comments. Code has no links."""
    place = repository.rstrip("/")

    def replaced(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        if target.startswith("#"):
            return f"[{words}]({place}/blob/{tag}/README.md{target})"
        return f"{mark}[{words}]({place}/{'raw' if mark else 'blob'}/{tag}/{target})"

    pieces = re.split(r"(^```.*?^```$|`[^`\n]+`)", COMMENT.sub("", text), flags=re.MULTILINE | re.DOTALL)
    code = {f"\0{number}\0": piece for number, piece in enumerate(pieces) if number % 2}
    hidden = "".join(f"\0{number}\0" if number % 2 else piece for number, piece in enumerate(pieces))
    return re.sub(r"\0\d+\0", lambda found: code[found[0]], LINK.sub(replaced, hidden))


if __name__ == "__main__":
    sys.exit(main())
