"""The exact odds of a rulebook in the contract's format; numbers become floats only here."""

from __future__ import annotations

from thirdcard.rules.odds.odds import Odds


def format_odds(odds: Odds) -> dict[str, object]:
    """The contract's mapping."""
    total = sum(odds.outcomes.values())
    return {
        "rulebook": odds.rulebook,
        "decks": odds.decks,
        "outcomes": {**{str(outcome): n for outcome, n in odds.outcomes.items()}, "total": total},
        "bets": {str(bet): {"return": str(value), "house_edge": float(-value)} for bet, value in odds.returns.items()},
    }
