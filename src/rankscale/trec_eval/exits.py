"""How trec_eval ends: its exit codes, and the way out."""

USAGE = 1  # a bad option, an unknown measure
INPUT = 2  # a file that cannot be read, parameters that cannot be used
MEASURE = 4  # a measure that cannot be computed: duplicates, and in version 10 a topic that the run lacks
NO_TOPICS = 7  # no topic has both results and judgments
ABORT = 134  # killed by SIGABRT, as a shell shows it: preferences that contradict each other
ZSCORES = 255  # the file of -Z cannot be read (trec_eval returns -1)


class Quit(Exception):  # noqa: N818  # trec_eval's own word; leaving with code 0 is no error
    """Leave with this exit code, saying `message` on standard error."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
