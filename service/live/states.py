"""Say how a table stands, for those who look at it from outside its process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.hand import points
from thirdcard.rules.round.round import RoundState
from thirdcard.service.ports.messages import ShownStake, TableStatus


def state_of(table_id: str, layout: Layout, state: RoundState, *, at: datetime, t: float) -> TableStatus:
    """The referee's view of a table; what concerns its camera is still to be said."""
    return TableStatus(
        table_id=table_id,
        at=at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        t=round(t, 3),
        camera="",
        round=state.round,
        phase=str(state.phase),
        player=_names(state.player),
        banker=_names(state.banker),
        player_total=points(state.player),
        banker_total=points(state.banker),
        wagers=_stakes(layout, state),
    )


def _names(cards: Sequence[Card | None]) -> tuple[str | None, ...]:
    return tuple(None if card is None else str(card) for card in cards)


def _stakes(layout: Layout, state: RoundState) -> tuple[ShownStake, ...]:
    areas = [area for area in layout.of_kind("wager") if area.id in state.wagers]
    areas.sort(key=lambda area: (area.seat is None, area.seat or 0))
    return tuple(
        ShownStake(
            area=area.id,
            place=f"Seat {area.seat}" if area.seat is not None else area.name or area.id,
            bet=area.bet or "",
            amount=state.wagers[area.id].value,
            chips=state.wagers[area.id].chips,
        )
        for area in areas
        if not state.wagers[area.id].is_empty
    )
