"""Made inputs of the three other forms, and what trec_eval 9.0.8 and 10.0 say of them: 418 commands, byte for byte."""

import csv
import io
import tarfile

import pytest

from rankscale.trec_eval import main

FORMS = ("prefs", "qrels_prefs", "qrels_jg")


@pytest.fixture(scope="session")
def cases(shared_data, tmp_path_factory):
    """The folder of the cases, unpacked."""
    folder = tmp_path_factory.mktemp("prefs_cases")
    with tarfile.open(shared_data / "prefs_cases" / "cases.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("version", ["9", "10"])
@pytest.mark.parametrize("form", FORMS)
def test_outputs_and_exit_codes_are_trec_evals(form, version, cases, monkeypatch, capsys):
    text = (cases / "cases.tsv").read_text(encoding="utf-8")
    commands = [
        command
        for command in csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
        if command["case"].startswith(f"{form}/")
    ]
    assert len(commands) == {"prefs": 150, "qrels_prefs": 134, "qrels_jg": 134}[form]
    for command in commands:
        monkeypatch.chdir(cases / command["case"])
        written: list[bytes] = []
        code = main(["--compat", version, *command["arguments"].split(), "rel", "run"], written.append)
        expected = (cases / command["case"] / f"{command['command']}.{version}.out").read_bytes()
        assert b"".join(written) == expected, command
        assert code == int(command[f"code{version}"]), command
        assert (capsys.readouterr().err == "") == (code == 0), command
