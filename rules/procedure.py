"""Find steps of the deal that the rulebook orders and that were left out."""

from __future__ import annotations

from collections.abc import Iterable

from rules.events import CardDealt
from rules.findings import Finding
from rules.options import Rules
from rules.round import Round, confidence_of


def find_missing_call(event: CardDealt, running: Round, rules: Rules) -> Iterable[Finding]:
    """The first card left the shoe though "No more bets" had not been called."""
    if running.first_card is not event or running.call is not None or rules.rulebook.call_rule is None:
        return ()
    if running.is_void or running.was_camera_lost:
        return ()
    no_call = Finding(
        code="procedure.no_call",
        t=event.t,
        key=("procedure.no_call",),
        message='The first card was dealt without "No more bets".',
        confidence=confidence_of(event),
    )
    return (no_call,)
