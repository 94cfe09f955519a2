"""Measure stacks of chips, and detect when those of a region changed under a cover.

A region reports nothing while something covers it or moves in it. When it is in plain sight again, what stands there is
compared with what stood there before. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.chips.change_direction import (
    Growth,
    GrowthOptics,
    compared_growth,
    gauged,
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
"""Consecutive looks, at least, that must show the same, where looks come less often than ten a second."""
SETTLE_S = 0.25
"""Seconds over which they must. With 0.19 s chips that were carried over a region settled there too soon."""
FLICKERS = 3
"""Number of apparent changes from which print is assumed to be sometimes detected as chips."""
FLICKERING_LOOKS = 10
"""Looks that then count, about a second of them: enough to outvote such print. Chosen by hand."""
PUT_DOWN_S = 0.1
"""Seconds between a hand's arrival over their place and the moment when chips stand: the median of 635 cases of 42
recordings of two renderers was 0.06 to 0.10 s."""
LASTING = 0.7
"""Then, a stack that this share of those looks shows stands there."""
COMPARED_MM = 12.0
"""A stack that moved by less than this is compared with its earlier look."""
GROWN_MM = 3.2
"""A silhouette that grew by more than this many mm has more chips."""
MEASURE_LOOKS = 8
"""Looks over which a settled measurement is averaged."""
SURE = 0.9
"""Probability from which the comparer's answer is accepted after SETTLE_LOOKS. Directions with this probability are
right in 97 % and more (models/cards/comparer.md)."""
PATIENT_LOOKS = 6
"""Number of looks for which a comparison below that probability, or a stack that stands elsewhere, waits."""


Compare = Callable[[Sequence[tuple[Image, Image]]], Sequence[NDArray[np.float64]]]
"""Returns probabilities of FATES, (4,) for each stack, given a look before and a wide look after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackModels:
    """The models that are asked about stacks that settle."""

    compare: Compare | None = None
    name: Name | None = None
    carried: Carried | None = None


NOBODY = StackModels()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionLook:
    """The measurements of one region in one frame."""

    t: float
    standing: Standing
    covered: bool
    arm: Arm | None = None
    """The arm that covers it, where one reaches over the table's edge."""
    is_in_sight: bool = True
    """Whether no hand covers any of its stacks."""
    crops: tuple[Image, ...] = ()
    """The picture in the frames that the region asked for; empty where it asked for none."""


@dataclass(slots=True)
class _Settled:
    """What stands in a region, with looks at it before anything covered it."""

    standing: Standing
    measures: list[Standing]
    """Some of the first looks at it."""
    frames: tuple[CropFrame, ...] = ()
    """Where each of the stacks is cut out."""
    views: list[tuple[Image, ...]] = field(default_factory=list)
    """The crops that looks showed there."""

    @classmethod
    def of(cls, standing: Standing, measures: list[Standing]) -> _Settled:
        """Return a settled state whose stacks are cut out where they were last measured."""
        views = [gauging.view for gauging in standing.gaugings]
        seen = [view for view in views if view is not None]
        if not seen or len(seen) < len(standing.stacks):
            return cls(standing, measures)
        frames = tuple(view.frame for view in seen)
        return cls(standing, measures, frames, [tuple(middle_of(view.crop) for view in seen)])

    @property
    def needs_looks(self) -> bool:
        """Whether more looks would improve its measures."""
        return bool(self.standing.stacks) and len(self.measures) < MEASURE_LOOKS

    def refine(self, look: RegionLook) -> None:
        """Add one more look."""
        if len(self.measures) < MEASURE_LOOKS and look.standing.matches(self.standing):
            self.measures.append(look.standing)
            if look.crops:
                self.views.append(tuple(middle_of(crop) for crop in look.crops))


@dataclass(slots=True)
class _Covered:
    """Something that covers a region, and what was visible under it."""

    began_t: float
    ended_t: float
    """When a look last showed it."""
    arms: list[tuple[float, Arm | None]] = field(default_factory=list)
    """Times at which looks showed the region covered, and the arm, if any."""
    glimpses: Glimpses = field(default_factory=Glimpses)

    def see(self, look: RegionLook) -> None:
        """Note one more look at the cover."""
        self.ended_t = look.t
        self.arms.append((look.t, look.arm))

    def glimpse(self, look: RegionLook) -> None:
        """Note the stacks that are visible in a look while the cover lasts."""
        stacks, entries = look.standing.stacks, len(self.arms)
        self.glimpses.add(look.t, stacks, is_in_sight=look.is_in_sight, entries=entries)

    def touches(self, standing: Standing) -> list[Touch]:
        """Return for each stack when it was under a hand."""
        tips = [(t, arm.tip_mm) for t, arm in self.arms if arm is not None]
        return [touch_of(stack.at_mm, tips, began_t=self.began_t, ended_t=self.ended_t) for stack in standing.stacks]


@dataclass(slots=True)
class StackRegion:
    """One region's chips over time."""

    region: str
    optics: GrowthOptics | None = None
    """Meaning of the gauge's measures; None without a gauge or a camera pose."""
    judging: Judging = AS_TOLD
    """How the comparer's answers are judged."""
    _settled: _Settled | None = None
    _covered: _Covered | None = None
    """The present cover, or an earlier one that was not reported yet."""
    _looks: list[RegionLook] = field(default_factory=list)
    """Looks in plain sight since the last cover that show the same stacks."""
    _recent: list[RegionLook] = field(default_factory=list)
    """The last looks in plain sight, whether or not they agree."""
    _looked_t: float | None = None

    @property
    def settled(self) -> Standing | None:
        """What stands here, as last reported; None before that is known."""
        return None if self._settled is None else self._settled.standing

    @property
    def unsettled_since_t(self) -> float | None:
        """Since when something may have changed here that was not reported yet; None where nothing may have."""
        return None if self._covered is None else self._covered.began_t

    @property
    def is_covered(self) -> bool:
        """Whether something covered it at the last look."""
        return self._covered is not None and self._covered.ended_t == self._looked_t

    @property
    def needs_looks(self) -> bool:
        """Whether more looks would help: to find out what stands there, then to improve its measures."""
        return self._covered is not None or self._settled is None or self._settled.needs_looks

    @property
    def frames(self) -> tuple[CropFrame, ...]:
        """Where the next look should be cut out."""
        return self._settled.frames if self._settled is not None and self.needs_looks else ()

    def update(self, look: RegionLook, ask: StackModels = NOBODY) -> tuple[StacksChanged, ...]:
        """Take one look; return changes once they are certain."""
        looked_t, self._looked_t = look.t if self._looked_t is None else self._looked_t, look.t
        if look.covered:
            told = self._settle(self._fates(ask), ask.name) if self._covered is not None and self._has_settled else ()
            self._cover(look, came_t=looked_t if look.t - looked_t > USUAL_GAP_S else look.t)
            return told
        if self._settled is not None and self._covered is None:
            self._settled.refine(look)
            return ()
        if self._covered is not None:
            self._covered.glimpse(look)
        self._looks = self._alike(look)
        if not self._has_settled:
            return ()
        fates = self._fates(ask)
        is_sure = all(float(fate.max()) >= SURE for fate in fates) and not self._has_been_carried
        return self._settle(fates, ask.name) if is_sure or len(self._looks) >= PATIENT_LOOKS else ()

    def forget_print(self, print_mm: Sequence[NDArray[np.float64]], t: float) -> tuple[StacksChanged, ...]:
        """Remove print that was detected as chips, once it is recognised as print."""
        settled = self._settled
        if settled is None or self._covered is not None:
            return ()
        stood = settled.standing
        kept = [i for i, stack in enumerate(stood.stacks) if not lies_at(stack, print_mm)]
        if len(kept) == len(stood.stacks):
            return ()
        before = uncounted(measured(stood, settled.measures, self.optics, LEAST_CHIP_MM))
        stacks = tuple(stood.stacks[i] for i in kept)
        self._settled = _Settled.of(Standing(stacks=stacks, lengths_mm=tuple(stood.lengths_mm[i] for i in kept)), [])
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
        """Whether the same number of stacks stands elsewhere: one that is missed where two stand looks the same."""
        before, after = self.settled, self._looks[-1].standing
        return before is not None and len(before.stacks) == len(after.stacks) and not before.matches(after)

    def _alike(self, look: RegionLook) -> list[RegionLook]:
        """Return the looks that agree with `look`: those just before it, or, if looks flicker, the usual ones."""
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
        """Note that something covers the region, possibly since `came_t`."""
        if self._covered is None:
            self._covered = _Covered(came_t, look.t)
        self._looks, self._recent = [], []
        self._covered.see(look)
        self._covered.glimpse(look)

    def _fates(self, ask: StackModels) -> list[NDArray[np.float64]]:
        """Return probabilities of FATES for each stack that stayed at its place.

        They combine the comparer's answer, the gauge's view of the direction, and chips seen in the hand. The result is
        empty where the comparer cannot be asked.
        """
        before, after = self._settled, self._looks[-1].standing
        crops = [look.crops for look in self._looks if look.crops]
        if ask.compare is None or before is None or not before.views or not crops:
            return []
        if not before.standing.matches(after, within_mm=COMPARED_MM):
            return []
        compared = ask.compare(list(zip(mean_of(before.views), mean_of(crops), strict=True)))
        fates = self._leant(compared, before)
        touches = [] if self._covered is None else self._covered.touches(before.standing)
        if ask.carried is None or len(touches) != len(fates):
            return fates
        return [weighed(fate, ask.carried(touch)) for fate, touch in zip(fates, touches, strict=True)]

    def _leant(self, fates: Sequence[NDArray[np.float64]], settled: _Settled) -> list[NDArray[np.float64]]:
        """Combine FATES with the gauge's view of the direction, where it measured all stacks."""
        stood = settled.standing.gaugings
        both = [gaugings_of(measures) for measures in (settled.measures, [look.standing for look in self._looks])]
        if self.optics is None or any(len(each) != len(fates) for each in (stood, *both)):
            return list(fates)
        before, after = ([each[i] for i in matching(stood, each)] for each in both)
        told = leanings(before, after, self.optics)
        return [leant(fate, leaning, self.judging) for fate, leaning in zip(fates, told, strict=True)]

    def _settle(self, fates: Sequence[NDArray[np.float64]], name: Name | None) -> tuple[StacksChanged, ...]:
        """Accept what the last looks show as what stands here now, and report what has changed."""
        before, cover, first = self._settled, self._covered, self._looks[0]
        after = _Settled.of(self._looks[-1].standing, [look.standing for look in self._looks])
        self._settled, self._covered, self._looks, self._recent = after, None, [], []
        glimpse = None
        if before is not None and cover is not None:
            glimpse = cover.glimpses.between(before.standing.stacks, after.standing.stacks)
        if before is None and not after.standing.stacks:
            return ()
        growth = self._growth_of(fates, before, after)
        if before is not None and before.standing.matches(after.standing) and not growth.is_seen:
            if glimpse is None and (not after.standing.stacks or cover is None or not cover.arms):
                return ()
            growth = Growth(is_seen=False, direction=0)
        told_before, told_after = self._measured(before, after, growth, name)
        change = _change(self.region, cover, first.t, growth, before=told_before, after=told_after)
        return (
            (change,) if glimpse is None else _parted(change, glimpse, ended_t=None if cover is None else cover.ended_t)
        )

    def _growth_of(self, fates: Sequence[NDArray[np.float64]], before: _Settled | None, after: _Settled) -> Growth:
        """Return how the stacks changed: by the comparer's answers, or else by their number and measures."""
        if fates:
            return compared_growth(fates, least_same=self.judging.least_same)
        if before is None:
            return Growth(is_seen=bool(after.standing.stacks), direction=None)
        return _growth(before, after, optics=self.optics)

    def _measured(
        self, before: _Settled | None, after: _Settled, growth: Growth, name: Name | None
    ) -> tuple[tuple[Stack, ...] | None, tuple[Stack, ...]]:
        """Return the stacks before and after as they are reported: measured, counted where possible, and named."""
        stood = None if before is None else before.standing
        has_grown = bool(stood is not None and stood.stacks and after.standing.stacks and growth.direction)
        least_mm = 0.0 if has_grown else LEAST_CHIP_MM
        told_before = None if before is None else measured(before.standing, before.measures, self.optics, least_mm)
        told_after = measured(after.standing, after.measures, self.optics, least_mm)
        told_after = named(told_after, after.measures, name)
        if growth.direction is None and told_before:
            return uncounted(told_before), uncounted(told_after)
        return told_before, told_after


def _change(
    region: str,
    cover: _Covered | None,
    seen_t: float,
    growth: Growth,
    *,
    before: tuple[Stack, ...] | None,
    after: tuple[Stack, ...],
) -> StacksChanged:
    """Make the report of a change under a cover that was first in plain sight at `seen_t`."""
    arms = [] if cover is None else [arm for _, arm in cover.arms]
    return StacksChanged(
        region=region,
        t=seen_t if cover is None else _likeliest_t(cover, growth),
        t_earliest=seen_t if cover is None else cover.began_t,
        t_latest=seen_t,
        before=before,
        after=after,
        growth=growth.direction,
        sureness=growth.sureness,
        opposite=growth.opposite,
        entries_mm=tuple(None if arm is None else arm.entry_mm for arm in arms),
        tips_mm=tuple(None if arm is None else arm.tip_mm for arm in arms),
    )


def _likeliest_t(cover: _Covered, growth: Growth) -> float:
    """Return the most likely time: chips are put down as soon as the hand arrives, and taken at any time."""
    middle_t = (cover.began_t + cover.ended_t) / 2
    return min(middle_t, cover.began_t + PUT_DOWN_S) if growth.direction == 1 else middle_t


def _usual(shown: Sequence[Standing]) -> list[Standing]:
    """Return the looks that show exactly the lasting stacks."""

    def share(stack: Stack) -> float:
        return sum(each.has(stack) for each in shown) / len(shown)

    lasting = [stack for each in shown for stack in each.stacks if share(stack) >= LASTING]
    return [
        each
        for each in shown
        if all(each.has(stack) for stack in lasting) and all(share(stack) >= LASTING for stack in each.stacks)
    ]


def _parted(change: StacksChanged, glimpse: Glimpse, *, ended_t: float | None) -> tuple[StacksChanged, StacksChanged]:
    """Split a change under one cover into what came into the region and what left it."""
    came = replace(
        change,
        t=(change.t_earliest + glimpse.t_first) / 2,
        t_latest=glimpse.t_first,
        before=uncounted(change.before or ()),
        after=glimpse.stacks,
        growth=1,
        sureness=1.0,
        opposite=0.0,
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
        opposite=0.0,
        entries_mm=change.entries_mm[glimpse.entries :],
        tips_mm=change.tips_mm[glimpse.entries :],
    )
    return came, went


def _growth(before: _Settled, after: _Settled, *, optics: GrowthOptics | None) -> Growth:
    """Return how the stacks changed, by their number, or else by their measures."""
    stood, stands = before.standing.stacks, after.standing.stacks
    if len(stood) != len(stands):
        return Growth(is_seen=True, direction=1 if len(stands) > len(stood) else -1)
    if not stands or not before.measures or not after.measures:
        return Growth(is_seen=False, direction=0)
    gauged_before, gauged_after = gaugings_of(before.measures), gaugings_of(after.measures)
    if optics is not None and gauged_before and gauged_after:
        return growth_of(gauged_before, gauged_after, optics)
    change = mean_length_mm(after.measures) - mean_length_mm(before.measures)
    if abs(change) >= GROWN_MM:
        return gauged(change)
    return Growth(is_seen=False, direction=0)
