"""Values as trec_eval -q and ir_measures -q print them: three columns, without a header."""

import re
from collections.abc import Iterator
from itertools import islice

from rankscale.errors import FormatError
from rankscale.inputs.values.block import SUMMARY, Block, Naming, number, shortened

TREC_EVAL, IR_MEASURES = (
    "output of trec_eval -q: measure, topic, value",
    "output of ir_measures -q: topic, measure, value",
)
RUN_ID = "runid"
LOOKED_AT = 1_000  # names of a column that may be measures
NO_NUMBERS = re.compile(r"Z?relstring")  # a measure of trec_eval whose values are texts
NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|nan|inf)", re.IGNORECASE)
Line = tuple[int, list[str]]


def fields(line: str) -> list[str]:
    """The cells of a line: between tabs, without the blanks that pad names; between blanks where there is no tab."""
    return [cell.strip(" ") for cell in line.split("\t")] if "\t" in line else line.split()


def is_line(line: str) -> bool:
    """Whether this is a line of trec_eval or ir_measures."""
    cells = fields(line)
    if len(cells) != 3:
        return False
    return bool(NUMBER.fullmatch(cells[2])) or cells[0] == RUN_ID or bool(NO_NUMBERS.match(cells[0]))


def read_lines(text: str, where: str, naming: Naming, form: str | None) -> Block:
    """Values of trec_eval or ir_measures; which of them is seen by where names of measures stand."""
    lines = list(_cells(text, where))
    chosen = form or _form(text, lines, where, naming)
    return (_trec_eval if chosen == "trec_eval" else _ir_measures)(lines, where, naming).checked()


def _cells(text: str, where: str) -> Iterator[Line]:
    for place, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = fields(line.rstrip("\r"))
        if len(cells) != 3:
            found = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            raise FormatError(
                f"{where}, line {place}: expected three columns, found {found}\n    {line.rstrip()[:200]}"
            )
        yield place, cells


def _form(text: str, lines: list[Line], where: str, naming: Naming) -> str:
    first, second = (dict.fromkeys(cells[place] for _, cells in lines) for place in (0, 1))
    padded = re.search(r"^\S+ +\t", text, re.MULTILINE)  # trec_eval pads names of measures to one width
    if padded or RUN_ID in first:
        return "trec_eval"
    if (SUMMARY in first) != (SUMMARY in second):
        return "trec_eval" if SUMMARY in second else "ir_measures"
    named = [any(map(naming.is_measure, islice(names, LOOKED_AT))) for names in (first, second)]
    if named[0] == named[1]:
        raise FormatError(
            f"{where}: this reads as {TREC_EVAL}, and as {IR_MEASURES}; say which: form='trec_eval' or "
            "form='ir_measures'"
        )
    return "trec_eval" if named[0] else "ir_measures"


def _trec_eval(lines: list[Line], where: str, naming: Naming) -> Block:
    """Runs one after the other, each ending with the values of all topics, among them its name."""
    block, run = Block(where, TREC_EVAL, has_means=True, most=naming.most), naming.run
    waiting: list[Line] = []
    unnamed, summed = 1, False

    def finish() -> None:
        for place, (measure, topic, cell) in waiting:
            at = f"{where}, line {place}"
            block.add((run, topic, measure), (number(cell, f"value of {measure}", at),), at)
        waiting.clear()

    for place, cells in lines:
        measure, topic, cell = cells
        if summed and topic != SUMMARY:  # the next run begins
            finish()
            unnamed += 1
            run, summed = f"{naming.run}#{unnamed}", False
        summed = summed or topic == SUMMARY
        if measure == RUN_ID:
            run = cell
        elif not NO_NUMBERS.match(measure):
            waiting.append((place, cells))
    finish()
    return block


def _ir_measures(lines: list[Line], where: str, naming: Naming) -> Block:
    block = Block(where, IR_MEASURES, has_means=True, most=naming.most)
    for place, (topic, measure, cell) in lines:
        at = f"{where}, line {place}"
        block.add((naming.run, topic, measure), (number(cell, f"value of {shortened(measure)}", at),), at)
    return block
