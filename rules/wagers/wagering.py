"""Follow the chips of a round: which wagers were made in time, and which changed too late."""

from __future__ import annotations

from collections.abc import Callable

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.hand import winner_of
from thirdcard.rules.game.words import Bet, Outcome, SettleAction, Settling, Side
from thirdcard.rules.log.events import WagerChanged, WagerSettled
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import Round, Wager, changed_wager, is_by_dealer, is_by_nobody_known, settled_wager
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.model import ClosingCase
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.hand_ends import ends_of
from thirdcard.rules.wagers.insurance import INSURANCE, InsuranceJudge, Offer, window_of
from thirdcard.rules.wagers.late_bets import ChangeKind as Kind
from thirdcard.rules.wagers.late_bets import Close, HeldChanges, close_of, find_frozen_change, find_late_change, kind_of
from thirdcard.rules.wagers.settlement import areas_without_fee, outcome_of, possible_facts

_HANDS = (Bet.PLAYER, Bet.BANKER)
_PLACED, _REMOVED = Kind.PLACED, Kind.REMOVED
_TAKES = (Kind.REDUCED, Kind.REMOVED)
_PAID = SettleAction.PAID


class Wagering:
    """Judges each change of a wager and updates the table's wagers."""

    def __init__(
        self,
        rules: Rules,
        table: TableState,
        *,
        insurance: InsuranceJudge,
        drawing_of: Callable[[Round], Drawing],
        held: HeldChanges,
    ) -> None:
        self._rules = rules
        self._table = table
        self._insurance = insurance
        self._drawing_of = drawing_of
        self._held = held

    def change(self, event: WagerChanged, running: Round) -> list[Finding]:
        """Judge a change of a wager and record it; returns its faults."""
        old = self._table.wagers.get(event.area)
        close = self._close_of(event, running)
        settles = running.is_decided and (is_by_dealer(event) or is_by_nobody_known(event))
        wager = changed_wager(event, old, is_settled=settles)
        findings: list[Finding] = []
        kind = kind_of(event)
        if kind is _PLACED:
            self._held.note_placed(event)
        if close is None or event.t < close.t:
            findings = self._change_in_time(event, kind, wager, running)
        elif self._rules.are_low_wagers_raised and self._is_raised_late(event, running, old):
            running.betting.stakes[event.area] = wager
        elif not self._is_free(event, running, old):
            is_losing = self._is_losing(event.bet, running)
            self._note_doubt(event, running)
            late = find_late_change(event, running, self._rules, close=close, is_losing=is_losing)
            if late is not None:
                findings = self._held.add(late, self._table.wagers.values())
            elif is_by_dealer(event) and not running.is_decided:
                self._note_stake(event, running)
        self._table.wagers[event.area] = wager
        return findings

    def _close_of(self, event: WagerChanged, running: Round) -> Close | None:
        """When betting on the changed wager closed; None while it is open. Insurance is only open while it is
        offered."""
        written = self._rules.rulebook.insurance
        if written is None or event.bet not in INSURANCE:
            return close_of(event.bet, running, self._rules, self._taking_of(event) if self._rules.takings else None)
        kind, rule = kind_of(event), self._insurance.rule
        if rule is None:
            close = close_of(event.bet, running, self._rules) if kind is not None and kind.adds else None
            return None if close is None else close._replace(rule=written.absence_rule)
        window = window_of(event.bet, running, self._drawing_of(running), rule)
        close = self._insurance.close_of(event, running, window)
        if close is None:
            self._insurance.note(event, running, window)
            if window.offer is Offer.UNKNOWN:
                running.doubt("late_bet.placed", f"a card on which the offer of {event.bet} rests was not read")
        return close

    def _taking_of(self, event: WagerChanged) -> ClosingCase | None:
        """The case that says until when chips may be taken back, if that differs from placing; else None."""
        if event.bet not in self._rules.takings:
            return None
        kind = kind_of(event)
        return None if kind is None or kind.adds else self._rules.takings[event.bet]

    def settle(self, event: WagerSettled, running: Round | None) -> None:
        """Record that the dealer paid, collected or returned a wager."""
        old = self._table.wagers.get(event.area)
        if running is not None and running.is_before_play and event.action is not SettleAction.RETURNED:
            self._settle_last(event, running, old)
            return
        self._table.wagers[event.area] = settled_wager(event, old)
        if event.action is _PAID:
            result = None if running is None else running.result
            self._held.pay(event, None if result is None else result.t)

    def _settle_last(self, event: WagerSettled, running: Round, old: Wager | None) -> None:
        """Record a settlement of the round before while the next one's wagers are placed; these are not settled."""
        is_part = old is not None and old.value is not None and event.amount is not None and event.amount < old.value
        if event.action is _PAID or is_part:
            return
        self._table.wagers[event.area] = settled_wager(event, old)._replace(is_settled=False)
        running.betting.stakes.pop(event.area, None)

    def _change_in_time(self, event: WagerChanged, kind: Kind | None, wager: Wager, running: Round) -> list[Finding]:
        findings: list[Finding] = []
        if self._rules.are_wagers_frozen and event.area in running.betting.placed:
            comes_up = self._comes_up(event, kind, running)
            if comes_up is None:
                running.doubt("late_bet.increased", f"what the wager on {event.area} came to was not read")
            finding = find_frozen_change(event) if comes_up is False else None
            findings = [] if finding is None else [finding]
        if kind is _PLACED:
            running.betting.placed.add(event.area)
        elif kind is _REMOVED:
            running.betting.placed.discard(event.area)
        if wager.is_settled:
            self._note_stake(event, running)
        else:
            running.betting.stakes[event.area] = wager
        return findings

    def _is_raised_late(self, event: WagerChanged, running: Round, old: Wager | None) -> bool:
        """Whether a player raises a wager below the minimum up to it after the close, as far as it was read."""
        if is_by_dealer(event) or (old is not None and old.is_settled):
            return False
        comes_up = self._comes_up(event, kind_of(event), running)
        if comes_up is None:
            running.doubt("late_bet.increased", f"what the wager on {event.area} came to was not read")
        return comes_up is not False

    def _comes_up(self, event: WagerChanged, kind: Kind | None, running: Round) -> bool | None:
        """Whether the change raises a wager below the minimum up to it; None where that was not read."""
        minimum = (
            running.betting.notice.range_of(event.bet, event.seat)[0] if self._rules.are_low_wagers_raised else None
        )
        before, after = event.before, event.after
        if minimum is None or kind is not Kind.INCREASED:
            return False
        if (before is not None and before >= minimum) or (after is not None and after > minimum):
            return False
        return None if before is None or after is None else True

    @staticmethod
    def _is_known(event: WagerChanged, old: Wager | None) -> bool:
        """Whether the line reports again, as another device may, what lay there already."""
        return bool(event.after) and old is not None and old.value == event.after

    @staticmethod
    def _is_put_back(event: WagerChanged, running: Round) -> bool:
        """Whether the dealer puts back what he lifted after the close; the wager then stands as it lay."""
        lifted = running.betting.lifted.get(event.area)
        if lifted is None or not is_by_dealer(event) or not event.after or lifted.value != event.after:
            return False
        running.betting.stakes[event.area] = lifted
        return True

    @staticmethod
    def _note_stake(event: WagerChanged, running: Round) -> None:
        betting = running.betting
        if event.area in betting.stakes:
            betting.lifted.setdefault(event.area, betting.stakes[event.area])
        betting.stakes[event.area] = changed_wager(event, None, is_settled=False)

    @staticmethod
    def _note_doubt(event: WagerChanged, running: Round) -> None:
        is_same = event.before is not None and event.before == event.after
        if kind_of(event) is None and not is_same and event.chips_before != 0:
            running.doubt("late_bet.increased", f"how the wager on {event.area} changed was not read")

    def _is_free(self, event: WagerChanged, running: Round, old: Wager | None) -> bool:
        """Whether a change after the close is allowed: settled, void or pushed wagers, and the dealer's own work."""
        if running.void.is_void or running.betting.is_reopened or (old is not None and old.is_settled):
            return True
        if running.betting.may_be_taken_back and not is_by_dealer(event) and kind_of(event) in _TAKES:
            return True
        if self._is_known(event, old) or self._is_put_back(event, running):
            return True
        if event.area in running.betting.ordered_back and self._rules.are_returns_honoured:
            return True
        winner = self._winner(running)
        if not running.is_decided:
            return kind_of(event) in _TAKES and not is_by_dealer(event) and self._is_push(event, running, winner)
        if is_by_dealer(event) or is_by_nobody_known(event) or self._table.are_all_settled(running):
            return True
        return self._is_push(event, running, winner) or event.area in areas_without_fee(
            tuple(running.betting.stakes.values()), self._rules
        )

    def _winner(self, running: Round) -> Outcome | None:
        """The announced winner; that of the cards once all are out where nobody reports results; None where unknown."""
        if running.result is not None or self._table.are_results_told:
            return None if running.result is None else running.result.winner
        drawing = self._drawing_of(running)
        player, banker, is_settled = drawing.reckon()
        return winner_of(player, banker) if is_settled and player is not None and banker is not None else None

    def _is_push(self, event: WagerChanged, running: Round, winner: Outcome | None) -> bool:
        """Whether a Tie returns the wager; for insurance, whether it does not pay it."""
        bet = event.bet
        if winner is not Outcome.TIE or not self._rules.rulebook.push_is_free:
            return False
        if bet in INSURANCE:
            promise = self._insurance.promises(running).get(event.area)
            return promise is None or not promise.on_tie
        if bet not in _HANDS:
            return self._rules.offers(bet) and self._is_side_push(bet, running)
        return outcome_of(bet, self._rules, frozenset({"winner=tie"})) is Settling.PUSH

    def _is_side_push(self, bet: Bet, running: Round) -> bool:
        """Whether the cards return a bet on something other than a hand, as far as they were read."""
        drawing = self._drawing_of(running)
        hands = [drawing.faces(side) for side in Side]
        is_read = all(None not in hand for hand in hands)
        if not drawing.is_settled and is_read:
            return False
        outcomes = {Settling.PUSH}
        if drawing.is_settled:
            endings = possible_facts(*(ends_of(hand, self._rules.marks) for hand in hands))
            ties = {facts for facts in endings if "winner=tie" in facts} or endings
            outcomes = {outcome_of(bet, self._rules, facts) for facts in ties} or outcomes
        if not is_read and Settling.PUSH in outcomes:
            running.doubt("late_bet.removed", f"a card by which {bet} may stand off was not read")
        return Settling.PUSH in outcomes

    def _is_losing(self, bet: Bet, running: Round) -> bool:
        """Whether the announced result surely lost the wager."""
        winner = None if running.result is None else running.result.winner
        if winner is None or bet not in (*_HANDS, Bet.TIE):
            return False
        return outcome_of(bet, self._rules, frozenset({f"winner={winner}"})) is Settling.LOSE
