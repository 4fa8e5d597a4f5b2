"""The files that commands and snippets of the record are run on: the sample, a small collection, and odd files."""

import gzip
from pathlib import Path

from rankscale.sample import QRELS

# Lines are written apart by `/`.
TEXTS = {
    "small/qrels.txt": "1 0 a 2 / 1 0 b 0 / 1 0 c 1 / 1 0 e 1 / 2 0 a 1 / 2 0 d 0 / 2 0 f 2 / 3 0 a 0 / 3 0 g 1",
    "small/other-qrels.txt": "1 0 a 1 / 1 0 b 1 / 1 0 c 1 / 1 0 x 2 / 2 0 a 1 / 2 0 d 0 / 2 0 f 1 / 3 0 a 0 / 3 0 g 1",
    "small/good.txt": (
        "1 Q0 b 1 9 good / 1 Q0 c 2 8 good / 1 Q0 a 3 7 good / 1 Q0 x 4 6 good /"
        "2 Q0 x 1 9 good / 2 Q0 f 2 8 good / 2 Q0 a 3 7 good / 3 Q0 g 1 9 good / 3 Q0 a 2 8 good"
    ),
    "small/part.txt": "1 Q0 a 1 3.5 part / 1 Q0 e 2 2.5 part / 1 Q0 y 3 1.5 part / 3 Q0 a 1 2 part / 3 Q0 g 2 1 part",
    "small/tied.txt": (
        "1 Q0 a 1 1 tied / 1 Q0 b 2 1 tied / 1 Q0 c 3 1 tied / 1 Q0 e 4 0.5 tied /"
        "2 Q0 a 3 4 tied / 2 Q0 d 1 4 tied / 2 Q0 x 2 4 tied / 3 Q0 z 1 1 tied / 3 Q0 g 2 1 tied"
    ),
    "small/subtopics.txt": (
        "1 1 a 2 / 1 1 b 0 / 1 2 c 1 / 1 2 a 1 / 1 3 e 1 / 2 1 a 1 / 2 2 f 2 / 2 3 d 0 / 3 1 a 0 / 3 2 g 1"
    ),
    "small/other-subtopics.txt": "1 1 a 1 / 1 1 b 1 / 1 2 c 1 / 1 3 a 1 / 2 1 a 1 / 2 2 f 0 / 2 3 f 1 / 3 2 g 1",
    "small/intents.txt": "1 1 0.5 / 1 2 0.25 / 1 3 0.25 / 2 1 0.8 / 2 2 0.2 / 3 2 1 / 9 1 1",
    "small/groups.txt": "good one / part two / tied two",
    "small/topic-groups.txt": " / ".join(f"{t} {'short' if t <= 120 else 'long'}" for t in (*range(103, 151), 999)),
    "small/zscores.txt": "1 map 0.5 0.1 / 2 map 0.4 0.2 / 3 map 0.5 0.25",
    "odd/stranger.txt": "901 Q0 a 1 1 stranger / 902 Q0 a 1 1 stranger",
    "odd/twice.txt": "1 Q0 a 1 3 twice / 1 Q0 b 2 2 twice / 1 Q0 a 3 1 twice",
    "odd/bad-score.txt": "1 Q0 a 1 2.5 bad / 1 Q0 b 2 high bad",
    "odd/nan.txt": "1 Q0 a 1 2.5 bad / 1 Q0 b 2 NaN bad",
    "odd/infinite.txt": "1 Q0 a 1 inf endless / 1 Q0 b 2 1 endless",
    "odd/bad-rank.txt": "1 Q0 a first 2.5 bad",
    "odd/five-columns.txt": "1 Q0 a 1 2.5",
    "odd/seven-columns.txt": "1 Q0 a 1 2.5 a run",
    "odd/same-1.txt": "1 Q0 a 1 1 same / 2 Q0 a 1 1 same",
    "odd/same-2.txt": "1 Q0 b 1 1 same / 2 Q0 d 1 1 same",
    "odd/unjudged.txt": "1 Q0 x 1 3 unjudged / 1 Q0 y 2 2 unjudged / 2 Q0 z 1 1 unjudged",
    "odd/two-tags.txt": "1 Q0 a 1 3 first / 1 Q0 b 2 2 second",
    "odd/scattered.txt": "1 Q0 b 1 1 scattered / 2 Q0 a 1 5 scattered / 1 Q0 a 2 3 scattered",
    "odd/negative.qrels": "1 0 a 2 / 1 0 b -1 / 1 0 c 1 / 2 0 a -2 / 2 0 f 1",
    "odd/real.qrels": "1 0 a 1.75 / 1 0 b 0.25 / 1 0 c 0.5 / 2 0 a 1e-1 / 2 0 f 2",
    "odd/nothing-relevant.qrels": "1 0 a 0 / 1 0 b 0 / 2 0 a 0",
    "odd/judged-twice.qrels": "1 0 a 1 / 1 0 b 0 / 1 0 a 2",
    "odd/three-columns.qrels": "1 0 a",
    "odd/bad-grade.qrels": "1 0 a 1 / 1 0 b yes",
    "odd/names.qrels": "<b>1</b> 0 a&b 1 / 50%_$x 0 a\\b 1 / <b>1</b> 0 c{d}~^# 0",
}
BYTES = {
    "odd/empty.txt": b"",
    "odd/blank.txt": b"\n  \n\n",
    "odd/windows.txt": b"1 Q0 a 1 2 windows\r\n1 Q0 b 2 1 windows\r\n2 Q0 a 1 1 windows\r\n",
    "odd/tabs.txt": b"1\tQ0\ta\t1\t2\ttabs\n2\tQ0\ta\t1\t1\ttabs",
    "odd/zeros.txt": b"1 Q0 a 1 2 \x00zeros\n",
    "odd/latin.txt": b"1 Q0 a 1 1 caf\xe9\n2 Q0 a 1 1 caf\xe9\n",
    "odd/markup.txt": b"<b>1</b> Q0 a&b 1 2 <script>x</script>&\n50%_$x Q0 a\\b 1 2 <script>x</script>&\n",
    "odd/latex.txt": b"<b>1</b> Q0 c{d}~^# 1 2 a_b%c$d\\e|f*g\n50%_$x Q0 a\\b 1 2 a_b%c$d\\e|f*g\n",
    "odd/control.txt": b'<b>1</b> Q0 a&b 1 2 red\x1b[31m\x07,"quoted"\n50%_$x Q0 zz 1 2 red\x1b[31m\x07,"quoted"\n',
    # Stored rather than packed, so that the bytes are the same whatever library packs.
    "odd/cut.txt.gz": gzip.compress(b"1 Q0 a 1 2 cut\n2 Q0 a 1 1 cut\n" * 40, compresslevel=0, mtime=0)[:500],
    "odd/whole.txt.gz": gzip.compress(b"1 Q0 a 1 2 whole\n2 Q0 a 1 1 whole\n", compresslevel=0, mtime=0),
}


def lay_out(folder: Path) -> None:
    """Write all files below a folder; the sample is a link there."""
    for name in ("small", "odd"):
        (folder / name).mkdir()
    for name, lines in TEXTS.items():
        text = "".join(f"{line.strip()}\n" for line in lines.split(" /"))
        (folder / name).write_text(text, encoding="utf-8")
    for name, data in BYTES.items():
        (folder / name).write_bytes(data)
    (folder / "sample").symlink_to(QRELS.parent, target_is_directory=True)
