"""What commands say on a machine that is busy, and tests of other things leave out."""

import re

SLOW = re.compile(r"^[\w ]+ will take about \d+ (?:s|minutes)\n", re.MULTILINE)
