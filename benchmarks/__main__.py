"""Measure rankscale beside its peers: `python -m benchmarks`."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path

from benchmarks import history, report
from benchmarks.collection import REAL, Collection, to_generate
from benchmarks.jobs import PEERS, Job, Plan
from benchmarks.machine import absent
from benchmarks.sizes import NAMES, SHARED
from benchmarks.targets import rows
from benchmarks.timing import Sample, measure, warm

HERE = Path(__file__).parent
ALWAYS = ("", "numpy")  # what a job needs that is no tool to choose


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, generate, measure, report; 1 where a tool is absent or failed."""
    asked = parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rankscale-bench-") as folder:
        plan = Plan(asked.data.resolve(), Path(folder), asked.repeats, asked.all_peers, asked.shared.resolve())
        wanted = (*ALWAYS, *asked.tools)
        jobs = {size: [job for job in plan.jobs(size) if job.needs in wanted] for size in asked.size}
        problems = absences([job for turn in jobs.values() for job in turn])
        if problems:
            print("\n".join(problems), file=sys.stderr)
            return 1
        as_installed()
        generate(plan.data, to_generate(asked.size, plan.shared))
        samples: defaultdict[tuple[str, str], list[Sample]] = defaultdict(list)
        for number, (size, turn) in enumerate(jobs.items(), start=1):
            warm_files(plan.collection(size))
            take_turns(turn, plan.out, samples)
            done = asked.size[:number]
            report.write(asked.o, rows(samples, done), samples, plan, done)
    print(report.table(rows(samples, asked.size)))
    for size in REAL:
        if size in asked.size and (held := plan.collection(size)):
            print(f"{size}: runs are those of {held.about}")
    failed = report.failures(samples)
    print(*failed, f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", sep="\n")
    print(f"written to {asked.o}")
    if asked.record and not failed:
        print(f"{history.record(json.loads(asked.o.read_text()))} lines added to {history.HISTORY}")
    return 1 if failed else 0


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    tools = ("rankscale", *PEERS)
    options.add_argument("--size", nargs="+", choices=NAMES, default=list(NAMES), help="default: all")
    options.add_argument("--tools", nargs="+", choices=tools, default=list(tools), help="default: all")
    options.add_argument("--repeats", type=positive, default=5, help="measurements a tool, the best counts")
    options.add_argument("--data", type=Path, default=HERE / ".data", help="folder of the generated files")
    options.add_argument(
        "--shared", type=Path, default=SHARED, help=f"folder that holds trec8_adhoc, for {' and '.join(REAL)}"
    )
    options.add_argument("-o", type=Path, default=HERE / "results.json", metavar="FILE", help="JSON to write")
    options.add_argument("--record", action="store_true", help="add the ratios to benchmarks/history.tsv")
    options.add_argument("--all-peers", action="store_true", help="slow peers on every size, not on S alone")
    return options


def positive(text: str) -> int:
    """Return a count from the command line."""
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {count}")
    return count


def absences(jobs: Sequence[Job]) -> list[str]:
    """Return what is missing, each with what to do; trec_eval may be left out, but not named wrongly."""
    needed = sorted({job.needs for job in jobs if job.needs})
    found = [problem for module in needed if (problem := absent(module))]
    named = os.environ.get("TREC_EVAL")
    if named and shutil.which(named) is None:
        found.append(f"TREC_EVAL names {named}, which is no program; name one or unset the variable")
    if not named:
        print("TREC_EVAL names no trec_eval binary: trec_eval is left out", file=sys.stderr)
    return found


def as_installed() -> None:
    """Compile the files of rankscale and of every installed package, as pip does unless it is told not to.

    Without bytecode importing numpy takes three times as long. In a child, so that this process stays small.
    """
    found = find_spec("rankscale")
    folders = [*((found.submodule_search_locations or ()) if found else ()), get_path("purelib")]
    subprocess.run([sys.executable, "-m", "compileall", "-qq", "-j", "0", *folders], check=False)


def generate(data: Path, sizes: Sequence[str]) -> None:
    """Make the files in a child, so that this process stays small (see the package's docstring)."""
    command = [sys.executable, "-m", "benchmarks.generate", str(data), *sizes]
    subprocess.run(command, cwd=HERE.parent, check=True)


def warm_files(held: Collection | None) -> None:
    """Bring the files of a size into memory before the first tool reads them."""
    if held:
        warm(held.files)


def take_turns(jobs: Sequence[Job], folder: Path, samples: dict[tuple[str, str], list[Sample]]) -> None:
    """Measure one size in rounds, each tool once a round, so that a busy minute hurts all alike."""
    for repeat in range(max((job.repeats for job in jobs), default=0)):
        for job in jobs:
            if repeat < job.repeats:
                sample = measure(job.command, folder, inside=job.inside)
                samples[job.size, job.tool].append(sample)
                said = sample.error or f"{sample.wall:.3f} s, CPU {sample.cpu:.3f} s, {sample.peak_mb:.0f} MB"
                print(f"{job.size}, {job.tool}, {repeat + 1} of {job.repeats}: {said}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
