"""Turn changes of stacks into log lines on wagers: the new amount, who reached in, what was settled.

Whether the dealer took or returned chips shows by how far the arm went: returned chips are carried outward. Knows
nothing of how chips or arms are detected. Millimetres of the layout, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thirdcard.calibration.layout import Area, Layout
from thirdcard.rules.log.events import (
    DEALER,
    UNKNOWN,
    UNSEEN,
    Bet,
    Event,
    ResultAnnounced,
    SettleAction,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.service.interpretation.attribution import who_reached
from thirdcard.service.interpretation.chip_values import Amounts, chip_counts
from thirdcard.service.interpretation.dealing import rounded
from thirdcard.service.interpretation.round_tracker import RunningRound
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.service.interpretation.visibility import Blindness
from thirdcard.vision.observations import StacksChanged

Point = tuple[float, float]

TAKEN_MM = 75.0
"""An arm that took chips to the tray went at most so far beyond them."""
GIVEN_MM = 95.0
"""An arm that pushed chips to their player went at least so far."""


def settled_line(
    t: float,
    area: Area,
    layout: Layout,
    *,
    growth: int | None,
    at_mm: Point | None,
    tips_mm: Sequence[Point | None],
) -> WagerSettled:
    """The line for a wager that the dealer settled, when its chips changed at `t`.

    Args:
        t: When, in seconds.
        area: The wager's.
        layout: The cloth.
        growth: Above 0 where chips were added; None where unknown.
        at_mm: Where they stood before; None: nothing was there.
        tips_mm: How far the dealer's arm reached, one per look.
    """
    action, confidence = SettleAction.COLLECTED, UNSEEN
    if (growth or 0) > 0:
        action, confidence = SettleAction.PAID, 1.0
    elif at_mm is not None:
        action, confidence = way_of_chips(at_mm, tips_mm, area, layout)
    assert area.bet is not None, "chips lie on wager areas"
    return WagerSettled(
        t=t, area=area.id, seat=area.seat, bet=Bet(area.bet), action=action, confidence=confidence, source=Source.CAMERA
    )


def _after_the_deal(settled: WagerSettled, from_t: float, to_t: float, dealt_t: float) -> WagerSettled:
    """The line, with its confidence reduced by the part of its possible time that is before the last card.

    Wagers are settled after it: anything earlier belongs to the previous round, or was no settling.
    """
    if from_t >= dealt_t or to_t <= from_t:
        return settled
    share = max(to_t - dealt_t, 0.0) / (to_t - from_t)
    return replace(settled, confidence=share * (settled.confidence or 0.0))


def way_of_chips(
    at_mm: Point, tips_mm: Sequence[Point | None], area: Area, layout: Layout
) -> tuple[SettleAction, float]:
    """Whether chips were collected or returned, and the confidence.

    Args:
        at_mm: Where they stood.
        tips_mm: How far the dealer's arm reached, one per look; None where a look does not show it.
        area: The wager's.
        layout: The cloth.
    """
    seen = [tip for tip in tips_mm if tip is not None]
    if not seen:
        return SettleAction.COLLECTED, UNSEEN
    middle = np.mean([hand.polygon_mm.mean(axis=0) for hand in layout.of_kind("hand")], axis=0)
    outward = area.polygon_mm.mean(axis=0) - middle
    beyond_mm = float(((np.array(seen) - at_mm) @ outward).max() / np.linalg.norm(outward))
    if beyond_mm >= GIVEN_MM:
        return SettleAction.RETURNED, reliability(LineKind.WAY)
    is_sure = beyond_mm <= TAKEN_MM and len(seen) == len(tips_mm)
    return SettleAction.COLLECTED, reliability(LineKind.WAY) if is_sure else UNSEEN


@dataclass(slots=True)
class WagerLines:
    """The wagers of one table, as they are logged."""

    layout: Layout
    state: RunningRound
    blindness: Blindness
    amounts: Amounts
    """The value on each area as last logged."""

    def changed(self, t: float, change: StacksChanged, signalled: Collection[type[Event]]) -> list[Event]:
        """The lines for a change at `t`; `signalled` are the event types that devices report."""
        area = self.layout.area(change.region)
        is_decided = self.state.is_decided(ResultAnnounced in signalled)
        self.state.areas.see_chips(area.id, bool(change.after), is_decided)
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
        settled = _after_the_deal(settled, *span, self.state.last_dealt_t)
        return [self.blindness.doubted(settled, *span, untold_since_t=untold_since_t), line]

    def _by(self, change: StacksChanged, area: Area, *, is_decided: bool) -> str:
        """Who reached in; unknown where the dealer was there since the decision and may have settled the wager."""
        by = who_reached(change.entries_mm, area, self.layout)
        if by == DEALER and change.growth == 0 and is_decided:
            self.state.areas.visited.add(area.id)
        if by != DEALER and area.id in self.state.areas.visited:
            return UNKNOWN
        return by

    def _line(self, t: float, change: StacksChanged, area: Area, by: str, *, is_settling: bool) -> WagerChanged | None:
        if change.growth == 0 or area.bet is None:
            return None
        chips_before, chips_after = chip_counts(change, tell_direction=not is_settling)
        before, after = self.amounts.change(change)
        certainty = min(reliability(LineKind.CHANGED), rounded(change.sureness))
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
            alternatives=None if is_settling or change.was_print else _other_direction(change),
            confidence=UNSEEN if change.was_print else certainty,
            source=Source.CAMERA,
        )


def _other_direction(change: StacksChanged) -> dict[str, float] | None:
    """The probability that the chips changed in the other direction; None where the number of stacks decides it."""
    opposite = rounded(change.opposite)
    if not change.growth or not opposite:
        return None
    return {"fewer" if change.growth > 0 else "more": opposite}
