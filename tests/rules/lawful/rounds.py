"""Play lawful rounds one after another, with the acts chosen by a test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tests.rules.lawful.acts import Moment, happen
from tests.rules.lawful.dealing import LawfulDeal, banker_draws
from tests.rules.lawful.settling import LawfulSettlement
from tests.rules.lawful.table import LawfulTable


def play_table(book: str, options: Mapping[str, Any], seed: int, chosen: Iterable[Collection[str]]) -> LawfulTable:
    """A table after playing one round for each entry of `chosen`, with these acts where they are lawful."""
    table = LawfulTable(book, options, seed)
    for acts in chosen:
        play_round(table, acts)
    return table


def play_round(table: LawfulTable, acts: Collection[str]) -> LawfulDeal:
    """Play one round with these acts where they are lawful."""
    table.chosen = acts
    table.settled.clear()
    table.was_passed_over = False
    deal = LawfulDeal(table)
    _renew_shoe(table)
    happen(Moment.BETWEEN, table, deal)
    _bet(table, deal)
    happen(Moment.CALLED, table, deal)
    _deal(table, deal)
    _finish(table, deal)
    return deal


def _renew_shoe(table: LawfulTable) -> None:
    if table.shoe.rounds_left == 0 or table.does("new_shoe"):
        if table.does("shoe_closed"):
            table.shoe.close()
        table.shoe.open(is_burn_looked_at=table.does("burn_looked_at"))


def _bet(table: LawfulTable, deal: LawfulDeal) -> None:
    """Open betting, place wagers and make the call; or none of it in a void hand."""
    if table.does("bets_opened"):
        table.log.add("bets_opened", source="person" if table.does("person_reports") else None)
    if table.does("void_hand"):
        for area in list(table.stakes):
            table.change(area, 0)
        table.log.add("void_hand_announced")
        return
    table.place_some()
    happen(Moment.BETTING, table, deal)
    if not (table.book in ("tas", "nsw") and table.does("no_call")):
        table.log.add("no_more_bets", source=table.random.choice(["signal", "person", "camera", None]))


def _deal(table: LawfulTable, deal: LawfulDeal) -> None:
    deal.deal("player")
    happen(Moment.ONE_CARD, table, deal)
    for hand in ("banker", "player", "banker"):
        deal.deal(hand)
    happen(Moment.FOUR_CARDS, table, deal)
    deal.open_four()
    happen(Moment.OPEN, table, deal)
    player, banker = deal.points
    if max(player, banker) >= 8:
        return
    if player <= 5:
        deal.deal_third("player")
        happen(Moment.THIRD, table, deal)
    if banker_draws(banker, deal.third):
        deal.deal_third("banker")


def _finish(table: LawfulTable, deal: LawfulDeal) -> None:
    """Announce the result, or that there is none; settle; then clear the cards."""
    happen(Moment.PLAYED, table, deal)
    settlement = LawfulSettlement(table, deal.end)
    if table.does("round_voided"):
        table.log.add("round_voided", reason=table.random.choice([None, "power failure"]))
        settlement.return_all()
    else:
        table.log.result(*deal.points)
        happen(Moment.ANNOUNCED, table, deal)
        settlement.settle_all()
    happen(Moment.SETTLED, table, deal)
    table.log.close()
    table.shoe.end_round(was_cut_in_it=deal.has_cut)
