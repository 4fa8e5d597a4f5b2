"""The program for sessions of pages: each command is a process of its own, forked where all modules are loaded already.

A page has dozens of commands, and starting Python and numpy would take longer than most of them. The fork has the
arguments, folder, environment and open files of whoever calls, and ends with the exit code of the command.
"""

import atexit
import gc
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

import rankscale

LOADED = ("scipy.special", "scipy.stats", "rich.console", "rich.table")  # what commands import beside our own modules
LEFT_OUT = ("rankscale.compat", "rankscale.workbench", "rankscale.executors.dask")  # for which few commands ask
SEPARATOR = "\0"  # in no argument, and in no variable
LARGEST = 1 << 20
CLIENT = """#!{python} -SEI
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
variables = [f"{{name}}={{value}}" for name, value in os.environ.items()]
words = [str(len(sys.argv)), *sys.argv, os.getcwd(), *variables]
socket.send_fds(server, ["\\0".join(words).encode("utf-8", "surrogateescape")], [0, 1, 2])
server.shutdown(socket.SHUT_WR)
code = int(server.recv(16))
sys.exit(code if code >= 0 else 128 - code)  # as shells count signals
"""


@contextmanager
def forked_program() -> Iterator[Path]:
    """A folder with the program `rankscale`, for the front of PATH."""
    with TemporaryDirectory() as name:
        folder, address = Path(name), f"{name}/socket"
        client = folder / "rankscale"
        client.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        client.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            listening.listen()
            command = [sys.executable, __file__, str(listening.fileno())]
            variables = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # no thread before a fork
            server = subprocess.Popen(command, pass_fds=[listening.fileno()], env=variables)
        try:
            yield folder
        finally:
            server.kill()
            server.wait()


def serve(listening: socket.socket) -> None:
    """Fork for each caller."""
    for module in (*LOADED, *our_modules()):
        import_module(module)
    gc.freeze()  # forks share what is never looked through
    while True:
        caller, _ = listening.accept()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # callers know already how they ended
                pass
        with caller:
            if os.fork() == 0:
                listening.close()
                run(caller)


def our_modules() -> list[str]:
    """The modules of the package that need nothing but what every installation has."""
    walked = walk_packages(rankscale.__path__, "rankscale.")
    return [one.name for one in walked if not one.name.startswith(LEFT_OUT) and not one.name.endswith("__main__")]


def run(caller: socket.socket) -> None:
    """Watch the command that a caller wants, and tell how it ended: some end without a word, as by `os._exit`."""
    command = os.fork()
    if command == 0:
        be_the_command(caller)
    _, status = os.waitpid(command, 0)
    with suppress(OSError):
        caller.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def be_the_command(caller: socket.socket) -> None:
    code = 1
    try:
        _take_over(caller)
        caller.close()
        code = _ended()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001  # as Python itself does where nobody catches it
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(caller: socket.socket) -> None:
    """Arguments, folder, environment and open files of the caller."""
    data, files, _, _ = socket.recv_fds(caller, LARGEST, 3)
    while more := caller.recv(LARGEST):
        data += more
    count, *words = data.decode("utf-8", "surrogateescape").split(SEPARATOR)
    arguments, (folder, *variables) = words[: int(count)], words[int(count) :]
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    sys.argv = arguments
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({name: value for name, _, value in (one.partition("=") for one in variables)})
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    for place, (name, errors) in enumerate(
        (("stdin", "surrogateescape"), ("stdout", "surrogateescape"), ("stderr", "backslashreplace"))
    ):
        buffering = 1 if name == "stderr" else -1  # by lines
        stream = open(place, "w" if place else "r", buffering, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _ended() -> int:
    """The exit code of the command."""
    from rankscale.__main__ import main

    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return 0


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
