r"""How a name from outside is written in each form: the one place that decides it.

Tags, topics, documents and paths come from files that nobody checked. Terminals carry out escape sequences,
spreadsheets formulas, pages scripts, LaTeX commands; drawings break off at control characters. Forms for people show
a sign in the place of what cannot be shown; tsv and csv, which programs read, spell such characters out (`\x1b`), so
that names that differ still do; JSON escapes them, and gives the name back as it was.
"""

import re

from rankscale.errors import ParameterError, echoed

SIGN = "\N{REPLACEMENT CHARACTER}"
# Control characters but tab and ends of lines, and those that turn the direction of text or end lines unseen.
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
FORMULA = re.compile(r"[=@\t\r]|[+-](?![\w.+-]*$)")  # what a spreadsheet carries out; -1 and +rm3 are names
FORMULAS = ("escape", "keep")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{special: f"\\{special}" for special in "{}_&%$#"},
    # Braces keep these from being read as an option of the line before, or joined to longer dashes and quotes.
    **{joined: f"{{{joined}}}" for joined in "[]*-'`,"},
}


def check_formulas(formulas: str) -> None:
    """Raise ParameterError unless this is 'escape' or 'keep'."""
    if formulas not in FORMULAS:
        raise ParameterError(f"formulas must be 'escape' or 'keep', got {echoed(formulas)}")


def on_terminal(text: str, kept: str = "") -> str:
    r"""Text for a terminal: a sign in the place of what it would carry out, or not show; `kept` stays.

    >>> on_terminal("a\x1b[31m\nb", kept="\n\t")
    'a\ufffd[31m\nb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() or c in kept else SIGN for c in text)


def visible(name: str) -> str:
    r"""A name for programs, in which hidden characters are spelled out.

    >>> print(visible("a\x1b[31m"))
    a\x1b[31m
    """
    return HIDDEN.sub(lambda c: f"\\x{ord(c[0]):02x}" if ord(c[0]) < 256 else f"\\u{ord(c[0]):04x}", name)


def without_formula(name: str) -> str:
    """A name before which an apostrophe stands where a spreadsheet would carry it out as a formula.

    >>> without_formula("=1+1"), without_formula("-1"), without_formula("bm25")
    ("'=1+1", '-1', 'bm25')
    """
    return f"'{name}" if FORMULA.match(name) else name


def separated(name: str, form: str, formulas: str = "escape") -> str:
    """A name in a cell of tsv or csv before quotes; tsv has none, so that what would end a cell or line is a space."""
    if name.isalnum():  # as most are, and nothing is to be done
        return name
    shown = visible(without_formula(name) if formulas == "escape" else name)
    return re.sub(r"[\t\n\r]", " ", shown) if form == "tsv" else shown


def quoted(name: str, form: str, formulas: str = "escape") -> str:
    """A name as a whole cell of tsv or csv, or a text of JSON."""
    if form not in {"tsv", "csv"}:
        return in_json(name)
    cell = separated(name, form, formulas)
    return '"' + cell.replace('"', '""') + '"' if form == "csv" and re.search(r'[,"\n\r]', cell) else cell


def in_json(name: str) -> str:
    """A name in JSON. Bytes that are not UTF-8 are Python's surrogates for them: its reader gives back the name."""
    import json

    written = re.sub("[\ud800-\udfff]", lambda c: f"\\u{ord(c[0]):04x}", json.dumps(name, ensure_ascii=False))
    return HIDDEN.sub(lambda c: f"\\u{ord(c[0]):04x}", written)


def in_latex(name: str) -> str:
    r"""A name that LaTeX sets as it is; no command in it is carried out.

    >>> print(in_latex(r"bm25_k1\input{x}"))
    bm25\_k1\textbackslash{}input\{x\}
    """
    return "".join(_LATEX.get(c, c) if c.isprintable() else " " for c in name)


def in_markdown(name: str) -> str:
    r"""A name that Markdown shows as it is.

    >>> print(in_markdown("a_b|c"))
    a\_b\|c
    """
    return _MARKDOWN.sub(r"\\\1", "".join(c if c.isprintable() else " " for c in name))


def in_html(text: str) -> str:
    """Text in a page, or in an attribute of one."""
    from html import escape  # whose table of entities takes a while to load

    return escape(HIDDEN.sub(SIGN, _utf8(text)))


def in_drawing(text: str) -> str:
    """Text in a drawing, before it becomes XML: without what XML cannot hold, or what turns the direction of text."""
    return HIDDEN.sub(SIGN, NOT_XML.sub(SIGN, _utf8(text)))


def _utf8(text: str) -> str:
    from rankscale.data.table import readable  # which brings numpy: messages of errors need none

    return readable(text)
