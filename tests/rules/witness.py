"""Logs that break a paragraph or nearly break it, or that use what a paragraph permits, by the paragraph's number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.rules.builders import NZ, TableLog, rules_of
from tests.rules.scenarios import Build
from thirdcard.rules.game.notation import parse_round
from thirdcard.rules.rulebook.options import Rules

SEC = ("nz-secretary",)
SG = ("sg-rws",)
NSW = ("nsw",)
TAS = ("tas",)
STYLE_B: Mapping[str, Any] = {"dealing_style": "B"}
STYLE_C: Mapping[str, Any] = {"dealing_style": "C"}
STANDS = "P KH 7C | B 3D 4H"
"""A Tie on 7 of two cards each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A log that breaks a paragraph, and one that nearly does."""

    rulebook: str
    paragraph: str
    name: str
    code: str | None
    """The code of its alert; None where the paragraph permits something and only `near` is played."""
    fault: Build | None
    near: Build
    cites: str
    """`rule`: the alert cites the paragraph; `remedy`: its remedy does; `other`: it cites another paragraph."""
    options: Mapping[str, Any] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)
    action: str | None = None
    """The action of the alert's remedy, where it is checked."""

    @property
    def rules(self) -> Rules:
        return rules_of(self.rulebook, **self.options)

    @property
    def id(self) -> str:
        return f"{self.rulebook}-{self.paragraph}-{self.name}"


class Witnesses(list[Witness]):
    """The witnesses of some rulebooks."""

    def told(
        self, paragraph: str, code: str, fault: Build, near: Build, *, books: tuple[str, ...] = NZ, **more: Any
    ) -> None:
        """Add a paragraph that the fault breaks and the near miss keeps."""
        name, cites, table = more.pop("name", code), more.pop("cites", "rule"), more.pop("table", {})
        action = more.pop("action", None)
        for book in books:
            one = Witness(
                rulebook=book, paragraph=paragraph, name=name, code=code, fault=fault, near=near, cites=cites,
                options=more, table=table, action=action,
            )  # fmt: skip
            self.append(one)

    def permits(self, paragraph: str, near: Build, *, books: tuple[str, ...] = NZ, **more: Any) -> None:
        """Add a log that the paragraph permits, and so gives no alert."""
        table, name = more.pop("table", {}), more.pop("name", "permitted")
        for book in books:
            one = Witness(
                rulebook=book, paragraph=paragraph, name=name, code=None, fault=None, near=near, cites="other",
                options=more, table=table,
            )  # fmt: skip
            self.append(one)

    def pays(
        self, paragraph: str, bet: str, text: str, amount: int, *, books: tuple[str, ...] = NZ, **more: Any
    ) -> None:
        """Add a bet of 100 that wins this amount: paying 5 more is a fault."""
        wrong, right = settled(bet, text, ("paid", amount + 5)), settled(bet, text, ("paid", amount))
        self.told(paragraph, "payout.wrong_amount", wrong, right, books=books, **more)

    def loses(self, paragraph: str, bet: str, text: str, *, books: tuple[str, ...] = NZ, **more: Any) -> None:
        """Add a losing bet: paying it is a fault, collecting it is not."""
        wrong, right = settled(bet, text, ("paid", 100)), settled(bet, text, ("collected", 100))
        self.told(paragraph, "payout.loser_paid", wrong, right, books=books, **{"cites": "other"} | more)

    def stands_off(self, paragraph: str, bet: str, text: str, *, books: tuple[str, ...] = NZ, **more: Any) -> None:
        """Add a bet that stands off: collecting it is a fault, returning it is not."""
        wrong, right = settled(bet, text, ("collected", 100)), settled(bet, text, ("returned", 100))
        self.told(paragraph, "payout.push_taken", wrong, right, books=books, **{"cites": "other"} | more)

    def kept(self, paragraph: str, bet: str, text: str, *, books: tuple[str, ...] = NZ, **more: Any) -> None:
        """Add a losing bet: leaving it is a fault, collecting it is not."""
        wrong, right = settled(bet, text), settled(bet, text, ("collected", 100))
        self.told(paragraph, "payout.loser_kept", wrong, right, books=books, **{"cites": "other"} | more)


def cards(log: TableLog, text: str) -> TableLog:
    """Deal all cards of the round as required."""
    hands = [hand.split() for hand in text.split("|")]
    log.four(f"{' '.join(hands[0][:3])} | {' '.join(hands[1][:3])}")
    for side, hand in (("player", hands[0]), ("banker", hands[1])):
        if len(hand) == 4:
            log.third(side, hand[3])
    return log


def totals(text: str) -> tuple[int, int]:
    """The final points of both hands."""
    hands = parse_round(text)
    points = [sum(card.point_value for card in hand if card) % 10 for hand in (hands.player, hands.banker)]
    return points[0], points[1]


def settled(bet: str, text: str, *acts: tuple[str, int]) -> Build:
    """A whole round with 100 on the bet, and the dealer's acts on it."""

    def build(log: TableLog) -> TableLog:
        area = f"s3-{bet}"
        cards(log.open(area), text).result(*totals(text))
        for action, amount in acts:
            log.settle(area, action, amount)
        return log.close()

    return build


def wagered(*bets: str) -> Build:
    """A whole round with 100 of one seat on each of the bets."""
    return lambda log: log.legal_round(STANDS, *(f"s3-{bet}" for bet in bets))


def announced(text: str, player: int, banker: int, **more: Any) -> Build:
    """A round with this announced result."""
    return lambda log: cards(log.open(), text).result(player, banker, **more).close()


def placed(area: str, before_card: bool, text: str = STANDS) -> Build:
    """100 put on the area before or after the round's first two cards."""

    def build(log: TableLog) -> TableLog:
        hands = [hand.split() for hand in text.split("|")]
        log.add("bets_opened")
        if before_card:
            log.wager(area, 0, 100)
        log.add("no_more_bets").deal("player", hands[0][1]).deal("banker", hands[1][1])
        return log if before_card else log.wager(area, 0, 100)

    return build


def staked(area: str, stake: int) -> Build:
    """A wager of that size at the close of betting."""
    return lambda log: log.add("bets_opened").wager(area, 0, stake).add("no_more_bets").four(STANDS)


def down(log: TableLog, *wagers: tuple[str, int], text: str = STANDS) -> TableLog:
    """Place wagers and deal the four cards face down."""
    log.add("bets_opened")
    for area, stake in wagers:
        log.wager(area, 0, stake)
    log.add("no_more_bets")
    player, banker = ([str(card) for card in hand] for hand in _hands(text))
    for hand, card in zip(("player", "banker") * 2, (player[0], banker[0], player[1], banker[1]), strict=True):
        log.deal(hand, card, face_up=False)
    return log


def _hands(text: str) -> tuple[tuple[object, ...], tuple[object, ...]]:
    hands = parse_round(text)
    return hands.player, hands.banker


def passed(*acts: tuple[str, Any], wagers: tuple[tuple[str, int], ...]) -> Build:
    """Cards face down, then passes (`c1` to a seat), turns (`c1`, None) and declines (`player` by a seat)."""

    def build(log: TableLog) -> TableLog:
        down(log, *wagers)
        for what, seat in acts:
            if what in ("player", "banker"):
                log.add("handling_declined", seat=seat, hand=what)
            elif seat is None:
                log.turn(what)
            else:
                log.add("card_passed", card_id=what, to=f"seat:{seat}")
        return log

    return build
