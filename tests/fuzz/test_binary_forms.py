"""Binary forms: the plain readers on worked examples, then rankscale against them on many inputs."""

from dataclasses import replace
from io import BytesIO

import cbor2
import lz4.frame
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.fuzz import binary_inputs, form_agreement
from tests.fuzz.binary_inputs import BINARY_FORMS, case
from tests.fuzz.campaign import campaign
from tests.fuzz.packing import Fault
from tests.fuzz.plain_forms import Options, Reading, read_qrels, read_runs
from tests.fuzz.plain_rows import Open

INPUTS = [(0, 300), pytest.param(300, 1_000, marks=pytest.mark.slow)]  # `make fuzz` tries 20,000 of each form
ONE = {b"1": [(b"b", 3.0), (b"a", 2.0)]}
every_form = pytest.mark.parametrize("form", BINARY_FORMS)


def parquet(**columns: object) -> bytes:
    file = BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def arrow(**columns: object) -> bytes:
    table, file = pa.table(columns), BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def ranx(rankings: object) -> bytes:
    return bytes(lz4.frame.compress(lz4.frame.compress(cbor2.dumps(rankings))))


WORKED = {
    "parquet": parquet(qid=["1", "1"], docno=["a", "b"], score=[2, 3]),
    "arrow": arrow(text=["", None], sim=[2.0, 3.0], docid=["a", "b"], topic=[1, 1], qid=["x", "y"]),
    "ranx": ranx({"1": {"a": 2, "b": 3.0}}),
}


@every_form
def test_the_plain_reader_reads_a_worked_example(form):
    assert read_runs(WORKED[form]) == Reading(form, "score", {None: ONE})


def test_the_plain_reader_reads_ranks_runs_and_judgments():
    ranked = parquet(run=["y", "x"], topic=[1, 1], document=["a", "a"], rank=pa.array([2, 1], pa.int8()))
    assert read_runs(ranked).runs == {b"y": {b"1": [(b"a", -2)]}, b"x": {b"1": [(b"a", -1)]}}
    names = pa.array(["a", "b"]).dictionary_encode()
    for data in (arrow(topic=["1", "1"], document=names, rel=[2, 0]), ranx({"1": {"a": 2, "b": 0}})):
        assert read_qrels(data).runs == {None: {b"1": [(b"a", 2.0), (b"b", 0.0)]}}


@pytest.mark.parametrize(
    "data",
    [
        *(WORKED["parquet"][:-1], WORKED["arrow"][:-1], WORKED["ranx"][:-6], ranx([]), ranx({"1": {"a": "x"}})),
        *(
            parquet(topic=["1"], document=["a"]),
            parquet(topic=["1"], score=[1]),
            parquet(topic=[1.5], docno=["a"], score=[1]),
        ),
        *(arrow(topic=[None], docno=["a"], score=[1]), arrow(topic=["1"], docno=["a"], score=[float("nan")])),
        *(arrow(topic=["1"] * 2, docno=["a"] * 2, score=[1, 2]), ranx({"1": {"a": float("nan")}})),
    ],
)
def test_the_plain_reader_refuses_what_is_no_run(data):
    with pytest.raises(Fault):
        read_runs(data)


@every_form
@pytest.mark.parametrize(("start", "count"), INPUTS)
def test_rankscale_and_the_plain_reader_agree_on_every_input(form, start, count):
    troubles = campaign(seed=0, start=start, count=count, form=form)
    assert not troubles, "\n".join(map(str, troubles[:5]))


@every_form
def test_an_input_is_the_same_whenever_it_is_made(form):
    assert [case(form, 3, number) for number in range(20)] == [case(form, 3, number) for number in range(20)]
    assert case(form, 3, 0) != case(form, 4, 0)


@every_form
def test_many_inputs_are_refused_and_many_are_read(form):
    outcomes = [form_agreement._plain(case(form, 0, number)) for number in range(300)]
    assert 75 < sum(isinstance(outcome, Fault) for outcome in outcomes) < 225
    assert sum(isinstance(outcome, Open) for outcome in outcomes) < 30


@every_form
def test_what_is_not_spoilt_is_read(form, monkeypatch):
    """But for columns of odd types and names, and nulls, which some tables have."""
    monkeypatch.setattr(binary_inputs, "SPOILING", (lambda data, rng: data,) * 2)
    plain = Options(duplicates="first", merge="max")
    outcomes = [form_agreement._plain(replace(case(form, 1, number), options=plain)) for number in range(100)]
    assert sum(isinstance(outcome, Reading) for outcome in outcomes) > 65
