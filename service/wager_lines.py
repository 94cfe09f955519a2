"""Turn changes of stacks into the log's lines on wagers: what lies there now, who reached in, what was settled.

Seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from calibration.layout import Area, Layout
from rules.events import DEALER, UNKNOWN, Bet, Event, ResultAnnounced, Source, WagerChanged
from service.amounts import Amounts
from service.attribution import who_reached
from service.blindness import Blindness
from service.card_lines import rounded
from service.chip_counts import chip_counts
from service.settling import settled_line
from service.table_state import TableState
from vision.observations import StacksChanged

LEAST_SURENESS = 0.6
"""A direction of change that is less sure than this is not told."""
SEEN_CONFIDENCE = 0.97
"""Of a change that was surely seen, when it came left aside."""
PRINT_CONFIDENCE = 0.5
"""Of a change that tells that print had passed for chips."""


@dataclass(slots=True)
class WagerLines:
    """The wagers of one table, as they are logged."""

    layout: Layout
    state: TableState
    blindness: Blindness
    amounts: Amounts
    """What lies on each area, as it was logged last."""

    def changed(self, t: float, change: StacksChanged, signalled: Collection[type[Event]]) -> list[Event]:
        """What is to be logged of a change at `t`; `signalled` is what devices report by themselves."""
        area = self.layout.area(change.region)
        is_decided = self.state.is_decided(ResultAnnounced in signalled)
        self.state.see_chips(area.id, bool(change.after), is_decided)
        by = self._by(change, area, is_decided=is_decided)
        is_settling = by == DEALER and is_decided
        line = self._line(t, change, area, by, is_settling=is_settling)
        if line is None:
            return []
        span = change.t_earliest, max(change.t_latest, t)
        is_result_told = ResultAnnounced in signalled
        untold_since_t = self.state.untold_since_t(signalled) if is_result_told else self.state.called_t
        line = self.blindness.doubted(line, *span, untold_since_t=untold_since_t)
        if not is_settling:
            return [line]
        at_mm = change.before[0].at_mm if change.before else None
        settled = settled_line(t, area, self.layout, growth=change.growth, at_mm=at_mm, tips_mm=change.tips_mm)
        return [self.blindness.doubted(settled, *span, untold_since_t=untold_since_t), line]

    def _by(self, change: StacksChanged, area: Area, *, is_decided: bool) -> str:
        """Who reached in; unknown where the dealer was there since the decision and may have settled the wager."""
        by = who_reached(change.entries_mm, area, self.layout)
        if by == DEALER and change.growth == 0 and is_decided:
            self.state.visited.add(area.id)
        if by != DEALER and area.id in self.state.visited:
            return UNKNOWN
        return by

    def _line(self, t: float, change: StacksChanged, area: Area, by: str, *, is_settling: bool) -> WagerChanged | None:
        if change.growth == 0 or area.bet is None:
            return None
        is_told = change.sureness >= LEAST_SURENESS
        chips_before, chips_after = chip_counts(change, tell_direction=not is_settling) if is_told else (None, None)
        before, after = self.amounts.change(change)
        certainty = min(SEEN_CONFIDENCE, rounded(change.sureness)) if is_told else SEEN_CONFIDENCE
        return WagerChanged(
            t=t,
            area=area.id,
            seat=area.seat,
            bet=Bet(area.bet),
            before=before.told,
            after=after.told,
            before_low=before.least,
            before_high=before.most,
            after_low=after.least,
            after_high=after.most,
            chips_before=chips_before,
            chips_after=chips_after,
            by=by,
            earlier_s=round(max(t - change.t_earliest, 0.0), 3),
            later_s=round(max(change.t_latest - t, 0.0), 3),
            picture=change.picture,
            confidence=PRINT_CONFIDENCE if change.was_print else certainty,
            source=Source.CAMERA,
        )
