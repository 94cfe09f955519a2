"""Sum up a round that has ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.cards import Card
from rules.drawing import Drawing
from rules.excess import excess_of
from rules.hand_ends import ends_of, loose_ends_of
from rules.insurance import Promise
from rules.misdeals import winner_of
from rules.options import Rules
from rules.records import RoundRecord
from rules.round import DealtCard, Round
from rules.settlement import Circumstances, Settlement, possible_facts, settle_wagers
from rules.table_state import TableState
from rules.words import Side


def record_of(
    running: Round, drawing: Drawing, rules: Rules, table: TableState, *, promises: Mapping[str, Promise]
) -> RoundRecord:
    """The round's record; hands are what lawfully belongs to them, or what lies in the boxes after a misdeal."""
    is_lawful = drawing.can_judge
    hands = {side: _hand(running, drawing, side, is_lawful=is_lawful) for side in Side}
    player, banker = drawing.total(Side.PLAYER), drawing.total(Side.BANKER)
    is_known = is_lawful and player is not None and banker is not None
    is_void = running.is_void
    settlement = _settle(drawing, rules, table, promises, is_void=is_void)
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
        due=settlement.due,
        due_open=settlement.open,
    )


def _hand(running: Round, drawing: Drawing, side: Side, *, is_lawful: bool) -> tuple[Card | None, ...]:
    cards = drawing.hand(side) if is_lawful else running.hand(side)
    return tuple(card.card for card in cards)


def _settle(
    drawing: Drawing, rules: Rules, table: TableState, promises: Mapping[str, Promise], *, is_void: bool
) -> Settlement:
    wagers = tuple(table.stakes.values())
    unread = any(card.card is None for side in Side for card in drawing.hand(side))
    circumstances = Circumstances(
        is_void=is_void,
        smallest_chip=table.smallest_chip,
        promises=promises,
        excess=excess_of(wagers, rules, table.notice),
        why_open="a card was not read" if unread else "the hands are not known to be complete",
    )
    return settle_wagers(wagers, rules, _endings(drawing), circumstances)


def _endings(drawing: Drawing) -> frozenset[frozenset[str]]:
    """What the round may state for the pay cases; nothing where a hand lacks a card or has got one too many."""
    has_two_each = all(len(drawing.two_cards(side)) == 2 for side in Side)
    if not drawing.can_judge or not has_two_each or drawing.missing() is not None:
        return frozenset()
    if drawing.is_settled:
        return possible_facts({side: ends_of(_faces(drawing.hand(side))) for side in Side})
    return possible_facts({side: loose_ends_of(_faces(drawing.two_cards(side))) for side in Side})


def _faces(cards: Iterable[DealtCard]) -> tuple[Card | None, ...]:
    return tuple(card.card for card in cards)
