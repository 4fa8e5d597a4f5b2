"""The scripts of pages, kept in the user's cache."""

import pytest

from rankscale.figures.base import renderer


@pytest.mark.parametrize("kept", ["", "(function(){", "x" * 1_000_000, "\ud800"])
def test_a_bundle_that_was_cut_off_is_made_anew(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(renderer, "version", lambda _: "1")
    monkeypatch.setattr(renderer, "render", lambda _: b"all of it")
    file = tmp_path / "rankscale" / "vega-1.js"
    file.parent.mkdir()
    file.write_bytes(kept.encode("utf-8", "surrogatepass"))
    assert renderer.bundle() == "all of it"
    written = file.read_bytes()
    monkeypatch.setattr(renderer, "render", None)  # it is not made again
    assert renderer.bundle() == "all of it"
    assert file.read_bytes() == written
