"""`rankscale demo`: the main job on the embedded sample collection, and what to try next."""

from typing import TYPE_CHECKING

import click

from rankscale.cli.command import declared
from rankscale.cli.options import option
from rankscale.cli.output import Writing

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

MEASURES = ("nDCG@10", "AP", "P@10", "RR", "RBP(p=0.8)", "Judged@10")

NEXT = (
    "evaluate $S/qrels.txt.xz $S/runs/bm25*.xz -m nDCG@10 --per-topic",
    "evaluate $S/qrels.txt.xz $S/runs/dense*.xz -m 'RBP(p=0.8)' -m P@10 --bounds",
    "evaluate $S/qrels.txt.xz $S/runs/*.xz -m Twist -m rho -m CRP_min -o values.tsv",
    "curves $S/qrels.txt.xz $S/runs/bm25*.xz -m 'DCG(base=2)' --ideal",
    "compare $S/qrels.txt.xz $S/runs/bm25*.xz -m P@10 -m nDCG@10 --statements",
    "robustness $S/qrels.txt.xz $S/runs/*.xz -m AP -m nDCG@10 --iterations 3",
    "figure effort-gain $S/qrels.txt.xz $S/runs/*.xz -o effort.pdf --width 84mm",
    "intervals $S/qrels.txt.xz $S/runs/*.xz -m RR@10 -m 'DCG(base=2)@10'",
    "check $S/qrels.txt.xz $S/runs/dense-zero.txt.xz",
    "trec_eval -q -m all_trec $S/qrels.txt.xz $S/runs/manual.txt.xz",
    "measures nDCG",
)


@declared(
    "demo",
    option("-o --output", "Write the report to FILE (atomically).", default="rankscale-demo.html", metavar="FILE"),
    option("--copy", "Copy the sample collection to the new folder DIR instead.", shown="no copy", metavar="DIR"),
)
def command(output: str, copy: str | None) -> None:
    """Measure the 24 sample systems, show the leaderboard, and write a report of them.

    Command line
    ------------
      rankscale demo
      rankscale demo -o report.html
      rankscale demo --copy sample
    """
    if copy is not None:
        click.echo(_copied(copy))
        return
    from importlib.util import find_spec

    from rankscale.answers.standing import headline, standing
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.sample import QRELS, RUNS
    from rankscale.stats.compare import compare

    result = evaluate(runs=list(RUNS), qrels=QRELS, measures=MEASURES).sorted_by(MEASURES[0])
    shown = Writing(None, None, None, ("table",), "")
    head = f"The sample collection: {len(RUNS)} runs over {len(result.topics)} topics, judged with grades 0 to 3."
    shown.show([head, *result.means().blocks()])
    compared = compare(result[MEASURES[0]])
    leader, others = _could_lead(evaluate(runs=list(RUNS), qrels=QRELS, measures="RBP(p=0.8)", bounds=True))
    about = (
        f"{headline(compared, standing(compared)).removesuffix('.')} ({compared.test.label}, {compared.family}).\n"
        "Unpooled runs bring unjudged documents, which count as not relevant: where Judged@10 is low, a run may be\n"
        f"better than its values say. By RBP(p=0.8) the best is {leader}. Runs that could be ahead of it, if all\n"
        f"unjudged documents of theirs turned out to be relevant (--bounds): {others}."
    )
    click.echo()
    shown.show([about if shown.screen.width is None else about.replace("\n", " ")])
    click.echo()
    shown.show([_page(output)])
    can_draw = find_spec("vl_convert") is not None
    suggested = [one for one in NEXT if can_draw or not one.startswith("figure ")]
    click.echo(f"What to try next:\n  S={QRELS.parent}\n" + "\n".join(f"  rankscale {one}" for one in suggested))


def _copied(folder: str) -> str:
    """Copy the sample collection; raise InputError where the folder holds anything else."""
    import os
    from filecmp import cmpfiles

    from rankscale.errors import InputError
    from rankscale.outputs.files import replacing_folder, writing
    from rankscale.sample import QRELS, RUNS

    sources = (QRELS, *RUNS)
    names = [os.path.relpath(path, QRELS.parent) for path in sources]
    if not os.path.lexists(folder):
        with replacing_folder(folder) as made:
            os.mkdir(os.path.join(made, "runs"))
            for path, name in zip(sources, names, strict=True):
                copy = os.path.join(made, name)
                with writing(copy, copy) as file:
                    file.write(path.read_bytes())
    elif cmpfiles(QRELS.parent, folder, names, shallow=False)[0] != names:
        raise InputError(f"{folder}: there is something of that name already; name a new folder")
    where = folder.rstrip("/")
    return (
        f"The sample collection, {len(RUNS)} runs and their qrels, is in {folder}. To try it:\n"
        f"  rankscale evaluate {where}/qrels.txt.xz {where}/runs"
    )


def _page(output: str) -> str:
    """Write the report, and tell where it is, or what it needs."""
    from rankscale.errors import MissingExtraError
    from rankscale.reporting.report import write_report
    from rankscale.sample import QRELS, RUNS

    try:
        write_report(QRELS, RUNS, output, title="The sample collection", command=f"rankscale demo -o {output}")
    except MissingExtraError as error:
        return f"There is more to see as a page, but {error}\n"
    return f"All of it and more is in {output}: open it in a browser.\n"


def _could_lead(bounded: "Evaluation") -> tuple[str, int]:
    """The run that leads, and how many others could be ahead if what is unjudged fell out well for them."""
    means, upper = bounded.means().values[0], bounded.extra_means()["upper"][0]
    leader = int(means.argmax())
    return bounded.runs[leader], sum(upper[r] > means[leader] for r in range(len(upper)) if r != leader)
