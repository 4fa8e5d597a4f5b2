"""Forms of input: how long files of other forms take to read, beside TREC text of the same rows, on one thread."""

from benchmarks.tasks import CPU, PEAK, Task

FORMS = "forms"  # a size of its own: files that its tasks make
ROWS = (100_000, 1_000_000, 3_000_000)
TREC = "trec"
AT_MOST = {"csv": 1.5, "tsv": 1.5, "jsonl": 3.0, "parquet": 1.4}  # times as long as TREC text


def reading(form: str, rows: int) -> Task:
    """Return the task to read and judge a run of so many rows."""
    return Task(f"{form}, {rows:,} rows", "reading_forms.py", (form, str(rows)), {CPU: None, PEAK: None})


TASKS = tuple(reading(form, rows) for rows in ROWS for form in (TREC, *AT_MOST))
RACES = tuple((reading(form, rows), reading(TREC, rows), most) for rows in ROWS for form, most in AT_MOST.items())
