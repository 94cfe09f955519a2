"""The exact odds of a rulebook as the contract has them; figures become floats only here."""

from __future__ import annotations

from thirdcard.rules.odds.odds import Odds


def format_odds(odds: Odds) -> dict[str, object]:
    """The mapping of the contract."""
    total = sum(odds.outcomes.values())
    return {
        "rulebook": odds.rulebook,
        "decks": odds.decks,
        "outcomes": {**{str(outcome): n for outcome, n in odds.outcomes.items()}, "total": total},
        "bets": {str(bet): {"return": str(value), "house_edge": float(-value)} for bet, value in odds.returns.items()},
    }
