"""`python fuzz/run.py --seconds 60`: build the targets, run each for so long, and add up inputs and crashes.

Targets of the core are built by cargo for libFuzzer with ASAN, those of Python run under atheris. The stable compiler
is enough: RUSTC_BOOTSTRAP=1 lets it take `-Zsanitizer`. Inputs that crash, hang for 5 s, or are read otherwise than by
the plain readers are kept in fuzz/crashes, and the command ends with 1. Those of earlier days are in fuzz/kept, and are
tried first.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TRIPLE = "x86_64-unknown-linux-gnu"
COVERAGE = (
    "-Cpasses=sancov-module --cfg fuzzing "
    "-Cllvm-args=-sanitizer-coverage-level=4 "
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters "
    "-Cllvm-args=-sanitizer-coverage-pc-table "
    "-Cllvm-args=-sanitizer-coverage-trace-compares"
)
# Where memory was allocated is left out, which saves a sixth of the time; a crash can be tried again with more.
ASAN = "detect_leaks=0:detect_odr_violation=0:malloc_context_size=1:quarantine_size_mb=4"
# Pointers into a stack that is gone need `unsafe`, and a target where pointers are passed around is `arrow`.
WITHOUT_OLD_STACKS = ":detect_stack_use_after_return=0"
PYTHON_TARGETS = ("measures", "values", "lists", "forms", "texts")
LONGEST = {"measures": 64, "numbers": 64, "arrow": 512}  # bytes of an input
LIMIT = 5  # seconds that one input may take
RECORD = HERE / "record.tsv"


@dataclass(frozen=True)
class Count:
    """Inputs tried, inputs that crashed, and how long it took."""

    inputs: int = 0
    crashes: int = 0
    seconds: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.inputs + other.inputs, self.crashes + other.crashes, self.seconds + other.seconds)


def core_targets() -> tuple[str, ...]:
    """Names of the targets of the core."""
    return tuple(sorted(path.stem for path in (HERE / "targets").glob("*.rs")))


def environment(sanitizer: str) -> dict[str, str]:
    """What cargo and the targets need; tests of the core load libpython, which need not be where the linker looks."""
    flags = COVERAGE if sanitizer == "none" else f"{COVERAGE} -Zsanitizer={sanitizer}"
    libraries = os.pathsep.join(filter(None, [sysconfig.get_config_var("LIBDIR"), os.environ.get("LD_LIBRARY_PATH")]))
    return {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": flags,
        "PYO3_PYTHON": os.environ.get("PYO3_PYTHON", sys.executable),
        "LD_LIBRARY_PATH": libraries,
        "ASAN_OPTIONS": ASAN,
    }


def build(settings: dict[str, str]) -> None:
    """Build the targets of the core."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target", TRIPLE]
    subprocess.run(command, cwd=HERE, env=settings, check=True)


def run(target: str, seconds: int, settings: dict[str, str]) -> Count:
    """Run one target; what libFuzzer finds worth keeping goes to fuzz/corpus, which is used again."""
    corpus, crashes = HERE / "corpus" / target, HERE / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    if target in PYTHON_TARGETS:
        program = [sys.executable, str(HERE / "python" / "targets.py"), target]
    else:
        program = [str(HERE / "target" / TRIPLE / "release" / target)]
    options = {
        "max_total_time": seconds,
        "timeout": LIMIT,
        "max_len": LONGEST.get(target, 1024),
        "rss_limit_mb": 4096,
        "dict": HERE / "words.dict",
        "artifact_prefix": f"{crashes}/{target}-",
        "print_final_stats": 1,
        "verbosity": 0,
    }
    command = [
        *program,
        str(corpus),
        str(HERE / "seeds" / target),
        *map(str, (HERE / "kept").glob(target)),
        *(f"-{name}={value}" for name, value in options.items()),
    ]
    began = time.monotonic()
    if target != "arrow":
        settings = {**settings, "ASAN_OPTIONS": settings["ASAN_OPTIONS"] + WITHOUT_OLD_STACKS}
    with subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stderr is not None  # noqa: S101  # for mypy
        printed = process.stderr.read()
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", printed)
    failed = process.returncode != 0
    if failed:
        print(printed[-6_000:], file=sys.stderr)
    return Count(int(executed[1]) if executed else 0, int(failed), round(time.monotonic() - began))


def record() -> dict[str, Count]:
    """Counts so far, by target."""
    if not RECORD.exists():
        return {}
    lines = [line.split("\t") for line in RECORD.read_text().splitlines()[1:]]
    return {target: Count(*map(int, counts)) for target, *counts in lines}


def keep(target: str, count: Count) -> None:
    """Add the counts of one target to the record."""
    counts = record()
    counts[target] = counts.get(target, Count()) + count
    rows = [f"{name}\t{one.inputs}\t{one.crashes}\t{one.seconds}" for name, one in sorted(counts.items())]
    RECORD.write_text("\n".join(["target\tinputs\tcrashes\tseconds", *rows]) + "\n")


def main() -> int:
    """Run what is asked for; 1 where anything crashed."""
    parser = argparse.ArgumentParser(prog="python fuzz/run.py", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--target", action="append", help="all of them by default; may be given several times")
    parser.add_argument("--sanitizer", choices=("address", "none"), default="address")
    parser.add_argument("--no-build", action="store_true", help="run what was built before")
    options = parser.parse_args()
    settings = environment(options.sanitizer)
    targets = options.target or [*core_targets(), *PYTHON_TARGETS]
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: targets of Python are left out", file=sys.stderr)
        targets = [target for target in targets if target not in PYTHON_TARGETS]
    if not options.no_build and any(target not in PYTHON_TARGETS for target in targets):
        build(settings)
    total = Count()
    for target in targets:
        count = run(target, options.seconds, settings)
        keep(target, count)
        total += count
        print(f"{target}: {count.inputs} inputs, {count.crashes} crashes, {count.seconds} s", flush=True)
    print(f"in all: {total.inputs} inputs, {total.crashes} crashes, {total.seconds} s")
    return 1 if total.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
