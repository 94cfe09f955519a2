"""Sum up a round that has ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.hand import is_known, winner_of
from thirdcard.rules.game.words import Side
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.records import RoundRecord
from thirdcard.rules.round.round import DealtCard, Round
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.excess import excess_of
from thirdcard.rules.wagers.hand_ends import end_of, ends_of, loose_ends_of
from thirdcard.rules.wagers.insurance import Promise
from thirdcard.rules.wagers.settlement import Circumstances, Endings, certain_facts, possible_facts, settle_wagers

_PLAYER, _BANKER = Side
Faces = tuple[Card | None, ...]


def record_of(
    running: Round, drawing: Drawing, rules: Rules, table: TableState, *, promises: Mapping[str, Promise]
) -> RoundRecord:
    """The round's record; hands are what lawfully belongs to them, or what lies in the boxes after a misdeal."""
    is_lawful = drawing.can_judge
    cards = drawing.reckon()
    player, banker = cards.player, cards.banker
    hands = drawing.faces(_PLAYER), drawing.faces(_BANKER)
    in_boxes = hands if is_lawful else (_faces(running.hand(_PLAYER)), _faces(running.hand(_BANKER)))
    is_read = player is not None and banker is not None
    wagers = tuple(running.stakes.values())
    why_open = "the hands are not known to be complete" if is_read else "a card was not read"
    excess = excess_of(wagers, rules, table.notice) if rules.rulebook.limits.excess else {}
    circumstances = Circumstances(running.is_void, table.smallest_chip, promises, excess, why_open)
    settlement = settle_wagers(wagers, rules, _endings(drawing, *hands), circumstances)
    return RoundRecord(
        round=running.number,
        opened=running.opened_t,
        closed=running.closed_t,
        player=in_boxes[0],
        banker=in_boxes[1],
        player_total=player if is_lawful else None,
        banker_total=banker if is_lawful else None,
        winner=winner_of(player, banker) if is_lawful and player is not None and banker is not None else None,
        complete=cards.is_settled,
        void=running.is_void,
        due=settlement.due,
        due_open=settlement.open,
    )


def _endings(drawing: Drawing, player: Faces, banker: Faces) -> Endings:
    """What the round may state for the pay cases; nothing where a hand lacks a card or has got one too many."""
    if drawing.is_swapped and any(len(drawing.two_cards(side)) != 2 for side in Side):
        return frozenset()
    if drawing.is_settled:
        if is_known(player) and is_known(banker):
            return certain_facts(end_of(player), end_of(banker))
        return possible_facts(ends_of(player), ends_of(banker))
    if not drawing.can_judge or drawing.missing() is not None:
        return frozenset()
    two = _faces(drawing.two_cards(_PLAYER)), _faces(drawing.two_cards(_BANKER))
    return possible_facts(loose_ends_of(two[0]), loose_ends_of(two[1]))


def _faces(cards: Iterable[DealtCard]) -> Faces:
    return tuple([card.card for card in cards])
