"""Run `rankscale gate` as a step of a GitHub workflow: its Markdown goes to the job summary, its verdict to an output.

`action.yml` starts this script and hands the inputs of the action over as environment variables, never as text of a
shell command. The exit code is that of the gate: 0 pass, 1 fail, 2 error, 3 inconclusive.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from glob import glob

VERDICTS = {0: "pass", 1: "fail", 3: "inconclusive"}
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


def append(variable: str, text: str) -> None:
    """Append to the file that a variable of GitHub names, if there is one."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def main() -> int:
    """Run the gate, and hand on what it says and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "rankscale", "gate", *command(os.environ)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    print(done.stdout, end="", flush=True)
    print(done.stderr, end="", file=sys.stderr)
    append("GITHUB_STEP_SUMMARY", summary(done.stdout, done.stderr))
    append("GITHUB_OUTPUT", f"verdict={VERDICTS.get(done.returncode, 'error')}\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
