"""Lines as C's printf writes them, and the same bytes however many topics are printed at a time."""

import numpy as np
import pytest

from rankscale.trec_eval import evaluate
from rankscale.trec_eval.printing import PrintedColumn, topic_lines


def printed(form, values):
    column = PrintedColumn("map", lambda judged: judged.length, form)
    topics = [str(number) for number in range(len(values))]
    return topic_lines([column], topics, [np.asarray(values)], zscores=False).decode().splitlines()


def test_numbers_are_rounded_as_by_printf():
    """Python's % rounds as C does, halves to the even digit: 0.03125 is 0.0312, 0.09375 is 0.0938."""
    halves = np.arange(-200, 4_000) / 2**5
    drawn = np.random.default_rng(3).uniform(-5, 5, 20_000)
    values = np.concatenate([halves, drawn, np.arange(2_000) / 2**14, [1e22, 123456.78905, 5e-5, 0.99995, 1e300]])
    lines = [f"{'map':<22}\t{number}\t%6.4f" % value for number, value in enumerate(values.tolist())]
    assert printed("real", values) == lines


def test_counts_infinities_and_nan_are_those_of_c():
    assert printed("count", [0.0, 7.0, 1e15]) == [f"{'map':<22}\t{n}\t{v}" for n, v in enumerate(("0", "7", 10**15))]
    shown = [line.split("\t")[2] for line in printed("real", [np.nan, np.inf, -np.inf])]
    assert shown == ["  -nan", "   inf", "  -inf"]


@pytest.mark.parametrize("options", [[], ["-q"], ["-q", "-c"], ["-q", "-n"], ["-q", "--compat", "10", "-c"]])
@pytest.mark.parametrize("few", [1, 3])
def test_the_same_bytes_whatever_the_number_of_topics_at_a_time(options, few, tmp_path, trec_eval, monkeypatch):
    rng, folder = np.random.default_rng(9), tmp_path
    topics = rng.permutation(25)
    (folder / "qrels").write_text(
        "".join(f"{t} 0 d{d} {rng.integers(-1, 4)}\n" for t in range(25) for d in range(6)), encoding="utf-8"
    )
    found = [(topic, document) for topic in topics[:20] for document in range(0, 12, 2)]
    run = "".join(f"{topic} Q0 d{document} 0 {rng.integers(0, 5)} t\n" for topic, document in found)
    (folder / "run").write_text(run, encoding="utf-8")
    zscores = "".join(f"{t} map {rng.random()} {rng.random()}\n" for t in range(25) if t % 4)
    (folder / "zscores").write_text(zscores, encoding="utf-8")
    for more in ([], ["-Z", folder / "zscores"]):
        words = [*options, "-m", "all_trec", *more, folder / "qrels", folder / "run"]
        at_once = trec_eval(*words)
        with monkeypatch.context() as patched:
            patched.setattr(evaluate, "MOST_TOPICS", few)
            assert trec_eval(*words) == at_once
        assert at_once.code == 0
        assert at_once.out
