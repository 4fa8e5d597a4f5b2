"""Results in a notebook: tables, sentences and small pictures, in the colours of the page, whether light or dark."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rankscale.data.table import Table, readable
from rankscale.outputs.blocks import Block, Facts, Matrix
from rankscale.outputs.pictures import Picture
from rankscale.outputs.shown import PLACES, ShownCell, alignments, best_stands_out, shown_rows

MOST_ROWS = 30  # of a table: a notebook's cell is no place for more
MOST_WARNINGS = 5
MANY_COLUMNS = 7  # of a table; those of a wider one that are the same in all rows are said below
LONG = 40  # characters of a cell that may be broken
SHORT = 60  # characters of a caption that is not wrapped
RULE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
TONES = {"good": "#1a7f37", "odd": "#9a6700", "bad": "#c0392b"}
STYLE = f"""<style>
.rankscale {{ color: inherit; line-height: 1.45; max-width: 100%; margin: .4em 0 1.2em; }}
.rankscale .both {{ display: flex; flex-wrap: wrap; gap: 1em 2.5em; align-items: flex-start; }}
.rankscale .scroll {{ overflow-x: auto; max-width: 100%; }}
.rankscale table {{ border-collapse: collapse; margin: 0 0 .6em; color: inherit; font-variant-numeric: tabular-nums; }}
.rankscale caption {{ caption-side: top; text-align: left; font-weight: 600; padding: .2em 0; color: inherit; }}
.rankscale caption.short {{ white-space: nowrap; }}
.rankscale th, .rankscale td {{ text-align: right; padding: .12em .55em; font-size: .95em; border: 0; background: none; color: inherit;
  white-space: nowrap; font-weight: normal; }}
.rankscale thead th {{ border-bottom: {RULE}; font-weight: 600; }}
.rankscale tbody tr {{ background: none; }}
.rankscale .l {{ text-align: left; }}
.rankscale .w {{ white-space: normal; min-width: 14em; max-width: 30em; overflow-wrap: anywhere; }}
.rankscale .faint {{ opacity: .7; }}
.rankscale p {{ margin: .3em 0; max-width: 70em; }}
.rankscale p.in {{ margin: .1em 0 .1em 1.5em; }}
.rankscale pre {{ color: inherit; background: none; margin: .3em 0; }}
.rankscale dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .15em 1em; margin: .3em 0; }}
.rankscale dt {{ font-weight: 600; }} .rankscale dd {{ margin: 0; }}
.rankscale svg {{ color: inherit; max-width: 100%; height: auto; flex: none; }}
.rankscale .badge {{ display: inline-block; border: 2px solid; border-radius: .4em; padding: 0 .6em; font-weight: 700; }}
{" ".join(f".rankscale .{tone} {{ color: color-mix(in srgb, {colour} 62%, currentColor); }}" for tone, colour in TONES.items())}
</style>"""  # noqa: E501  # one rule a line


@dataclass(frozen=True)
class Page:
    """What a notebook shows of a result.

    Attributes
    ----------
    heading : str
        Caption of the first table, where it has no title of its own; without a table, a line above.
    blocks : sequence of Table, Matrix, Facts or str
        What is read, in order; tables are cut after 30 rows.
    pictures : sequence of Picture
        What stands beside the first table.
    warnings : sequence of str
        What a reader should know, below all.
    badge : tuple of str, optional
        A verdict in a word, and its tone: 'good', 'odd' or 'bad'.
    """

    heading: str
    blocks: Sequence[Block]
    pictures: Sequence[Picture] = ()
    warnings: Sequence[str] = ()
    badge: tuple[str, str] | None = None

    def html(self) -> str:
        """One element with its style; every text is escaped."""
        drawn = "".join(picture.svg() for picture in self.pictures)
        parts = [_badge(*self.badge)] if self.badge else []
        first = next((place for place, block in enumerate(self.blocks) if isinstance(block, Table)), None)
        if first is None:
            parts.append(f"<p><strong>{_text(self.heading)}</strong></p>")
        for place, block in enumerate(self.blocks):
            if isinstance(block, Table):
                table, same = _varied(block)
                made = _table(table, self.heading if place == first else "")
                beside = f"<div>{drawn}</div>" if drawn and place == first else ""
                parts.append(f'<div class="both">{made}{beside}</div>' if beside else made)
                parts += [same, *map(_prose, block.notes)]
            else:
                parts.append(_prose(block))
        parts += [drawn] if first is None else []
        parts += [f"<p>Note: {_text(warning)}</p>" for warning in self.warnings[:MOST_WARNINGS]]
        if len(self.warnings) > MOST_WARNINGS:
            parts.append(f"<p>{len(self.warnings) - MOST_WARNINGS} more notes are in <code>.warnings</code>.</p>")
        return f'<div class="rankscale">{STYLE}{"".join(parts)}</div>'


def _badge(word: str, tone: str) -> str:
    return f'<p><span class="badge {tone}">{_text(word)}</span></p>'


def _varied(table: Table) -> tuple[Table, str]:
    """A wide table without the columns that are the same in all rows, and a line that names them."""
    rows = shown_rows(table, PLACES)
    if len(rows) < 2 or len(table.headings) <= MANY_COLUMNS:
        return table, ""
    texts = zip(table.shown(), zip(*([cell.text for cell in row] for row in rows), strict=True), strict=True)
    same = [(column, cells[0]) for column, cells in list(texts)[1:] if len(set(cells)) == 1]
    said = ", ".join(f"{column.heading} {cell}" for column, cell in same)
    return table.without(*(column.name for column, _ in same)), f"<p>In all rows: {_text(said)}.</p>" if same else ""


def _table(table: Table, heading: str) -> str:
    """The first rows of a table; a line below says how many there are."""
    rows, lefts = shown_rows(table, PLACES), [align == "left" for align in alignments(table)]
    caption = table.title or heading
    head = "".join(
        _cell(name, ("l",) * left, "th", ' scope="col"') for name, left in zip(table.headings, lefts, strict=True)
    )
    bold = [best_stands_out(cells) for cells in zip(*rows, strict=True)]
    body = "".join(f"<tr>{''.join(_cells(row, lefts, bold))}</tr>" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    below = f"<p>{MOST_ROWS} of {len(rows):,} rows; <code>.to_frame()</code> has all.</p>" if more > 0 else ""
    title = f"<caption{' class=short' * (len(caption) <= SHORT)}>{_text(caption)}</caption>" if caption else ""
    label = _text(caption or "table")
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"><table>{title}<thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _cells(row: Sequence[ShownCell], lefts: Sequence[bool], bold: Sequence[bool]) -> Iterator[str]:
    for place, (cell, left, stands_out) in enumerate(zip(row, lefts, bold, strict=True)):
        classes = (
            ["l"] * left + ["w"] * (len(cell.text) > LONG) + ["faint"] * cell.faint + [cell.tone] * bool(cell.tone)
        )
        shown = cell if stands_out else cell._replace(bold=False)
        yield _cell(cell.text, classes, "td" if place else "th", "" if place else ' scope="row"', shown)


def _cell(text: str, classes: Sequence[str], tag: str, scope: str, cell: ShownCell | None = None) -> str:
    content = _text(text)
    if cell is not None and cell.bold:
        content = f"<strong>{content}</strong>"
    if cell is not None and cell.mark:
        content += f"<sup>{_text(cell.mark)}</sup>"
    named = f' class="{" ".join(classes)}"' if classes else ""
    return f"<{tag}{scope}{named}>{content}</{tag}>"


def _prose(block: Block) -> str:
    """Paragraphs, a matrix of signs or a list of facts."""
    if isinstance(block, Matrix):
        rows = "\n".join(map(_text, block.rows()))
        return f"<p><strong>{_text(block.title)}</strong></p><pre>{rows}</pre>"
    if isinstance(block, Facts):
        return f"<dl>{''.join(f'<dt>{_text(name)}</dt><dd>{_text(words)}</dd>' for name, words in block.facts)}</dl>"
    lines = str(block).split("\n")
    head = ""
    if len(lines) > 1 and lines[0][:1] != " " and all(line[:1] == " " for line in lines[1:]):
        head = f"<p><strong>{_text(lines.pop(0))}</strong></p>"  # a sentence; what supports it follows
    return head + "".join(f"<p{' class=in' if line[:1] == ' ' else ''}>{_text(line.strip())}</p>" for line in lines)


def _text(text: str) -> str:
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in readable(text)))
