"""docs/odds.md is what the command writes, and says rightly who errs."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.repository import ROOT
from thirdcard.service.cli.entry import app
from thirdcard.service.docgen.odds_page import format_page
from thirdcard.service.docgen.published_odds import compare_all


def test_page_is_current() -> None:
    assert (ROOT / "docs" / "odds.md").read_text(encoding="utf-8") == format_page()


def test_command_writes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.docgen.odds_page.format_page", lambda: "# Odds\n")
    assert CliRunner().invoke(app, ["odds", "--page"]).stdout == "# Odds\n"


def test_published_figures_agree_or_it_is_said_why_not() -> None:
    assert [one for one in compare_all() if one.agrees != (one.note is None)] == []


@pytest.mark.parametrize(
    ("decks", "figures"),
    [
        pytest.param(8, ("1.0579", "1.2351", "14.3596", "1.4581", "10.361", "2.65", "9.37"), id="8-decks"),
        pytest.param(6, ("1.0558", "1.2374", "14.4382", "2.67", "9.39"), id="6-decks"),
    ],
)
def test_page_compares_the_best_known_figures(decks: int, figures: tuple[str, ...]) -> None:
    agreeing = {one.printed for one in compare_all() if one.decks == decks and one.agrees}
    assert {f"{figure} %" for figure in figures} <= agreeing
