"""Files of a command, read while its options and then what measures them are imported."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from rankscale.cli.later import import_numpy
from rankscale.errors import ParameterError

COMMANDS = ("evaluate", "compare", "curves")  # which read qrels and then runs, of which they keep what is judged
# Options that say nothing about files; with any other, the files are read once all options are understood.
FLAGS = {"--per-topic", "-q", "--wide", "--strict", "--places", "--sparklines", "--cite", "--pairs", "--matrix"}
VALUED = {"--measure", "-m", "--output", "-o", "--format", "--digits", "--sort", "--test", "-t", "--baseline"}


def guess(arguments: Sequence[str]) -> None:
    """Begin to read what are likely the files of a command line, before click is there to say so.

    A wrong guess costs time and changes nothing: only what a command then wants is taken.
    """
    if not arguments or arguments[0] not in COMMANDS:
        return
    files, rest = [], iter(arguments[1:])
    for word in rest:
        if word.partition("=")[0] in VALUED:
            if "=" not in word:
                next(rest, None)
        elif word.startswith("-"):
            if word not in FLAGS:
                return
        else:
            files.append(word)
    if len(files) > 1:
        _begin(files[0], files[1:], {})


def begin_reading(qrels: object, runs: Sequence[object], requested: Mapping[str, object]) -> None:
    """Begin to read the files of a command, which it will want in the way that its options say.

    Then import numpy, which nothing before this needs. Files that turn out to be wanted in another way are read again.
    """
    if requested.get("executor") is None:  # whose workers read them
        _begin(qrels, runs, requested)
    import_numpy()


def _begin(qrels: object, runs: Sequence[object], requested: Mapping[str, object]) -> None:
    from rankscale.formats.read.ahead import begin
    from rankscale.formats.read.reading import FileForm, Reading

    # Groups of tied documents are formed before any cut, so not while runs are read.
    names = ("order", "threads", "max_size", *(("depth",) if requested.get("ties", "trec") == "trec" else ()))
    with suppress(ParameterError):  # refused by the verb, in its own words
        reading = Reading(**{name: requested[name] for name in names if name in requested})  # type: ignore[arg-type]
        begin(qrels, runs, reading, FileForm(), dialect="rankscale")
