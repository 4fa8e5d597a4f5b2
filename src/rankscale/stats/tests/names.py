"""The names of tests, and whether each needs a baseline, made by tools/make_commands.py."""

TESTS = {
    "bootstrap": False,
    "dunnett": True,
    "friedman": False,
    "kruskal-wallis": False,
    "one-way": False,
    "randomisation": False,
    "randomised tukey": False,
    "rank sum": False,
    "sign": False,
    "signed rank": False,
    "student": False,
    "two-way": False,
}
