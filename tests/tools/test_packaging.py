"""What a release consists of: versions, licences, workflows, the image, the recipe, and the checks of wheels."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

import rankscale

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = {path.name: path for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")  # a tag can be moved, a commit cannot


README = """\
<!-- for authors -->

![a picture](a.png) [`code` and a line
break](docs/a.md#b), [below](#speed), [elsewhere](https://example.com/c.md), `[code](d.md)`

```pycon
>>> runs[0](e)
```
"""


def tool(name: str) -> ModuleType:
    spec = spec_from_file_location(f"packaging_{name}", ROOT / "tools" / f"{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the module of a class
    spec.loader.exec_module(module)
    return module


absolute_readme, check_release, check_wheel, image_steps, third_party, withdrawn = map(
    tool, ("absolute_readme", "check_release", "check_wheel", "image_steps", "third_party", "withdrawn")
)


def test_one_version_everywhere() -> None:
    assert set(check_release.written_versions(ROOT).values()) == {rankscale.__version__}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the files that hold versions, ready for a tag."""
    for name in (*check_release.written_versions(ROOT), "CHANGELOG.md", check_release.GATE, "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changes\n\n## Unreleased\n\n## {rankscale.__version__}, 2026-01-31\n\n- A\n"
    )
    project = (tmp_path / "pyproject.toml").read_text()
    head = project.partition("[project.urls]")[0] if "[project.urls]" in project else project
    urls = "\n".join(f'{name} = "https://example.org/"' for name in check_release.URLS)
    (tmp_path / "pyproject.toml").write_text(f"{head}\n[project.urls]\n{urls}\n")
    guide = tmp_path / check_release.GATE
    guide.write_text(guide.read_text().replace("`OWNER` stands for", "").replace("OWNER", "somebody"))
    return tmp_path


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (None, None, "ready: "),
        (
            "rust/Cargo.toml",
            lambda text: text.replace('version = "', 'version = "9.', 1),
            "rust/Cargo.toml: version 9.",
        ),
        ("CHANGELOG.md", lambda text: text.replace(", 2026-01-31", ""), "CHANGELOG.md: no part of this version"),
        ("CHANGELOG.md", lambda text: text.replace("Unreleased", "Unreleased\n\n- B"), "lines under Unreleased"),
        ("pyproject.toml", lambda text: text.replace("Issues =", "Bugs ="), "no https address for Issues"),
        ("docs/guide/gate.md", lambda text: text.replace("somebody/", "OWNER/"), "in place of OWNER"),
        (
            "docs/guide/gate.md",
            lambda text: text.replace("rankscale@v", "rankscale@v9."),
            "the action is shown as of v9.",
        ),
    ],
)
def test_a_tag_needs_all_of_it(
    sources: Path, capsys: pytest.CaptureFixture[str], file: str, change: Callable[[str], str], message: str
) -> None:
    if file:
        (sources / file).write_text(change((sources / file).read_text()))
    code = check_release.main(["--tag", f"v{rankscale.__version__}", "--root", str(sources)])
    assert message in capsys.readouterr().out
    assert code == bool(file)


def test_a_tag_of_another_version_is_refused(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_release.main(["--tag", "v99.0", "--root", str(sources)]) == 1
    assert f"tag v99.0: pyproject.toml has version {rankscale.__version__}" in capsys.readouterr().out


def test_on_pypi_no_link_is_relative(sources: Path) -> None:
    (sources / "README.md").write_text(README)
    assert absolute_readme.main(["--root", str(sources)]) == 0
    place = f"https://example.org/%s/v{rankscale.__version__}"
    assert (sources / "README.md").read_text() == (
        README.replace("<!-- for authors -->\n\n", "")
        .replace("(a.png)", f"({place % 'raw'}/a.png)")
        .replace("(docs/a.md#b)", f"({place % 'blob'}/docs/a.md#b)")
        .replace("(#speed)", f"({place % 'blob'}/README.md#speed)")
    )


def test_without_an_address_the_page_is_left_alone(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(ROOT / "pyproject.toml", sources / "pyproject.toml")
    before = (sources / "README.md").read_text()
    assert absolute_readme.main(["--root", str(sources)]) == 0
    if "Repository" not in PROJECT.get("urls", {}):
        assert (sources / "README.md").read_text() == before
        assert "no Repository" in capsys.readouterr().err


def test_users_get_no_version_before_a_release() -> None:
    every = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]
    assert [line for line in every if re.search(r"\d(?:a|b|rc|dev)\d", line)] == []
    assert all(
        ">=" in line or line.startswith("rankscale[") for line in every
    )  # a bound that make test-oldest can test


def test_the_oldest_versions_are_those_of_the_bounds() -> None:
    locked = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements-oldest.lock").read_text(), re.MULTILINE))
    lines = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]
    for line in lines:
        match = re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line)
        if match:
            version = locked[match[1].replace("_", "-").lower()]
            assert version.split(".")[: match[2].count(".") + 1] == match[2].split("."), line


def test_notices_name_every_crate_of_the_lock() -> None:
    text = third_party.NOTICES.read_text(encoding="utf-8")
    inside, _, rest = text.partition("Used by the build alone")
    held = set(re.findall(r"^(\S+ \S+): ", inside, re.MULTILINE))
    build, elsewhere = (set(part.split("\n")[2:]) - {""} for part in rest.partition("\n=====")[0].split("\nOf systems"))
    crates = third_party.locked()
    bundled = set(re.findall(r"^(\S+ \S+): .*\(C library, in ", inside, re.MULTILINE))
    assert len(bundled) == len(third_party.BUNDLED)
    assert (held - bundled) | build | elsewhere == crates
    assert not held & build


@pytest.mark.parametrize(
    "phrase",
    [
        "Meta Platforms, Inc.",  # zstd
        "Permission to use, copy, modify, and/or distribute this\nsoftware for any purpose",  # liblzma
        "Eric Biggers",  # libdeflate
        "Julian",  # bzip2
        "END OF TERMS AND CONDITIONS",
    ],
)
def test_notices_have_the_texts_of_what_is_compiled_in(phrase: str) -> None:
    assert phrase in third_party.NOTICES.read_text(encoding="utf-8")


def test_licences_are_the_same_for_cargo_deny() -> None:
    denied = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    assert set(denied["licenses"]["allow"]) == third_party.ALLOWED


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(GPL-2.0-only OR MIT) AND (Zlib OR SSPL-1.0)", True),
        ("GPL-2.0-only OR MIT AND SSPL-1.0", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("", False),
        ("(MIT", False),
    ],
)
def test_licence_expressions(expression: str, *, allowed: bool) -> None:
    assert third_party.allowed(expression) is allowed


@pytest.mark.parametrize(
    ("code", "output", "line", "expected"),
    [
        (0, "No known vulnerabilities found", "none known", 0),
        (0, "No known vulnerabilities found\nx could not be audited: x (1)", "not looked at for 1 packages", 0),
        (1, "Found 2 known vulnerabilities in 1 package\nx 1 PYSEC-1", "x 1 PYSEC-1", 1),
        (1, "ConnectionError: no route", "not looked at, the list of advisories could not be had: ConnectionError", 0),
    ],
)
def test_an_audit_that_could_not_look_says_so(tmp_path: Path, code: int, output: str, line: str, expected: int) -> None:
    program = tmp_path / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat <<'E'\n{output}\nE\nexit {code}\n")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", ROOT / "tools" / "audit.sh"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert line in done.stdout
    assert done.returncode == expected


def made_wheel(folder: Path, platform: str, binary: bytes, leave_out: str = "", requires: str = "numpy>=1.26") -> Path:
    path = folder / f"rankscale-1.0-cp311-abi3-{platform}.whl"
    metadata = f"Version: 1.0\nLicense-Expression: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: {requires}\n"
    files = {f"rankscale-1.0.dist-info/{name}": b"" for name in check_wheel.INSIDE}
    files |= {"rankscale-1.0.dist-info/METADATA": metadata.encode()}
    files[check_wheel.EXTENSIONS["win" if platform.startswith("win") else ""]] = binary
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            if not leave_out or leave_out not in name:
                wheel.writestr(name, content)
    return path


NEW, OLD = b"\0GLIBC_2.3.4\0GLIBC_2.34\0", b"\0GLIBC_2.2.5\0GLIBC_2.17\0"


@pytest.mark.parametrize(
    ("platform", "binary", "options", "problems"),
    [
        ("manylinux_2_17_x86_64.manylinux2014_x86_64", OLD, {}, []),
        ("manylinux_2_17_x86_64.manylinux2014_x86_64", NEW, {}, ["asks for glibc 2.34, but is named"]),
        ("manylinux2014_aarch64", NEW, {}, ["asks for glibc 2.34, but is named"]),
        ("manylinux_2_34_x86_64", NEW, {}, []),
        ("musllinux_1_2_x86_64", b"", {}, []),
        ("musllinux_1_2_x86_64", OLD, {}, ["asks for glibc, but is named musllinux"]),
        ("win_amd64", b"", {}, []),
        ("macosx_11_0_arm64", b"", {"leave_out": "_core"}, ["rankscale/_core.abi3.so is missing"]),
        ("macosx_11_0_arm64", b"", {"leave_out": "THIRD"}, ["THIRD-PARTY-NOTICES.txt is missing"]),
        ("macosx_11_0_arm64", b"", {"requires": "x>=2.0.0rc7"}, ["depends on a version before a release: x>=2.0.0rc7"]),
    ],
)
def test_wheels_keep_what_their_names_promise(
    tmp_path: Path, platform: str, binary: bytes, options: dict[str, str], problems: list[str]
) -> None:
    found = check_wheel.wrong(made_wheel(tmp_path, platform, binary, **options))
    assert len(found) == len(problems)
    assert all(part in problem for part, problem in zip(problems, found, strict=True))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_are_well_formed(name: str) -> None:
    text = WORKFLOWS[name].read_text(encoding="utf-8")
    found: dict[Any, Any] = yaml.safe_load(text)
    assert set(found) <= {"name", True, "permissions", "concurrency", "jobs"}  # YAML reads `on` as true
    assert found["permissions"] == {"contents": "read"}
    assert all(PINNED.fullmatch(used) for used in re.findall(r"uses: *(.*)", text))
    assert "pip install pip-audit" not in text
    jobs = found["jobs"]
    for job in jobs.values():
        assert set(job) <= {
            "needs",
            "if",
            "runs-on",
            "timeout-minutes",
            "strategy",
            "environment",
            "permissions",
            "steps",
        }
        assert set(job.get("needs", ())) <= set(jobs)
        assert job["timeout-minutes"] <= 60
        matrix = job.get("strategy", {}).get("matrix", {})
        known = {key for row in matrix.get("include", ()) for key in row} | set(matrix) - {"include"}
        assert set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))) == known
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"name", "if", "uses", "with", "run", "shell", "env", "id"}
            for script in re.findall(r"\btools/[\w.]+", step.get("run", "")):
                assert (ROOT / script).exists()
            for target in re.findall(r"\bmake (?:-C \w+ )?([\w-]+)", step.get("run", "")):
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert not cyclic({key: set(job.get("needs", ())) for key, job in jobs.items()})


def cyclic(needs: dict[str, set[str]]) -> bool:
    while needs:
        free = {key for key, wanted in needs.items() if not wanted}
        if not free:
            return True
        needs = {key: wanted - free for key, wanted in needs.items() if key not in free}
    return False


def test_what_looks_for_vulnerabilities_is_locked_with_its_digests() -> None:
    lock = (ROOT / "requirements-audit.lock").read_text()
    assert "pip-audit" in re.findall(r"^([\w-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    assert "--require-hashes --requirement requirements-audit.lock" in WORKFLOWS["dependencies.yml"].read_text()


def test_only_what_was_tried_is_published() -> None:
    jobs = yaml.safe_load(WORKFLOWS["release.yml"].read_text())["jobs"]
    assert {*jobs["publish"]["needs"], "ready", "publish"} == set(jobs)
    writing = [name for name, job in jobs.items() if "permissions" in job]
    assert writing == ["publish"]  # nobody else can get a token
    tried = jobs["installed"]["strategy"]["matrix"]["python"]
    named = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tried == named


def test_the_image_is_slim_and_runs_as_nobody_in_particular() -> None:
    found = list(image_steps.instructions((ROOT / "Dockerfile").read_text()))
    names = [name for name, _ in found]
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", dict(found)["FROM"])  # one version, of one system
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert dict(found)["USER"] == "rankscale"
    assert json.loads(dict(found)["ENTRYPOINT"]) == ["rankscale"]


def test_steps_of_the_image_that_would_change_this_machine_are_left_out() -> None:
    assert image_steps.steps("useradd x && mkdir /data && chown x /data") == (
        ["mkdir /data"],
        ["useradd x", "chown x /data"],
    )
    assert image_steps.inside("mkdir /data && pip --find-links /tmp/dist x/tmp", Path("/image")) == (
        "mkdir /image/data && pip --find-links /image/tmp/dist x/tmp"
    )


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    run = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    assert run == ["python", *PROJECT["dependencies"]]
    extras = [line for name in ("figures", "report", "workbench") for line in PROJECT["optional-dependencies"][name]]
    held = [line.replace(" ", "") for line in recipe["requirements"]["run_constraints"]]
    assert held == [line for line in extras if not line.startswith("rankscale[")]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]
    assert recipe["about"]["license"] == PROJECT["license"]


@pytest.mark.parametrize(
    ("state", "name", "version", "said"),
    [
        ("crate_state", "ab", "1.0.0", ""),
        ("crate_state", "ab", "1.1.0", "crate ab 1.1.0: withdrawn by its authors; lock another"),
        ("crate_state", "ab", "2.0.0", "crate ab 2.0.0: its registry has no such version"),
        ("package_state", "A_b.c", "1.0", ""),
        ("package_state", "A_b.c", "1.1", "package A_b.c 1.1: withdrawn by its authors; lock another"),
        ("package_state", "A_b.c", "1", "package A_b.c 1: its registry has no such version"),
    ],
)
def test_withdrawn_versions_are_named(state: str, name: str, version: str, said: str) -> None:
    pages = {
        "https://index.crates.io/2/ab": '{"vers": "1.0.0", "yanked": false}\n{"vers": "1.1.0", "yanked": true}\n',
        "https://pypi.org/simple/a-b-c/": '<a href="x">a_b_c-1.0-py3-none-any.whl</a><br/>\n'
        '<a href="y" data-yanked="broken">a-b.c-1.1.tar.gz</a><br/>\n',
    }
    assert getattr(withdrawn, state)(name, version, pages.__getitem__) == said


def test_every_locked_version_is_looked_at() -> None:
    crates = withdrawn.locked_crates((ROOT / "Cargo.lock").read_text())
    assert "pyo3" in dict(crates)
    assert "rankscale-core" not in dict(crates)
    packages = withdrawn.locked_packages((ROOT / "requirements.lock").read_text())
    assert len(packages) == (ROOT / "requirements.lock").read_text().count("==")
