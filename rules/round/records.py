"""The record of a round: its cards, its result and what each wager was due."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Settling
from thirdcard.rules.log.events import Bet, Outcome


class Due(NamedTuple):
    """What a wager is due under the rulebook."""

    area: str
    seat: int | None
    bet: Bet
    stake: int | None
    """In minor units; None where the chips' value was not read."""
    outcome: Settling
    pays: Fraction | None
    """Winnings without the stake, after commission, in minor units; None where the stake is unknown."""
    void_stake: int | None = None
    """The part of the stake that cannot be paid exactly and is void."""
    excess_stake: Fraction | None = None
    """The part of the stake above a limit, which neither wins nor loses."""
    owed: Fraction = Fraction(0)
    """The commission that is paid out with the winnings and collected later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDue:
    """A wager whose due amount is unknown."""

    area: str
    seat: int | None
    bet: Bet
    stake: int | None
    """In minor units; None where the chips' value was not read."""
    why: str


class RemedyState(StrEnum):
    """Whether the rulebook's order was followed."""

    DONE = "done"
    NOT_DONE = "not_done"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyRecord:
    """An order of the rulebook after a fault, in the round in which it was due."""

    code: str
    """The fault's code."""
    t: float
    """When the fault happened, seconds of stream time."""
    round: int
    """The fault's round: the round before, where the order is for the next one."""
    action: str
    rule: str | None
    area: str | None
    state: RemedyState


@dataclass(frozen=True, slots=True)
class Doubt:
    """A code that could not be judged in a round, and why."""

    code: str
    why: str


Hand = tuple[Card | None, ...]


class Otherwise(NamedTuple):
    """Another possible reading of a round's hands."""

    player: Hand
    banker: Hand
    probability: float


class PointsEvidence(NamedTuple):
    """What the announced points say about the cards as they were read."""

    chance: float = 1.0
    """The probability, 0 to 1, that the cards which were not read make up the points; 1 where all were read."""
    hands_wrong: int = 0
    """How many hands, all of whose cards were read, have other points, however a dealer may count them."""
    is_misdealt: bool = False
    """Whether all cards were read, but lie so that nobody can say which of them count: no fault says then that the
    result is wrong."""


SETTLED_OTHERWISE = "the wagers were settled by another outcome than the cards were read to have"
"""Why payments of a round are not judged, where no result was announced."""
DISPUTED = "the announced result is not that of the cards; by which of them the wagers were due is open"
"""Why payments of a round are not judged, where a wrong result was announced."""
WINNERS_TAKEN = "all that was seen of the settling is that chips were taken from winning wagers; they may be change"
"""Why an unpaid winner is not alleged where nothing else was seen."""


class RoundRecord(NamedTuple):
    """One round, as far as it was seen."""

    round: int
    opened: float
    closed: float | None
    """None where the log ended before the round closed."""
    player: Hand
    banker: Hand
    player_total: int | None
    banker_total: int | None
    winner: Outcome | None
    complete: bool
    """Whether both hands are known to have got exactly the cards they were due."""
    void: bool
    due: tuple[Due, ...] = ()
    due_open: tuple[OpenDue, ...] = ()
    """Wagers whose due amount is unknown."""
    remedies: tuple[RemedyRecord, ...] = ()
    """Orders after faults that were due in this round."""
    undetermined: tuple[Doubt, ...] = ()
    """Codes that could not be judged."""
    otherwise: tuple[Otherwise, ...] = ()
    """Other possible readings of the hands, the likeliest first."""

    @property
    def is_settled_otherwise(self) -> bool:
        """Whether the settling contradicts the cards without anybody being accused.

        Nobody announced the result, and more wagers were settled against the cards than by them; or chips were taken
        from winners, and nothing else was settled.
        """
        return any(doubt.why in (SETTLED_OTHERWISE, WINNERS_TAKEN) for doubt in self.undetermined)


def format_round(record: RoundRecord) -> dict[str, Any]:
    """The record as a mapping in the format of the contract; `due_open`, `remedies` and later keys only if not
    empty."""
    mapping: dict[str, Any] = {
        "round": record.round,
        "opened": record.opened,
        "closed": record.closed,
        "player": [_card(card) for card in record.player],
        "banker": [_card(card) for card in record.banker],
        "player_total": record.player_total,
        "banker_total": record.banker_total,
        "winner": None if record.winner is None else str(record.winner),
        "complete": record.complete,
        "void": record.void,
        "due": [_due(due) for due in record.due],
    }
    if record.due_open:
        mapping["due_open"] = [_open_due(due) for due in record.due_open]
    if record.remedies:
        mapping["remedies"] = [_remedy(remedy) for remedy in record.remedies]
    if record.undetermined:
        mapping["undetermined"] = [{"code": doubt.code, "why": doubt.why} for doubt in record.undetermined]
    if record.otherwise:
        mapping["otherwise"] = [
            {
                "player": [_card(card) for card in other.player],
                "banker": [_card(card) for card in other.banker],
                "probability": other.probability,
            }
            for other in record.otherwise
        ]
    return mapping


def _card(card: Card | None) -> str | None:
    return None if card is None else str(card)


def _due(due: Due) -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "area": due.area,
        "seat": due.seat,
        "bet": str(due.bet),
        "stake": due.stake,
        "outcome": str(due.outcome),
        "pays": format_money(due.pays),
    }
    if due.void_stake is not None:
        mapping["void_stake"] = due.void_stake
    if due.excess_stake is not None:
        mapping["excess_stake"] = format_money(due.excess_stake)
    if due.owed:
        mapping["commission_owed"] = format_money(due.owed)
    return mapping


def _remedy(remedy: RemedyRecord) -> dict[str, Any]:
    return {
        "code": remedy.code,
        "t": remedy.t,
        "round": remedy.round,
        "action": remedy.action,
        "rule": remedy.rule,
        "area": remedy.area,
        "state": str(remedy.state),
    }


def _open_due(due: OpenDue) -> dict[str, Any]:
    return {"area": due.area, "seat": due.seat, "bet": str(due.bet), "stake": due.stake, "why": due.why}


def format_money(amount: Fraction | None) -> int | str | None:
    """A whole number of units, or a fraction as text where the unit cannot express it.

    >>> format_money(Fraction(95, 2))
    '95/2'
    """
    if amount is None:
        return None
    return int(amount) if amount.denominator == 1 else str(amount)
