"""Compare what the dealer paid, collected and returned with what each wager was due. Money in the smallest unit.

Judged when the round closes. What was not read is left open: an unknown amount, the winnings of a stake of unknown
value, a wager that changed too late, chips that moved without anybody seeing who moved them. Chips that were counted
are a wager whatever they are worth, so they are reported when left unpaid or in place. Chips that only a camera saw
are reported where it also saw that nobody reached there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, prod

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet, SettleAction, Settling, Source
from thirdcard.rules.log.events import WagerChanged, WagerSettled
from thirdcard.rules.round.records import Due, RoundRecord
from thirdcard.rules.round.round import DealtCard, Round, Wager, confidence_of
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.excess import rule_of_excess
from thirdcard.rules.wagers.hand_ends import end_of, facts_of
from thirdcard.rules.wagers.settlement import exact_step_of, pay_case

_SETTLES_FREELY = ("misdeal.", "exposed_card.")
"""Faults after which any wager of the round may be given back."""
SURE_WAY = 0.8
"""From this confidence on a camera saw which way chips went."""
_STANDS_OFF = (Settling.PUSH, Settling.VOID)
_WIN, _LOSE = Settling.WIN, Settling.LOSE
_HANDS = (Bet.PLAYER, Bet.BANKER)
_PAID, _COLLECTED = SettleAction.PAID, SettleAction.COLLECTED


@dataclass(frozen=True, slots=True)
class _Chips:
    """What was seen of an area's chips."""

    staked: Wager | None
    """As they lay when betting closed."""
    left: Wager | None
    """As they lie when the round closes."""


@dataclass(frozen=True, slots=True)
class _Acts:
    """What the dealer did with one wager, in order."""

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
        """Whether a camera saw that the wager was given back."""
        return any(act.source is Source.CAMERA for act in self.returned)

    def _of(self, action: SettleAction) -> tuple[WagerSettled, ...]:
        return tuple(act for act in self.all if act.action is action)


class PayoutJudge:
    """Collects what was settled in the running round."""

    def __init__(self, rules: Rules, *, smallest_chip: int | None = None) -> None:
        self._rules = rules
        self._smallest_chip = smallest_chip
        self._settled: dict[str, list[WagerSettled]] = {}
        self._moved: set[str] = set()
        self._filmed: set[str] = set()
        """Areas whose chips a camera tells of; they may lie from round to round."""
        self._late: set[str] = set()
        self._may_return = False
        self._is_disputed = False

    def settle(self, event: WagerSettled, _running: Round) -> None:
        """Take what the dealer did with a wager of the running round."""
        self._settled.setdefault(event.area, []).append(event)

    def change(self, event: WagerChanged, running: Round) -> None:
        """Take a change of a wager of the running round."""
        if running.deadline is not None:
            self._moved.add(event.area)
        if event.source is Source.CAMERA:
            self._filmed.add(event.area)
        else:
            self._filmed.discard(event.area)

    def note(self, alert: Alert) -> None:
        """Take a fault of the round, which bears on what may be done with its wagers."""
        self._is_disputed = self._is_disputed or alert.code == "misdeal.wrong_result"
        if alert.code.startswith(_SETTLES_FREELY):
            self._may_return = True
        elif alert.code.startswith("late_bet.") and alert.area is not None:
            self._late.add(alert.area)

    def close(self, running: Round, record: RoundRecord, wagers: Mapping[str, Wager]) -> list[Finding]:
        """What was settled wrongly in the round that closes; then begin anew."""
        findings: list[Finding] = []
        if running.closed_t is not None:
            rests_on_sight = running.result is None or (running.void.is_void and running.void.rule is not None)
            self._is_disputed = self._is_disputed or (rests_on_sight and self._is_opposed(record.due))
            for due in record.due:
                if due.area in self._late:
                    running.doubt("payout.wrong_amount", f"the wager on {due.area} changed after betting closed")
                elif self._is_disputed or not _is_just_as_due(due, self._settled.get(due.area)):
                    chips = _Chips(running.betting.stakes.get(due.area), wagers.get(due.area))
                    findings += self._judge(due, running, record, chips)
        self._settled.clear()
        self._moved.clear()
        self._late.clear()
        self._may_return = self._is_disputed = False
        return findings if running.result is not None else _resting_on(running.dealt.cards.values(), findings)

    def _is_opposed(self, due: Iterable[Due]) -> bool:
        """Whether more wagers were seen to be settled against what the cards say than by it: one may be misread.

        Or the fault for which the hand is void was none, where nobody announced that it is. A wager on neither hand
        that was collected tells nothing: most of them lose whoever wins.
        """
        acts = [(one, act) for one in due for act in self._settled.get(one.area, []) if act.source is Source.CAMERA]
        telling = [(one, act) for one, act in acts if not _is_unclear(one, act) and not _loses_anyway(one, act)]
        clear = [_is_as_due(one, act) for one, act in telling]
        return clear.count(False) > clear.count(True)

    def _judge(self, due: Due, running: Round, record: RoundRecord, chips: _Chips) -> Iterable[Finding]:
        """What the dealer did wrongly with one wager; what cannot be told is noted as a doubt of the round."""
        acts = _Acts(tuple(self._settled.get(due.area, ())))
        why_open = self._why_open(due, acts)
        if why_open is not None:
            running.doubt(*why_open)
            return ()
        misdone = _wrong_act(due, acts)
        if misdone is not None:
            return (misdone,)
        if acts.paid:
            return self._wrong_amount(due, acts.paid, running, record)
        if self._is_done_with(due, acts, running):
            return ()
        if running.was_camera_lost or acts.is_return_filmed or not self._is_left(due, acts, chips, running.untouched):
            running.doubt(_absent_code(due), f"what became of the wager on {due.area} was not seen")
            return ()
        return (_absence(due, running, acts, chips),)

    def _why_open(self, due: Due, acts: _Acts) -> tuple[str, str] | None:
        """The code and the reason why what was done with the wager tells nothing; None where it tells something."""
        if self._is_disputed and any(act.source is Source.CAMERA for act in acts.all):
            why = "the wagers were settled by another outcome than the cards were read to have"
            return "payout.loser_paid", why
        if due.outcome is not _LOSE and any(_is_unclear(due, act) for act in acts.all):
            return "payout.winner_unpaid", f"what the dealer did with the wager on {due.area} was not seen"
        return None

    def _is_done_with(self, due: Due, acts: _Acts, running: Round) -> bool:
        """Whether a wager that was not paid needed nothing more: it stood off, lost and went, or was given back."""
        if due.outcome in _STANDS_OFF or (acts.collected and due.outcome is _LOSE):
            return True
        result = running.result
        before_result = result is None or all(act.t < result.t for act in acts.returned)
        return bool(acts.returned) and (self._may_return or running.void.is_void or before_result)

    def _is_left(self, due: Due, acts: _Acts, chips: _Chips, untouched: frozenset[str]) -> bool:
        """Whether it is known that there was a wager and that nothing else was done with it."""
        if acts.all:
            return True
        if due.area in self._moved or chips.staked is None or chips.left is None:
            return False
        if due.area in self._filmed:
            return due.area in untouched and not self._may_return and self._is_in_play(due, chips.staked.least or 0)
        is_counted = due.stake is not None or bool(chips.staked.chips)
        least = (chips.staked.chips or 0) * (self._smallest_chip or 0)
        return chips.left.is_seen and is_counted and self._is_in_play(due, least)

    def _is_in_play(self, due: Due, least: int) -> bool:
        """Whether a part of the wager at least can be paid exactly, by its value or what it is worth at least."""
        if due.stake is not None:
            return True
        step = exact_step_of(due.bet, self._rules, smallest_chip=self._smallest_chip)
        return step is None or least >= step

    def _wrong_amount(
        self, due: Due, paid: Sequence[WagerSettled], running: Round, record: RoundRecord
    ) -> Iterator[Finding]:
        amounts = [act.amount for act in paid if act.amount is not None]
        if due.pays is None or len(amounts) < len(paid):
            running.doubt("payout.wrong_amount", f"the wager on {due.area} or what it was paid was not read")
            return
        total = sum(amounts)
        step = 1 if due.excess_stake is None else self._smallest_chip or 1
        if floor(due.pays / step) * step <= total <= ceil(due.pays / step) * step:
            return
        owed = str(due.pays) if due.pays.denominator > 1 else str(int(due.pays))
        text = f"{_named(due)} was paid {total} instead of {owed}"
        yield _finding("payout.wrong_amount", due, paid[-1], text, amount=total, rule=self._pay_rule(due, record))

    def _pay_rule(self, due: Due, record: RoundRecord) -> str | None:
        """The rule of the pay table's entry that fits, or the one that takes a part of the stake out of play."""
        if due.excess_stake is not None:
            return rule_of_excess(due.bet, self._rules)
        player = tuple(card for card in record.player if card is not None)
        banker = tuple(card for card in record.banker if card is not None)
        insurance = self._rules.insurance
        if due.bet not in self._rules.rulebook.bets:
            return None if insurance is None else insurance.rows[0].rule
        is_unread = len(player) < len(record.player) or len(banker) < len(record.banker)
        if is_unread or min(len(player), len(banker)) < 2:
            return None
        marks = self._rules.marks
        case = pay_case(due.bet, self._rules, facts_of(end_of(player, marks), end_of(banker, marks)))
        return None if case is None else case.rule


def _resting_on(cards: Iterable[DealtCard], findings: list[Finding]) -> list[Finding]:
    """The same findings, as sure at most as what the cards were read to count: nobody announced the result."""
    sure = prod(card.confidence for card in cards if card.card is not None)
    return [replace(finding, confidence=finding.confidence * sure) for finding in findings]


def _wrong_act(due: Due, acts: _Acts) -> Finding | None:
    """A wager that was paid though it did not win, or collected though it stood off."""
    if acts.paid and due.outcome is not _WIN:
        return _finding("payout.loser_paid", due, acts.paid[-1], f"{_named(due)} was paid, though it did not win")
    if acts.collected and due.outcome in _STANDS_OFF:
        return _finding(
            "payout.push_taken", due, acts.collected[-1], f"{_named(due)} was collected, though it stood off"
        )
    return None


def _is_just_as_due(due: Due, acts: list[WagerSettled] | None) -> bool:
    """Whether one act settled the wager, and to the point."""
    if acts is None or len(acts) != 1:
        return False
    action, outcome = acts[0].action, due.outcome
    if outcome is _LOSE:
        return action is _COLLECTED
    return outcome is _WIN and action is _PAID and acts[0].amount is not None and acts[0].amount == due.pays


def _is_as_due(due: Due, act: WagerSettled) -> bool:
    """Whether an act is one that such a wager is due."""
    if due.outcome in _STANDS_OFF:
        return act.action is SettleAction.RETURNED
    return act.action is (_PAID if due.outcome is _WIN else _COLLECTED)


def _loses_anyway(due: Due, act: WagerSettled) -> bool:
    return due.bet not in _HANDS and due.outcome is _LOSE and act.action is _COLLECTED


def _is_unclear(due: Due, act: WagerSettled) -> bool:
    """Whether a camera saw chips go and cannot say what for: the way was not seen, or change may come for a winner."""
    is_seen_only = act.source in (Source.CAMERA, Source.INFERRED) and act.amount is None
    is_sure = act.confidence is not None and act.confidence >= SURE_WAY
    return is_seen_only and act.action is _COLLECTED and not (is_sure and due.outcome is not _WIN)


def _absent_code(due: Due) -> str:
    return "payout.winner_unpaid" if due.outcome is Settling.WIN else "payout.loser_kept"


def _named(due: Due) -> str:
    whose = "The" if due.seat is None else f"Seat {due.seat}'s"
    return f"{whose} wager on {name_of(due.bet)}"


def _finding(
    code: str, due: Due, act: WagerSettled, text: str, *, amount: int | None = None, rule: str | None = None
) -> Finding:
    return Finding(
        code=code,
        t=act.t,
        key=(code, due.area),
        message=f"{text}.",
        source_rule=rule,
        seat=due.seat,
        bet=due.bet,
        area=due.area,
        amount=act.amount if amount is None else amount,
        confidence=confidence_of(act),
    )


def _absence(due: Due, running: Round, acts: _Acts, chips: _Chips) -> Finding:
    """A winner that was not paid or a loser that was left, at the close of the round."""
    code, t = _absent_code(due), running.closed_t
    assert t is not None, "absences are judged when the round has closed"
    what = "won and was not paid" if due.outcome is Settling.WIN else "lost and was left in place"
    return Finding(
        code=code,
        t=t,
        key=(code, due.area),
        message=f"{_named(due)} {what}.",
        seat=due.seat,
        bet=due.bet,
        area=due.area,
        amount=due.stake if due.pays is None or due.outcome is Settling.LOSE else floor(due.pays),
        confidence=confidence_of(acts.all[-1]) if acts.all else 1.0 if chips.left is None else chips.left.confidence,
    )
