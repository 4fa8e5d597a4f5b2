"""Two hundred questions, put to every surface: what two of them show under one label is the same number."""

from collections import defaultdict
from functools import partial

import pytest

from rankscale.sample import QRELS
from rankscale.workbench.app import Workbench
from rankscale.workbench.serve import open_bench
from tests.answers import surfaces
from tests.answers.questions import Collection, made_up, question, real
from tests.answers.surfaces import Shown
from tests.conftest import SHARED_DATA

QUESTIONS, MADE = 200, 8
LOOKED_AT = {
    *(("p", one) for one in ("Python, compare", "Python, statements", "Python, diff", "compare --format jsonl")),
    *(("p", one) for one in ("compare --format json", "compare", "diff --format jsonl", "diff", "report, diff")),
    *(("p", one) for one in ("report, numbers of its scripts", "report, leaderboard", "report, statements")),
    *(("p", one) for one in ("workbench, compare", "workbench, overview")),
    *(("mean", one) for one in ("Python, evaluate", "Python, gate", "evaluate --format jsonl", "evaluate", "compare")),
    *(("mean", one) for one in ("diff", "gate --format jsonl", "gate", "report, gate", "report, leaderboard")),
    *(("mean", one) for one in ("workbench, compare", "workbench, overview")),
    *(("Judged@10", one) for one in ("Python, evaluate", "evaluate", "check", "report, leaderboard")),
    *(("Judged@10", one) for one in ("evaluate --format jsonl", "workbench, overview")),
    *(("leader", one) for one in ("Python, compare", "report, numbers of its scripts", "workbench, overview")),
    *(("gate", one) for one in ("Python, gate", "gate --format jsonl", "gate", "report, gate")),
    *(("difference", one) for one in ("Python, compare", "Python, gate", "diff --format jsonl", "workbench, compare")),
    *(("interval from", one) for one in ("Python, compare", "Python, diff", "report, numbers of its scripts")),
    *(("wins", one) for one in ("Python, statements", "Python, diff", "workbench, compare")),
}


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> list[Collection]:
    """Small ones: made up, the sample, and parts of real ones where these are beside the project."""
    folder = tmp_path_factory.mktemp("collections")
    made = [made_up(folder, seed) for seed in range(MADE)]
    made.append(real(folder, QRELS.parent, QRELS.name, runs=6, topics=20, documents=50))
    for name, qrels in (("dl21_passage_judged", "qrels-pass.txt.gz"), ("trec5_adhoc", "T5-j.txt.gz")):
        if (SHARED_DATA / name).is_dir():
            made.append(real(folder, SHARED_DATA / name, qrels, runs=5, topics=12, documents=40))
    return made


@pytest.fixture(scope="module")
def workbenches(collections: list[Collection]) -> list[Workbench]:
    return [Workbench(open_bench(str(one.qrels_file), list(map(str, one.run_files)), title="")) for one in collections]


def test_every_surface_gives_the_same_answers(collections: list[Collection], workbenches: list[Workbench]) -> None:
    troubles, labels = [], set()
    for number in range(QUESTIONS):
        asked = question(number, collections)
        of_workbench = partial(surfaces.of_workbench, workbench=workbenches[number % len(collections)])
        by_label: defaultdict[tuple[str, ...], list[Shown]] = defaultdict(list)
        for surface in (surfaces.of_python, *surfaces.COMMANDS, surfaces.of_report, of_workbench):
            for shown in surfaces.refused(surface, asked):
                by_label[shown.label].append(shown)
        troubles += [
            f"{number}, {' '.join(label)}: {differing(some)}" for label, some in by_label.items() if differing(some)
        ]
        labels |= {(label[0], one.surface) for label, some in by_label.items() for one in some}
    assert not LOOKED_AT - labels, "a surface that shows nothing is not compared with the others"
    assert not troubles, f"{len(troubles)} labels\n" + "\n".join(troubles[:40])


def differing(some: list[Shown]) -> str:
    """What is shown under one label, where it is not the same."""
    if len({one.value for one in some}) == 1 and max(one.low for one in some) <= min(one.high for one in some):
        return ""
    return "" if some[0].value and len({one.value for one in some}) == 1 else "; ".join(map(str, some))
