"""`python -m tests.golden`: run every case and write the record anew."""

import time

from tests.golden.cases import RECORD, all_cases
from tests.golden.outcome import NAMES, registered_names


def main() -> None:
    began, changed = time.monotonic(), 0
    cases = all_cases()
    NAMES.write_text("".join(f"{name}\n" for name in registered_names()), encoding="utf-8")
    kept = {case.path for case in cases}
    for path in RECORD.rglob("*.txt"):
        if path not in kept:
            path.unlink()
            print(f"{path.relative_to(RECORD)}: there is no such case any more")
    for case in cases:
        text = case.record()
        before = case.path.read_text(encoding="utf-8") if case.path.exists() else None
        if before is None or not case.agrees(before, text):
            changed += 1
            print(f"{case}: {'new' if before is None else 'changed'}", flush=True)
            case.path.parent.mkdir(parents=True, exist_ok=True)
            case.path.write_text(text, encoding="utf-8")
    print(f"{len(cases)} cases, {changed} written, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
