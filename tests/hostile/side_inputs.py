"""Extreme files of at most a megabyte for every reader of a side input: values, groups, topics, intents, settings, ...

Each case names the module that reads the file, the files, and the command. `test_side_inputs.py` holds every case to
the limits of run files (`search.py`).
"""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.hostile.extremes import MEGABYTE, Files, lines, numbers, parquet

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n"
COLLECTION = {"qrels": QRELS, "run": RUN, "other": b"1 Q0 b 1 2 y\n2 Q0 a 2 1 y\n"}
COMPARE = ["compare", "--values", "values", "--format", "tsv"]
CHECK = ["check", "run", "--topics", "topics"]
KEPT = ["evaluate", "qrels", "run", "--topics", "topics"]
GROUPS = ["evaluate", "qrels", "run", "--groups", "groups"]
INTENTS = ["evaluate", "qrels", "run", "-m", "alpha_nDCG@10", "--intents", "intents"]
PREFS = ["evaluate", "qrels", "run", "--qrels-form", "prefs", "-m"]
TREC_PREFS = ["trec_eval", "-R", "prefs", "-m", "prefs_simp", "qrels", "run"]
SUBTOPICS = ["evaluate", "qrels", "run", "-m"]
NOVELTY = ("alpha_DCG@10", "alpha_nDCG@10", "ERR_IA@10", "nERR_IA@10", "NRBP", "nNRBP")
COVERED = ("StRecall@10", "Coverage@10", "D_nDCG@10", "DSharp_nDCG@10")
EACH = ("P_IA@10", "AP_IA", "Groups(AP)", "Prefs", "PrefsGroup")


class Side(NamedTuple):
    """A case: the module under src/rankscale that reads the extreme file, its files, and the command."""

    reader: str
    make: Callable[[], Files]
    command: list[str]


SIDES: dict[str, Side] = {}


def side(reader: str, *commands: list[str]) -> Callable[[Callable[[], Files]], Callable[[], Files]]:
    """Register a case under the name of its function, once for each command."""

    def register(make: Callable[[], Files]) -> Callable[[], Files]:
        for command in commands:
            words = [make.__name__, *([] if len(commands) == 1 else [command[0], command[-1]])]
            name = "-".join(words)
            SIDES[name] = Side(reader, make, command)
        return make

    return register


def written(name: str, folder: Path) -> Path:
    """Write the files of a case into a folder."""
    files = {**COLLECTION, **SIDES[name].make()}
    size = sum(map(len, files.values()))
    if size > MEGABYTE:
        raise ValueError(f"{name}: {size} bytes, of {MEGABYTE}")
    for file, content in files.items():
        (folder / file).write_bytes(content)
    return folder


# Values

VALUES = "inputs/values"


def values(content: bytes) -> Files:
    return {"values": content}


def tidy(row: Callable[[int], str], size: int = 950_000) -> Files:
    return values(b"run\ttopic\tmeasure\tvalue\n" + lines(row, size))


@side(VALUES, COMPARE)
def values_of_unknown_measures() -> Files:
    return tidy(lambda n: f"{'xy'[n % 2]}\t{n // 2 % 2}\tstrange{n // 4}\t0.5")


@side(VALUES, COMPARE)
def values_of_measures_like_ours() -> Files:
    return tidy(lambda n: f"{'xy'[n % 2]}\t{n // 2 % 2}\tnDCG(base={n // 4})@{n}\t0.5", 500_000)


@side(VALUES, COMPARE)
def values_in_very_many_columns() -> Files:
    columns = 60_000
    header = "run,topic," + ",".join(f"m{n}" for n in range(columns))
    return values("\n".join([header, *(f"{run},1" + ",0" * columns for run in "xy")]).encode())


@side(VALUES, COMPARE)
def values_in_columns_without_names() -> Files:
    return values(b"topic" + b"," * 300_000 + b"\n1" + b",0" * 300_000 + b"\n")


@side(VALUES, COMPARE)
def values_on_the_diagonal() -> Files:
    return tidy(lambda n: f"{n}\t{n}\tm{n}\t0.5")


@side(VALUES, COMPARE)
def values_of_very_many_runs() -> Files:
    return tidy(lambda n: f"{n}\t{n}\tAP\t0.5")


@side(VALUES, COMPARE)
def values_of_two_very_long_runs() -> Files:
    return tidy(lambda n: f"{'xy'[n % 2]}\t{n // 2}\tAP\t0.5")


@side(VALUES, COMPARE)
def values_wide() -> Files:
    return values(b"topic," + lines(lambda n: f"r{n}", 450_000).replace(b"\n", b",")[:-1] + b"\n1" + b",0" * 70_000)


@side(VALUES, [*COMPARE, "-m", "AP"])
def values_in_objects_of_their_own_key() -> Files:
    return values(lines(lambda n: f'{{"r{n}":0}}', 950_000))


@side(VALUES, COMPARE)
def values_in_a_document() -> Files:
    inside = ",".join(f'"{n}":{{"m{n}":1}}' for n in range(40_000))
    return values(f'{{"x":{{{inside}}},"y":{{"1":{{"AP":1}}}}}}'.encode())


@side(VALUES, COMPARE)
def values_in_deep_json() -> Files:
    return values(b'{"a":' * 190_000)


@side(VALUES, COMPARE)
def values_in_deep_lists() -> Files:
    return values(b"[" * 900_000)


@side(VALUES, COMPARE)
def values_with_long_numbers() -> Files:
    return values(b'{"x":{"1":{"AP":' + b"9" * 900_000 + b"}}}")


@side(VALUES, COMPARE)
def values_with_long_names() -> Files:
    return tidy(lambda n: f"{'xy'[n % 2]}\t{n // 2}\t{'m' * 100_000}({n}\t0.5")


@side(VALUES, COMPARE)
def values_with_a_long_measure() -> Files:
    return tidy(lambda n: f"{'xy'[n % 2]}\t1\tP{'(of=P' * 70_000}\t0.5", 900_000)


@side(VALUES, COMPARE)
def values_of_blanks() -> Files:
    return values(b"AP" + b" " * 900_000 + b"\n")


@side(VALUES, COMPARE)
def values_of_trec_eval() -> Files:
    return values(lines(lambda n: f"m{n}\t{n}\t0.5", 900_000) + b"runid\tall\tx\n")


@side(VALUES, COMPARE)
def values_of_ir_measures() -> Files:
    return values(lines(lambda n: f"{n} m{n} 0.5", 900_000))


@side(VALUES, COMPARE)
def values_of_mteb() -> Files:
    parts = ",".join(f'{{"hf_subset":"{n}","m{n}":1}}' for n in range(25_000))
    return values(f'{{"task_name":"t","scores":{{"test":[{parts}]}}}}'.encode())


@side(VALUES, COMPARE)
def values_beside_a_long_description() -> Files:
    return {**tidy(lambda n: f"{'xy'[n % 2]}\t{n // 2}\tAP\t0.5", 2_000), "model_meta.json": b"[" * 900_000}


@side(VALUES, COMPARE)
def values_packed() -> Files:
    return values(lzma.compress(b"run\ttopic\tmeasure\tvalue\n" + lines(lambda n: f"x\t{n}\tA\t0", 16_000_000)))


@side(VALUES, COMPARE)
def values_packed_in_json() -> Files:
    return values(lzma.compress(b'{"x":{"1":{"AP":[' + b"[]," * 5_000_000 + b"[]]}}}"))


@side(VALUES, COMPARE)
def values_packed_without_end() -> Files:
    return values(bz2.compress(b"\n" * 1_000_000_000))


@side(VALUES, COMPARE)
def values_in_parquet() -> Files:
    return values(parquet({"run": ["x"], "topic": ["1"], "measure": ["AP"], "value": [0.5]}, 20_000_000))


@side(VALUES, COMPARE)
def values_in_parquet_with_long_names() -> Files:
    return values(parquet({"run": ["x"], "topic": ["1" * 500_000], "measure": ["AP"], "value": [0.5]}, 4_000))


@side(VALUES, COMPARE)
def values_in_parquet_of_numbers() -> Files:
    return values(numbers(20_000_000, ["qid"], "value"))


@side(VALUES, COMPARE)
def values_in_arrow() -> Files:
    import numpy as np
    import pyarrow as pa

    rows, made = 30_000_000, io.BytesIO()
    table = pa.table({"run": np.zeros(rows, np.int8), "topic": np.zeros(rows, np.int8), "AP": np.zeros(rows)})
    with pa.ipc.new_file(made, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=rows)
    return values(made.getvalue())


# Topics and their groups

TOPICS = "inputs/topics.py"


@side(TOPICS, CHECK, KEPT)
def topics_that_open_a_tag() -> Files:
    return {"topics": b"<top " * 190_000}


@side(TOPICS, CHECK, KEPT)
def topics_after_many_blanks() -> Files:
    return {"topics": b"<num>" + b" " * 900_000}


@side(TOPICS, CHECK)
def topics_of_tags_with_blanks() -> Files:
    return {"topics": (b"<num>" + b" " * 995 + b"\n") * 900}


@side(TOPICS, CHECK)
def topics_with_attributes() -> Files:
    return {"topics": b"<topic " + b"id=number=" * 90_000}


@side(TOPICS, CHECK)
def topics_with_open_quotes() -> Files:
    return {"topics": b"<topic id='" * 80_000}


@side(TOPICS, CHECK)
def topics_in_one_line() -> Files:
    return {"topics": b"a," * 450_000}


@side(TOPICS, CHECK)
def topics_in_json() -> Files:
    return {"topics": b'{"a":' * 180_000}


@side(TOPICS, CHECK)
def topics_in_lines() -> Files:
    return {"topics": lines(str, 900_000)}


@side(TOPICS, CHECK)
def topics_packed() -> Files:
    return {"topics": lzma.compress(lines(str, 16_000_000))}


TOPIC_GROUPS = "inputs/topics.py"


@side(TOPIC_GROUPS, GROUPS)
def a_group_for_each_topic() -> Files:
    return {"groups": lines(lambda n: f"{n} g{n}", 900_000)}


@side(TOPIC_GROUPS, GROUPS)
def groups_for_each_judged_topic() -> Files:
    topics = range(20_000)
    return {
        "groups": "".join(f"{n} g{n}\n" for n in topics).encode(),
        "qrels": "".join(f"{n} 0 a 1\n" for n in topics).encode(),
        "run": "".join(f"{n} Q0 a 1 1 x\n" for n in topics).encode(),
    }


@side(TOPIC_GROUPS, GROUPS)
def groups_in_very_many_columns() -> Files:
    return {"groups": b"topic," + b"c," * 200_000 + b"g\n1" + b"," * 200_000 + b"g\n"}


@side(TOPIC_GROUPS, GROUPS)
def groups_in_objects_of_their_own_key() -> Files:
    return {"groups": lines(lambda n: f'{{"topic":{n},"c{n}":0}}', 950_000)}


@side(TOPIC_GROUPS, GROUPS)
def groups_packed() -> Files:
    return {"groups": lzma.compress(lines(lambda n: f"{n} g", 16_000_000))}


# Sub-topics and assessors

INTENT_FILES = "inputs/topics.py"


@side(INTENT_FILES, INTENTS)
def intents_of_one_topic() -> Files:
    return {"qrels": b"1 s a 1\n1 t b 1\n", "intents": lines(lambda n: f"1 {n} 1", 900_000)}


@side(INTENT_FILES, INTENTS)
def intents_of_one_topic_among_many() -> Files:
    return {
        "qrels": b"0 x a 1\n" + lines(lambda n: f"{n} {n % 2} a 1", 400_000),
        "intents": lines(lambda n: f"0 {n} 1", 400_000),
    }


@side(INTENT_FILES, INTENTS, ["check", "run", "--qrels", "qrels", "--intents", "intents"])
def intents_that_are_wrong() -> Files:
    return {"qrels": b"1 s a 1\n1 t b 1\n", "intents": lines(lambda _: "x", 900_000)}


@side(INTENT_FILES, INTENTS)
def intents_packed() -> Files:
    return {"qrels": b"1 s a 1\n1 t b 1\n", "intents": lzma.compress(lines(lambda n: f"1 {n} 1", 16_000_000))}


ASPECTS = "data/aspects.py"
every = [[*SUBTOPICS, name] for name in (*NOVELTY, *COVERED, *EACH)]


@side(ASPECTS, *every)
def a_subtopic_for_each_document() -> Files:
    return {
        "qrels": lines(lambda n: f"1 {n} {n} 1", 247_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side(ASPECTS, *every)
def very_many_subtopics_of_few_documents() -> Files:
    return {
        "qrels": lines(lambda n: f"1 {n} {n % 9} 1", 500_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side(ASPECTS, *every)
def one_topic_with_very_many_subtopics_among_many() -> Files:
    return {
        "qrels": lines(lambda n: f"{0 if n % 2 else n} {n} a{n % 7} 1", 500_000),
        "run": lines(lambda n: f"{n} Q0 a{n % 7} 0 1 t", 400_000),
    }


@side(ASPECTS, *[[*SUBTOPICS[:-1], "--bounds", "-m", name] for name in ("alpha_nDCG@10", "alpha_nDCG", "P_IA@10")])
def subtopics_with_bounds() -> Files:
    return a_subtopic_for_each_document()


@side(
    ASPECTS,
    *[[*SUBTOPICS[:-1], "--ties", "expected", "-m", name] for name in ("alpha_nDCG@10", "AP_IA", "StRecall@10")],
)
def subtopics_with_ties() -> Files:
    return {
        "qrels": lines(lambda n: f"1 {n} {n} 1", 247_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 0 t", 400_000),
    }


@side(ASPECTS, ["agree", "qrels"])
def an_assessor_for_each_document() -> Files:
    return {"qrels": lines(lambda n: f"1 {n} {n} 1", 247_000)}


@side(ASPECTS, ["agree", "qrels"])
def very_many_assessors() -> Files:
    return {"qrels": lines(lambda n: f"1 {n} {n % 3} 1", 950_000)}


PREFERENCES = "measures/families/preferences.py"
preferring = [[*PREFS, name] for name in ("Prefs", "PrefsGroup", "PrefsPair", "PrefsBalanced", "NumPrefsFul")]


@side(PREFERENCES, *preferring, TREC_PREFS)
def preferences_of_an_assessor_each() -> Files:
    return {
        "qrels": lines(lambda n: f"1 {n} l {n} 1", 500_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side(PREFERENCES, *preferring, TREC_PREFS)
def preferences_in_a_list_each() -> Files:
    return {
        "qrels": lines(lambda n: f"1 j {n} {n} 1", 450_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side(PREFERENCES, *preferring, TREC_PREFS)
def preferences_in_two_lists() -> Files:
    return {
        "qrels": lines(lambda n: f"1 j {n % 2} {n} {n}", 450_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side(PREFERENCES, *preferring, TREC_PREFS)
def preferences_of_as_many_documents_as_allowed() -> Files:
    return {
        "qrels": "".join(f"1 {n % 2} {n % 3} {n} {n}\n" for n in range(4_990)).encode(),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 200_000),
    }


@side(PREFERENCES, *preferring, TREC_PREFS)
def preferences_of_many_topics() -> Files:
    return {
        "qrels": lines(lambda n: f"{n // 12} {n % 2} {n % 3} {n % 12} {n % 7}", 450_000),
        "run": lines(lambda n: f"{n // 12} Q0 {n % 12} 0 {-n} t", 400_000),
    }


# What trec_eval alone reads

JUDGMENTS = "trec_eval/input_files.py"


@side(JUDGMENTS, TREC_PREFS)
def preferences_packed_without_end() -> Files:
    return {"qrels": bz2.compress(b"\n" * 1_500_000_000)}


@side(JUDGMENTS, ["trec_eval", "-R", "qrels_jg", "-m", "map_avgjg", "qrels", "run"])
def judgment_groups() -> Files:
    return {
        "qrels": lines(lambda n: f"1 {n} {n} 1", 450_000),
        "run": lines(lambda n: f"1 Q0 {n} 0 {-n} t", 400_000),
    }


@side("trec_eval/printing.py", ["trec_eval", "-Z", "zscores", "qrels", "run"])
def zscores() -> Files:
    return {"zscores": lines(lambda n: f"{n} m{n} 0 1", 900_000)}


@side("trec_eval/input_files.py", TREC_PREFS)
def a_run_that_has_a_document_twice() -> Files:
    return {
        "qrels": b"1 j l a 1\n1 j l b 0\n",
        "run": lines(lambda n: f"1 Q0 {n // 2} 0 {-n} t", 900_000),
    }


# Settings and groups of runs

CONFIG = "cli/gate.py"
SETTINGS = ["gate", "qrels", "run", "other", "--config", "settings.toml"]


@side(CONFIG, SETTINGS)
def settings_in_deep_lists() -> Files:
    return {"settings.toml": b"measure = " + b"[" * 900_000}


@side(CONFIG, SETTINGS)
def settings_in_a_long_key() -> Files:
    return {"settings.toml": b"a." * 400_000 + b"a = 1\n"}


@side(CONFIG, SETTINGS)
def settings_in_very_many_tables() -> Files:
    return {"settings.toml": lines(lambda n: f"[t{n}]", 900_000)}


@side(CONFIG, SETTINGS)
def settings_of_very_many_measures() -> Files:
    return {"settings.toml": f"measure = [{','.join(repr(f'P@{n}') for n in range(90_000))}]".encode()}


@side(CONFIG, SETTINGS)
def settings_with_a_long_number() -> Files:
    return {"settings.toml": b"threads = " + b"9" * 900_000}


@side(CONFIG, ["gate", "qrels", "run", "other", "--margin", "5%"])
def settings_of_the_project() -> Files:
    return {"pyproject.toml": b"[tool.rankscale.gate]\n" + b"a." * 120_000 + b"a = 1\n"}


@side(CONFIG, SETTINGS)
def settings_below_a_long_name() -> Files:
    return {"settings.toml": b"[" + b"a." * 499 + b"a]\n" + lines(lambda n: f"k{n}=1", 250_000)}


@side("studies/leave_out.py", ["leave-out", "qrels", "run", "other", "--groups", "groups"])
def groups_of_runs() -> Files:
    return {"groups": lines(lambda n: f"r{n} g{n}", 900_000)}


@side("studies/leave_out.py", ["leave-out", "qrels", "run", "other", "--groups", "groups"])
def groups_of_runs_packed() -> Files:
    return {"groups": gzip.compress(b"x g\ny g\n" * 10_000_000)}


@side("inputs/check/lines.py", ["check", "run"])
def a_run_below_long_comments() -> Files:
    comments = b"# ir_metadata.start\n" + b"".join(b"#" + b" " * n + b"a:\n" for n in range(1_200))
    return {"run": comments + RUN}


@side("inputs/check/lines.py", ["check", "run.txt"])
def a_run_beside_long_metadata() -> Files:
    nested = b"".join(b" " * n + b"a: " + json.dumps("x" * n).encode() + b"\n" for n in range(900))
    return {"run.txt": RUN, "ir-metadata.yml": nested}
