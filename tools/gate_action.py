"""Run `rankscale gate` as a step of a GitHub workflow: its Markdown goes to the job summary, its verdict to an output.

`action.yml` starts this script and hands the inputs of the action over as environment variables, never as text of a
shell command. The exit code is that of the gate: 0 pass, 1 fail, 2 error, 3 inconclusive, 70 internal error. A verdict
is one that the gate wrote as JSON and ended with; whatever else happens is an error.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Mapping
from glob import glob
from tempfile import TemporaryDirectory
from typing import TextIO

VERDICTS = {0: "pass", 1: "fail", 3: "inconclusive"}
BAD_INPUT, INTERNAL, STOPPED = 2, 70, 130  # exit codes without a verdict
PREFIX = "RANKSCALE_"  # of the variables that hold inputs


def words(text: str) -> list[str]:
    """Words of an input, quoted as in a shell; those with * ? or [ are patterns of files, sorted by name.

    >>> words("a 'b c'")
    ['a', 'b c']
    """
    parts = shlex.split(text)
    return [name for part in parts for name in (sorted(glob(part, recursive=True)) or [part])]


def command(variables: Mapping[str, str]) -> list[str]:
    """The arguments of `rankscale gate`, from the inputs of the action.

    >>> command({"RANKSCALE_QRELS": "qrels.txt", "RANKSCALE_BASELINE": "a.txt", "RANKSCALE_CANDIDATES": "b.txt c.txt",
    ...          "RANKSCALE_MEASURES": "nDCG@10 AP", "RANKSCALE_MARGIN": "0.01 2%"})
    ... # doctest: +NORMALIZE_WHITESPACE
    ['--measure=nDCG@10', '--measure=AP', '--margin=0.01', '--margin=2%', '--format=markdown',
     '--', 'qrels.txt', 'a.txt', 'b.txt', 'c.txt']
    """

    def given(name: str) -> str:
        return variables.get(PREFIX + name, "")

    values = words(given("VALUES"))
    files = [*([given("QRELS")] if given("QRELS") else []), *words(given("BASELINE")), *words(given("CANDIDATES"))]
    return [
        *(f"--measure={measure}" for measure in shlex.split(given("MEASURES"))),
        *(f"--margin={margin}" for margin in shlex.split(given("MARGIN"))),
        *shlex.split(given("ARGUMENTS")),
        *(["--values"] if values else []),
        "--format=markdown",
        "--",
        *(values or files),
    ]


def summary(out: str, err: str) -> str:
    """Markdown of the job summary: the gate's tables, and below them its messages as they are.

    >>> print(summary("| a |", "warning: ```"))
    | a |
    <BLANKLINE>
    ````text
    warning: ```
    ````
    <BLANKLINE>
    """
    if not err.strip():
        return f"{out}\n"
    longest = max((len(run) for run in re.findall("`+", err)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{out}\n\n{fence}text\n{err.rstrip()}\n{fence}\n".lstrip("\n")


def without_commands(text: str) -> str:
    """Text for the log in which the runner sees no command of its own: `::name::` at the start of a line, `##[name]`.

    >>> print(without_commands("    ::stop-commands::x, ##[error]y; a::b"))
        : :stop-commands::x, ## [error]y; a::b
    """
    return re.sub(r"##(?=\w*\[)", "## ", re.sub(r"(?<![!-~])::", ": :", text))


def show(text: str, stream: TextIO) -> None:
    """Write to the log, in UTF-8 whatever the encoding of the stream is."""
    stream.buffer.write(without_commands(text).encode())
    stream.flush()


def append(variable: str, text: str) -> None:
    """Append to the file that a variable of GitHub names, if there is one."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def outcome(path: str) -> str | None:
    """The outcome in the JSON that the gate wrote; None where there is none."""
    try:
        with open(path, "rb") as file:
            return str(json.load(file)["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def gate(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output and messages of the gate, which imports nothing from the current folder.

    A code that stands for a verdict is given only where the gate wrote the same verdict.
    """
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "gate.json")
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rankscale", "gate", f"--json={path}", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        wrote = outcome(path)
    code = done.returncode
    if code in {BAD_INPUT, INTERNAL, STOPPED} or (wrote is not None and wrote == VERDICTS.get(code)):
        return code, done.stdout, done.stderr
    reason = f"the gate ended with code {code} and wrote {'no verdict' if wrote is None else f'the verdict {wrote}'}"
    return INTERNAL, done.stdout, f"{done.stderr.rstrip()}\nrankscale: {reason}: this is an error\n".lstrip()


def main() -> int:
    """Run the gate, and hand on what it says and its exit code."""
    try:
        code, out, err = gate(command(os.environ))
    except ValueError as error:  # of shlex: a quotation mark that is not closed
        code, out, err = BAD_INPUT, "", f"rankscale: an input of the action cannot be split into words: {error}\n"
    show(out, sys.stdout)
    show(err, sys.stderr)
    append("GITHUB_STEP_SUMMARY", summary(out, err))
    append("GITHUB_OUTPUT", f"verdict={VERDICTS.get(code, 'error')}\n")
    return code


if __name__ == "__main__":
    try:
        ended = main()
    except Exception:  # noqa: BLE001  # Python would end with 1, which is a verdict
        show(traceback.format_exc(), sys.stderr)
        ended = INTERNAL
    sys.exit(ended)
