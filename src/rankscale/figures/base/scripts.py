"""The scripts that draw on pages: Vega, Vega-Lite and vega-embed, as vl-convert brings them."""

import logging
import os
from types import ModuleType

from rankscale.formats.write.files import write_chunks
from rankscale.formats.write.frames import library

# What vl-convert reports of its own work, some of it as errors that are none. Handlers of logging
# still get it; without one nothing is printed.
for reporter in ("vl_convert", "swc_ecma_transforms_optimization", "tiny_skia"):
    logging.getLogger(reporter).addHandler(logging.NullHandler())
WHOLE = "\n// whole\n"  # the end of a file that is


def vl_convert() -> ModuleType:
    """The library that draws, imported when it is first needed."""
    module: ModuleType = library("vl_convert", "a figure", "figures")
    return module


def bundle() -> str:
    """All scripts in one text. Making it takes two seconds, so it is kept in the user's cache, by version."""
    maker = vl_convert()
    path = os.path.join(_cache(), f"vega-{maker.__version__}.js")
    try:
        with open(path, encoding="utf-8") as kept:
            text = kept.read()
    except (OSError, UnicodeDecodeError):
        text = ""
    if text.endswith(WHOLE):  # one that was cut off, or emptied, is made anew
        return text.removesuffix(WHOLE)
    made: str = maker.javascript_bundle()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_chunks(path, [made.encode(), WHOLE.encode()])
    except OSError:
        pass  # a cache that cannot be written is no reason to fail
    return made


def _cache() -> str:
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rankscale")
