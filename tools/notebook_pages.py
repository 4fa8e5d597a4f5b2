"""Notebooks as pages: those of docs/ with what their cells show, run here and now.

mkdocs loads this file as a hook. Notebooks are kept without outputs, so that pages show what is so today.
"""

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
ABOUT = "This page is a notebook: [{name}]({name}) is the same to download and to run.\n"


def notebook_page(notebook: Path) -> str:
    """The cells of a notebook as Markdown: prose as it is, code in fences, and below it what it shows.

    Code is run in a temporary folder; paths of the sample collection are shortened, as they differ by machine.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {"__name__": "__main__"}
    parts: list[str] = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in cells:
                text = "".join(cell["source"])
                parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
                if cell["cell_type"] == "code":
                    parts += filter(None, [_shown(text, names)])
        finally:
            os.chdir(before)
    parts.insert(1, ABOUT.format(name=notebook.name))
    return _without_paths("\n\n".join(parts)) + "\n"


def _shown(code: str, names: dict[str, object]) -> str:
    """Run a cell; what its last expression shows, as HTML where it can, and what was printed before that."""
    body = ast.parse(code).body
    last = body[-1] if body and isinstance(body[-1], ast.Expr) else None
    body = body[:-1] if last else body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "notebook", "exec"), names)  # noqa: S102  # our own notebook
        value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names) if last else None  # noqa: S307
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        shown = "".join(html().splitlines())  # an empty line would end a block of HTML in Markdown
    else:
        shown = "" if value is None else f"```text\n{_listed(value)}\n```"
    text = printed.getvalue().rstrip()
    return "\n\n".join(filter(None, [f"```text\n{text}\n```" if text else "", shown]))


def _listed(value: object) -> str:
    """A value as a notebook prints it: lists with an entry in each line."""
    return "[" + ",\n ".join(map(repr, value)) + "]" if isinstance(value, list) else repr(value)


def _without_paths(text: str) -> str:
    from rankscale.sample import QRELS

    return text.replace(str(QRELS.parent), "sample")


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """For mkdocs: every notebook is a page, too."""
    from mkdocs.structure.files import File  # absent where no site is built

    for notebook in NOTEBOOKS:
        files.append(File.generated(config, f"{notebook.stem}.md", content=notebook_page(notebook)))
    return files
