"""The scripts that draw on pages: Vega, Vega-Lite and vega-embed, as vl-convert brings them."""

import os
from importlib.metadata import PackageNotFoundError, version

from rankscale.figures.base.renderer import render
from rankscale.outputs.files import write_chunks

PACKAGE = "vl-convert-python"
WHOLE = "\n// whole\n"  # the end of a file that is


def bundle() -> str:
    """All scripts in one text. Making it takes two seconds, so it is kept in the user's cache, by version."""
    path = os.path.join(_cache(), f"vega-{_version()}.js")
    try:
        with open(path, encoding="utf-8") as kept:
            text = kept.read()
    except (OSError, UnicodeDecodeError):
        text = ""
    if text.endswith(WHOLE):  # one that was cut off, or emptied, is made anew
        return text.removesuffix(WHOLE)
    made = render("javascript_bundle").decode()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_chunks(path, [made.encode(), WHOLE.encode()])
    except OSError:
        pass  # a cache that cannot be written is no reason to fail
    return made


def _version() -> str:
    """Of vl-convert, which is not imported for that."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def _cache() -> str:
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rankscale")
