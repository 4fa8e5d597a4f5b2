"""Pages of engines are tested where the engine is installed: `make test-engines` brings those that the lock lacks."""

from importlib.util import find_spec

MODULES = {"test_daft.py": "daft", "test_ray.py": "ray", "test_spark.py": "pyspark"}
collect_ignore = [test for test, module in MODULES.items() if find_spec(module) is None]
