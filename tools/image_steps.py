"""Run the steps of the Dockerfile on this machine, where Docker is not: `python tools/image_steps.py`.

Each COPY and RUN is done in a temporary folder that stands for the image: pip installs into an environment there, paths
of the image (/tmp, /data) are paths below it. Steps that change the machine (useradd, chown) are printed and left out,
and so is USER: whether the image runs as another user is for `docker build` to show, in release.yml.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = ("useradd", "chown")
PATHS = re.compile(r"(?<![\w.])(?=/(?:tmp|data)\b)")  # where a path of the image begins


def instructions(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the instructions of a Dockerfile and their arguments, long lines joined.

    >>> list(instructions("FROM a\n# note\nRUN b && \\\n  c\n"))
    [('FROM', 'a'), ('RUN', 'b &&   c')]
    """
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    for line in "\n".join(lines).replace("\\\n", "").splitlines():
        name, _, rest = line.partition(" ")
        yield name, rest.strip()


def steps(command: str) -> tuple[list[str], list[str]]:
    """Return the commands of a RUN that are done here, and those that are left out."""
    parts = [part.strip() for part in command.split("&&")]
    left_out = [part for part in parts if part.split()[0] in LEFT_OUT]
    return [part for part in parts if part not in left_out], left_out


def main() -> int:
    """Do all steps, then start the program as the image does; the exit code of the first that fails."""
    with tempfile.TemporaryDirectory(prefix="rankscale-image-") as folder:
        image = Path(folder)
        for name in ("tmp", "home"):
            (image / name).mkdir()
        venv.create(image / "env", with_pip=True)
        environment = {"PATH": f"{image}/env/bin:/usr/bin:/bin", "HOME": str(image / "home"), "LANG": "C.UTF-8"}
        workdir = image
        started: dict[str, list[str]] = {}
        for name, rest in instructions((ROOT / "Dockerfile").read_text(encoding="utf-8")):
            if name == "COPY":
                *sources, target = rest.split()
                place = Path(inside(target, image))
                place.mkdir(parents=True, exist_ok=True)
                for source in sources:
                    for path in sorted(ROOT.glob(source)):
                        shutil.copy(path, place)
            elif name == "WORKDIR":
                workdir = Path(inside(rest, image))
            elif name in {"ENTRYPOINT", "CMD"}:
                started[name] = [str(word) for word in shlex.split(rest.strip("[]").replace(",", " "))]
            elif name == "RUN":
                here, left_out = steps(rest)
                print(*(f"left out: {part}" for part in left_out), *here, sep="\n", flush=True)
                if code := subprocess.call(
                    ["/bin/sh", "-euc", inside(" && ".join(here), image)], cwd=workdir, env=environment
                ):
                    return code
            else:
                print(f"left out: {name} {rest}", flush=True)
        return subprocess.call(
            [*started["ENTRYPOINT"], *started["CMD"]], cwd=workdir, env=environment, stdout=subprocess.DEVNULL
        )


def inside(text: str, image: Path) -> str:
    """Return a command with the paths of the image below the folder that stands for it."""
    return PATHS.sub(str(image), text)


if __name__ == "__main__":
    sys.exit(main())
