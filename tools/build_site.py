"""Build the site of this version, and list all versions that are there.

The folder `site/` has a folder for each version, such as `site/0.2/`, a script with the list of versions, from which
each page fills its menu of versions, and a first page that leads to the newest. Older versions are kept: put their
folders there before building. The site needs no server: open `site/index.html`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from rankscale import __version__

ROOT = Path(__file__).resolve().parent.parent
LIST = "versions.js"
FIRST = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>rankscale</title>
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<p><a href="{newest}/index.html">rankscale {newest}</a></p>
</html>
"""


def folder_of(version: str) -> str:
    """The folder of a version: major and minor number, as patches change no page's meaning."""
    return ".".join(version.split(".")[:2])


def list_versions(site: Path) -> list[str]:
    """Write the list of versions and the first page; the versions, newest first."""
    folders = [path.parent.name for path in site.glob("*/index.html")]
    newest_first = sorted(folders, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    listed = [{"folder": name, "title": name, "pages": sorted(_pages(site / name))} for name in newest_first]
    text = json.dumps(listed, separators=(",", ":"))
    (site / LIST).write_text(f"window.rankscaleVersions = {text};\n", encoding="utf-8")
    (site / "index.html").write_text(FIRST.format(newest=newest_first[0]), encoding="utf-8")
    return newest_first


def _pages(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.html")]


def build(site: Path, version: str) -> None:
    """Build the pages of this version into its folder."""
    target = site / folder_of(version)
    shutil.rmtree(target, ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # the theme advertises its successor
    subprocess.run(command, cwd=ROOT, check=True, env=quiet)
    (target / "404.html").unlink()  # is made for the root of a server, which is not where these folders are


def main() -> None:
    """Build, and list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="where the folders of versions are")
    parser.add_argument("--version", default=__version__, help="which version the pages are of")
    given = parser.parse_args()
    build(given.site, given.version)
    list_versions(given.site)
    print(f"open {given.site / 'index.html'}")


if __name__ == "__main__":
    main()
