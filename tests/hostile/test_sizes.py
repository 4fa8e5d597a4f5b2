"""Sizes that parameters or input decide: refused before the work, in words, with exit code 2."""

import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import click
import numpy as np
import pytest

import rankscale as rs
from rankscale import _core
from rankscale.cli.program import cli
from rankscale.data.resources import budget, need, set_listener, set_max_memory
from rankscale.errors import FormatError, MemoryLimitError, ParameterError
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register_table import CLASSES
from rankscale.stats.tests.base.test import all_pairs
from rankscale.stats.tests.random_draws import PairedBootstrap
from rankscale.stats.tests.register import make_test
from tests.hostile import scale_memory

BILLION = 1_000_000_000
QRELS = {"1": {"a": 1, "b": 0}}


@pytest.fixture
def command(written, tmp_path):
    """A command under a limit of its memory: exit code, and what it said."""
    written("qrels", "1 0 a 1 / 1 0 b 0 / 2 0 a 1")
    written("run", "1 Q0 a 1 2 t / 1 Q0 x 2 1 t / 2 Q0 a 1 1 t")

    def run(*words: str, megabytes: int = 3000) -> tuple[int, str]:
        line = f'ulimit -v {megabytes * 1000}; exec "$@"'
        ended = subprocess.run(
            ["sh", "-c", line, "sh", sys.executable, "-m", "rankscale", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        assert "Traceback" not in ended.stderr, ended.stderr
        assert len(ended.stderr) < 3_000
        return ended.returncode, ended.stderr

    return run


@pytest.mark.parametrize("name", ["Success", "SP", "NERR8", "DCG", "SDCG"])
def test_a_depth_of_a_billion_is_refused_or_measured(name, command):
    code, said = command("evaluate", "qrels", "run", "-m", f"{name}@{BILLION}", "--bounds")
    assert code == 2
    assert "000 ranks" in said
    assert " of memory" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--threads", "1000000"], "--threads"),
        (["--depth", "9" * 20], "--depth"),
        (["--max-size", "9" * 26], "a size such as 500M"),
        (["-m", "P@0xffffffffffffffffffffffff"], "depth must be"),
        (["-m", f"P@{'9' * 5_000}"], "P@999"),
        (["-m", "x" * 100_000], "unknown measure 'xxx"),
        (["-m", f"RBP(p={'1' * 3_000})"], "RBP"),
    ],
)
def test_numbers_and_texts_that_are_too_long_are_said_in_short(options, words, command):
    code, said = command("evaluate", "qrels", "run", *options)
    assert code == 2
    assert words in said
    assert len(said) < 1_000


@pytest.mark.parametrize(
    ("name", "value"), [("threads", 2_000), ("depth", 2**31), ("max_size", 2**63), ("depth", 10**200)]
)
def test_the_same_in_python(name, value):
    with pytest.raises(ParameterError, match=f"{name} must be a whole number from 1 to") as error:
        rs.evaluate(QRELS, {"run": {"1": {"a": 1.0}}}, ["P@1"], **{name: value})
    assert len(str(error.value)) < 200


def test_many_topics_with_many_grades_do_not_make_a_dense_table(tmp_path):
    """2,000 topics with three grades each of their own: 6,000 levels, of which a topic has three."""
    topics, run = 2_000, {}
    qrels = {str(t): {f"d{g}": t * 3 + g + 1 for g in range(3)} for t in range(topics)}
    run = {str(t): {"d0": 3.0, "d1": 2.0, "d2": 1.0} for t in range(topics)}
    read = rs.read_qrels(qrels)
    values = rs.evaluate(read, {"run": run}, ["AP", "nDCG@2"]).values
    assert "counts" not in vars(read)  # the whole table was never made
    for topic in (0, 1, topics - 1):  # each as if it were alone
        alone = rs.evaluate({"1": qrels[str(topic)]}, {"run": {"1": run[str(topic)]}}, ["AP", "nDCG@2"]).values
        place = read.topics.index(str(topic))
        np.testing.assert_allclose(values[:, 0, place], alone[:, 0, 0], rtol=1e-12)
    (tmp_path / "run").write_text("".join(f"{topic} Q0 d0 1 3 t\n" for topic in qrels))
    rs.check([tmp_path / "run"], qrels=read)
    assert (
        read.recall_base(100) == [sum(grade >= 100 for grade in qrels[topic].values()) for topic in read.topics]
    ).all()
    assert "counts" not in vars(read)
    assert (read.counts_of(np.array([0, 5])) == read.counts[[0, 5]]).all()
    assert (read.level_counts == read.counts.sum(axis=0)).all()


def test_levels_of_a_block_give_the_values_of_all_levels(monkeypatch):
    """Every measure, on topics that lack most grades of the collection."""
    draw = np.random.default_rng(3)
    grades = [-1, 0, 0.5, 1, 2, 3, 7]
    qrels = {str(topic): {f"d{n}": grades[draw.integers(topic % 7, 7)] for n in range(12)} for topic in range(40)}
    runs = {
        name: {topic: {f"d{n}": float(score) for n, score in enumerate(draw.permutation(20))} for topic in qrels}
        for name in "ab"
    }
    measures = [made for made in map(_default, CLASSES) if made is not None]
    assert len(measures) > 60
    whole = rs.evaluate(qrels, runs, measures).values
    monkeypatch.setattr("rankscale.data.qrels.MANY_LEVELS", 1)
    monkeypatch.setattr("rankscale.data.run.BLOCK_ENTRIES", 64)
    np.testing.assert_array_equal(rs.evaluate(qrels, runs, measures).values, whole)


def _default(name: str) -> Measure | None:
    """The measure with its defaults at depth 5, if these qrels are enough for it."""
    kind = getattr(rs, name)
    if kind.by_subtopic or kind.by_assessor or kind.needs_scores or kind.needs_all_levels:
        return None
    try:
        return rs.parse(f"{name}@5" if kind.takes_depth else name)
    except ParameterError:
        return None


def test_what_does_not_fit_is_refused_before_the_work():
    set_max_memory(100 << 20)
    try:
        with pytest.raises(
            MemoryLimitError, match=r"this needs about 210 MB of memory, of .* that may be used; do that"
        ):
            need(200 << 20, "this", "do that")
        with pytest.raises(MemoryError):
            rs.judged("1 0 1").every_rank(10_000_000)
    finally:
        set_max_memory(None)
    assert budget() > 1 << 20


def test_a_fraction_as_persistence_gives_the_scale_that_counting_gives():
    """All 4^6 rankings of grades 0 to 3 and their values as fractions."""
    weights = [Fraction(2, 3) ** rank for rank in range(6)]
    values = {Fraction(0)}
    for weight in weights:
        values = {value + weight * grade for value in values for grade in range(4)}
    made = rs.scale(rs.RBP(p=Fraction(2, 3), depth=6, gains="linear"), levels=[0, 1, 2, 3])
    assert made.size == len(values) == 1394
    assert rs.scale("RBP(p=2/3,gains='linear')@6", levels=[0, 1, 2, 3]).size == 1394


def test_a_dictionary_that_changes_while_it_is_read_is_read_as_it_was():
    for read in (rs.read_qrels, lambda given: rs.read_runs(QRELS, given)):
        given: dict[str, dict[str, object]] = {"1": {"a": 1, "b": 1}}

        class Growing:
            def __float__(self, given: dict[str, dict[str, object]] = given) -> float:
                given["1"] |= {str(number): 1 for number in range(1_000)}
                given["2"] = {}
                return 1.0

        given["1"]["a"] = Growing()
        read(given)


def test_arrays_as_names_are_refused_in_words():
    with pytest.raises(FormatError, match="expected a name as topic, found ndarray"):
        rs.read_qrels([(np.array([1, 2]), "a", 1)])
    with pytest.raises(FormatError, match="expected a name as topic, found int"):
        rs.read_qrels([(10**6000, "a", 1)])


def test_numbers_in_another_byte_order_are_refused_by_the_core():
    foreign = np.array([1, 2, 3], dtype=np.dtype(np.int64).newbyteorder())
    with pytest.raises(ValueError, match="byte order of another machine"):
        _core.sums_below(foreign, foreign, foreign, 1)
    with pytest.raises(ValueError, match="byte order of another machine"):
        _core.level_counts(np.array([0], dtype=np.dtype(np.int16).newbyteorder()), np.array([0, 1]), 1)


def test_a_path_is_never_taken_for_a_collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        rs.read_qrels("msmarco-passage/dev")


@pytest.fixture(scope="module")
def long_files(tmp_path_factory):
    """Qrels and a run of a million lines, in one topic."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "qrels").write_text("".join(f"1 0 d{number} 1\n" for number in range(1_000_000)))
    (folder / "run").write_text("".join(f"1 Q0 d{number} 1 {number} t\n" for number in range(1_000_000)))
    (folder / "short").write_text("1 0 d1 1\n")
    return folder


@pytest.mark.parametrize("megabytes", [300, 400, 500])
@pytest.mark.parametrize("files", [("qrels", "run"), ("short", "run")], ids="-".join)
def test_long_files_under_a_limit_of_the_address_space_are_measured_or_refused(files, megabytes, command, long_files):
    code, said = command("evaluate", *(str(long_files / file) for file in files), "-m", "AP", megabytes=megabytes)
    assert code in {0, 2}
    assert code == 0 or "memory" in said


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "qrels", "-"],
        ["check", "-"],
        ["convert", "-", "out.run"],
        ["fuse", "-", "qrels", "-o", "out.run"],
        ["compare", "--values", "-"],
    ],
    ids=lambda words: words[0],
)
def test_endless_input_ends_with_an_error(words, tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    ended = subprocess.Popen(
        [sys.executable, "-m", "rankscale", *words, "--max-memory", "150M"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert ended.stdin is not None
    lines = b"1 Q0 d 1 1 t\n" * 100_000
    for _ in range(1_000):  # 1.3 GB
        try:
            os.write(ended.stdin.fileno(), lines)
        except BrokenPipeError:
            break
    said = ended.communicate()[1].decode()
    assert ended.wait(20) == 2
    assert "standard input: " in said
    assert "allow more with --max-memory" in said
    assert not (tmp_path / "out.run").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_max_memory_bounds_what_any_library_may_take(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 1 t\n")
    script = (
        "import numpy, sys\n"
        "from rankscale.evaluation import evaluate\n"
        "evaluate.run_sources = lambda *_: numpy.empty(6 << 30, dtype='u1')\n"  # as a library might do
        "from rankscale.__main__ import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "evaluate", "qrels", "run", "--max-memory", "200M"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stderr
    assert "not enough memory" in ended.stderr


def test_an_endless_file_is_refused_at_its_first_bad_line(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    words = [sys.executable, "-m", "rankscale", "evaluate", str(tmp_path / "qrels"), "-"]
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        ended = subprocess.run(words, stdin=endless.stdout, capture_output=True, text=True, check=False, timeout=20)
        endless.kill()
    assert ended.returncode == 2
    assert "standard input, line 1: expected: topic Q0 document rank score tag, found 1 column" in ended.stderr


def test_scales_say_what_they_need_before_they_are_counted(command):
    code, said = command("scale", "AP@29", "--max-memory", "100M")
    assert code == 2
    assert "the interval scale of AP@29 needs about 88 MB of memory" in said
    assert "--method estimated" in said
    assert command("scale", "AP@30", megabytes=600)[0] == 0


@pytest.mark.parametrize(
    ("measure", "options"),
    [("AP@21", {}), ("GAP@14", {"levels": [0, 1, 2]}), ("RBP(p=0.5)@20", {})],
    ids=lambda given: given if isinstance(given, str) else "",
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_scales_take_what_was_predicted(measure, options):
    """Above, but no more than twice what is measured; `python -m tests.hostile.scale_memory` has many more."""
    memory = scale_memory.measured(measure, options)
    assert not memory.said
    assert not memory.is_wrong, memory


def test_tests_by_resampling_are_announced_and_keep_within_their_memory():
    said: list[str] = []
    set_listener(said.append)
    try:
        values = np.random.default_rng(1).random((2_000, 2))
        for name in ("bootstrap", "randomisation", "randomised tukey"):
            test = replace(make_test(name), samples=20)  # type: ignore[call-arg]  # which these tests have
            test.compare(values, all_pairs(2))
        assert not said
        announce_only = PairedBootstrap(samples=1_000_000)
        next(announce_only.some_at_once(values, all_pairs(2)))
    finally:
        set_listener(None)
    assert said == ["the paired bootstrap test with 1000000 draws will take about 3 minutes"]


def test_every_command_that_computes_takes_a_limit():
    from rankscale.cli.figure import FIGURES, figure_command

    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    others = {"measures", "completion", "figure", "trec_eval"}
    computing = {name: made for name, made in commands.items() if name not in others and made}
    computing |= {f"figure {name}": figure_command(name) for name in FIGURES}
    without = [name for name, made in computing.items() if "max_memory" not in {param.name for param in made.params}]
    assert not without


@pytest.mark.parametrize("megabytes", [40, 90, 100, 130])
def test_too_little_room_for_libraries_is_an_error_in_one_line(megabytes, command):
    code, said = command("evaluate", "qrels", "run", megabytes=megabytes)
    assert code == 2
    assert said == (
        f"rankscale: the address space of this process is limited to {megabytes * 1.024:.0f} MB, and Python and its "
        "libraries take 134 MB: raise the limit (ulimit -v)\n"
    )
