# Two commands are enough on a fresh machine with Python 3.11 and Rust: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-all browser lint docs bench fuzz faults golden reproduce lock register sample scale-tables wheel clean

# The environment from the committed lock, and the extension built in it. Rebuilt when a source or the lock changes.
SOURCES := $(wildcard rust/src/*.rs) rust/Cargo.toml Cargo.toml Cargo.lock pyproject.toml

$(VENV)/.installed: requirements-dev.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --requirement requirements-dev.lock  # the lock has all
	touch $@

$(VENV)/.built: $(VENV)/.installed $(SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS=--locked \
	  $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src/rankscale  # as pip does for a wheel; some machines do not keep bytecode by themselves
	touch $@

demo: $(VENV)/.built
	mkdir -p report
	$(BIN)/rankscale demo -o report/sample.html
	@printf '\nSo that your shell finds rankscale:\n  export PATH="$(CURDIR)/$(BIN):$$PATH"\n'

# One worker for each core; a worker that is done takes over from the others. Workers share the cores, so that the threads
# of the linear algebra library would only be in each other's way. Bytecode is kept even where the environment forbids it.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --dist worksteal

test: $(VENV)/.built browser
	$(PYTEST) -m "not slow"

# The tests marked as slow. `HYPOTHESIS_PROFILE=thorough` tries all random examples, here and in the other two.
test-slow: $(VENV)/.built browser
	$(PYTEST) -m slow

# Both, in one go: tests are collected once.
test-all: $(VENV)/.built browser
	$(PYTEST)

# The browser that looks at figures and at the report, where it can be installed; tests that need it are skipped elsewhere.
browser:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null || true; \
	fi

lint: $(VENV)/.built
	cargo fmt --all --check
	cargo clippy --locked --all-targets --quiet -- --deny warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.built
	$(BIN)/python tools/make_docs.py
	$(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.built
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.built
	$(BIN)/python -m tests.fuzz

# Workers and whole jobs killed at random times: an hour.
faults: $(VENV)/.built
	$(BIN)/python -m tests.faults --workers 100 --whole 50
	$(BIN)/python -m tests.faults --workers 100 --whole 50 --executor dask:2

# What users see today, into tests/golden/record: for changes that are meant, and named in CHANGELOG.md.
golden: $(VENV)/.built
	$(BIN)/python -m tests.golden

# Published tables beside ours, into docs/reproduction.md; the data is looked for at ../shared/data.
reproduce: $(VENV)/.built
	$(BIN)/python -m reproduction

# The counts of AP that are shipped with the package: two minutes.
scale-tables: $(VENV)/.built
	$(BIN)/python tools/make_scale_tables.py

# The generated table of measures, the sample collection, the lock of development dependencies.
register: $(VENV)/.built
	$(BIN)/python tools/make_register.py
	$(BIN)/python tools/make_commands.py

sample:
	$(PYTHON) tools/make_sample.py

lock:
	uv pip compile pyproject.toml --group dev --python-version 3.11 --generate-hashes --quiet --output-file requirements-dev.lock

wheel: $(VENV)/.installed
	$(BIN)/maturin build --release --locked --quiet --out dist

clean:
	rm -rf $(VENV) target dist site
