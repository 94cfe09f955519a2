"""The dealer's acts on one wager of a round, and faults in them. Money in minor units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet, SettleAction, Settling, Source
from thirdcard.rules.log.events import WagerSettled
from thirdcard.rules.round.records import Due
from thirdcard.rules.round.round import confidence_of
from thirdcard.rules.rulebook.cases import BET
from thirdcard.rules.rulebook.file_keys import INSURANCES


@dataclass(frozen=True, slots=True)
class Acts:
    """The dealer's acts on one wager, in order."""

    all: tuple[WagerSettled, ...]

    @property
    def paid(self) -> tuple[WagerSettled, ...]:
        return self._of(SettleAction.PAID)

    @property
    def collected(self) -> tuple[WagerSettled, ...]:
        return self._of(SettleAction.COLLECTED)

    @property
    def returned(self) -> tuple[WagerSettled, ...]:
        return self._of(SettleAction.RETURNED)

    @property
    def is_return_filmed(self) -> bool:
        """Whether a camera saw the wager being returned."""
        return any(act.source is Source.CAMERA for act in self.returned)

    def _of(self, action: SettleAction) -> tuple[WagerSettled, ...]:
        return tuple(act for act in self.all if act.action is action)


def sum_of(acts: Iterable[WagerSettled]) -> int | None:
    """The sum of the acts in minor units; None where an amount was not read."""
    total = 0
    for act in acts:
        if act.amount is None:
            return None
        total += act.amount
    return total


def put_right(acts: Acts, due: Due) -> Acts:
    """The acts without chips that the dealer collected by mistake and gave back; of a losing wager, its stake stays
    collected."""
    taken, given = sum_of(acts.collected), sum_of(acts.returned)
    if not taken or not given or given > taken:
        return acts
    rest = taken - given
    if due.outcome is Settling.LOSE and (due.stake is None or rest < due.stake):
        return acts
    kept = (replace(acts.collected[-1], amount=rest),) if rest else ()
    return Acts((*acts.paid, *kept))


def named(due: Due | WagerSettled) -> str:
    """The name of the wager in messages."""
    whose = "The" if due.seat is None else f"Seat {due.seat}'s"
    return f"{whose} wager on {name_of(due.bet)}"


def facts_about(bet: Bet) -> frozenset[str]:
    """The facts about its bet that a settlement fault states, for the rulebook's cases."""
    of_bet = f"{BET}={bet}"
    return frozenset({of_bet, "insurance"} if bet in INSURANCES else {of_bet})


def fault_of(
    code: str, due: Due | WagerSettled, act: WagerSettled, text: str, *, amount: int | None = None,
    rule: str | None = None,
) -> Finding:  # fmt: skip
    """A fault in one act."""
    return Finding(
        code=code,
        t=act.t,
        key=(code, due.area),
        message=f"{text}.",
        facts=facts_about(due.bet),
        source_rule=rule,
        seat=due.seat,
        bet=due.bet,
        area=due.area,
        amount=act.amount if amount is None else amount,
        confidence=confidence_of(act),
    )
