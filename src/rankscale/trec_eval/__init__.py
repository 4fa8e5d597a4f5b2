"""The drop-in for trec_eval: its options, its bytes on standard output, its exit codes.

`rankscale trec_eval [options] QRELS RUN` is trec_eval 9 (tag v9.0.8 of 2020, which calls itself 9.0.7), `--compat
9.0.8` is the tag trec_eval-9.0.8 of 2023 (the same in double precision), `--compat 10` is trec_eval 10.0, defects and
all.
Measures are those of `rankscale.measures`; what trec_eval alone does lives here. `rankscale trec_eval -h` says all of
this too.

Where the versions differ: 10 compares scores in double precision, rounds recall cutoffs, takes `#` lines for comments
and `-` for standard input, has rbp, rbp_resid and unj in all_trec, dcg and ideal_dcg on request, prints topics that
the run lacks under -q -c, and without -c stops there with exit code 4.

Defects that are reproduced, so that the bytes agree; `rankscale evaluate` has none of them:

- both: grades are cut to whole numbers ("1.7" is 1) and scores that are no numbers read as 0: here with a warning.
- both: gains that differ by less than 1 are not put in order: `ndcg.1=0.2,2=0.5,3=0.9` is 0.
- both: -c counts num_rel of all topics at level 1, whatever -l says; iprec and 11pt of an empty ranking (-J) are -nan.
- both: Rndcg, though it has gains of its own, is 0 for a topic without relevant documents at the level of -l.
- 10: rbp stretches the gains of each topic to 0..1 by that topic's own highest grade.
- 10: rbp_resid is 0 where all retrieved documents are judged: the tail of the ranking is forgotten.
- 10: under -c a missing topic is a ranking of one unknown document, which shows in yaap, `utility.1,-1,0,0`,
  `relstring.5` and `rbp_resid.p=0.8`.

Preferences and judgment groups (-R prefs, qrels_prefs, qrels_jg), both versions:

- equal scores are put in order by document id ascending in preferences, descending everywhere else.
- prefs_avgjg counts assessors without preferences as 0; doubled lines count twice in one list, once in several.
- prefs_avgjg_Rnonrel: a perfect ranking has less than 1 (one list, more documents not relevant than relevant), one
  assessor without relevant documents makes the topic 0, and the form _ret mixes up R and r.
- levels of preferences are compared in single precision in 9; preferences that go round in a circle end it with
  exit code 134, as if aborted.

Not reproduced: what trec_eval prints at debug levels (-D), its lines before it meets a duplicate document, a negative
-l, and reading past the end of its arrays (bpref with -l above all grades; prefs_avgjg_Rnonrel of
a list with negative levels and fewer documents of the lowest level than relevant ones).
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from rankscale import _core
from rankscale.trec_eval.options import HELP, USAGE, USAGE_TEXT, Options, Quit, read_options

FILES = 2
VERSIONS = {"9": "9.0.7 (tag v9.0.8)", "9.0.8": "9.0.8 (tag trec_eval-9.0.8)", "10": "10.0 (tag v10.0)"}


def main(argv: Sequence[str], write: Callable[[bytes], object] | None = None) -> int:
    """Run trec_eval with these arguments and return its exit code; output goes to standard output, or to `write`."""
    write = write or _write_bytes
    try:
        ended = _run(read_options(argv), write)
    except Quit as quit_:
        ended = quit_
    if ended is None:
        return 0
    _say(f"{ended.message}\n")
    return ended.code


def _run(options: Options, write: Callable[[bytes], object]) -> Quit | None:
    if options.version:
        version = VERSIONS["9.0.8" if options.doubles else str(options.compat)]
        raise Quit(0, f"trec_eval version {version}, as computed by rankscale")
    _core.keep_freed_memory()
    from rankscale.trec_eval.evaluate import evaluate
    from rankscale.trec_eval.measure_columns import requested_measures

    requested_measures(options.measures, options.compat)  # an unknown measure ends it here
    if options.help:
        write(HELP.encode())
        return None
    if len(options.files) != FILES:
        raise Quit(USAGE, USAGE_TEXT)
    pieces, ended = evaluate(options, warn=_say)
    for piece in pieces:
        write(piece)
    return ended


def _say(text: str) -> None:
    """Write to standard error; where that cannot be written to, results and exit code stay what they are."""
    with suppress(OSError):
        sys.stderr.write(text)


def _write_bytes(text: bytes) -> None:
    """Write to standard output the bytes that were read, whatever its encoding is; a terminal is shown no escapes."""
    if sys.stdout.isatty():
        from rankscale.outputs.names import on_terminal

        shown = on_terminal(text.decode("utf-8", "surrogateescape"), kept="\n\t")
        text = shown.encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
