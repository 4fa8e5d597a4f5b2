"""`python fuzz/python/targets.py TARGET [options of libFuzzer]`: readers written in Python, fuzzed by atheris.

Every input gives a value or a RankscaleError; anything else is a crash.
"""

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))
import numpy as np  # noqa: E402  # before rankscale, and not instrumented

with atheris.instrument_imports(include=["rankscale"]):
    import rankscale
    from rankscale.errors import RankscaleError
    from rankscale.evaluation.read_values import read_values
    from rankscale.inputs.topics import read_groups, read_intents, read_topics
    from rankscale.measures.base import register
    from rankscale.measures.base.parser import parse
    from rankscale.workbench.documents import open_texts

MEMORY = tempfile.gettempdir() if not os.path.isdir("/dev/shm") else "/dev/shm"  # noqa: S108  # a file that is in no disk's way
FILE = f"{MEMORY}/rankscale-fuzz-{os.getpid()}"
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
LONGEST_MESSAGE = 4_000
Target = Callable[[bytes], object]


def measures(data: bytes) -> None:
    """A name of a measure: what is parsed is written so that it is parsed to the same."""
    text = data.decode("utf-8", "surrogateescape")
    measure = parse(text)
    again = parse(str(measure))
    if again != measure or hash(again) != hash(measure):
        raise AssertionError(f"{text!r} is {measure!r}, written {measure}, which is {again!r}")


def values(data: bytes) -> None:
    """A file of values, in any form."""
    evaluation = read_values(data)
    if evaluation.values.ndim != np.ndim(np.zeros((1, 1, 1))):
        raise AssertionError(evaluation.values.shape)


def lists(data: bytes) -> None:
    """Files of topics, of groups of topics and of probabilities of sub-topics."""
    kind, text = data[:1], data[1:]
    reader: Target = {b"t": read_topics, b"g": read_groups}.get(kind, read_intents)  # type: ignore[assignment]
    reader(text)


def forms(data: bytes) -> None:
    """Runs and qrels in every form: text, packed or not, Parquet, Arrow and Feather."""
    if data[:1] < b"\x80":
        for run in rankscale.read_runs(QRELS, data[1:], keep_documents=True):
            if run.documents is None or [*map(len, run.documents)] != run.length.tolist():
                raise AssertionError(run.documents)
    else:
        qrels = rankscale.read_qrels(data[1:])
        if len(qrels.to_dict()) != len(qrels.topics):
            raise AssertionError(qrels.topics)


def texts(data: bytes) -> None:
    """Documents and queries of the workbench."""
    with open(FILE, "wb") as file:
        file.write(data[1:])
    if data[:1] < b"\x80":
        look_up = open_texts(FILE, None).document
        for name in ("1", "a", "é", "\udcff", ""):
            look_up(name)
    else:
        open_texts(None, FILE)


TARGETS: dict[str, Target] = {one.__name__: one for one in (measures, values, lists, forms, texts)}

FIRST: dict[str, tuple[bytes, ...]] = {
    "measures": (b"nDCG@10", b"Interval(RBP)", b"no such measure"),
    "values": (b"topic,a,b\n1,0.5,0.25\n", b"run\ttopic\tmeasure\tvalue\nr\t1\tAP\t0.5\n", b"{", b"PAR1"),
    "lists": (b"t1", b"gtopic,group\n1,x\n", b"i1 a 1\n"),
    "forms": (b"\0{}", b"\0PAR1PAR1", b"\0ARROW1", b"\xff1 0 a 1\n"),
    "texts": (b"\0a\tb\n", b'\xff{"_id": "a", "text": "b"}\n'),
}


def main() -> None:
    """Fuzz one target; inputs that are tried first import what is imported late."""
    name = sys.argv.pop(1)
    target = TARGETS[name]

    def one_input(data: bytes) -> None:
        try:
            target(data)
        except RankscaleError as error:
            if len(str(error)) > LONGEST_MESSAGE:
                raise AssertionError(f"a message of {len(str(error))} letters") from error

    warnings.simplefilter("ignore")
    elsewhere = entry_points(group="rankscale.measures")
    register._elsewhere = lambda: elsewhere  # noqa: SLF001  # looking for other packages' measures takes 10 ms each time
    for first in FIRST[name]:
        one_input(first)
    atheris.Setup(sys.argv, one_input)
    try:
        atheris.Fuzz()
    finally:
        if os.path.exists(FILE):
            os.remove(FILE)


if __name__ == "__main__":
    main()
