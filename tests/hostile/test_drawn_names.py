"""Hostile names through every figure, and through the workbench: its pages and their JSON."""

import json
import re
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from rankscale.cli.figure import FIGURES
from rankscale.cli.program import cli
from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.serve import open_bench
from tests.hostile.test_names import FEW, TAGS, Tags, folder, plain  # noqa: F401  # a fixture, among others

SEVERAL, ONE = ["qrels", *FEW[:3]], ["qrels", FEW[0], "--topic", TAGS[0]]
# What stands after the name of each figure: files of several runs unless said; None where it shows no names.
DRAWN: dict[str, list[str] | None] = {
    **dict.fromkeys(FIGURES, SEVERAL),
    "agree": ["qrels", "qrels-b", *FEW[:3], "-m", "AP"],
    "asl": [*SEVERAL, "-m", "AP", "--samples", "20"],
    "correlate": [*SEVERAL, "-m", "AP", "-m", "P@5"],
    "critical-difference": [*SEVERAL, "-m", "AP"],
    "crp": ONE,
    "crp-dcg": ONE,
    "curves": [*SEVERAL, "-m", "P"],
    "diff": ["qrels", *FEW[:2], "-m", "AP"],
    "hasse": None,
    "indicators": ["qrels", FEW[0]],
    "intervals": [*SEVERAL, "-m", "P@5"],
    "means": [*SEVERAL, "-m", "AP"],
    "overlap": FEW[:3],
    "pools": [*SEVERAL, "-m", "AP"],
    "robustness": [*SEVERAL, "-m", "AP", "--samples", "2"],
    "spacing": None,
    "topics": [*SEVERAL, "-m", "AP"],
    "values": None,
}
TOKEN = "0123456789abcdef0123456789"


def test_every_row_is_of_a_figure():
    assert set(DRAWN) == set(FIGURES)


@pytest.mark.parametrize("figure", [name for name, words in DRAWN.items() if words is not None])
def test_names_in_figures_are_text(figure, folder, monkeypatch):  # noqa: F811  # the fixture
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(folder)
    ended = CliRunner().invoke(cli, ["figure", figure, *(DRAWN[figure] or ()), "-o", "drawn.svg"])
    assert ended.exit_code == 0, (ended.output[-500:], ended.exception)
    plain(ended.output)
    drawn = ET.fromstring((folder / "drawn.svg").read_bytes())
    assert not [one.tag for one in drawn.iter() if one.tag.split("}")[-1] in {"script", "img", "b", "image"}]
    plain("".join(drawn.itertext()))


@pytest.fixture(scope="module")
def client(folder):  # noqa: F811  # the fixture
    """The workbench of such files, asked without a port."""
    testclient = pytest.importorskip("starlette.testclient")
    bench = open_bench(
        str(folder / "qrels"), [str(folder / name) for name in FEW[:4]], title="<script>alert(1)</script>"
    )
    made = Workbench(bench).application(token=TOKEN, hosts=frozenset({"testserver"}), cookie="rankscale")
    with testclient.TestClient(made) as asking:
        asking.get(f"/?token={TOKEN}")
        yield asking


@pytest.mark.parametrize("view", VIEWS)
def test_names_in_the_workbench_are_text(view, client):
    runs = [quote(tag, errors="surrogateescape") for tag in TAGS[:4]]
    query = f"?a={runs[0]}&b={runs[1]}&run={runs[2]}&topic={runs[3]}"
    for asked in ("", query):
        answer = client.get(VIEWS[view].path + asked)
        assert answer.status_code < (500 if asked else 300), answer.text[-300:]
        assert "<script>alert" not in answer.text
        assert "<img/src" not in answer.text
        reader = Tags()  # no attribute that runs code
        reader.feed(re.sub(r"(?s)<script.*?</script>", "", answer.text))
        assert not {"img", "b"} & set(reader.seen)
        held = client.get(f"/{view}.json{asked}")
        assert held.status_code < (500 if asked else 300)
        json.loads(held.content)
