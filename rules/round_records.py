"""Sum up a round that has ended."""

from __future__ import annotations

from rules.cards import Card
from rules.drawing import Drawing
from rules.misdeals import winner_of
from rules.options import Rules
from rules.records import Due, RoundRecord
from rules.round import Round
from rules.settlement import due_of_all, result_facts
from rules.table_state import TableState
from rules.words import Side


def record_of(running: Round, drawing: Drawing, rules: Rules, table: TableState) -> RoundRecord:
    """The round's record; hands are what lawfully belongs to them, or what lies in the boxes after a misdeal."""
    is_lawful = drawing.can_judge
    hands = {side: _hand(running, drawing, side, is_lawful=is_lawful) for side in Side}
    player, banker = drawing.total(Side.PLAYER), drawing.total(Side.BANKER)
    is_known = is_lawful and player is not None and banker is not None
    is_void = running.is_void
    return RoundRecord(
        round=running.number,
        opened=running.opened_t,
        closed=running.closed_t,
        player=hands[Side.PLAYER],
        banker=hands[Side.BANKER],
        player_total=player if is_lawful else None,
        banker_total=banker if is_lawful else None,
        winner=winner_of(player, banker) if is_known and player is not None and banker is not None else None,
        complete=drawing.is_settled,
        void=is_void,
        due=_due(drawing, rules, table, is_void=is_void) if is_known and drawing.is_settled else (),
    )


def _hand(running: Round, drawing: Drawing, side: Side, *, is_lawful: bool) -> tuple[Card | None, ...]:
    cards = drawing.hand(side) if is_lawful else running.hand(side)
    return tuple(card.card for card in cards)


def _due(drawing: Drawing, rules: Rules, table: TableState, *, is_void: bool) -> tuple[Due, ...]:
    hands = {side: [card.card for card in drawing.hand(side) if card.card is not None] for side in Side}
    facts = result_facts({side: tuple(cards) for side, cards in hands.items()})
    return due_of_all(table.stakes.values(), rules, facts, is_void=is_void)
