"""The wagers of a lawful table, its notice, and what else is known of it. Money in the smallest unit."""

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
"""Every stake is so many of these that all it may win can be paid."""
SEATS = range(1, 6)
ANTE = 5


@dataclass(slots=True)
class Stake:
    """What lies on an area."""

    area: str
    value: int
    is_token: bool = False
    is_ordered_back: bool = False
    promise: Fraction = Fraction(0)
    """What an insurance wager wins when its hand loses."""
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
    """By seat the limits agreed with its player."""

    def span(self, seat: int, bet: str) -> tuple[int, int]:
        low, high = self.own.get(seat, (self.low, self.high))
        return low, min(high, self.tie) if bet == "tie" else high

    @property
    def as_limits(self) -> dict[str, Any]:
        """As a table's file and the log have it."""
        return {
            "minimum": self.low, "maximum": self.high, "differential": self.differential,
            "bets": {"tie": {"maximum": self.tie}},
        }  # fmt: skip


class LawfulTable:
    """What lies on the table, and what is agreed there."""

    def __init__(self, book: str, options: Mapping[str, Any], seed: int) -> None:
        self.book = book
        self.random = Random(seed)
        self.log = TableLog(rules_of(book, **options))
        self.shoe = LawfulShoe(self.log, self.random)
        self.notice = Notice()
        self.stakes: dict[str, Stake] = {}
        self.settled: set[str] = set()
        """Areas that the dealer has dealt with in this round."""
        self.nominees: dict[int, int] = {}
        """By seat the seat of who handles its cards."""
        self.was_passed_over = False
        """Whether a hand of this round went to another seat than the first in order, which declined."""
        self.chosen: Collection[str] = ()
        """What is to happen in the running round where it is lawful."""
        self.expected: list[str] = []
        """The codes that the log deserves."""

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
        """The bets that may be placed beside each other; insurance and ante are asked for at other times."""
        return sorted(str(bet) for bet in self.log.rules.offered if bet is not Bet.ANTE)

    def does(self, act: str) -> bool:
        return act in self.chosen

    def pause(self) -> float:
        return self.random.choice([0.2, 1.0, 4.0])

    def change(self, area: str, after: int, **more: Any) -> None:
        """A player puts chips on an area or takes some from it."""
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
        """A stake within the limits."""
        low, high = self.notice.span(seat, bet)
        return UNIT * self.random.randint(low // UNIT, max(low, high) // UNIT)

    def lying(self, bet: str) -> dict[int, int]:
        """By seat what lies on the bet."""
        return {stake.seat: stake.value for stake in self.stakes.values() if stake.bet == bet}

    def may_bet(self, seat: int, bet: str) -> bool:
        """tas 16.4.4 and 16.5.10(b) forbid a player in a competition to bet on both hands."""
        mine = {one.bet for one in self.stakes.values() if one.seat == seat}
        return bet not in mine and not (self.is_competition and bet in HANDS and mine & set(HANDS))

    def place(self, seat: int, bet: str, **more: Any) -> None:
        """A seat bets on something, where it may and where the hands stay within the differential."""
        value = self.amount(seat, bet)
        if self.may_bet(seat, bet) and self.keeps_balance(f"s{seat}-{bet}", value):
            self.change(f"s{seat}-{bet}", value, **more)

    def keeps_balance(self, area: str, value: int) -> bool:
        """Whether the hands are within the differential with so much on that area; tas knows none."""
        lies = {one.area: (one.bet, one.value) for one in self.stakes.values()} | {area: (area.split("-", 1)[1], value)}
        totals = {hand: sum(amount for bet, amount in lies.values() if bet == hand) for hand in HANDS}
        return self.book == "tas" or abs(totals["player"] - totals["banker"]) <= self.notice.differential

    def keep_to_notice(self) -> None:
        """What lies beyond the limits is taken."""
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
        """nz-secretary 14.5: an ante lies beside each wager on a hand or the Tie, unless it is waived (14.4)."""
        if not self.options.get("ante"):
            return
        waived_from = self.options["ante_waived_from"]
        for seat in SEATS:
            total = sum(self.lying(bet).get(seat, 0) for bet in (*HANDS, "tie"))
            is_asked = bool(total) and not (waived_from is not None and total >= waived_from)
            if is_asked and f"s{seat}-ante" not in self.stakes:
                self.change(f"s{seat}-ante", ANTE)

    def place_some(self) -> None:
        """What was left lying may be taken, then a few seats bet."""
        for stake in list(self.stakes.values()):
            if self.random.random() < 0.3:
                self.change(stake.area, 0)
        self.keep_to_notice()
        for seat in self.random.sample(SEATS, self.random.randint(0, 3)):
            for bet in self.random.sample(self.offered, min(self.random.randint(1, 3), len(self.offered))):
                self.place(seat, bet)
        self.pay_antes()
