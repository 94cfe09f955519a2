"""Find steps of the deal that the rulebook orders and that were left out before a card left the shoe."""

from __future__ import annotations

from collections.abc import Iterable

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.log.events import CardDealt
from thirdcard.rules.round.round import Round, confidence_of
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.void_hands import find_void_hand_wagered


class ProcedureJudge:
    """Looks at the table whenever a card leaves the shoe: was betting called closed, is a void hand free of wagers?"""

    def __init__(self, rules: Rules, table: TableState) -> None:
        self._is_call_ordered = rules.rulebook.call_rule is not None
        self._table = table

    def deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """What was left out before this card."""
        if running.is_void:
            is_open = not running.is_annulled and not running.is_decided
            return find_void_hand_wagered(event, running, self._table.wagers.values()) if is_open else ()
        if running.call is not None or running.first_card is not event or not self._is_call_ordered:
            return ()
        return () if running.was_camera_lost else (_missing_call(event),)


def _missing_call(event: CardDealt) -> Finding:
    """The first card left the shoe though "No more bets" had not been called."""
    return Finding(
        code="procedure.no_call",
        t=event.t,
        key=("procedure.no_call",),
        message='The first card was dealt without "No more bets".',
        confidence=confidence_of(event),
    )
