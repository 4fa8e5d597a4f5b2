# Two commands are enough on a fresh machine with Python 3.11 and Rust: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-all test-nightly test-engines browser lint docs peers bench fuzz asan faults extremes golden reproduce lock register sample scale-tables wheel sdist notices test-oldest image-steps clean

# The environment in steps: what the package and its build need, and the extension built in it, which is enough for the
# demo; beside that, what developers need. Made again when a source or a lock changes.
SOURCES := $(wildcard rust/src/*.rs rust/src/*/*.rs) rust/Cargo.toml Cargo.toml Cargo.lock pyproject.toml

# The locks have all, so that nothing else is installed.
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps

EDITABLE := PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS=--locked $(PIP_INSTALL) --no-build-isolation --editable .

# The core is compiled, which takes longest, while packages are downloaded and installed: those of the demo, or, with
# RUNTIME=requirements-dev.lock, which has them too, all that developers need.
RUNTIME ?= requirements.lock

$(VENV)/.runtime: requirements.lock requirements-build.lock
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --requirement requirements-build.lock
	{ $(EDITABLE); } & compiled=$$!; $(PIP_INSTALL) --requirement $(RUNTIME) && wait $$compiled
	touch $@

$(VENV)/.built: $(VENV)/.runtime $(SOURCES)
	$(EDITABLE)
	$(BIN)/python -m compileall -q src/rankscale  # as pip does for a wheel; some machines do not keep bytecode by themselves
	touch $@

# Bytecode of these is made when it is first needed: that of all modules would take as long as unpacking them.
$(VENV)/.tools: requirements-dev.lock $(VENV)/.runtime
	$(PIP_INSTALL) --no-compile --requirement requirements-dev.lock
	touch $@

$(VENV)/.installed: $(VENV)/.tools $(VENV)/.built
	touch $@

demo: $(VENV)/.built
	mkdir -p report
	$(BIN)/rankscale demo -o report/sample.html
	@printf '\nSo that your shell finds rankscale:\n  export PATH="$(CURDIR)/$(BIN):$$PATH"\n'

# One worker more than there are cores (tests/conftest.py); a worker that is done takes over from the others. Workers share
# the cores, so that the threads of the linear algebra library would only be in each other's way. Bytecode is kept even where
# the environment forbids it.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --dist worksteal

test: $(VENV)/.installed browser
	$(PYTEST) -m "not slow and not nightly"

# The tests marked as slow. `HYPOTHESIS_PROFILE=thorough` tries all random examples, here and in the other two.
test-slow: $(VENV)/.installed browser
	$(PYTEST) -m "slow and not nightly"

# Tables of simulations, and all rows of reference tables of which the other tests take a part: a few minutes.
test-nightly: $(VENV)/.installed
	$(PYTEST) -m nightly

# Both, in one go: tests are collected once.
test-all: $(VENV)/.installed browser
	$(PYTEST) -m "not nightly"

# The lowest versions that pyproject.toml allows, in an environment of their own, with the extension that is already built: what
# touches other people's libraries most.
OLDEST := $(VENV)-oldest

$(OLDEST)/.installed: requirements-oldest.lock
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement requirements-oldest.lock
	touch $@

# Not here: tests of what other tools write, which are not installed, or that drive a browser; of types that the oldest pyarrow
# cannot make; and those that call scipy as an oracle, with arguments of its later versions.
test-oldest: $(VENV)/.built $(OLDEST)/.installed
	$(BIN)/maturin build --release --locked --quiet --out $(OLDEST)/dist
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall $(OLDEST)/dist/rankscale-*.whl
	OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -q --numprocesses auto -m "not slow and not nightly" \
	  -k "not _view and not duckdb and not datasets and not fastparquet and not scipy and not opens_by_itself" \
	  tests/cli/test_compare.py tests/cli/test_correlate.py tests/cli/test_curves.py tests/cli/test_usage.py \
	  tests/figures/test_frame.py tests/inputs/test_arrow.py tests/stats tests/workbench/test_serve.py

# The programs of docs/guide/engines on Spark, Ray and Daft: 1 GB to install, and Spark needs Java 17.
$(VENV)/.engines: $(VENV)/.installed requirements-engines.lock
	$(PIP_INSTALL) --requirement requirements-engines.lock
	touch $@

test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -q tests/evaluation/engine/test_duckdb.py tests/evaluation/engine/test_daft.py tests/evaluation/engine/test_ray.py tests/evaluation/engine/test_spark.py

# The browser that looks at figures and at the report, where it can be installed; tests that need it are skipped elsewhere.
browser:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null || true; \
	fi

lint: $(VENV)/.installed
	cargo fmt --all --check
	cargo clippy --locked --all-targets --quiet -- --deny warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The pages that are made from the sources, then the site: site/index.html, a folder for each version.
docs: $(VENV)/.installed
	$(BIN)/python tools/make_docs.py
	$(BIN)/python tools/build_site.py

# Other tools on the same files, into docs/peers.md.
peers: $(VENV)/.installed
	$(BIN)/python -m tools.compare_peers

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

# Every target of fuzz/ for SECONDS each: needs g++, and atheris for the readers in Python. Counts go to fuzz/record.tsv.
# Then inputs made by rules, read by the public functions and by the plain readers of tests/fuzz.
SECONDS ?= 60
fuzz: $(VENV)/.installed
	$(BIN)/python fuzz/make_seeds.py
	$(BIN)/python fuzz/run.py --seconds $(SECONDS)
	$(BIN)/python -m tests.fuzz

# The core under AddressSanitizer: its own tests, and those in Python that pass it arrays, tables and files. RUSTC_BOOTSTRAP
# lets the stable compiler take the option. Of the runtime there is one in the process: that of gcc, loaded first.
TRIPLE := x86_64-unknown-linux-gnu
ASAN := RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address PYO3_PYTHON="$(CURDIR)/$(BIN)/python" CARGO_TARGET_DIR=target/asan
asan: $(VENV)/.installed
	$(ASAN) ASAN_OPTIONS=detect_leaks=0 \
	  LD_LIBRARY_PATH="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR") or "")')" \
	  cargo test --locked --quiet --target $(TRIPLE)
	$(ASAN) cargo build --locked --quiet --target $(TRIPLE) --features extension-module
	rm -rf target/asan/python && mkdir -p target/asan/python && cp -r src/rankscale target/asan/python/
	cp target/asan/$(TRIPLE)/debug/lib_core.so target/asan/python/rankscale/_core.abi3.so
	PYTHONPATH=target/asan/python ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so.6)" $(BIN)/python -m pytest -q -n0 \
	  tests/core tests/hostile/test_arrow_tables.py tests/inputs/test_arrow.py tests/inputs/test_rows.py tests/fuzz/test_hostile_binary.py

# Faults on purpose, by the hundred: two hours. `python -m tests.faults PART COUNT --seed N` injects others.
faults: $(VENV)/.installed
	$(BIN)/python -m tests.faults kills 1000
	$(BIN)/python -m tests.faults writes 500
	$(BIN)/python -m tests.faults memory 200
	$(BIN)/python -m tests.faults signals 300
	$(BIN)/python -m tests.faults inputs 200
	$(BIN)/python -m tests.faults streams 0
	$(BIN)/python -m tests.faults executors --workers 100 --whole 50
	$(BIN)/python -m tests.faults executors --workers 100 --whole 50 --executor dask:2

# Small files that take much memory or time: a quarter of an hour.
extremes: $(VENV)/.installed
	$(BIN)/python -m tests.hostile.search

# What users see today, into tests/golden/record: for changes that are meant, and named in CHANGELOG.md.
golden: $(VENV)/.installed
	$(BIN)/python -m tests.golden

# Published tables beside ours, into docs/reproduction.md; the data is looked for at ../shared/data.
reproduce: $(VENV)/.installed
	$(BIN)/python -m reproduction

# The counts of AP that are shipped with the package: two minutes.
scale-tables: $(VENV)/.installed
	$(BIN)/python tools/make_scale_tables.py

# The generated table of measures, the sample collection, the locks of what `make demo` and developers install.
register: $(VENV)/.installed
	$(BIN)/python tools/make_register.py
	$(BIN)/python tools/make_commands.py

sample:
	$(PYTHON) tools/make_sample.py

LOCK := uv pip compile pyproject.toml --python-version 3.11 --generate-hashes --quiet
lock:
	$(LOCK) --group dev --output-file requirements-dev.lock
	$(LOCK) --extra workbench --group build --constraint requirements-dev.lock --output-file requirements.lock
	uv pip compile --python-version 3.11 --generate-hashes --quiet --group build --constraint requirements-dev.lock --output-file requirements-build.lock
	uv pip compile --python-version 3.11 --generate-hashes --quiet --group audit --output-file requirements-audit.lock
	$(LOCK) --group engines --constraint requirements-dev.lock --output-file requirements-engines.lock
	$(LOCK) --extra all --group oldest --resolution lowest-direct --only-binary :all: --output-file requirements-oldest.lock

wheel: $(VENV)/.runtime
	$(BIN)/maturin build --release --locked --quiet --out dist

sdist: $(VENV)/.runtime
	$(BIN)/maturin sdist --out dist

# Licences of what is compiled into the wheel, from Cargo.lock: checked, and their texts written into the two files that it has.
notices:
	$(PYTHON) tools/third_party.py

# The steps of the Dockerfile in a temporary folder, on this machine: for those without Docker.
image-steps: wheel
	$(PYTHON) tools/image_steps.py

clean:
	rm -rf $(VENV) $(OLDEST) target dist site fuzz/target fuzz/corpus fuzz/seeds
