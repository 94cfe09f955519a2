"""The shoe of a lawful table: burned and cut as the text orders, and replaced in time."""

from __future__ import annotations

from random import Random

from tests.rules.builders import NZ, TableLog
from thirdcard.rules.game.cards import PACK, Card

_SHOWN_BURN = ("nz-authority", "macau", "ez")


class LawfulShoe:
    """The cards of successive shoes, in order."""

    def __init__(self, log: TableLog, random: Random) -> None:
        self._log = log
        self._random = random
        self._book = log.rules.rulebook.id
        self.decks = random.choice([6, 8])
        self.is_opening_seen = False
        self.is_cut = False
        self.rounds_left: int | None = None
        """The number of rounds that may still start; None where no last round was announced."""
        self.was_spent = False
        """Whether the previous shoe allowed no further round."""
        self.left: list[Card] = []
        self.shuffle()

    @property
    def knows_no_end(self) -> bool:
        """sg-rws has no last round; that of nsw is in no published part (3.8)."""
        return self._book in ("sg-rws", "nsw")

    def shuffle(self) -> None:
        self.left = list(PACK) * self.decks
        self._random.shuffle(self.left)
        self.rounds_left, self.is_cut = None, False

    def open(self, *, is_burn_looked_at: bool = False) -> None:
        """Open a new shoe, burned as the text orders: nz 7.7, macau 1.2, ez 1.2; the others order nothing."""
        self.was_spent = self.rounds_left == 0
        self.shuffle()
        self.is_opening_seen = True
        self._log.add("shoe_opened", decks=self.decks)
        burn = self._log.rules.options.get("burn")
        is_shown = self._book in _SHOWN_BURN or burn == "count"
        if not is_shown and burn != "one":
            return
        first = self.left.pop()
        self._log.add("card_burned", card=str(first) if is_shown else None)
        if is_burn_looked_at:  # the first is drawn face up; nz-secretary 7.7(b): a player may view the only one
            self._log.add("card_shown", card=str(first), where="burn")
        for _ in range((first.point_value or 10) if is_shown else 0):
            self.left.pop()
            self._log.add("card_burned", card=None)

    def close(self) -> None:
        self._log.add("shoe_closed")
        self.rounds_left = 0

    @property
    def may_be_cut(self) -> bool:
        """The marker of tas lies seven cards from the end (5.4): in a shoe seen from its opening it is not out yet."""
        return not self.is_cut and (self._book != "tas" or not self.is_opening_seen or len(self.left) == 7)

    def cut(self, *, is_first: bool) -> None:
        """Draw the cutting card, before the round's first card or within the round."""
        self.is_cut = True
        self._log.add("cut_card_drawn")
        if self.knows_no_end or self.rounds_left is not None:
            return
        if is_first:
            self.rounds_left = 1
            if self._book in NZ:
                self.announce()  # 11.2(a)
        else:
            self.rounds_left = 0 if self._book == "tas" else 1  # tas 9.4: a card of this round follows it

    def announce(self) -> None:
        self._log.add("last_round_announced", source="person")

    def begin_round(self) -> None:
        """Count a round whose first card is out."""
        if self.rounds_left is not None:
            self.rounds_left -= 1

    def end_round(self, *, was_cut_in_it: bool) -> None:
        """nz 11.2(b): the round in which the cutting card came is completed, the next is announced."""
        if was_cut_in_it and self.rounds_left == 1 and self._book in NZ:
            self.announce()
