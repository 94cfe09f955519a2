"""Check whether what the rulebook ordered after a fault was done by the end of the round in which it was due.

An order for the next round is due in that round; new cards cancel it. If too little was seen, the order is
undetermined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.findings.findings import UNDETERMINED, Finding
from thirdcard.rules.game.words import SettleAction, Side, Source
from thirdcard.rules.log.events import CardDealt, ShoeOpened, WagerSettled
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.records import RemedyRecord, RemedyState
from thirdcard.rules.round.round import Round, Wager, confidence_of
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.options import Rules

_IN_NEXT_ROUND = ("first_card_of_next_round", "void_next_hand")
_FOLLOWED = frozenset({"reconstruct", "card_to_banker", "void_round", "void_wager", *_IN_NEXT_ROUND})
"""The actions that later events can fulfil; the others are decided by people."""
_VOID_HAND = "procedure.void_hand_wagered"
_ORDER_FAULT, _KEPT_CARD_LEFT = "misdeal.order", "kept_card_left"


@dataclass(frozen=True, slots=True)
class _Order:
    alert: Alert
    card_id: str | None
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _Ending:
    """The facts at the end of a round that decide whether its orders were followed."""

    running: Round
    drawing: Drawing
    table: TableState
    settled: dict[str, set[SettleAction]]
    is_void_hand_wagered: bool

    @property
    def stakes(self) -> list[Wager]:
        return [wager for wager in self.running.betting.stakes.values() if not wager.is_empty]

    @property
    def actions(self) -> set[SettleAction]:
        return {action for actions in self.settled.values() for action in actions}

    @property
    def is_all_returned(self) -> bool:
        """Whether every wager of the round was returned."""
        if self.actions - {SettleAction.RETURNED}:
            return False
        return bool(self.stakes) and all(wager.area in self.settled for wager in self.stakes)


class RemedyBook:
    """The orders that are due in the running round, and those that wait for the next."""

    def __init__(self, rules: Rules) -> None:
        left_out = rules.fault(_ORDER_FAULT, frozenset({_KEPT_CARD_LEFT}))
        self._starts_with_kept_card = left_out is not None and _KEPT_CARD_LEFT in left_out.when
        """Whether the text forbids starting the next round with any other card."""
        self._due: list[_Order] = []
        self._next: list[_Order] = []
        self._settled: dict[str, set[SettleAction]] = {}
        self._is_void_hand_wagered = False

    def order(self, finding: Finding, alert: Alert) -> None:
        """Take an alert's remedy as an order."""
        if alert.code == _VOID_HAND:
            self._is_void_hand_wagered = True
        if alert.remedy.action not in _FOLLOWED:
            return
        card_id = finding.key[1] if len(finding.key) > 1 and isinstance(finding.key[1], str) else None
        order = _Order(alert, card_id, UNDETERMINED not in finding.facts)
        (self._next if alert.remedy.action in _IN_NEXT_ROUND else self._due).append(order)

    def observe(self, event: WagerSettled | ShoeOpened, _running: Round | None) -> None:
        """Take a settled wager, or new cards, which cancel the orders for the next round."""
        if isinstance(event, WagerSettled):
            self._settled.setdefault(event.area, set()).add(event.action)
        else:
            self._next.clear()
            self._due = [order for order in self._due if order.alert.remedy.action not in _IN_NEXT_ROUND]

    def find_kept_card_left(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """Find a Player's first card that came from the shoe, though the previous round's card had to be first."""
        if not self._due or event.hand is not Side.PLAYER:
            return ()
        order = next((one for one in self._due if one.alert.remedy.action in _IN_NEXT_ROUND and one.is_certain), None)
        if order is None or not self._starts_with_kept_card or running.dealt.cards[event.card_id].index:
            return ()
        if running.was_camera_lost or event.source is Source.CAMERA:
            running.doubt(_ORDER_FAULT, "it was not seen what became of the card of the round before")
            return ()
        return (_kept_card_left(event, order.alert.remedy.rule),)

    def close(self, running: Round, drawing: Drawing, table: TableState) -> tuple[RemedyRecord, ...]:
        """The records of the orders due in this round: was each done? Then the next round's orders become due."""
        records: tuple[RemedyRecord, ...] = ()
        if self._due:
            ending = _Ending(running, drawing, table, self._settled, self._is_void_hand_wagered)
            records = tuple(_record(order, ending) for order in self._due)
        self._due, self._next = [] if running.void.declared_t is not None else self._next, []
        self._settled = {}
        self._is_void_hand_wagered = False
        return records


def _kept_card_left(event: CardDealt, rule: str | None) -> Finding:
    return Finding(
        code=_ORDER_FAULT,
        t=event.t,
        key=(_ORDER_FAULT,),
        message="The round did not start with the card that the round before left over.",
        facts=frozenset({_KEPT_CARD_LEFT}),
        source_rule=rule,
        hand=event.hand,
        cards=() if event.card is None else (event.card,),
        confidence=confidence_of(event),
    )


def _record(order: _Order, ending: _Ending) -> RemedyRecord:
    alert = order.alert
    return RemedyRecord(
        code=alert.code,
        t=alert.t,
        round=alert.round,
        action=alert.remedy.action,
        rule=alert.remedy.rule,
        area=alert.area,
        state=_state(order, ending) if order.is_certain else RemedyState.UNDETERMINED,
    )


def _state(order: _Order, ending: _Ending) -> RemedyState:
    action = order.alert.remedy.action
    if action == "void_wager":
        return _wager_state(order.alert.area or "", ending)
    if action == "void_round" or (ending.running.void.declared_t is not None and action not in _IN_NEXT_ROUND):
        return _void_state(ending)
    if ending.running.was_camera_lost:
        return RemedyState.UNDETERMINED
    if action == "reconstruct":
        return _reconstruct_state(order.alert.code, ending)
    if action == "card_to_banker":
        third = ending.drawing.third.get(Side.BANKER)
        return _done(third is not None and third.card_id == order.card_id)
    return _next_state(action, ending)


def _done(is_done: bool) -> RemedyState:
    return RemedyState.DONE if is_done else RemedyState.NOT_DONE


def _wager_state(area: str, ending: _Ending) -> RemedyState:
    actions = ending.settled.get(area, set())
    if actions:
        return _done(actions == {SettleAction.RETURNED})
    lies = ending.table.wagers.get(area)
    return RemedyState.DONE if lies is not None and lies.is_empty else RemedyState.UNDETERMINED


def _void_state(ending: _Ending) -> RemedyState:
    is_settled = any(SettleAction.RETURNED not in actions for actions in ending.settled.values())
    if ending.is_void_hand_wagered or is_settled:
        return RemedyState.NOT_DONE
    is_clear = all(wager.is_empty for wager in ending.table.wagers.values())
    return RemedyState.DONE if is_clear or ending.is_all_returned else RemedyState.UNDETERMINED


def _reconstruct_state(code: str, ending: _Ending) -> RemedyState:
    drawing = ending.drawing
    if ending.is_all_returned:
        return RemedyState.DONE
    if code == "misdeal.simultaneous":
        return RemedyState.UNDETERMINED
    if drawing.is_settled or (code == "misdeal.order" and drawing.can_judge):
        return RemedyState.DONE
    is_wrong = not drawing.can_judge or drawing.missing() is not None or bool(drawing.surplus)
    return RemedyState.NOT_DONE if is_wrong else RemedyState.UNDETERMINED


def _next_state(action: str, ending: _Ending) -> RemedyState:
    running = ending.running
    if running.dealt.first is None:
        return RemedyState.UNDETERMINED
    if action == "void_next_hand":
        if ending.is_void_hand_wagered:
            return RemedyState.NOT_DONE
        is_unseen = any(code in (_VOID_HAND, _ORDER_FAULT) for code, _ in running.doubts)
        return RemedyState.UNDETERMINED if is_unseen else _done(_starts_with_kept_card(running))
    return _done(_starts_with_kept_card(running))


def _starts_with_kept_card(running: Round) -> bool:
    return min(running.dealt.cards.values(), key=lambda card: card.index).is_kept
