"""json: one document with provenance, means, how many topics they are over, and values by topic."""

import json
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import rankscale
from rankscale.evaluation.result import Evaluation

Make = Callable[[Sequence[float]], Evaluation]


def strictly(text: str) -> Any:
    """Parsed by the rules of JSON, which know no NaN and no Infinity."""

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_document_holds_all_names_and_values(nasty: Evaluation) -> None:
    document = strictly(nasty.to_json())
    assert [one["run"] for one in document["runs"]] == list(nasty.runs)
    assert {one["run"]: one["topics"] for one in document["runs"]} == nasty.to_dict()
    assert {one["run"]: one["means"] for one in document["runs"]} == nasty.means().to_dict()
    counted = {one["run"]: one["topics_counted"]["AP"] for one in document["runs"]}
    assert counted == {run: len(nasty.by_topic(run, "AP")) for run in nasty.runs}


def test_provenance_says_how_to_get_the_numbers_again(nasty: Evaluation) -> None:
    document = strictly(nasty.to_json())
    assert document["rankscale"] == rankscale.__version__
    assert document["signature"] == nasty.signature
    assert document["measures"] == ["AP", "nDCG(gains={1:3})@5"]
    assert document["sources"] == ["qrels", *nasty.runs]


def test_without_topics(nasty: Evaluation) -> None:
    document = strictly(nasty.to_json("means"))
    assert all("topics" not in one for one in document["runs"])


def test_every_bit_of_a_value_is_kept(holding: Make, hard_values: list[float]) -> None:
    (one,) = strictly(holding(hard_values).to_json())["runs"]
    read = [values["AP"] for values in one["topics"].values()]
    assert [struct.pack("<d", value) for value in read] == [struct.pack("<d", value) for value in hard_values]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_undefined_and_infinite_values_are_json_too(value: float, holding: Make) -> None:
    (one,) = strictly(holding([value]).to_json())["runs"]
    read = one["topics"]["0000"]["AP"]
    assert read is None if math.isnan(value) else read == value


def test_the_text_is_utf8_and_ends_its_line(nasty: Evaluation) -> None:
    assert nasty.to_json().encode("utf-8").endswith(b"}\n")
