"""The command line: `main` is where it starts; `program.py` has the commands, each of which is imported when it runs.

Nothing is imported here but what Python has loaded anyway: the drop-in for trec_eval starts without click.
"""

import gc
import os
import sys

from rankscale.cli.streams import keep_places

YOUNG = 100_000  # objects made between two searches for cycles: more than most commands make while they are imported
STOPPED = 130  # exit code after Control-C, as shells have it


def main() -> None:
    """Run a command; errors of input end with code 2 and one clear message."""
    keep_places()
    # Our arrays are small: threads of the linear algebra library would only cost start-up time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes few cycles and ends soon: looking for them while importing would take a tenth of its time.
    gc.set_threshold(YOUNG, 50, 50)
    from rankscale.cli.ahead import forget, guess
    from rankscale.errors import RankscaleError

    try:
        if sys.argv[1:2] == ["trec_eval"]:
            from rankscale.trec_eval import main as trec_eval

            sys.exit(trec_eval(sys.argv[2:]))
        guess(sys.argv[1:])
        from rankscale.cli.program import cli

        cli.main(prog_name="rankscale", standalone_mode=True)
    except (BrokenPipeError, KeyboardInterrupt) as error:
        sys.exit(stopped(error))
    except (RankscaleError, OSError, MemoryError) as error:
        from rankscale.cli.terminal import tell

        tell(f"rankscale: {_words(error)}")
        sys.exit(2)
    finally:
        forget()


def stopped(error: BaseException) -> int:
    """The exit code of a command that was stopped from outside, by Control-C or by the reader of its output."""
    if isinstance(error, BrokenPipeError):
        # The reader has seen enough (`| head`); the rest is not wanted.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    print("rankscale: stopped", file=sys.stderr)  # noqa: T201
    return STOPPED


def _words(error: Exception) -> str:
    """What went wrong; of an error of the system the file first, without its number."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: there is no such file"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror[0].lower()}{error.strerror[1:]}"
    if type(error) is MemoryError:  # those of ours say more
        return f"not enough memory ({error or 'none is left'}); choose smaller depths, fewer runs, or a larger machine"
    return str(error)
