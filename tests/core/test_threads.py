"""Tables of rankings made by threads side by side are those that one makes alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rankscale.data.judged import Judged
from rankscale.inputs.trec import read_qrels, read_run

TOPICS, DEPTH = 40, 300
FIELDS = ("rank", "code", "document", "first", "last")


def test_blocks_made_side_by_side_are_those_made_alone():
    names = [(topic, place) for topic in range(TOPICS) for place in range(DEPTH)]
    qrels = read_qrels(b"".join(b"t%02d 0 d%d %d\n" % (t, p, (p + t) % 3) for t, p in names if p % 3))
    run = read_run(qrels, b"".join(b"t%02d Q0 d%d 1 %d r\n" % (t, p, (p * 7 + t) % 50) for t, p in names))
    ignored = np.array([True, False, False])

    def made(start: int) -> tuple[Judged, Judged]:
        part = slice(start % TOPICS, start % TOPICS + 9)
        return run.judged(qrels, part.start, part.stop), run.without(ignored, qrels).judged(qrels)

    alone = [made(start) for start in range(80)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(made, range(80)))
    for one, other in zip(alone, together, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in FIELDS)
