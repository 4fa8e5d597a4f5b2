"""Which topics are fused, where runs do not have the same."""

from dataclasses import replace
from typing import Literal

from rankscale.data.names import listed
from rankscale.data.notices import notes
from rankscale.errors import ParameterError
from rankscale.inputs.options import check_choice
from rankscale.inputs.rankings import Lists

MissingTopics = Literal["zero", "common", "error"]


def following(lists: Lists, missing: MissingTopics) -> Lists:
    """The rankings of topics that count, with notices of those that runs lack; ParameterError where none is left."""
    check_choice("missing", missing, ("zero", "common", "error"))
    then = "left out" if missing == "common" else "where it adds nothing"
    sentences = []
    for name, absent in lists.lacking().items():
        what = f"{name} lacks {len(absent)} of {len(lists.topics)} topics that other runs have ({listed(absent)})"
        if missing == "error":
            raise ParameterError(f"{what}: missing='zero' takes all topics")
        sentences.append(f"{what}, {then}")
    noticed = replace(lists, notices=(*lists.notices, *notes(sentences, "missing topics of runs")))
    if missing != "common":
        return noticed
    kept = {topic: of for topic, of in lists.by_topic.items() if len(of.retrieved) == len(lists.runs)}
    if not kept:
        there = f"{len(lists.runs)} runs ({listed(list(lists.runs))})"
        raise ParameterError(f"no topic is in all {there}: missing='zero' takes all")
    return replace(noticed, by_topic=kept)
