"""Settle a lawful round's wagers: by the texts' odds, in one of the correct ways."""

from __future__ import annotations

from fractions import Fraction

from tests.rules.lawful.pays import Ended, odds_of
from tests.rules.lawful.table import LawfulTable, Stake

Odds = Fraction | None


class LawfulSettlement:
    """Settles one round's wagers."""

    def __init__(self, table: LawfulTable, end: Ended) -> None:
        self._table = table
        self._end = end

    def settle_all(self) -> None:
        table = self._table
        for stake in table.random.sample(list(table.stakes.values()), len(table.stakes)):
            if stake.is_ordered_back:
                self.give_back(stake)
            elif stake.area not in table.settled:
                self.settle(stake)

    def return_all(self) -> None:
        """Return all wagers of a void round."""
        for stake in list(self._table.stakes.values()):
            self.give_back(stake)

    def odds(self, stake: Stake) -> Odds:
        """The win per unit of the stake; 0 is a stand-off, None a loss."""
        if not stake.is_insurance:
            return odds_of(stake.bet, self._end)
        lead = self._end.lead if stake.bet == "insurance_player" else -self._end.lead
        return None if lead > 0 else (stake.promise if lead else stake.on_tie) / stake.value

    def settle(self, stake: Stake) -> None:
        """Pay, collect or return the stake according to the cards."""
        odds = self.odds(stake)
        if odds is None:
            self.act(stake, "collected", stake.value)
            self.clear(stake)
        elif odds == 0:
            self._stand_off(stake)
        else:
            self._pay(stake, stake.value * odds, is_netted=odds == Fraction(19, 20))

    def act(self, stake: Stake, action: str, amount: Fraction | int, *, after_s: float | None = None) -> None:
        assert int(amount) == amount, "stakes are chosen so that all can be paid"
        pause = self._table.pause() if after_s is None else after_s
        self._table.log.settle(stake.area, action, int(amount), after_s=pause)
        self._table.settled.add(stake.area)

    def give_back(self, stake: Stake) -> None:
        self.act(stake, "returned", stake.value)
        self.clear(stake)

    def clear(self, stake: Stake) -> None:
        self._table.stakes.pop(stake.area, None)

    def _stand_off(self, stake: Stake) -> None:
        """The dealer returns the stake, or leaves it; after a Tie (except in sg-rws, 3.17) its player may take it."""
        table = self._table
        if stake.is_token and table.random.random() < 0.5:
            self.act(stake, "collected", stake.value)
            self.clear(stake)
        elif table.book == "sg-rws" or stake.is_token or stake.is_insurance:
            self.give_back(stake)
        elif table.does("taken_back_by_player") and self._end.lead == 0:
            table.change(stake.area, 0)
        elif not table.does("left_lying"):
            self.give_back(stake)

    def _pay(self, stake: Stake, winnings: Fraction, *, is_netted: bool) -> None:
        """Pay the winnings, at once, in two parts or with the commission taken separately; then the player takes or
        leaves them."""
        table = self._table
        if is_netted and table.does("commission_apart") and not stake.is_token:
            self.act(stake, "paid", stake.value)
            self.act(stake, "collected", stake.value // 20)
            self.clear(stake)
            return
        added = int(winnings) if table.does("chips_put_there") else 0
        if added:
            table.log.wager(stake.area, stake.value, stake.value + added, by="dealer")
        first = 1 if table.does("paid_in_two") and winnings > 1 and not added else 0
        for part in (first, winnings - first):
            if part:
                self.act(stake, "paid", part, after_s=0.5)
        if stake.is_token:
            self._spend(stake, added)
        elif added or stake.is_insurance or not table.does("left_lying"):
            table.log.wager(stake.area, stake.value + added, 0)
            self.clear(stake)

    def _spend(self, stake: Stake, added: int) -> None:
        """nsw 1.1: promotional chips are forfeited even if they win; under other texts the dealer takes them too."""
        if added:
            self._table.log.wager(stake.area, stake.value + added, stake.value)
        if self._table.book != "nsw" or self._table.random.random() < 0.5:
            self.act(stake, "collected", stake.value)
        self.clear(stake)
