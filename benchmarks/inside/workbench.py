"""Time a workbench from its start: `python -m benchmarks.inside.workbench QRELS RUN...`, CPU seconds of the server.

The first page, then the leaderboard by other measures (a parameter that moves) with and without its tests, two runs
topic by topic, two rankings, and a parameter that moves in the other views. Last, a test by draws over all pairs of
runs is asked for and left: the time until the server is at rest. Targets are about files that are not packed.
"""

import http.client
import os
import subprocess
import sys
import time

TOKEN = "a-token-for-benchmarks"  # noqa: S105  # of a server that ends with the script
MOVED = (  # each view first with one value, then with another
    "/topics.json?m=RBP(p=0.6{})",
    "/effort.json?m=RBP(p=0.7{})",
    "/measures.json?m=RBP(p=0.8{})",
    "/judgments.json?m=AP&weigh=RBP(p=0.9{})",
)
SLOW_TEST = "/overview.json?m=AP&test=randomisation&part=tests"
MEASURES = ("AP", "nDCG", "RBP(p=0.85)", "P@10", "RR", "Twist", "INST", "Interval(DCG(base=2)@10)")


def cpu_seconds(process: int) -> float:
    """User and system time of a process."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory(process: int) -> str:
    """The most memory that the process has had."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith("VmHWM"))


def ask(port: int, path: str) -> int:
    """Bytes of an answer, asked for until it is there."""
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("GET", path, headers={"Cookie": f"rankscale-{port}={TOKEN}"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status == 200:
            return len(content)
        if answer.status != 202:
            raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
        time.sleep(0.05)


def main() -> None:
    """Start a workbench and ask it."""
    command = [sys.executable, "-m", "rankscale", "serve", *sys.argv[1:], "--token", TOKEN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            report(process)
        finally:
            process.kill()


def report(process: "subprocess.Popen[str]") -> None:
    """Ask, and print what each answer took."""
    if process.stdout is None:
        raise RuntimeError("no output")
    port = int(process.stdout.readline().rsplit("/", 1)[0].rsplit(":", 1)[1])
    parts = [f"/overview.json?m={one}{part}" for one in MEASURES for part in ("", "&part=tests")]
    print(f"{'what':<52}  kB  CPU s  wall s")
    moved = [path.format(digit) for path in MOVED for digit in (1, 2, 3)]
    for path in ("/", "/overview.json?part=tests", *parts, "/compare.json?m=AP", "/ranking.json?m=AP", *moved):
        before, start = cpu_seconds(process.pid), time.perf_counter()
        size = ask(port, path)
        took, wall = cpu_seconds(process.pid) - before, time.perf_counter() - start
        print(f"{path:<52}  {size // 1024:>2}  {took:5.2f}  {wall:6.2f}")
        if path == "/":
            print(f"{'CPU from the start of the command to the first page':<52}      {cpu_seconds(process.pid):5.2f}")
    print(f"peak memory {peak_memory(process.pid)}")
    print(f"a test by draws that is left: at rest after {left_after(process.pid, port):.2f} s")


def left_after(process: int, port: int) -> float:
    """Seconds from breaking off a request for a long test until the server uses no more CPU."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", SLOW_TEST, headers={"Cookie": f"rankscale-{port}={TOKEN}"})
    time.sleep(0.8)  # it is at work, and the request waits for a second
    connection.close()
    start = last = time.perf_counter()
    used = cpu_seconds(process)
    while time.perf_counter() - last < 1.0:
        time.sleep(0.02)
        if cpu_seconds(process) > used:
            used, last = cpu_seconds(process), time.perf_counter()
    return last - start


if __name__ == "__main__":
    main()
