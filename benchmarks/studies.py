"""Studies over many runs, the report and figures: what is timed, and how much it may take.

The robustness study judges all runs again for every sample of the judgments; a peer has to be handed each sample anew.
"""

from benchmarks.tasks import CPU, PEAK, Task

STUDIES = "studies"  # a size of its own: TREC-8 where it is there
RUNS = (20, 60, 129)
SECONDS, MEGABYTES = 60.0, 1000.0  # most, for the robustness study of all runs
FASTER = 5.0  # times, at least, than pytrec_eval with runs that are dictionaries already
REPORT_SECONDS, FIGURE_SECONDS = 20.0, 1.0  # most, for a report of all runs, and for a figure of them
DECIDE_SECONDS, OVERLAP_SECONDS, TAU_SECONDS = 1.0, 20.0, 300.0  # most, for what is done after measuring
FUSE_FASTER = 10.0  # times, at least, than ranx
SUBTOPICS_FASTER = 20.0  # times, at least, than pyndeval
FIGURES = ("curves", "topics", "effort-gain", "crp-dcg", "means")
SAMPLED = {"rankscale": "one more sample, 20 runs", "pytrec_eval": "one more sample, 20 runs, pytrec_eval"}


def robustness(runs: int) -> Task:
    """Return the task of 5 sizes x 10 iterations x 8 measures for so many runs, reading included."""
    limits = {CPU: SECONDS, PEAK: MEGABYTES} if runs == RUNS[-1] else {CPU: None, PEAK: None}
    return Task(f"robustness, {runs} runs", "robustness_study.py", (str(runs),), limits, over_runs=True, slow=True)


def one_more(tool: str) -> Task:
    """Return the task of judging runs that were read before with one sample of the judgments."""
    return Task(SAMPLED[tool], "one_more_sample.py", (tool, "20"), {CPU: None}, over_runs=True, slow=True)


def report(runs: int) -> Task:
    """Return the task of a report from raw files."""
    limits = {CPU: REPORT_SECONDS if runs == RUNS[-1] else None, PEAK: None}
    arguments = (str(runs), "report.html")
    return Task(f"report, {runs} runs", "report_made.py", arguments, limits, over_runs=True, slow=True)


def drawn(name: str) -> Task:
    """Return the task of drawing a figure of all runs, the first of a process."""
    limits = {CPU: FIGURE_SECONDS}
    return Task(f"figure {name}, PDF", "figure_drawn.py", (name, f"{name}.pdf"), limits, over_runs=True)


def deciding(what: str, tool: str, seconds: float | None = None) -> Task:
    """Return the task of what is done after measuring; `deciding.py` says what each is."""
    return Task(tool, "deciding.py", (what,), {CPU: seconds}, over_runs=True, slow=True)


def diversity(tool: str, name: str) -> Task:
    """Return the task of alpha_nDCG@20 of all runs, in memory."""
    return Task(name, "subtopics.py", (tool,), {CPU: None}, over_runs=True, slow=True)


DIVERSITY = (
    diversity("pyndeval", "alpha_nDCG@20 of all runs, in memory, pyndeval"),
    diversity("rankscale", "alpha_nDCG@20 of all runs, in memory"),
    SUBTOPICS_FASTER,
)
FUSIONS = tuple(
    (
        deciding(f"{what} ranx", f"fuse 10 runs, {how}, ranx"),
        deciding(f"{what} rankscale", f"fuse 10 runs, {how}"),
        times,
    )
    for what, how, times in (("fuse", "files to file", FUSE_FASTER), ("fused", "in memory", FUSE_FASTER))
)
DECIDING = (
    deciding("diff", "diff, 7,000 topics, beyond reading", DECIDE_SECONDS),
    deciding("gate", "gate, 7,000 topics, beyond reading", DECIDE_SECONDS),
    deciding("overlap", "overlap, Jaccard, RBO of all pairs", OVERLAP_SECONDS),
    deciding("tau", "forms of tau of all pairs", TAU_SECONDS),
    *(task for theirs, ours, _ in (*FUSIONS, DIVERSITY) for task in (theirs, ours)),
)
RACE = one_more("pytrec_eval"), one_more("rankscale")
TASKS = (*map(robustness, RUNS), *RACE, *map(report, RUNS), *map(drawn, FIGURES), *DECIDING)
