"""Compare published figures with the exact counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any

import yaml

from thirdcard.rules.game.words import Bet, Outcome
from thirdcard.rules.odds.odds import reckon_odds, return_of_insurance
from thirdcard.rules.rulebook.load import elect, load_rulebook
from thirdcard.rules.rulebook.options import Rules

INSURING = "sg-rws"
"""The rulebook whose insurance is compared."""
USUAL = "tas"
"""A rulebook with the common table of play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsComparison:
    """One published figure and ours."""

    what: str
    decks: int
    printed: str
    ours: str
    """With as many decimals as the printed one."""
    source: str
    note: str | None
    """What is wrong with the printed figure; None where nothing is known to be."""

    @property
    def agrees(self) -> bool:
        return self.printed == self.ours


def compare_all() -> tuple[OddsComparison, ...]:
    """Every published figure of the list, in its order, with ours."""
    content = yaml.safe_load((files("thirdcard.service.docgen") / "published_odds.yaml").read_text(encoding="utf-8"))
    edges = (_edge(entry) for entry in content["edges"])
    shares = (_share(entry) for entry in content["shares"])
    counts = (_count(entry) for entry in content["counts"])
    return (*edges, *shares, *counts, *(_insurance(entry) for entry in content["insurance"]))


def name_of_bet(bet: Bet) -> str:
    """The name of a bet with blanks: `dragon_player` becomes `dragon player`."""
    return bet.replace("_", " ")


def name_of_elections(options: dict[str, Any]) -> str:
    """The options that differ from their defaults, such as `tie_pays=9`; empty where none does."""
    return ", ".join(f"{key}={str(value).lower()}" for key, value in options.items())


def _edge(entry: dict[str, Any]) -> OddsComparison:
    options = entry.get("options", {})
    rules = elect(load_rulebook(entry["rulebook"]), options)
    bet = Bet(entry["bet"])
    where = ", ".join(part for part in (entry["rulebook"], name_of_elections(options)) if part)
    edge = -reckon_odds(rules, entry["decks"]).returns[bet]
    return _comparison(entry, f"edge of {name_of_bet(bet)} ({where})", edge)


def _insurance(entry: dict[str, Any]) -> OddsComparison:
    rules = elect(load_rulebook(INSURING), {})
    player, banker, bet = entry["player"], entry["banker"], Bet(entry["bet"])
    edge = -_insurance_return(rules, bet, entry["after"], (player, banker), entry["decks"])
    points = f"Player {player}, Banker {banker} after {entry['after'].replace('_', ' ')}"
    return _comparison(entry, f"edge of {name_of_bet(bet)}, {points} ({INSURING})", edge)


def _share(entry: dict[str, Any]) -> OddsComparison:
    outcomes = reckon_odds(elect(load_rulebook(USUAL), {}), entry["decks"]).outcomes
    share = Fraction(outcomes[Outcome(entry["outcome"])], sum(outcomes.values()))
    return _comparison(entry, f"share of {entry['outcome']}", share)


def _insurance_return(rules: Rules, bet: Bet, after: str, points: tuple[int, int], decks: int) -> Fraction:
    player, banker = points
    assert rules.insurance is not None
    (row,) = [
        row
        for row in rules.insurance.rows
        if row.bet is bet and row.after == after and player in row.player and banker in row.banker
    ]
    return return_of_insurance(row, player, banker, rules.rulebook, decks)


def _comparison(entry: dict[str, Any], what: str, value: Fraction) -> OddsComparison:
    places = len(entry["printed"].partition(".")[2])
    return OddsComparison(
        what=what,
        decks=entry["decks"],
        printed=f"{entry['printed']} %",
        ours=f"{float(100 * value):.{places}f} %",
        source=entry["source"],
        note=entry.get("note"),
    )


def _count(entry: dict[str, Any]) -> OddsComparison:
    outcomes = reckon_odds(elect(load_rulebook(USUAL), {}), entry["decks"]).outcomes
    of_all = entry["outcome"] == "all"
    return OddsComparison(
        what="all deals" if of_all else f"deals that the {entry['outcome']} wins".replace("the tie wins", "tie"),
        decks=entry["decks"],
        printed=f"{entry['printed']:,}",
        ours=f"{sum(outcomes.values()) if of_all else outcomes[Outcome(entry['outcome'])]:,}",
        source=entry["source"],
        note=entry.get("note"),
    )
