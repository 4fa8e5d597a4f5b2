"""How fast rankscale is beside its peers; `python -m benchmarks` measures, nothing in `src/` imports this.

The process that measures stays small and imports no numpy: on Linux a child's peak memory starts from the
memory of the process that started it. So data are generated in a child, and every tool runs in a fresh one.
"""
