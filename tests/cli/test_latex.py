"""LaTeX on request: table environments, captions, labels and citations, declared once for all commands."""

import re

import pytest

import rankscale as rs
from rankscale.measures.base.facts import BY_CITATION, PROGRAM, WORKS, bibliography, works_of
from rankscale.measures.base.register import find, names
from rankscale.outputs.people import in_environment, with_citations

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
WITHOUT_ENTRY = {"Tomlinson", "norm of MATTERS, the authors' program, 2014"}  # no publication
RUNS = {"x_1": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}


@pytest.mark.parametrize(
    ("command", "more"),
    [("evaluate", ()), ("compare", ("--pairs",)), ("curves", ()), ("changes", ("-m", "AP@3")), ("correlate", ())],
)
def test_every_command_takes_caption_and_label(rankscale, qrels, good, part, command, more):
    plain = rankscale(command, qrels, good, part, *more, "--format", "latex")
    assert plain.code == 0, plain.err
    captioned = ("--format", "latex", "--caption", r"Means, \emph{95\%}", "--label", "tab:means_1")
    made = rankscale(command, qrels, good, part, *more, *captioned)
    head = "\\begin{table}\n\\centering\n\\caption{Means, \\emph{95\\%}}\n\\label{tab:means_1}\n"
    assert made.out == f"{head}{plain.out}\\end{{table}}\n"
    assert made.out.count(r"\begin{") == made.out.count(r"\end{")


def test_only_latex_has_captions(rankscale, qrels, good, tmp_path):
    for option in (("--caption", "Means"), ("--cite",), ("--label", "tab:x")):
        refused = rankscale("evaluate", qrels, good, *option).refused
        assert f"{option[0]} goes with LaTeX: add --format latex, or -o FILE.tex" in refused
    assert rankscale("evaluate", qrels, good, "--caption", "Means", "-o", tmp_path / "means.tex").code == 0
    assert "give a caption too" in rankscale("evaluate", qrels, good, "--label", "tab:x", "--format", "latex").refused


@pytest.mark.parametrize("caption", ["{", "}", "}{", "95% sure", "\\", "a\\\\\\", "{\\}", "%}"])
def test_captions_that_would_break_the_document_are_refused(caption):
    with pytest.raises(rs.errors.ParameterError, match="a caption is LaTeX: its braces match"):
        in_environment("", caption)


@pytest.mark.parametrize("caption", ["", "a", "{a}{b{c}}", "95\\%", "\\{", "\\}", "\\\\", "$x_1$ \\cite{a}"])
def test_captions_that_are_whole_are_taken_as_they_are(caption):
    assert rf"\caption{{{caption}}}" in in_environment("", caption)


@pytest.mark.parametrize("label", ["", "a b", "tab:x}", "tab,x", "ä", "a\n"])
def test_labels_are_plain(label):
    with pytest.raises(rs.errors.ParameterError, match="label must be letters, digits"):
        in_environment("", "Means", label)


def test_in_python():
    evaluation = rs.evaluate(QRELS, RUNS, "AP")
    for result in (evaluation, evaluation.means(), rs.compare(evaluation)):
        text = result.to_latex(caption="Means", label="tab:x")
        assert text.startswith("\\begin{table}\n\\centering\n\\caption{Means}\n\\label{tab:x}\n% ")
        assert text.endswith("\\end{table}\n")
        assert result.to_latex() in text


def test_measures_are_cited_in_headings_and_columns(rankscale, qrels, good, part):
    lines = rankscale("evaluate", qrels, good, "-m", "AP", "-m", "nDCG@10", "--cite", "--format", "latex").out
    assert (
        r"run & topics & AP~\cite{buckley2005retrieval} & nDCG@10~\cite{jarvelin2002cumulated,burges2005learning} \\"
    ) in lines.splitlines()
    asked = ("compare", qrels, good, part, "-m", "AP", "--pairs", "--format", "latex")
    assert "\nAP~\\cite{buckley2005retrieval} & student &" in rankscale(*asked, "--cite").out
    study = ("discriminate", qrels, good, part, "-m", "AP", "--samples", "20", "--format", "latex", "--cite")
    assert "\nAP~\\cite{buckley2005retrieval} & bootstrap &" in rankscale(*study).out
    nothing = rankscale(
        "evaluate", qrels, good, "-m", "NumQ", "-m", "AP", "--summary", "median", "--format", "latex", "--cite"
    )
    assert nothing.out.count(r"\cite{buckley") == 2
    without = rankscale("pool", qrels, good, "--pool-depth", "1", "--table", "runs", "--format", "latex", "--cite")
    assert "warning: --cite: no heading and no column called measure names a measure here" in without.err
    # A run of a measure's name is no measure.
    assert with_citations("\\toprule\nrun & AP \\\\\n\\midrule\nAP & 1 \\\\\n", {"AP": ["b"]}) == (
        "\\toprule\nrun & AP~\\cite{b} \\\\\n\\midrule\nAP & 1 \\\\\n"
    )


def test_every_measure_has_its_works_in_the_register():
    parts = {words for name in names() for words in find(name).paper.split("; ")}
    assert {words for words in parts if words not in BY_CITATION} == WITHOUT_ENTRY
    cited = {work for name in names() for work in works_of(find(name))}
    assert cited == {*WORKS, PROGRAM}  # none that nothing refers to
    assert len({work.key for work in cited}) == len(cited)
    for work in WORKS:
        fields = dict(work.fields)
        family = fields["author"].split(",")[0]
        assert family in work.cited
        assert fields["year"] in work.cited
        assert work.key.startswith(re.sub(r"\W", "", family.lower().replace("ä", "a").replace(" ", "")))
        assert fields["year"] in work.key
        for number in ("volume", "number"):
            assert fields.get(number, "") in work.cited


def test_works_of_a_measure_made_of_another():
    keys = [work.key for work in works_of(rs.parse("Interval(RBP(p=0.8)@5)"))]
    assert keys == ["ferrante2021towards", "moffat2008rank"]


def test_bibtex(rankscale):
    made = rankscale("measures", "--bibtex", "nDCG", "nDCG@10", "CG", "map")
    entries = re.findall(r"^@(\w+)\{(\w+),$", made.out, re.MULTILINE)
    assert entries == [
        ("incollection", "buckley2005retrieval"),
        ("inproceedings", "burges2005learning"),
        ("article", "jarvelin2002cumulated"),
    ]
    assert r"author = {J{\"a}rvelin, Kalervo and Kek{\"a}l{\"a}inen, Jaana}," in made.out
    everything = rankscale("measures", "--bibtex").out
    assert everything.isascii()
    assert everything.count("{") == everything.count("}")
    assert everything == bibliography(map(find, names()))
    assert everything.count("\n@") + 1 == len(WORKS) + 1
    assert "unknown measure" in rankscale("measures", "--bibtex", "nope").refused


def test_several_measures_are_explained(rankscale):
    both = rankscale("measures", "AP", "RR").out
    assert both == rankscale("measures", "AP").out + "\n" + rankscale("measures", "RR").out


def test_simultaneous_intervals_and_effect_sizes_of_pairs(rankscale, qrels, good, part):
    asked = ("compare", qrels, good, part, "-m", "AP", "--simultaneous", "--format")
    (heading,) = (
        line for line in rankscale(*asked, "latex", "--pairs").out.splitlines() if line.startswith("measure &")
    )
    columns = heading.removesuffix(r" \\").replace("\\_", "_").split(" & ")
    assert columns[4:13] == [
        "difference",
        "lower",
        "upper",
        "p_uncorrected",
        "p",
        "family",
        "significant",
        "paired_d",
        "hedges_g",
    ]
    assert "lower" in rankscale(*asked, "jsonl").rows[0]
    assert "--simultaneous is about the rows of pairs: add --pairs" in rankscale(*asked, "latex").refused
