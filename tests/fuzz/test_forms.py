"""Forms of runs and qrels: the plain readers on worked examples, then rankscale against them on many inputs."""

from dataclasses import replace

import pytest

from tests.fuzz import form_agreement, form_inputs, plain_forms
from tests.fuzz.campaign import campaign
from tests.fuzz.form_inputs import FORMS, FormCase, case
from tests.fuzz.packing import Fault
from tests.fuzz.plain_forms import Options, read_qrels, read_runs
from tests.fuzz.plain_rows import Open

INPUTS = [(0, 300), pytest.param(300, 1_000, marks=pytest.mark.slow)]  # `make fuzz` tries 20,000 of each form
ONE = {b"1": [(b"b", 3.0), (b"a", 2.0)]}
RUNS: dict[str, tuple[bytes, str]] = {
    "csv": (b'qid,docno,score\r\n1,"a",2\r\n\r\n1, b ,3.0', "csv"),
    "semicolons": (b"# mine\nquery id;doc;sim\n1;a;2\n1;b;3\n", "csv"),
    "tsv": (b"\xef\xbb\xbfquery-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t3\n", "tsv"),
    "blanks": (b"topic document  score\n1 a 2\n 1 b 3\n", "tsv"),
    "preferred names": (b"query,docid,docno,qid,score\nx,y,a,1,2\nx,y,b,1,3\n", "csv"),
    "4 columns": (b"1 a 2 2\n# note\n1 b 1 3\n", "4 columns"),
    "json lines": (b'{"qid": 1, "docid": "a", "score": 2}\n{"Q ID": "1", "doc_id": "b", "score": "3"}\n', "jsonl"),
    "objects in lines": (
        b'{"qid": "1", "hits": [{"id": 0, "pid": "a", "score": 2}, {"pid": "b", "score": 3}]}',
        "jsonl",
    ),
    "pairs in lines": (b'{"qid": "1", "results": [["a", 2], ["b", 3]]}\n{"qid": "1", "results": []}\n', "jsonl"),
    "numbers in lines": (b'{"docs": {"a": 2}, "qid": "1"}\n{"docs": {"b": 3}, "qid": "1"}\n', "jsonl"),
    "json": (b'{"1":\n {"a": 2, "b": 3}}', "json"),
    "json of pairs": (b'{"1": [["a", 2], ["b", 3]]}', "json"),
    "json rows": (b'[{"qid": "1", "docid": "a", "score": 2},\n{"qid": "1", "docid": "b", "score": 3}] \n', "json"),
}


@pytest.mark.parametrize(("data", "form"), RUNS.values(), ids=RUNS)
def test_the_plain_reader_reads_a_worked_example(data, form):
    assert read_runs(data) == plain_forms.Reading(form, "score", {None: ONE})


def test_the_plain_reader_reads_runs_without_scores():
    assert read_runs(b"1\ta\t1\n1\tb\t2\n").runs == {None: {b"1": [(b"a", -1), (b"b", -2)]}}
    assert read_runs(b'{"1": ["b", 7]}').runs == {None: {b"1": [(b"b", 0), (b"7", -1)]}}
    in_order = Options(order="file")
    assert read_runs(b"qid,docno\n1,b\n2,x\n1,c\n", in_order).runs == {
        None: {b"1": [(b"b", 0), (b"c", -2)], b"2": [(b"x", -1)]}
    }


def test_the_plain_reader_reads_several_runs():
    assert list(read_runs(b"run,qid,docno,score\ny,1,a,2\nx,1,a,2\n").runs) == [b"y", b"x"]
    assert list(read_runs(b'{"y": {"1": {"a": 2}}, "x": {"1": {"a": 2}}}').runs) == [b"y", b"x"]
    meta = b'{"mteb_model_meta": {"model_name": "m"}, "en": {"test": {"1": {"a": 2}}}}'
    assert read_runs(meta).runs == {b"en/test": {b"1": [(b"a", 2.0)]}}


def test_the_plain_reader_reads_odd_names():
    odd = b'qid,docno,score\n"1\n",", ""x"" ",2\n'
    assert read_runs(odd).runs == {None: {b"1\n": [(b', "x" ', 2.0)]}}
    escaped = b'{"\\u00e9\\udcff": {"\xff\\ud83d\\ude00": 1e999}}'
    assert read_runs(escaped).runs == {None: {"é".encode() + b"\xff": [(b"\xff" + "😀".encode(), float("inf"))]}}


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\n", b"1 a\n", b"1 2 3 4 5\n", b"1 a 2.5\n1 b 1.5\n", b"1 0 doc 1\n", b"qid,docno,qid\n1,a,1\n"),
        *(b"qid,docno,score\n", b"qid,docno,score\n1,a\n", b"qid,docno,score\n1,,2\n", b"qid,docno,score\n1,a,nan\n"),
        *(b'qid,docno,score\n1,"a"b,2\n', b'qid,docno,score\n1,"a,2\n', b"qid,docno,score\n1,a\0,2\n"),
        *(b'{"1": {"a": NaN}}', b'{"1": {"a": 1}} x', b'{"1": {"a": 1}, "1": {"b": 1}}', b'{"\\ud800": {"a": 1}}'),
        *(b'{"1": ["a", ["b", 2]]}', b'{"1": {"a": {"b": {"c": {"d": 1}}}}}', b'{"1": {"a": 1}, "x": {"1": {"a": 1}}}'),
        *(b'{"qid": 1, "docid": "a", "score": 1}\n{"qid": 1, "docid": "b", "rank": 1}\n', b'{"qid": 1, "score": 1}\n'),
        *(
            b'{"qid": 1.5, "docid": "a"}\n',
            b"[" * 5_000,
            b'{"qid": 1, "docid": "a", "x": ' + b"[" * 90 + b"]" * 90 + b"}",
        ),
    ],
)
def test_the_plain_reader_refuses_what_is_no_run(data):
    with pytest.raises(Fault):
        read_runs(data)


def test_the_plain_reader_reads_judgments():
    for data in (
        *(
            b"1 0 a 2\n",
            b"1\ta\t2\n",
            b"query-id\tcorpus-id\tscore\n1\ta\t2\n",
            b'{"1": {"a": 2}}',
            b'{"1": [["a", 2]]}',
        ),
        *(b'[{"qid": "1", "docid": "a", "relevance": 2}]', b'{"qid": "1", "judgments": {"a": 2}}\n'),
    ):
        assert read_qrels(data).runs == {None: {b"1": [(b"a", 2.0)]}}
    twice = b"1 a 1\n1 a 4\n"
    with pytest.raises(Fault):
        read_qrels(twice)
    merged = {"max": 4.0, "min": 1.0, "mean": 2.5}
    assert {way: read_qrels(twice, Options(merge=way)).runs[None][b"1"][0][1] for way in merged} == merged


def test_the_plain_reader_keeps_one_of_documents_that_repeat():
    data = b"1 d1#a 2 1\n1 d1#b 1 3\n1 d2 3 2\n"
    taken = Options(document_from="^(d[0-9])")
    with pytest.raises(Fault):
        read_runs(data, taken)
    best = Options(document_from="^(d[0-9])", duplicates="best")
    assert read_runs(data, best).runs == {None: {b"1": [(b"d1", 3.0), (b"d2", 2.0)]}}
    first = Options(document_from="^(d[0-9])", duplicates="first")
    assert read_runs(data, first).runs == {None: {b"1": [(b"d2", 2.0), (b"d1", 1.0)]}}


# Inputs.

every_form = pytest.mark.parametrize("form", FORMS)


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
    """But for objects nested 300 deep, and topics named `{` or `[x]` at the head of a file without header."""
    monkeypatch.setattr(form_inputs, "SPOILING", (lambda data, rng: data,))
    plain = Options(duplicates="first", merge="max")
    outcomes = [form_agreement._plain(replace(case(form, 1, number), options=plain)) for number in range(100)]
    assert sum(isinstance(outcome, Fault) for outcome in outcomes) < (15 if form in {"columns", "jsonl", "rows"} else 6)


@every_form
def test_what_is_written_is_what_is_read(form, monkeypatch):
    """Names with separators, quotes, line ends and escapes come back; a topic may have been written as empty."""
    monkeypatch.setattr(form_inputs, "SPOILING", (lambda data, rng: data,))
    compared = 0
    for number in range(200):
        one = replace(case(form, 2, number), options=Options(duplicates="first", merge="max"))
        reading = form_agreement._plain(one)
        if isinstance(reading, plain_forms.Reading):
            for topic, judged in one.judgments.items():
                rankings = [topics.get(form_agreement._raw(topic), []) for topics in reading.runs.values()]
                names = {document for ranking in rankings for document, _ in ranking}
                assert topic == "nobody's" or not all(rankings) or names >= set(map(form_agreement._raw, judged))
                compared += len(names)
    assert compared > 1_000


# A net that catches nothing is worse than none.


def test_a_wrong_reading_is_reported():
    one = FormCase("runs", "csv", RUNS["csv"][0], {"1": {"a": 1.0}}, Options())
    (expected,) = form_agreement._expected(one, read_runs(one.data))
    assert form_agreement.difference([expected], [expected]) is None
    for key, wrong in {"name": {b"other"}, "order": "rank", "judged": {}, "documents": {}, "unknown topics": 1}.items():
        assert str(form_agreement.difference([expected], [{**expected, key: wrong}])).startswith(f"{key}: expected")
    assert form_agreement.difference([expected], []) == "expected 1 runs, rankscale reads 0"


def test_a_message_that_does_not_help_is_reported():
    assert form_agreement.message_problem("bytes, line 2: expected a number", "bytes") is None
    for message in ("line 2: expected a number", "bytes: found \x1b[31m", "bytes: " + "x" * 5_000):
        assert form_agreement.message_problem(message, "bytes") is not None
