"""What is compiled into the wheel and is not ours: its licences, checked, and their texts.

`python tools/third_party.py` writes THIRD-PARTY-NOTICES.txt and third-party.cyclonedx.json, which go into the wheel.
With `--check` nothing is written; the exit code is 1 where a file is out of date or a licence is not in `ALLOWED`.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"
COMPONENTS = ROOT / "third-party.cyclonedx.json"
OURS = "rankscale-core"
PLATFORMS = (  # those of the wheels; what they need differs by a few crates
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "MIT", "Unicode-3.0", "Unlicense",
        "Zlib", "bzip2-1.0.6",
    }
)  # fmt: skip
LICENCE_FILE = re.compile(r"(?:LICEN[CS]E|COPYING|NOTICE|UNLICENSE|COPYRIGHT)[\w.-]*", re.IGNORECASE)
BUNDLED = {  # C libraries that a crate compiles: name, licence, where its sources are, its licence, its version
    "zstd-sys": ("zstd", "BSD-3-Clause", "zstd", "LICENSE", r"\+zstd\.([\d.]+)$"),
    "liblzma-sys": ("liblzma", "0BSD", "xz", "COPYING.0BSD", "src/liblzma/api/lzma/version.h"),
    "libdeflate-sys": ("libdeflate", "MIT", "libdeflate", "COPYING", "libdeflate.h"),
}
APACHE = re.compile(r"TERMS AND CONDITIONS FOR USE.*END OF TERMS AND CONDITIONS", re.DOTALL)
OWNER = re.compile(r"^\s*(Copyright \S.*)$", re.MULTILINE)
RULE = "=" * 100
HEAD = """\
Third-party notices of rankscale
{rule}

The extension module of rankscale, `_core`, contains compiled code of these libraries, under the licences named. Where
a licence is a choice (OR), any of them may be taken; texts of all follow. Made by tools/third_party.py from Cargo.lock.

The Rust standard library is compiled in as well: Copyright (c) The Rust Project Contributors, MIT OR Apache-2.0.

Compiled in
-----------
{inside}

Used by the build alone, not contained
--------------------------------------
{outside}

Of systems that no wheel is made for, not contained
---------------------------------------------------
{elsewhere}
"""


@dataclass(frozen=True)
class Part:
    """A library that is compiled in: a crate, or a C library within one."""

    name: str
    version: str
    licence: str
    texts: tuple[str, ...] = field(repr=False)
    within: str = ""  # the crate that brings a C library

    @property
    def line(self) -> str:
        """The part in the list of all."""
        return f"{self.name} {self.version}: {self.licence}" + (
            f" (C library, in {self.within})" if self.within else ""
        )


def main(arguments: list[str] | None = None) -> int:
    """Write the two files, or check them; licences that are not allowed are an error in both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where something is to be done")
    check = parser.parse_args(arguments).check
    parts, outside = compiled_in()
    problems = [
        f"{part.line}: this licence is not among those allowed; see tools/third_party.py"
        for part in parts
        if not allowed(part.licence)
    ]
    problems += [
        f"{part.name} {part.version}: no text of its licence in its archive" for part in parts if not part.texts
    ]
    for path, text in {NOTICES: notices(parts, outside), COMPONENTS: components(parts)}.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{path.name} is out of date: run `make notices`")
    print(*problems, f"{len(parts)} libraries compiled in, {len(outside)} for the build alone", sep="\n")
    return 1 if problems else 0


def compiled_in() -> tuple[list[Part], list[str]]:
    """Return the parts of the wheels of all platforms, and the crates that only the build uses."""
    crates: dict[str, dict[str, Any]] = {}
    every: dict[str, str] = {}
    for platform in PLATFORMS:
        command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={platform}"]
        command += ["--features=extension-module"]
        held = json.loads(subprocess.run(command, cwd=ROOT / "rust", check=True, stdout=subprocess.PIPE).stdout)
        packages = {package["id"]: package for package in held["packages"]}
        every |= {key: label(package) for key, package in packages.items()}
        crates |= {key: packages[key] for key in reached(held, packages)}
    parts = [part for package in crates.values() for part in parts_of(package)]
    outside = sorted(every[key] for key in every.keys() - crates.keys() if not every[key].startswith(OURS))
    return sorted(parts, key=lambda part: (part.name, part.version)), outside


def locked() -> set[str]:
    """Return name and version of every crate in Cargo.lock but ours."""
    crates = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    return {label(crate) for crate in crates if crate["name"] != OURS}


def label(package: dict[str, Any]) -> str:
    """Return a crate's name and version."""
    return f"{package['name']} {package['version']}"


def reached(held: dict[str, Any], packages: dict[str, dict[str, Any]]) -> set[str]:
    """Return the ids of crates that our code is linked with: no macros, no build scripts, no tests."""
    nodes = {node["id"]: node for node in held["resolve"]["nodes"]}
    start = next(key for key, package in packages.items() if package["name"] == OURS)
    seen: set[str] = set()
    todo = [start]
    while todo:
        key = todo.pop()
        if key in seen or any("proc-macro" in target["kind"] for target in packages[key]["targets"]):
            continue
        seen.add(key)
        linked = (edge for edge in nodes[key]["deps"] if any(kind["kind"] is None for kind in edge["dep_kinds"]))
        todo += [edge["pkg"] for edge in linked]
    return seen - {start}


def parts_of(package: dict[str, Any]) -> Iterator[Part]:
    """Yield a crate, and the C library in it, if there is one."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.fullmatch(path.name))
    licence = package["license"] or "unknown"
    yield Part(package["name"], package["version"], licence.replace("/", " OR "), tuple(map(read, files)))
    if package["name"] in BUNDLED:
        name, licence, sources, file, version = BUNDLED[package["name"]]
        text = read(folder / sources / file)
        yield Part(name, bundled_version(package, folder / sources, version), licence, (text,), label(package))


def bundled_version(package: dict[str, Any], sources: Path, where: str) -> str:
    """Return the version of a C library, from the crate's version or from its own header."""
    if match := re.search(where, package["version"]):
        return match[1]
    numbers = re.findall(
        r"^#define \w+_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)$", (sources / where).read_text("utf-8"), re.MULTILINE
    )
    return ".".join(numbers)


def read(path: Path) -> str:
    """Return a text without blanks at the ends of lines."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with licences of `ALLOWED`; AND binds more tightly than OR.

    >>> allowed("(MIT OR GPL-3.0-only) AND Unicode-3.0"), allowed("MIT AND GPL-3.0-only")
    (True, False)
    """
    tokens = re.findall(r"[()]|[\w.+-]+", expression)

    def choice() -> bool:
        result = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            result = both() or result
        return result

    def both() -> bool:
        result = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            result = one() and result
        return result

    def one() -> bool:
        token = tokens.pop(0) if tokens else ""
        if token != "(":  # noqa: S105
            return token in ALLOWED
        result = choice()
        return bool(tokens) and tokens.pop(0) == ")" and result

    return choice() and not tokens


def notices(parts: Sequence[Part], outside: Sequence[str]) -> str:
    """Return all notices; a text that several share stands once."""
    users: dict[str, tuple[str, list[str]]] = {}
    for part in parts:
        for text, owners in map(terms, part.texts):
            names = users.setdefault(" ".join(text.split()), (text, []))[1]
            if (name := "; ".join([f"{part.name} {part.version}", *owners])) not in names:
                names.append(name)
    head = HEAD.format(
        rule="=" * 32,
        inside="\n".join(part.line for part in parts),
        outside="\n".join(outside),
        elsewhere="\n".join(sorted(locked() - {f"{part.name} {part.version}" for part in parts} - set(outside))),
    )
    return head + "".join("\n".join(["", RULE, *names, RULE, "", text]) for text, names in users.values())


def terms(text: str) -> tuple[str, list[str]]:
    """Return a licence and, apart from it, whose it is, if it is the Apache License, which many share."""
    match = APACHE.search(text)
    if match is None or not text.lstrip().startswith("Apache License"):
        return text, []
    owners = [owner for owner in OWNER.findall(text[match.end() :]) if "[" not in owner and "{" not in owner]
    lines = (line.strip() for line in match[0].splitlines())
    return "Apache License, Version 2.0, January 2004\n\n" + "\n".join(lines) + "\n", owners


def components(parts: Iterable[Part]) -> str:
    """Return the C libraries as CycloneDX: maturin lists the crates, and cannot know what they compile."""
    found = [
        {
            "type": "library",
            "bom-ref": f"{part.name}@{part.version}",
            "name": part.name,
            "version": part.version,
            "scope": "required",
            "licenses": [{"expression": part.licence}],
            "purl": f"pkg:generic/{part.name}@{part.version}",
            "properties": [{"name": "rankscale:compiled-by", "value": part.within}],
        }
        for part in parts
        if part.within
    ]
    return (
        json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": found}, indent=1) + "\n"
    )


if __name__ == "__main__":
    sys.exit(main())
