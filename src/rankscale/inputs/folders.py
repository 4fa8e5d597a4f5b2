"""Folders of runs: which of their files are runs."""

import os

from rankscale.errors import InputError

METADATA = ("ir-metadata.yml", "ir-metadata.yaml")  # what TIRA writes beside a run
RUN = "run.txt"
PACKED = ("", ".gz", ".bz2", ".xz", ".zst")


def files_of_folder(folder: str) -> list[str]:
    """The files of runs in a folder, sorted.

    The run of a run directory of TIRA (`run.txt`, plain or packed, beside `ir-metadata.yml`); of another folder all
    files, and the runs of the run directories in it. Hidden files and metadata are no runs.

    Raises
    ------
    InputError
        If there is no run.
    """
    if run := _tira_run(folder):
        return [run]
    files = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.startswith(".") or name in METADATA:
            continue
        if os.path.isfile(path):
            files.append(path)
        elif os.path.isdir(path) and (run := _tira_run(path)):
            files.append(run)
    if not files:
        raise InputError(f"{folder}: there is no file in this folder; expected one for each run")
    return files


def _tira_run(folder: str) -> str | None:
    """The file of the run in a run directory of TIRA; None where this is no such directory."""
    if not any(os.path.isfile(os.path.join(folder, name)) for name in METADATA):
        return None
    runs = [path for ending in PACKED if os.path.isfile(path := os.path.join(folder, RUN + ending))]
    if len(runs) > 1:
        raise InputError(f"{folder}: there is {' and '.join(map(os.path.basename, runs))}; name the file to read")
    return runs[0] if runs else None
