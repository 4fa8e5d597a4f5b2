"""Statistics of topics, drawn or put in order: intervals of means, places of runs, medians, groups of topics."""
