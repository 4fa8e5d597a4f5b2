"""The register, against the sources it is made from."""

import importlib.util
import pkgutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest

import rankscale.measures
from rankscale.errors import UnknownNameError
from rankscale.measures.ap import AP
from rankscale.measures.base import register
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parameters import sections
from rankscale.measures.base.register_table import ALIASES, CLASSES

ROOT = Path(__file__).parents[2]
FORMULA = """
    Formula
    -------
    1 for every ranking
"""


@pytest.fixture
def make_register() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_register", ROOT / "tools" / "make_register.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every_class() -> set[type[Measure]]:
    """The measures that are there once every module is imported."""
    for module in pkgutil.iter_modules(rankscale.measures.__path__, "rankscale.measures."):
        import_module(module.name)
    measures, rest = set(), [Measure]
    while rest:
        children = rest.pop().__subclasses__()
        rest += children
        ours = {child for child in children if child.__module__.startswith("rankscale.")}
        measures |= {child for child in ours if "Formula" in sections(child)}
    return measures


def test_the_table_is_what_the_sources_say(make_register: ModuleType) -> None:
    assert make_register.TABLE.read_text(encoding="utf-8") == make_register.table(make_register.measures())


def test_check_ends_with_1_where_the_table_has_drifted(
    make_register: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_register.py", "--check"])
    assert make_register.main() == 0
    monkeypatch.setattr(make_register, "TABLE", tmp_path / "register_table.py")
    assert make_register.main() == 1
    (tmp_path / "register_table.py").write_text("CLASSES = {}\n")
    assert make_register.main() == 1


def test_two_measures_of_one_name_are_refused(make_register: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "measures").mkdir()
    for module in ("one.py", "two.py"):
        (tmp_path / "measures" / module).write_text(f'class A:\n    """One.\n{FORMULA}    """\n')
    with pytest.raises(SystemExit, match="two measures are called A; names and aliases must differ"):
        make_register.measures(tmp_path)


def test_a_class_with_a_formula_is_a_measure(make_register: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "measures").mkdir()
    (tmp_path / "measures" / "some.py").write_text(
        f'class One(Measure):\n    """One.\n{FORMULA}    """\n'
        f'class Two(One):\n    """Two.\n{FORMULA}    """\n'
        '    name: ClassVar[str] = "two"\n    aliases: ClassVar[tuple[str, ...]] = ("second",)\n'
        'class Base(Measure):\n    """What they share; the word Formula alone is no section."""\n'
        "class Plain:\n    name: ClassVar[str] = 'plain'\n"
    )
    module = f"{tmp_path.name}.measures.some"
    assert make_register.measures(tmp_path) == [("One", (), f"{module}:One"), ("two", ("second",), f"{module}:Two")]


def test_name_and_aliases_are_those_of_the_class() -> None:
    class Named(AP):
        """A measure that declares neither name nor aliases."""

    assert (AP.name, AP.aliases, Named.name, Named.aliases) == ("AP", ("MAP",), "Named", ())


def test_sections_are_read_from_the_docstring_or_from_that_of_a_base() -> None:
    class Child(AP):
        """A measure.

        Formula
        -------
        one line,
        and another
        """

    assert (Child.formula, Child.paper, Child.user_model) == ("one line, and another", AP.paper, AP.user_model)
    assert (Measure.formula, Measure.paper, Measure.user_model) == ("", "", "")
    assert Child().formula == Child.formula


def test_every_measure_is_found_under_its_name_and_aliases() -> None:
    unmeasured = (".stats.", ".evaluation.")  # standardised values, and values measured elsewhere
    measuring = {kind for kind in every_class() if not any(room in kind.__module__ for room in unmeasured)}
    assert {register.find(name) for name in CLASSES} >= measuring
    for name in CLASSES:
        assert register.find(name).name == name
        assert [register.find(alias) for alias in register.find(name).aliases] == [register.find(name)] * sum(
            target == name for target in ALIASES.values()
        )


@pytest.mark.parametrize("name", CLASSES)
def test_every_measure_says_what_it_is(name: str) -> None:
    measure = register.find(name)
    assert measure.formula
    assert measure.paper
    assert ">>> " in (measure.__doc__ or "")


def test_a_measure_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = EntryPoint("Elsewhere", "rankscale.measures.ap:AP", "rankscale.measures")

    monkeypatch.setattr(register, "_elsewhere", lambda: EntryPoints([theirs]))
    assert register.find("Elsewhere").name == "AP"
    assert register.names() == (*CLASSES, "Elsewhere")
    register.find.cache_clear()


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        register.find("nDGC")
    assert str(caught.value) == "unknown measure 'nDGC'; did you mean nDCG? `rankscale measures` lists all of them"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "import rankscale.measures.base.register, rankscale.measures.base.trec_names",
            {"numpy", "rankscale.measures.base.measure"},
        ),
        (
            "from rankscale.measures.base.parser import parse; parse('P@5')",
            {"rankscale.measures.ap", "rankscale.measures.dcg", "rankscale.measures.base.gains"},
        ),
    ],
)
def test_only_what_is_needed_is_imported(statement: str, absent: set[str]) -> None:
    command = f"import sys; {statement}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert not absent & set(found)
