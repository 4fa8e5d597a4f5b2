"""What cannot be reproduced, and why."""

from pathlib import Path

from reproduction.page import plain

ROWS = (
    (
        "Twist (Ferro et al.), Tables 2 to 4, Figures 5 to 14",
        (
            "TREC 10 Web 2001 (95 runs), TREC 14 Robust 2005 (74 runs), TREC 20 Web 2011 (37 runs), TREC 21 Web 2012 "
            "(27 runs)"
        ),
        (
            "The runs are handed out by NIST to registered participants and are not public. The same analyses of "
            "other runs are above, its worked example is exact."
        ),
    ),
    (
        "Cumulated gain (Järvelin and Kekäläinen 2002), Table 2, Figures 1 to 4",
        (
            "20 topics of TREC-7, lists of five participants of the manual track, judgments on four levels by "
            "Sormunen (2002)"
        ),
        (
            "Neither the runs of TREC-7 nor these judgments are public; the paper does not name the participants. "
            "The numbers of its Table 2 are lost in the text at hand. The same table of other runs is above."
        ),
    ),
    (
        "Cumulated relative position (Angelini et al. 2012), Figures 2 and 3",
        "run bbn1 of TREC-7 (bb1 in the figures), the same judgments",
        "As above. Figures hold no numbers.",
    ),
    (
        "Rank-biased precision (Moffat and Zobel 2008), Figures 2, 4, 5 and 6",
        "TREC-5, 61 runs",
        (
            "They hold no numbers, and the runs of Figures 5 and 6 are not named. Tau of Figures 2 and 4 is in the "
            "text, and met. The runs at hand have rescaled scores."
        ),
    ),
    (
        "Rank-biased precision, section 5: the same with 127 runs of TREC-8",
        "TREC-8, 127 of its 129 runs",
        "The paper does not show the results, nor which runs it left out; ours are above.",
    ),
    (
        "Interval scales (Ferrante, Ferro and Fuhr 2021), columns T26 and T27 of Tables 2 to 6",
        "TREC 26 Common Core 2017 (75 runs), TREC 27 Common Core 2018 (72 runs)",
        (
            "These runs are not public. The columns of TREC-8 (T08) are above, and what can be known of the others "
            "without their runs."
        ),
    ),
)


def section(_: Path) -> str:
    """A line for each."""
    return "\n\n".join(
        [
            "## What cannot be reproduced, and why",
            "Whoever has these runs gets the tables with the commands named above.",
            plain(["what", "made of", "why not"], ROWS),
        ]
    )
