"""A small collection to try things on: the qrels of 50 topics and the runs of 24 systems.

It is made up: `tools/make_sample.py` draws it from a model of retrieval, always the same, and
tells how. No number here says anything about real systems, whatever their names recall.

- Topics 101 to 150, with 3 to 123 relevant documents; grades 0 to 3; rankings of 200 documents.
- Families: lexical (`tfidf`, `bm25`, `ql` ...), query expansion (`-rm3`, `-bo1`), learned sparse
  (`sparse-`), dense (`dense-`), late interaction (`late-`), rerankers of bm25 (`bm25-ce-`), fusion
  (`fuse-`), a near random order (`shuffle`) and a person's work (`manual`). Mean AP goes from .05
  to .45; most neighbours do not differ significantly.
- The pool is the first 20 documents of 16 systems, with a few more. Not pooled, and so with
  unjudged documents among their first 20: bm25-bo1, bm25-ce-pair, dense-hard, dense-int8,
  dense-zero, late-prf, ql-rm3, sparse-distil.
- `dense-int8` has whole numbers for scores, so nearly all its documents are tied; rerankers,
  fusions, `shuffle` and `manual` have scores made from ranks, and no ties; the others have some.
- `dense-zero` has no ranking for topic 137.
- No system retrieves 131 of the 6474 judged documents, all but two of them of grade 0.
"""

from pathlib import Path

QRELS: Path = Path(__file__).parent / "qrels.txt.xz"
RUNS: tuple[Path, ...] = tuple(sorted((Path(__file__).parent / "runs").glob("*.txt.xz")))
