"""The page that shows the rulebooks side by side is what their files say now."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.repository import ROOT
from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids
from thirdcard.service.cli.entry import app
from thirdcard.service.docgen.rulebook_page import rulebook_page


def test_page_in_the_documents_is_current() -> None:
    page = (ROOT / "docs" / "rulebooks.md").read_text(encoding="utf-8")
    assert page == rulebook_page(), "run: thirdcard rulebooks page --write docs/rulebooks.md"


@pytest.mark.parametrize("rulebook_id", rulebook_ids())
def test_page_names_every_section_of_a_rulebook(rulebook_id: str) -> None:
    book, page = load_rulebook(rulebook_id), rulebook_page()
    rules = {case.rule for case in book.closings} | {case.rule for case in book.burn}
    rules |= {case.rule for case in book.handling} | {book.last_round.rule, book.limits.rule}
    rules |= {case.rule for rule in book.bets.values() for case in rule.cases}
    rows = [line for line in page.splitlines() if line.startswith(f"| `{rulebook_id}`")]
    assert [rule for rule in rules if rule is not None and not any(f"({rule})" in row for row in rows)] == []


def test_command_prints_or_writes_the_page(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["rulebooks", "page"]).output == rulebook_page()
    path = tmp_path / "page.md"
    assert CliRunner().invoke(app, ["rulebooks", "page", "--write", str(path)]).exit_code == 0
    assert path.read_text(encoding="utf-8") == rulebook_page()
