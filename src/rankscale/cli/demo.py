"""`rankscale demo`: the main job on the embedded sample collection, and what to try next."""

import click

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Judged@10")


@click.command("demo")
def command() -> None:
    """Measure the 24 sample systems and show the leaderboard."""
    from rankscale.evaluation import evaluate
    from rankscale.sample import QRELS, RUNS

    found = evaluate(list(RUNS), QRELS, MEASURES).sorted_by("AP")
    click.echo(f"The sample collection: {len(RUNS)} runs over {len(found.topics)} topics, judged with grades 0 to 3.\n")
    click.echo(str(found.means()))
    best, second = found.runs[:2]
    wins = _wins(found.by_topic(best, "AP"), found.by_topic(second, "AP"))
    click.echo(
        f"\n{best} is ahead of {second} in mean AP, and better on {wins[0]} topics, worse on {wins[1]}.\n"
        "Unpooled runs bring unjudged documents, which count as not relevant: where Judged@10 is low, a run may be\n"
        "better than its values say.\n"
    )
    folder = QRELS.parent
    click.echo(
        "What to try next:\n"
        f"  rankscale evaluate {QRELS} {folder}/runs/bm25*.xz -m nDCG@10 --per-topic\n"
        f"  rankscale evaluate {QRELS} {folder}/runs/*.xz -m all_trec -o values.tsv\n"
        f"  rankscale check {QRELS} {folder}/runs/dense-zero.txt.xz\n"
        f"  rankscale trec_eval -q -m all_trec {QRELS} {folder}/runs/manual.txt.xz\n"
        "  rankscale measures nDCG"
    )


def _wins(a: dict[str, float], b: dict[str, float]) -> tuple[int, int]:
    shared = [(a[topic], b[topic]) for topic in a if topic in b]
    return sum(x > y for x, y in shared), sum(x < y for x, y in shared)
