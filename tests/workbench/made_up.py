"""A made-up collection of any size, with queries and groups of topics, for tests of many topics."""

import json
import random
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from rankscale.workbench.app import VIEWS, Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State

RUNS = {"early": 0.9, "middling": 0.6, "late": 0.3}  # how likely a relevant document stands early
Rankings = dict[str, dict[str, float]]


def collection(topics: int, seed: int = 0) -> tuple[Rankings, dict[str, Rankings], dict[str, str]]:
    """Qrels, runs and groups of topics; every seventh topic has no relevant document, every fifth no group."""
    chance = random.Random(seed)
    qrels: Rankings = {}
    runs: dict[str, Rankings] = {name: {} for name in RUNS}
    for number in range(topics):
        topic = str(number + 1)
        relevant = 0 if number % 7 == 6 else chance.randint(1, 4)
        documents = [f"d{number}-{place}" for place in range(12)]
        qrels[topic] = {name: float(place < relevant) * chance.randint(1, 2) for place, name in enumerate(documents)}
        for name, early in RUNS.items():
            scores = {
                one: chance.random() + (chance.random() < early) * (place < relevant)
                for place, one in enumerate(documents)
            }
            runs[name][topic] = scores
    return qrels, runs, {topic: "odd" if int(topic) % 2 else "even" for topic in qrels if int(topic) % 5}


def opened(topics: int, **options: Any) -> Bench:
    """A bench of the collection, with groups."""
    qrels, runs, groups = collection(topics)
    return open_bench(qrels, runs, ["AP", "nDCG@10"], groups=groups, **options)


def asking(bench: Bench) -> Callable[[str, str], Any]:
    """What gives the JSON of a view for the query of its address."""
    workbench = Workbench(bench)

    def ask(view: str, query: str = "") -> Any:
        return json.loads(workbench.json(VIEWS[view], state(query), lambda _done, _of: None))

    return ask


def state(query: str) -> State:
    """The state of a query."""
    return State.of(parse_qsl(query))
