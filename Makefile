# Two commands are enough on a fresh machine with Python 3.11 and Rust: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-all test-nightly test-engines browser lint docs bench fuzz asan faults golden reproduce lock register sample scale-tables wheel clean

# The environment in two steps: what the package and its build need, and the extension built in it, which is enough for the
# demo; then what developers need. Made again when a source or a lock changes.
SOURCES := $(wildcard rust/src/*.rs) rust/Cargo.toml Cargo.toml Cargo.lock pyproject.toml

PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps  # the locks have all

$(VENV)/.runtime: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(PIP) --requirement requirements.lock
	touch $@

$(VENV)/.built: $(VENV)/.runtime $(SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS=--locked $(PIP) --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src/rankscale  # as pip does for a wheel; some machines do not keep bytecode by themselves
	touch $@

$(VENV)/.installed: requirements-dev.lock $(VENV)/.built
	$(PIP) --requirement requirements-dev.lock
	touch $@

demo: $(VENV)/.built
	mkdir -p report
	$(BIN)/rankscale demo -o report/sample.html
	@printf '\nSo that your shell finds rankscale:\n  export PATH="$(CURDIR)/$(BIN):$$PATH"\n'

# One worker for each core; a worker that is done takes over from the others. Workers share the cores, so that the threads
# of the linear algebra library would only be in each other's way. Bytecode is kept even where the environment forbids it.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --dist worksteal

test: $(VENV)/.installed browser
	$(PYTEST) -m "not slow and not nightly"

# The tests marked as slow. `HYPOTHESIS_PROFILE=thorough` tries all random examples, here and in the other two.
test-slow: $(VENV)/.installed browser
	$(PYTEST) -m slow

# Published tables of simulations, made anew: two minutes.
test-nightly: $(VENV)/.installed
	$(PYTEST) -m nightly

# Both, in one go: tests are collected once.
test-all: $(VENV)/.installed browser
	$(PYTEST) -m "not nightly"

# The programs of docs/guide/engines on Spark, Ray and Daft: 1 GB to install, and Spark needs Java 17.
$(VENV)/.engines: $(VENV)/.installed requirements-engines.lock
	$(PIP) --requirement requirements-engines.lock
	touch $@

test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -q tests/engine/test_duckdb.py tests/engine/test_daft.py tests/engine/test_ray.py tests/engine/test_spark.py

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

docs: $(VENV)/.installed
	$(BIN)/python tools/make_docs.py
	$(BIN)/mkdocs build --strict --quiet

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
	  LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" $(BIN)/python -m pytest -q -n0 \
	  tests/core tests/hostile/test_arrow_tables.py tests/formats/test_arrow.py tests/formats/test_rows.py tests/fuzz/test_hostile_binary.py

# Workers and whole jobs killed at random times: an hour.
faults: $(VENV)/.installed
	$(BIN)/python -m tests.faults --workers 100 --whole 50
	$(BIN)/python -m tests.faults --workers 100 --whole 50 --executor dask:2

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
	$(LOCK) --group engines --constraint requirements-dev.lock --output-file requirements-engines.lock

wheel: $(VENV)/.runtime
	$(BIN)/maturin build --release --locked --quiet --out dist

clean:
	rm -rf $(VENV) target dist site fuzz/target fuzz/corpus fuzz/seeds
