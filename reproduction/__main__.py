"""Print published tables beside ours, and write them to docs/reproduction.md: `python -m reproduction`.

`python -m reproduction rbp-worked dcg` prints two sections, and with `--update` puts them in their place on the page.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reproduction import (
    claims,
    correlation_tables,
    cumulated_gain,
    interval_examples,
    interval_tables,
    large_vectors,
    mean_changes,
    not_reproduced,
    other_collections,
    pools,
    rbp_agreement,
    rbp_bounds,
    rbp_tables,
    rbp_trec8,
    rbp_worked,
    relative_position,
    significance_tables,
    tally,
    twist_collections,
    twist_studies,
    worked_vectors,
)
from reproduction.collections import DL_2021, TREC_5, TREC_8
from reproduction.page import joined, parted

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "reproduction.md"
DATA = HERE.parent.parent / "shared" / "data"
HEAD = """# Published tables, reproduced

Made by `make reproduce` from the runs and judgments of TREC. A value stands alone where ours is equal to the published
one to its last digit; where it is not, both stand there, and the reason below the table or beside it.

The data is no part of the project: it is looked for at `../shared/data`, in the folders `trec5_adhoc`, `trec8_adhoc`
and `dl21_passage_judged`, each with its `runs`, and in `official_means` and `qrels_only`. Point to another place with
`python -m reproduction --data FOLDER`. One section is made by its name, as `python -m reproduction rbp-worked`
(`--help` lists the names), and put in its place here with `--update`, which also counts anew what stands at a glance.
All sections take some minutes, and 9 GB where values of AP are told apart as floating-point sums."""
SUMMARY = "summary"  # counted on the page, from the other sections


@dataclass(frozen=True)
class Section:
    """A part of the page, and what it is made of."""

    made: Callable[[Path], str]
    needs: tuple[str, ...] = ()  # within the folder of data

    def lacking(self, data: Path) -> list[Path]:
        """What is not there."""
        return [data / name for name in self.needs if not (data / name).exists()]


SECTIONS: Mapping[str, Section] = {
    "interval-examples": Section(interval_examples.section),
    "intervals": Section(interval_tables.section, (TREC_8,)),
    "correlations": Section(correlation_tables.section, (TREC_8,)),
    "significance": Section(significance_tables.section, (TREC_8,)),
    "mean-changes": Section(mean_changes.section, (TREC_8,)),
    "other-collections": Section(
        other_collections.section, (*other_collections.MEANS.values(), *other_collections.QRELS.values())
    ),
    "vectors": Section(large_vectors.section, (large_vectors.CASES,)),
    "rbp-worked": Section(rbp_worked.section),
    "rbp-agreement": Section(rbp_agreement.section, (TREC_5,)),
    "rbp": Section(rbp_tables.section, (TREC_5,)),
    "rbp-bounds": Section(rbp_bounds.section, (TREC_5,)),
    "rbp-trec8": Section(rbp_trec8.section, (TREC_8,)),
    "worked": Section(worked_vectors.section),
    "dcg": Section(cumulated_gain.section, (DL_2021,)),
    "crp": Section(relative_position.section, (DL_2021,)),
    "twist-collections": Section(twist_collections.section, twist_collections.NEEDS),
    "twist": Section(twist_studies.section, (TREC_8, DL_2021)),
    "pools": Section(pools.section, (TREC_8,)),
    "claims": Section(claims.section, (TREC_8, DL_2021)),
    "not-reproduced": Section(not_reproduced.section),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sections that are asked for, and write the page if all are or it is to be updated."""
    asked = parser().parse_args(arguments)
    names = [name for name in asked.sections if name != SUMMARY] if asked.sections else list(SECTIONS)
    lacking = sorted({path for name in names for path in SECTIONS[name].lacking(asked.data)})
    if lacking:
        told = "".join(f"no data at {path}\n" for path in lacking)
        print(f"{told}name the folder that holds trec5_adhoc, trec8_adhoc and the others with --data", file=sys.stderr)
        return 2
    made = {name: SECTIONS[name].made(asked.data) for name in names}
    if SUMMARY in asked.sections:
        made = {SUMMARY: tally.section({**parted(asked.output.read_text(encoding="utf-8")), **made}), **made}
    print("\n\n".join(made.values()))
    if asked.update or not asked.sections:
        write(asked.output, made)
    return 0


def write(path: Path, made: Mapping[str, str]) -> None:
    """Put sections in their place on the page, leaving the others as they are, and count what they say at its top."""
    there = {**(parted(path.read_text(encoding="utf-8")) if path.exists() else {}), **made}
    sections = {name: there[name] for name in SECTIONS if name in there}
    top = {SUMMARY: tally.section(sections)} if sections.keys() >= tally.NEEDED else {}
    path.write_text(joined(HEAD, {**top, **sections}), encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    options = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    # [] is what argparse checks where none is named
    options.add_argument(
        "sections", nargs="*", choices=[SUMMARY, *SECTIONS, []], help="default: all, written to the page"
    )
    options.add_argument("--update", action="store_true", help="put the sections in their place on the page")
    options.add_argument("--data", type=Path, default=DATA, help="where the runs and judgments are")
    options.add_argument("-o", "--output", type=Path, default=PAGE, help="the page")
    return options


if __name__ == "__main__":
    sys.exit(main())
