#!/usr/bin/env bash
# Known vulnerabilities of what is installed and compiled in, with the tools that are there: pip-audit and cargo-deny. Exit code 1
# where there is one; where a tool or its list of advisories cannot be had, a line says that nothing was looked at, and 0.
set -uo pipefail
cd "$(dirname "$0")/.."
code=0

# audit NAME WHAT-A-FINDING-LOOKS-LIKE COMMAND...
audit() {
  local name=$1 finding=$2 output skipped
  shift 2
  if ! command -v "$1" > /dev/null; then
    echo "$name: not looked at, $1 is not installed"
  elif output=$("$@" 2>&1); then
    # pip-audit calls it a success where it could look at no package at all: the skipped ones are counted.
    skipped=$(grep -c "could not be audited" <<< "$output")
    if [ "$skipped" = 0 ]; then
      echo "$name: none known"
    else
      echo "$name: not looked at for $skipped packages, whose advisories could not be had; none known of others"
    fi
  elif grep -q -E "$finding" <<< "$output"; then
    printf '%s\n%s\n' "$name:" "$output"
    code=1
  else
    echo "$name: not looked at, the list of advisories could not be had: $(tail -n 1 <<< "$output")"
  fi
}

audit "advisories of Python packages" "Found [0-9]+ known vulnerabilit" \
  pip-audit --require-hashes --disable-pip --progress-spinner off --requirement requirements.lock
audit "advisories of Rust crates" "^(error|warning)\[(vulnerability|unsound|yanked|unmaintained)" \
  cargo-deny --color never check advisories
exit "$code"
