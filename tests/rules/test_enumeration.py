"""All ordered deals of six cards fall out exactly as published."""

from __future__ import annotations

from collections import Counter

from rules.enumeration import count_deals, count_outcomes
from rules.rulebook import load_rulebook
from rules.words import Outcome

# The usual table, eight decks; derived two ways and published by Wizard of Odds among others.
EIGHT_DECKS = {
    Outcome.BANKER: 2_292_252_566_437_888,
    Outcome.PLAYER: 2_230_518_282_592_256,
    Outcome.TIE: 475_627_426_473_216,
}


def test_eight_decks_every_outcome_is_counted_exactly() -> None:
    table = load_rulebook("tas").table
    deals = count_deals(8, table)
    counts = Counter[Outcome]()
    breakdown = Counter[tuple[int, int]]()
    for deal, ways in deals.items():
        counts[deal.winner] += ways
        breakdown[deal.player_points, deal.banker_points] += ways
    assert dict(counts) == EIGHT_DECKS, breakdown
    assert sum(counts.values()) == 416 * 415 * 414 * 413 * 412 * 411


def test_one_deck_every_deal_is_counted_once() -> None:
    decks = 1
    size, total = 52 * decks, 1
    for i in range(6):
        total *= size - i
    assert sum(count_outcomes(decks, load_rulebook("nsw").table).values()) == total
