"""Inputs that change while they are read: the old text, the new one, or an error with exit code 2; never a signal."""

import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rankscale.trec_eval.options import NO_TOPICS
from tests.faults.fresh import run_fresh
from tests.faults.judging import Bench, complaints_of_words

TOPICS, DOCUMENTS = 150, 200  # of inputs that take long enough to read
FORMS = ("txt", "txt.gz", "txt.xz", "tsv", "jsonl", "parquet", "arrow")
CODES = {"check": {0, 1, 2}, "trec_eval": {0, 1, 2, NO_TOPICS}}  # trec_eval takes JSON Lines for columns
LINES = (
    "evaluate {qrels} {run} -m AP",
    "evaluate {run} {qrels} -m AP",
    "trec_eval {qrels} {run}",
    "check {run} --qrels {qrels}",
    "overlap {run} {qrels}",
    "convert {run} -",
)


def inputs(bench: Bench, count: int, chance: random.Random) -> Iterator[str]:
    """Change an input of so many commands; lines that say what went wrong."""
    folder = bench.warm.folder / "changing"
    folder.mkdir(exist_ok=True)
    _write(folder)
    for number in range(count):
        bench.done("inputs", number)
        form, change, line = chance.choice(FORMS), chance.choice(CHANGES), chance.choice(LINES)
        run = folder / f"now.{form}"
        clean(run)
        shutil.copy(folder / f"kept.{form}", run)
        arguments = line.format(qrels=bench.inputs / "qrels", run=run).split()
        timer = threading.Timer(0.1 + chance.random() * 0.5, _quietly(change), (run, chance))
        timer.start()
        ended = run_fresh(arguments, bench.warm.folder / "cache")
        timer.join()
        codes = CODES.get(arguments[0], {0, 2})
        wrong = [] if ended.code in codes else [f"exit code {ended.code}: {ended.err[-1500:]}"]
        for words in wrong + complaints_of_words(ended):
            yield f"{line.split()[0]}, {form}, {change.__name__}: {words}"


def _write(folder: Path) -> None:
    """One run in every form."""
    import pyarrow as pa
    from pyarrow import feather

    from rankscale.outputs.convert import write_run

    ranking = {f"d{d}": float(-d) for d in range(DOCUMENTS)}
    for form in FORMS:
        if form != "arrow":
            write_run({str(topic): ranking for topic in range(TOPICS)}, folder / f"kept.{form}")
    topics = [str(topic) for topic in range(TOPICS) for _ in ranking]
    columns = {"topic": topics, "document": [*ranking] * TOPICS, "score": [*ranking.values()] * TOPICS}
    feather.write_feather(pa.table(columns), folder / "kept.arrow", compression="uncompressed")


def _quietly(change: Callable[[Path, random.Random], None]) -> Callable[[Path, random.Random], None]:
    def changed(path: Path, chance: random.Random) -> None:
        with open(path, "rb+"):  # it is there
            pass
        change(path, chance)

    return changed


def remove(path: Path, _: random.Random) -> None:
    path.unlink()


def truncate(path: Path, chance: random.Random) -> None:
    os.truncate(path, int(path.stat().st_size * chance.random()))


def empty(path: Path, _: random.Random) -> None:
    os.truncate(path, 0)


def replace(path: Path, _: random.Random) -> None:
    other = path.with_name("other")
    other.write_bytes(b"something else\n" * 1000)
    other.replace(path)


def overwrite(path: Path, chance: random.Random) -> None:
    with path.open("rb+") as file:
        file.seek(int(path.stat().st_size * chance.random()))
        file.write(chance.randbytes(20_000))


def grow(path: Path, chance: random.Random) -> None:
    with path.open("ab") as file:
        for _ in range(chance.randint(1, 20)):
            file.write(b"0 Q0 more 1 1 t\n" * 1000)
            file.flush()
            time.sleep(0.005)


def become_a_folder(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def become_a_pipe(path: Path, _: random.Random) -> None:
    """One that is closed before a line ends."""
    path.unlink()
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)
    os.write(descriptor, b"1 Q0 a")
    time.sleep(0.3)
    os.close(descriptor)
    path.unlink()


def lose_permission(path: Path, _: random.Random) -> None:
    path.chmod(0)


def clean(path: Path) -> None:
    """Remove whatever a change left."""
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)


CHANGES = (remove, truncate, empty, replace, overwrite, grow, become_a_folder, become_a_pipe, lose_permission)
