"""`thirdcard odds`: exact outcome counts and each bet's return."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thirdcard.rules.odds.odds import Odds


def odds(
    rulebook: Annotated[str | None, typer.Option(help="A rulebook's id, or the path of its file.")] = None,
    table: Annotated[Path | None, typer.Option(help="A table.yaml, instead of --rulebook.")] = None,
    decks: Annotated[int | None, typer.Option(min=1, max=16, help="Decks in the shoe.  [default: 8]")] = None,
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE that the house elected; may be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object with exact fractions.")] = False,
    page: Annotated[bool, typer.Option("--page", help="The page docs/odds.md: every rulebook, 1 to 8 decks.")] = False,
) -> None:
    """Count every deal of a full shoe exactly: outcomes, each bet's return and house edge."""
    from thirdcard.rules.odds.odds import reckon_odds
    from thirdcard.rules.rulebook.load import elect, load_rulebook
    from thirdcard.service.cli.commands.rulebook_arguments import choose_rulebook
    from thirdcard.service.docgen.odds import format_odds
    from thirdcard.service.docgen.odds_page import format_page

    if page:
        sys.stdout.write(format_page())
        return
    choice = choose_rulebook(table, rulebook, option or [], decks)
    reckoned = reckon_odds(elect(load_rulebook(choice.rulebook), choice.options), choice.decks)
    if as_json:
        sys.stdout.write(json.dumps(format_odds(reckoned)) + "\n")
    else:
        _print(reckoned)


def _print(odds: Odds) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    total = sum(odds.outcomes.values())
    outcomes = Table(title=f"{odds.rulebook}, {odds.decks} decks, {total:,} deals", title_justify="left")
    for name in ("outcome", "deals", "share"):
        outcomes.add_column(name, justify="left" if name == "outcome" else "right")
    for outcome, count in odds.outcomes.items():
        outcomes.add_row(str(outcome), f"{count:,}", f"{100 * count / total:.4f} %")
    bets = Table()
    for name in ("bet", "return", "house edge"):
        bets.add_column(name, justify="left" if name == "bet" else "right")
    for bet, value in odds.returns.items():
        bets.add_row(str(bet), f"{float(value):+.6f}", f"{-100 * float(value):.4f} %")
    console.print(outcomes)
    console.print(bets)
