"""Measure stacks of chips, and notice when those of a region changed under a cover.

A region reports nothing while something lies over it or moves in it. When it is in plain sight again, what stands
there is compared with what stood there before. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.chips.change_direction import (
    GAUGED_SURENESS,
    Growth,
    GrowthOptics,
    compared_growth,
    growth_of,
    leanings,
    leant,
    matching,
    weighed,
)
from thirdcard.vision.chips.glimpses import Glimpse, Glimpses
from thirdcard.vision.chips.hand_contents import Carried, Touch, touch_of
from thirdcard.vision.chips.stack_optics import LEAST_CHIP_MM
from thirdcard.vision.chips.standings import (
    Name,
    Standing,
    gaugings_of,
    lies_at,
    mean_length_mm,
    measured,
    named,
    uncounted,
)
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_change import AS_TOLD, Judging, mean_of, middle_of
from thirdcard.vision.inference.stack_height import CropFrame
from thirdcard.vision.observations import Stack, StacksChanged
from thirdcard.vision.plane.occlusion import USUAL_GAP_S, Arm

SETTLE_LOOKS = 3
SETTLE_S = 0.25
FLICKERS = 3
"""So often what stands there seems to change where print is taken for chips now and then."""
FLICKERING_LOOKS = 10
LASTING = 0.7
"""There, what this share of so many looks shows stands there."""
COMPARED_MM = 12.0
"""A stack that moved by less than this is held against how it looked."""
GROWN_MM = 3.2
"""A silhouette that grew by more than this has more chips."""
MEASURE_LOOKS = 8
"""Looks that a settled measurement is averaged over."""
SURE = 0.9
PATIENT_LOOKS = 6
"""A comparison less sure than that waits for this many looks, and so does a stack that stands elsewhere."""


Compare = Callable[[Sequence[tuple[Image, Image]]], Sequence[NDArray[np.float64]]]
"""What the comparer says of stacks, each a look before and a wide one after: probabilities of FATES, (4,) each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackModels:
    """Who is asked about stacks that settle."""

    compare: Compare | None = None
    name: Name | None = None
    carried: Carried | None = None


NOBODY = StackModels()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionLook:
    """What one look shows of one region."""

    t: float
    standing: Standing
    covered: bool
    arm: Arm | None = None
    """What covers it, where that comes in over the table's edge."""
    is_in_sight: bool = True
    """Whether no hand lies over any of its stacks."""
    crops: tuple[Image, ...] = ()
    """The picture in the frames that the region asked for; none where it did not."""


@dataclass(slots=True)
class StackRegion:
    """One region's chips over time."""

    region: str
    optics: GrowthOptics | None = None
    """What the gauge's measures mean; None without a gauge or a pose."""
    judging: Judging = AS_TOLD
    """The comparer's."""
    settled: Standing | None = None
    _looks: list[RegionLook] = field(default_factory=list)
    """Looks in plain sight since the last cover, of one and the same standing."""
    _recent: list[RegionLook] = field(default_factory=list)
    """The last looks in plain sight, alike or not."""
    _measures: list[Standing] = field(default_factory=list)
    """Looks at what is settled, some of the first."""
    _frames: tuple[CropFrame, ...] = ()
    """Where each of the settled stacks is cut out."""
    _views: list[tuple[Image, ...]] = field(default_factory=list)
    """What looks showed there before anything covered them."""
    _looked_t: float | None = None
    _cover_began_t: float | None = None
    _cover_ended_t: float | None = None
    _arms: list[tuple[float, Arm | None]] = field(default_factory=list)
    """When looks showed it covered, and by what."""
    _glimpses: Glimpses = field(default_factory=Glimpses)

    @property
    def unsettled_since_t(self) -> float | None:
        """Since when something may have changed here that was not told yet."""
        return self._cover_began_t

    @property
    def is_covered(self) -> bool:
        """Whether something lay over it at the last look."""
        return self._cover_ended_t is not None and self._cover_ended_t == self._looked_t

    @property
    def needs_looks(self) -> bool:
        """Whether more looks would tell more: while it is not known what stands there, and then of its measures."""
        if self._cover_began_t is not None or self.settled is None:
            return True
        return bool(self.settled.stacks) and len(self._measures) < MEASURE_LOOKS

    @property
    def frames(self) -> tuple[CropFrame, ...]:
        """Where the next look is to be cut out."""
        return self._frames if self.needs_looks else ()

    def update(self, look: RegionLook, ask: StackModels = NOBODY) -> tuple[StacksChanged, ...]:
        """Take one look in; returns changes once they are sure."""
        told: tuple[StacksChanged, ...] = ()
        looked_t, self._looked_t = look.t if self._looked_t is None else self._looked_t, look.t
        if look.covered:
            if self._cover_began_t is not None and self._has_settled:
                told = self._settle(self._fates(ask), ask.name)
            self._cover(look, came_t=looked_t if look.t - looked_t > USUAL_GAP_S else look.t)
            self._glimpse(look)
            return told
        if self.settled is not None and self._cover_began_t is None:
            self._refine(look)
            return ()
        self._glimpse(look)
        self._looks = self._alike(look)
        if not self._has_settled:
            return ()
        fates = self._fates(ask)
        is_sure = all(float(fate.max()) >= SURE for fate in fates) and not self._has_been_carried
        return self._settle(fates, ask.name) if is_sure or len(self._looks) >= PATIENT_LOOKS else ()

    def forget_print(self, print_mm: Sequence[NDArray[np.float64]], t: float) -> tuple[StacksChanged, ...]:
        """Take print that passed for chips out of what stands here, once it is known for what it is."""
        settled = self.settled
        if settled is None or self._cover_began_t is not None:
            return ()
        kept = [i for i, stack in enumerate(settled.stacks) if not lies_at(stack, print_mm)]
        if len(kept) == len(settled.stacks):
            return ()
        before = uncounted(measured(settled, self._measures, self.optics, LEAST_CHIP_MM))
        stacks = tuple(settled.stacks[i] for i in kept)
        self.settled = Standing(stacks=stacks, lengths_mm=tuple(settled.lengths_mm[i] for i in kept))
        self._measures = []
        self._look_anew(self.settled)
        gone = StacksChanged(
            region=self.region,
            t=t,
            t_earliest=t,
            t_latest=t,
            before=before,
            after=uncounted(stacks),
            growth=-1,
            entries_mm=(),
            was_print=True,
        )
        return (gone,)

    @property
    def _has_been_carried(self) -> bool:
        """Whether as many stacks stand there, elsewhere: one that is overlooked where two stand looks alike."""
        before, after = self.settled, self._looks[-1].standing
        return before is not None and len(before.stacks) == len(after.stacks) and not before.matches(after)

    def _alike(self, look: RegionLook) -> list[RegionLook]:
        """The looks that show what `look` shows: those just before it, or, where looks flicker, the usual ones."""
        self._recent = [*self._recent[1 - FLICKERING_LOOKS :], look]
        shown = [each.standing for each in self._recent]
        if sum(not one.matches(other) for one, other in pairwise(shown)) < FLICKERS:
            is_like_the_last = bool(self._looks) and look.standing.matches(self._looks[-1].standing)
            return [*self._looks, look] if is_like_the_last else [look]
        if len(shown) < FLICKERING_LOOKS:
            return [look]
        usual = _usual(shown)
        return [each for each in self._recent if each.standing in usual] or [look]

    @property
    def _has_settled(self) -> bool:
        return len(self._looks) >= SETTLE_LOOKS and self._looks[-1].t - self._looks[0].t >= SETTLE_S

    def _cover(self, look: RegionLook, *, came_t: float) -> None:
        """Something lies over it, since `came_t` perhaps."""
        if self._cover_began_t is None:
            self._cover_began_t = came_t
            self._arms = []
            self._glimpses = Glimpses()
        self._cover_ended_t = look.t
        self._looks, self._recent = [], []
        self._arms.append((look.t, look.arm))

    def _glimpse(self, look: RegionLook) -> None:
        if self._cover_began_t is not None:
            stacks, entries = look.standing.stacks, len(self._arms)
            self._glimpses.add(look.t, stacks, is_in_sight=look.is_in_sight, entries=entries)

    def _refine(self, look: RegionLook) -> None:
        assert self.settled is not None
        if len(self._measures) < MEASURE_LOOKS and look.standing.matches(self.settled):
            self._measures.append(look.standing)
            if look.crops:
                self._views.append(tuple(middle_of(crop) for crop in look.crops))

    def _fates(self, ask: StackModels) -> list[NDArray[np.float64]]:
        """What became of each stack that stands where it stood; none where the comparer cannot be asked.

        The comparer's answer, with what the gauge says of the direction, and chips in the hand that was there.
        """
        before, after = self.settled, self._looks[-1].standing
        crops = [look.crops for look in self._looks if look.crops]
        if ask.compare is None or before is None or not self._views or not crops:
            return []
        if not before.matches(after, within_mm=COMPARED_MM):
            return []
        fates = self._leant(ask.compare(list(zip(mean_of(self._views), mean_of(crops), strict=True))))
        touches = self._touches(before)
        if ask.carried is None or len(touches) != len(fates):
            return fates
        return [weighed(fate, ask.carried(touch)) for fate, touch in zip(fates, touches, strict=True)]

    def _touches(self, before: Standing) -> list[Touch]:
        """When each of the stacks was under a hand; none where none was."""
        began_t, ended_t = self._cover_began_t, self._cover_ended_t
        if began_t is None or ended_t is None:
            return []
        tips = [(t, arm.tip_mm) for t, arm in self._arms if arm is not None]
        return [touch_of(stack.at_mm, tips, began_t=began_t, ended_t=ended_t) for stack in before.stacks]

    def _leant(self, fates: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """With what the gauge says of the direction, where it measured them all."""
        settled = () if self.settled is None else self.settled.gaugings
        both = [gaugings_of(measures) for measures in (self._measures, [look.standing for look in self._looks])]
        if self.optics is None or any(len(each) != len(fates) for each in (settled, *both)):
            return list(fates)
        before, after = ([each[i] for i in matching(settled, each)] for each in both)
        told = leanings(before, after, self.optics)
        return [leant(fate, leaning, self.judging) for fate, leaning in zip(fates, told, strict=True)]

    def _settle(self, fates: Sequence[NDArray[np.float64]], name: Name | None) -> tuple[StacksChanged, ...]:
        before, measures_before = self.settled, self._measures
        first, after = self._looks[0], self._looks[-1].standing
        glimpse = None if before is None else self._glimpses.between(before.stacks, after.stacks)
        cover = self._lift()
        self._measures = [look.standing for look in self._looks]
        self.settled, self._looks, self._recent = after, [], []
        self._look_anew(after)
        if fates:
            growth = compared_growth(fates, least_same=self.judging.least_same)
        else:
            growth = _growth(before, measures_before, after, self._measures, optics=self.optics)
        if before is None and not after.stacks:
            return ()
        if before is not None and before.matches(after) and not growth.is_seen:
            if glimpse is None and (not after.stacks or not cover.arms):
                return ()
            growth = Growth(is_seen=False, direction=0)
        has_grown = before is not None and bool(before.stacks and after.stacks and growth.direction)
        least_mm = 0.0 if has_grown else LEAST_CHIP_MM
        told_before = measured(before, measures_before, self.optics, least_mm) if before is not None else None
        told_after = named(measured(after, self._measures, self.optics, least_mm), self._measures, name)
        if growth.direction is None and told_before:
            told_before, told_after = uncounted(told_before), uncounted(told_after)
        began = cover.began_t if cover.began_t is not None else first.t
        change = StacksChanged(
            region=self.region,
            t=(began + cover.ended_t) / 2 if cover.ended_t is not None else first.t,
            t_earliest=began,
            t_latest=first.t,
            before=told_before,
            after=told_after,
            growth=growth.direction,
            sureness=growth.sureness,
            entries_mm=tuple(None if arm is None else arm.entry_mm for arm in cover.arms),
            tips_mm=tuple(None if arm is None else arm.tip_mm for arm in cover.arms),
        )
        return (change,) if glimpse is None else _parted(change, glimpse, ended_t=cover.ended_t)

    def _lift(self) -> _Lifted:
        """The cover, which is over."""
        arms = tuple(arm for _, arm in self._arms)
        cover = _Lifted(self._cover_began_t, self._cover_ended_t, arms)
        self._cover_began_t, self._arms, self._glimpses = None, [], Glimpses()
        return cover

    def _look_anew(self, standing: Standing) -> None:
        """Cut out what stands now where it was measured last, from here on."""
        views = [gauging.view for gauging in standing.gaugings]
        seen = [view for view in views if view is not None]
        is_whole = bool(seen) and len(seen) == len(standing.stacks)
        self._frames = tuple(view.frame for view in seen) if is_whole else ()
        self._views = [tuple(middle_of(view.crop) for view in seen)] if is_whole else []


def _usual(shown: Sequence[Standing]) -> list[Standing]:
    """Those that show just the stacks that lasted."""

    def share(stack: Stack) -> float:
        return sum(each.has(stack) for each in shown) / len(shown)

    lasting = [stack for each in shown for stack in each.stacks if share(stack) >= LASTING]
    return [
        each
        for each in shown
        if all(each.has(stack) for stack in lasting) and all(share(stack) >= LASTING for stack in each.stacks)
    ]


@dataclass(frozen=True, slots=True)
class _Lifted:
    """A cover that is over."""

    began_t: float | None
    ended_t: float | None
    arms: tuple[Arm | None, ...]


def _parted(change: StacksChanged, glimpse: Glimpse, *, ended_t: float | None) -> tuple[StacksChanged, StacksChanged]:
    """What came into the region, and what went out of it, under one cover."""
    came = replace(
        change,
        t=(change.t_earliest + glimpse.t_first) / 2,
        t_latest=glimpse.t_first,
        before=uncounted(change.before or ()),
        after=glimpse.stacks,
        growth=1,
        sureness=1.0,
        entries_mm=change.entries_mm[: glimpse.entries],
        tips_mm=change.tips_mm[: glimpse.entries],
    )
    went = replace(
        change,
        t=(glimpse.t_last + (ended_t if ended_t is not None else change.t_latest)) / 2,
        t_earliest=glimpse.t_last,
        before=glimpse.stacks,
        after=uncounted(change.after),
        growth=-1,
        sureness=1.0,
        entries_mm=change.entries_mm[glimpse.entries :],
        tips_mm=change.tips_mm[glimpse.entries :],
    )
    return came, went


def _growth(
    before: Standing | None,
    measures_before: Sequence[Standing],
    after: Standing,
    measures_after: Sequence[Standing],
    *,
    optics: GrowthOptics | None,
) -> Growth:
    """By the number of stacks, else by their measures."""
    if before is None:
        return Growth(is_seen=bool(after.stacks), direction=None)
    if len(before.stacks) != len(after.stacks):
        return Growth(is_seen=True, direction=1 if len(after.stacks) > len(before.stacks) else -1)
    if not after.stacks or not measures_before or not measures_after:
        return Growth(is_seen=False, direction=0)
    gauged_before, gauged_after = gaugings_of(measures_before), gaugings_of(measures_after)
    if optics is not None and gauged_before and gauged_after:
        return growth_of(gauged_before, gauged_after, optics)
    change = mean_length_mm(measures_after) - mean_length_mm(measures_before)
    if abs(change) >= GROWN_MM:
        return Growth(is_seen=True, direction=1 if change > 0 else -1, sureness=GAUGED_SURENESS)
    return Growth(is_seen=False, direction=0)
