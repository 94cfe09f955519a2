"""Decide whether a settlement ends the drawing, or only concerns a bet that was decided before.

A bet that the first four cards decide may be settled while a third card is still to come; then no card is missing.
Whether the rulebook allows it is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from thirdcard.rules.game.duty import Verdict
from thirdcard.rules.game.hand import known_point_count
from thirdcard.rules.game.words import Bet, SettleAction, Side
from thirdcard.rules.log.events import WagerSettled
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import INITIAL_CARDS, Round
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.hand_ends import HandEnd, ends_of, loose_ends_of
from thirdcard.rules.wagers.settlement import pay_of, possible_facts

_RETURNED = SettleAction.RETURNED
_PUSHED = (Bet.PLAYER, Bet.BANKER)
"""The bets that a Tie returns, in every rulebook."""


class EarlySettlement:
    """Sets the running round's deadline, when every due card should have come, from what the dealer settles."""

    def __init__(self, rules: Rules, drawing_of: Callable[[Round], Drawing]) -> None:
        self._rules = rules
        self._drawing_of = drawing_of

    def settle(self, event: WagerSettled, running: Round) -> None:
        """Take a settlement, maybe without a result.

        A wager returned before the result shows nothing by itself: it may have been late. If the cards are a Tie, and
        the drawing proves to have ended with them, it ended no later than that.
        """
        if running.deadline is not None or running.is_before_play:
            return
        if event.action is _RETURNED:
            if _is_push(event.bet, running):
                running.note_push(event.t)
            return
        if running.settled_early is None:
            running.settled_early = event
        if not self._rules.offers(event.bet) or not self._is_decided(event.bet, self._drawing_of(running)):
            running.reach_deadline(event.t)

    def _is_decided(self, bet: Bet, drawing: Drawing) -> bool:
        """Whether the first four cards, or those that lie open so far, decide the bet."""
        if not drawing.has_initial or drawing.is_astray:
            return False
        if bet in self._rules.first_card_bets:
            return True
        if drawing.is_settled or not drawing.can_judge or None in map(drawing.points, Side):
            return False
        endings = possible_facts(*(_ends_ahead(side, drawing, self._rules.marks) for side in Side))
        return pay_of(bet, self._rules, endings) is not None


def _is_push(bet: Bet, running: Round) -> bool:
    """Whether a Tie returns the bet, and the cards as they lie are one."""
    player, banker = (known_point_count(card.card for card in running.dealt.hand(side)) for side in Side)
    return bet in _PUSHED and len(running.dealt.placements) >= INITIAL_CARDS and player is not None and player == banker


def _ends_ahead(side: Side, drawing: Drawing, marks: frozenset[str]) -> frozenset[HandEnd]:
    """The ends that the hand can still have, whatever cards it is due."""
    two, due = drawing.faces(side)[:2], drawing.due()
    verdict = (due.player if side is Side.PLAYER else due.banker).verdict
    if verdict is Verdict.NOT_DUE or side in drawing.third:
        return ends_of(drawing.faces(side), marks)
    return ends_of((*two, None), marks) if verdict is Verdict.DUE else loose_ends_of(two, marks)
