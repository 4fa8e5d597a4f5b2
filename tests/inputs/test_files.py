import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import rankscale
from rankscale.inputs import trec
from tests.fuzz.packing import PACK
from tests.inputs.example import QRELS_ROWS as ROWS
from tests.inputs.example import TAG, nested, qrels_text, run_text

packings = pytest.mark.parametrize("packing", ["txt", *PACK])


def packed(text: bytes, packing: str) -> bytes:
    return PACK.get(packing, bytes)(text)


def test_the_example_is_read_as_one_reads_it(qrels, run):
    assert qrels.topics == ("301", "302", "303")
    assert qrels.to_dict() == nested(ROWS)
    assert qrels.levels.tolist() == [-1, 0, 1, 2, 3]
    assert (run.name, run.last_tag, run.unknown_topics) == (TAG, TAG, 1)
    assert run.rows.tolist() == [0, 2]
    # LA1 and FT2 tie in 32 bits, and LA1 is the later name.
    assert run.documents == (("LA1", "FT2", "FT3", "FT1", "FT9"), ("FT1", "é2", "é1"))
    assert run.rank.tolist() == [2, 3, 4, 5, 3]
    assert run.first.tolist() == [1, 3, 4, 5, 2]
    assert run.last.tolist() == [2, 3, 4, 5, 3]
    grades = [
        qrels.levels[qrels.codes[qrels.starts[row] + document]]
        for row, document in zip([0] * 4 + [2], run.document, strict=True)
    ]
    assert grades == [0, 2, 1, -1, 3]


@packings
def test_a_file_is_told_by_its_content_and_not_by_its_name(tmp_path, qrels, run, packing):
    for name in (f"run.{packing}", "run.gz", "run"):
        path = tmp_path / name
        path.write_bytes(packed(run_text(), packing))
        for source in (path, str(path)):
            found = rankscale.read_run(qrels, source, keep_documents=True)
            assert found == run
            assert found.source == str(path)


@packings
def test_bytes_are_read_like_a_file(qrels, run, packing):
    assert trec.read_qrels(packed(qrels_text(), packing)) == qrels
    assert rankscale.read_run(qrels, packed(run_text(), packing), keep_documents=True) == run


@packings
def test_an_open_file_is_read_from_where_it_stands(qrels, run, packing):
    opened = io.BytesIO(b"header" + packed(run_text(), packing))
    opened.seek(6)
    assert trec.read_run(qrels, opened, keep_documents=True) == run


@pytest.mark.parametrize("packing", PACK)
def test_archives_put_one_after_the_other_are_one_file(qrels, run, packing):
    text = run_text()
    joined = b"".join(packed(part, packing) for part in (text[:50], b"", text[50:]))
    assert trec.read_run(qrels, joined, keep_documents=True) == run


READ = """
import sys, rankscale
from rankscale.inputs import trec
run = trec.read_run(rankscale.read_qrels(sys.argv[1]), sys.argv[2], keep_documents=True)
sys.stdout.buffer.write(repr((run.source, run.name, run.documents, run.rank.tolist(), run.unknown_topics)).encode())
"""


def read_elsewhere(folder: Path, source: str, stdin: bytes | None = None) -> str:
    """What another process reads, which cannot hang ours."""
    (folder / "qrels").write_bytes(qrels_text())
    command = [sys.executable, "-c", READ, str(folder / "qrels"), source]
    return subprocess.run(command, capture_output=True, check=True, timeout=120, input=stdin).stdout.decode()


@packings
def test_standard_input_is_read(tmp_path, run, packing):
    said = read_elsewhere(tmp_path, "-", packed(run_text(), packing))
    assert said == repr(("standard input", run.name, run.documents, run.rank.tolist(), run.unknown_topics))


@packings
def test_a_named_pipe_is_read(tmp_path, run, packing):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[packed(run_text(), packing)], daemon=True)
    writer.start()
    said = read_elsewhere(tmp_path, str(pipe))
    assert said == repr((str(pipe), run.name, run.documents, run.rank.tolist(), run.unknown_topics))


def test_a_pattern_is_the_files_it_matches_in_order_of_their_names(tmp_path, qrels):
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.run").write_bytes(run_text(tag=name))
    (tmp_path / "d.txt").write_bytes(b"no run")
    found = rankscale.read_runs(qrels, str(tmp_path / "*.run"))
    assert [run.name for run in found] == ["a", "b", "c"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path, qrels):
    (tmp_path / "[ab].run").write_bytes(run_text())
    (tmp_path / "a.run").write_bytes(run_text(tag="other"))
    assert rankscale.read_run(qrels, str(tmp_path / "[ab].run")).name == TAG


def test_runs_are_named_as_they_are_asked_to_be(qrels):
    found = rankscale.read_runs(qrels, {"mine": run_text(), "yours": run_text()})
    assert [run.name for run in found] == ["mine", "yours"]
    assert rankscale.read_run(qrels, run_text(), name="ours").name == "ours"


def test_a_run_whose_tags_vary_is_named_by_its_file(tmp_path, qrels):
    path = tmp_path / "mixed.run.gz"
    path.write_bytes(PACK["gz"](run_text()[:-5] + b"other tag\n"))
    found = rankscale.read_run(qrels, path)
    assert (found.name, found.last_tag) == ("mixed.run", "other tag")
    assert found.warnings == (f"{path}: tags vary within the file (bm25, other tag, ...); the run is named mixed.run",)


def test_names_that_are_not_utf8_come_out_as_they_went_in():
    judged = trec.read_qrels(b"t\xe9 0 d\xff 1\n")
    found = trec.read_run(judged, b"t\xe9 Q0 d\xff 1 2 r\xfe\n", keep_documents=True)
    assert judged.topics == ("t\udce9",)
    assert judged.to_dict() == {"t\udce9": {"d\udcff": 1.0}}
    assert (found.name, found.documents, found.rank.tolist()) == ("r\udcfe", (("d\udcff",),), [1])
    # and such a name finds its document in a dictionary, too
    assert rankscale.read_run(judged, {"t\udce9": {"d\udcff": 2.0}}).rank.tolist() == [1]


def test_the_depth_cuts_every_ranking(qrels):
    found = trec.read_run(qrels, run_text(), depth=2, keep_documents=True)
    assert found.documents == (("LA1", "FT2"), ("FT1", "é2"))
    assert found.length.tolist() == [2, 2]
    assert (found.rank.tolist(), found.first.tolist(), found.last.tolist()) == ([2], [1], [2])
    assert np.array_equal(found.starts, [0, 1, 1])


def test_documents_are_kept_only_if_asked_for(qrels, run):
    plain = trec.read_run(qrels, run_text())
    assert plain.documents is None
    assert plain.rank.tolist() == run.rank.tolist()
