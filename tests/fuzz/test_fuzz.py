import pytest

from tests.fuzz import agreement, campaign, plain_reader, worker
from tests.fuzz.inputs import Case, case
from tests.fuzz.packing import Fault

INPUTS = [(0, 1_000), pytest.param(1_000, 4_000, marks=pytest.mark.slow)]  # `make fuzz` tries a hundred thousand

QRELS, RUN = b"1 0 a 1\n", b"1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n"


@pytest.mark.parametrize(("start", "count"), INPUTS)
def test_the_core_and_the_plain_reader_agree_on_every_input(start, count):
    troubles = campaign.campaign(seed=0, start=start, count=count)
    assert not troubles, "\n".join(map(str, troubles[:5]))


def test_an_input_is_the_same_whenever_it_is_made():
    assert [case(3, number) for number in range(50)] == [case(3, number) for number in range(50)]
    assert case(3, 0) != case(4, 0)


def test_many_inputs_are_refused_and_many_are_read():
    inputs = [case(0, number) for number in range(1_000)]  # the first of those that the campaign tries
    refused = sum(isinstance(agreement._plain(plain_reader.read_run, one.run, one.order), Fault) for one in inputs)
    assert 250 < refused < 750  # two in three are spoilt, and many of those still read as something


# A net that catches nothing is worse than none.


def test_a_wrong_reading_is_told(monkeypatch):
    monkeypatch.setattr(plain_reader, "read_run", lambda data, order: ({b"1": [(2.5, b"b")]}, [b"t"]))
    assert "documents: expected {b'1': [b'b']}" in str(agreement.disagreement(Case(QRELS, RUN)))


def test_a_wrong_line_is_told():
    fault = Fault(2)
    assert agreement._message_problem("bytes, line 2: expected a number", fault, "bytes") is None
    for message in ("bytes, line 3: expected a number", "bytes: expected a number", "line 2: expected a number"):
        assert agreement._message_problem(message, fault, "bytes") is not None


@pytest.mark.parametrize(
    ("ends", "words"), [("os.abort()", "the process ended with -6"), ("time.sleep(60)", "still reading after 0.5 s")]
)
def test_a_crash_and_a_hang_are_laid_to_their_input(monkeypatch, tmp_path, ends, words):
    package = tmp_path / "tests" / "fuzz"
    package.mkdir(parents=True)
    loop = "for n in range(int(sys.argv[2]), int(sys.argv[3])):\n  print(n, flush=True)\n  if n == 7: "
    text = f"import os, sys, time\n{loop}{ends}\n"
    (package / "worker.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(campaign, "ROOT", tmp_path)
    monkeypatch.setattr(campaign, "LIMIT", 0.5)
    (trouble,) = campaign.campaign(seed=0, start=0, count=20, workers=2)
    assert (trouble.number, trouble.words) == (7, words)


def test_a_worker_tells_what_it_tries(capsys):
    worker.main(0, 5, 8)
    assert capsys.readouterr().out.split() == ["5", "6", "7"]
