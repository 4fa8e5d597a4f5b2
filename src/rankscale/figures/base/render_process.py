"""The process that draws: vl-convert runs a JavaScript engine, which ends its process where memory runs out.

Run as a script, with the folder that vl_convert is installed in; nothing of rankscale is imported. A request is a line
of JSON, `{"call": ..., "options": {...}, "size": ...}`, and so many bytes; the answer is `{"size": ...}` and so many
bytes, or `{"error": ..., "size": 0}`. The process ends when its standard input does.
"""

import json
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO, Any


def answer(library: Any, call: str, content: bytes, options: dict[str, Any]) -> bytes:  # noqa: ANN401  # has no types
    """What a function of vl-convert makes of a text, as bytes."""
    made = getattr(library, call)(*([content.decode()] if content else []), **options)
    return made.encode() if isinstance(made, str) else bytes(made)


def serve(library: Any, requests: IO[bytes], answers: IO[bytes]) -> None:  # noqa: ANN401  # has no types
    """Answer requests until there are no more."""
    for line in iter(requests.readline, b""):
        request = json.loads(line)
        content = requests.read(request["size"])
        try:
            made = answer(library, request["call"], content, request["options"])
            head: dict[str, object] = {"size": len(made)}
        except (Exception, MemoryError) as error:  # noqa: BLE001  # said in the other process
            made, head = b"", {"error": f"{error}" or type(error).__name__, "size": 0}
        answers.write(json.dumps(head).encode() + b"\n" + made)
        answers.flush()


def lift_limit() -> None:
    """Take the address space that the system allows: the engine reserves far more than it uses."""
    with suppress(ImportError, OSError, ValueError):
        from resource import RLIMIT_AS, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_AS)
        setrlimit(RLIMIT_AS, (hard, hard))


def main() -> None:
    """Draw for the process that started this one, which alone is told of Control-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lift_limit()
    sys.path.append(sys.argv[1])
    serve(import_module("vl_convert"), sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
