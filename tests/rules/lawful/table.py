"""The wagers, notice and further state of a lawful table. Money in minor units."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from tests.rules.builders import NZ, TableLog, rules_of
from tests.rules.lawful.shoe import LawfulShoe
from thirdcard.rules.game.words import Bet

BOOKS = (*NZ, "sg-rws", "nsw", "tas", "macau", "ez")
HANDS = ("player", "banker")
INSURANCE = ("insurance_player", "insurance_banker")
UNIT = 100
"""Every stake is a multiple of this, so that all possible winnings can be paid."""
SEATS = range(1, 6)
ANTE = 5


@dataclass(slots=True)
class Stake:
    """The chips on an area."""

    area: str
    value: int
    is_token: bool = False
    is_ordered_back: bool = False
    promise: Fraction = Fraction(0)
    """The win of an insurance wager when its hand loses."""
    on_tie: Fraction = Fraction(0)

    @property
    def seat(self) -> int:
        return int(self.area[1 : self.area.index("-")])

    @property
    def bet(self) -> str:
        return self.area.split("-", 1)[1]

    @property
    def is_insurance(self) -> bool:
        return self.bet in INSURANCE


@dataclass(slots=True)
class Notice:
    """The limits in force."""

    low: int = UNIT
    high: int = 10 * UNIT
    differential: int = 15 * UNIT
    tie: int = 5 * UNIT
    own: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By seat, the limits agreed with its player."""

    def span(self, seat: int, bet: str) -> tuple[int, int]:
        low, high = self.own.get(seat, (self.low, self.high))
        return low, min(high, self.tie) if bet == "tie" else high

    @property
    def as_limits(self) -> dict[str, Any]:
        """The limits in the form of a table's file and of the log."""
        return {
            "minimum": self.low, "maximum": self.high, "differential": self.differential,
            "bets": {"tie": {"maximum": self.tie}},
        }  # fmt: skip


class LawfulTable:
    """The wagers on the table, and the agreements there."""

    def __init__(self, book: str, options: Mapping[str, Any], seed: int) -> None:
        self.book = book
        self.random = Random(seed)
        self.log = TableLog(rules_of(book, **options))
        self.shoe = LawfulShoe(self.log, self.random)
        self.notice = Notice()
        self.stakes: dict[str, Stake] = {}
        self.settled: set[str] = set()
        """The areas that the dealer has settled in this round."""
        self.nominees: dict[int, int] = {}
        """By seat, the seat of the nominee who handles its cards."""
        self.was_passed_over = False
        """Whether a hand of this round went to another seat because the first in order declined."""
        self.chosen: Collection[str] = ()
        """The acts of the current round, where they are lawful."""
        self.expected: list[str] = []
        """The codes of the alerts that the log should give."""

    @property
    def options(self) -> Mapping[str, Any]:
        return self.log.rules.options

    @property
    def style(self) -> str:
        return str(self.options["dealing_style"])

    @property
    def is_competition(self) -> bool:
        return bool(self.options.get("competition", "none") != "none")

    @property
    def offered(self) -> list[str]:
        """The bets that may be placed side by side; insurance and ante are requested at other times."""
        return sorted(str(bet) for bet in self.log.rules.offered if bet is not Bet.ANTE)

    def does(self, act: str) -> bool:
        return act in self.chosen

    def pause(self) -> float:
        return self.random.choice([0.2, 1.0, 4.0])

    def change(self, area: str, after: int, **more: Any) -> None:
        """A player adds chips to an area or takes some from it."""
        stake = self.stakes.get(area)
        before = 0 if stake is None else stake.value
        if after == before:
            return
        self.log.wager(area, before, after, after_s=self.pause(), **more)
        if after == 0:
            self.stakes.pop(area, None)
        else:
            self.stakes.setdefault(area, Stake(area, 0)).value = after

    def amount(self, seat: int, bet: str) -> int:
        """A random stake within the limits."""
        low, high = self.notice.span(seat, bet)
        return UNIT * self.random.randint(low // UNIT, max(low, high) // UNIT)

    def lying(self, bet: str) -> dict[int, int]:
        """By seat, the stake on the bet."""
        return {stake.seat: stake.value for stake in self.stakes.values() if stake.bet == bet}

    def may_bet(self, seat: int, bet: str) -> bool:
        """tas 16.4.4 and 16.5.10(b) forbid a player in a competition to bet on both hands."""
        mine = {one.bet for one in self.stakes.values() if one.seat == seat}
        return bet not in mine and not (self.is_competition and bet in HANDS and mine & set(HANDS))

    def place(self, seat: int, bet: str, **more: Any) -> None:
        """A seat bets, where it may and where the hands stay within the differential."""
        value = self.amount(seat, bet)
        if self.may_bet(seat, bet) and self.keeps_balance(f"s{seat}-{bet}", value):
            self.change(f"s{seat}-{bet}", value, **more)

    def keeps_balance(self, area: str, value: int) -> bool:
        """Whether the hands are within the differential with this value on that area; tas has none."""
        lies = {one.area: (one.bet, one.value) for one in self.stakes.values()} | {area: (area.split("-", 1)[1], value)}
        totals = {hand: sum(amount for bet, amount in lies.values() if bet == hand) for hand in HANDS}
        return self.book == "tas" or abs(totals["player"] - totals["banker"]) <= self.notice.differential

    def keep_to_notice(self) -> None:
        """Remove wagers outside the limits."""
        for stake in list(self.stakes.values()):
            low, high = self.notice.span(stake.seat, stake.bet)
            if stake.bet in (*HANDS, "tie") and not low <= stake.value <= high:
                self.change(stake.area, 0)
        while not self.keeps_balance("s0-none", 0):
            self.change(
                max((one for one in self.stakes.values() if one.bet in HANDS), key=lambda one: one.value).area, 0
            )
        self.pay_antes()

    def pay_antes(self) -> None:
        """nz-secretary 14.5: place an ante beside each wager on a hand or the Tie, unless it is waived (14.4)."""
        if not self.options.get("ante"):
            return
        waived_from = self.options["ante_waived_from"]
        for seat in SEATS:
            total = sum(self.lying(bet).get(seat, 0) for bet in (*HANDS, "tie"))
            is_asked = bool(total) and not (waived_from is not None and total >= waived_from)
            if is_asked and f"s{seat}-ante" not in self.stakes:
                self.change(f"s{seat}-ante", ANTE)

    def place_some(self) -> None:
        """Take some of the remaining wagers, then let a few seats bet."""
        for stake in list(self.stakes.values()):
            if self.random.random() < 0.3:
                self.change(stake.area, 0)
        self.keep_to_notice()
        for seat in self.random.sample(SEATS, self.random.randint(0, 3)):
            for bet in self.random.sample(self.offered, min(self.random.randint(1, 3), len(self.offered))):
                self.place(seat, bet)
        self.pay_antes()
