"""Estimate whether chips were added to stacks or taken: from the comparer's answers, or else from the gauge's measures.

Knows how reliable both are, not how they work. Distances are layout millimetres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thirdcard.vision.chips.hand_contents import BROUGHT, NEITHER, TAKEN
from thirdcard.vision.inference.stack_change import FATES, Judging
from thirdcard.vision.inference.stack_height import Gauging, HeightSureness
from thirdcard.vision.observations import Point, Stack

LEAST_CHIPS = 0.5
"""A measured change of less than half a chip rounds to none, and has no direction."""
GAUGED_SURENESS = 0.9
"""Probability that a direction derived from the gauge's measures alone is right."""
FEWER, SAME, MORE, ANEW = (FATES.index(fate) for fate in ("fewer", "same", "more", "anew"))
MOST_CHIPS = 20
"""Largest number of chips assumed in one stack."""
USUAL_CHIPS = 2.5
"""Number of chips over which the prior probability of a stack falls by a factor of e. Chosen by hand; another prior
was tried and made counts no better (models/cards/gauge.md)."""
ERROR_SCALES, LEAST_ERROR_MM = 0.8, 0.2
"""Error of the gauge's mean over looks: this factor times the error it reports, and at least this many mm."""
CARRYING = {
    BROUGHT: np.array([0.04, 1.0, 1.0, 0.1]),
    TAKEN: np.array([1.0, 1.0, 0.04, 0.1]),
    NEITHER: np.array([0.5, 1.0, 0.5, 1.0]),
}
"""Likelihood, for each of FATES, that chips are seen in the hand only as it comes, only as it leaves, or in neither
way; each row is normalised by itself. Of 53 changes at three tables 51 were seen so, none the wrong way. A palm
hides more than fingers do, and a hand that passes with chips may leave a stack alone."""
NEAREST_MM = 50.0
"""A displacement measured nearer than this to the point under the camera is not transferred to another place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthOptics:
    """The position of the camera and the size of a chip, which give a displacement its meaning."""

    camera_mm: tuple[float, float, float]
    """Camera centre in layout coordinates (z is negative above the cloth)."""
    thickness_mm: float
    sureness: HeightSureness
    """The smallest change that the gauge detects reliably."""

    def height_mm(self, foot_mm: Point, displacement_mm: float) -> float:
        """Return a stack's height in mm, H q / (1 + q), with q = displacement / distance and H the camera's height."""
        ratio = max(displacement_mm, 0.0) / max(self.distance_mm(foot_mm), 1.0)
        return -self.camera_mm[2] * ratio / (1.0 + ratio)

    def chip_mm(self, foot_mm: Point, displacement_mm: float) -> float:
        """Return the displacement in mm of one more chip on a stack: d H t / (H - h)^2 = d t (1 + q)^2 / H."""
        distance = self.distance_mm(foot_mm)
        ratio = max(displacement_mm, 0.0) / max(distance, 1.0)
        return distance * self.thickness_mm * (1.0 + ratio) ** 2 / -self.camera_mm[2]

    def distance_mm(self, point_mm: Point) -> float:
        """Return the distance in mm from a point to the point under the camera."""
        return float(np.hypot(point_mm[0] - self.camera_mm[0], point_mm[1] - self.camera_mm[1]))

    def error_mm(self, gauging: Gauging) -> float:
        """Return the expected error of a displacement, in mm."""
        return float(np.hypot(gauging.scale_mm * ERROR_SCALES, LEAST_ERROR_MM))

    def stack(self, gauging: Gauging, *, least_chip_mm: float) -> Stack:
        """Return the measured stack; no count where one chip displaces the top by less than `least_chip_mm`."""
        height = self.height_mm(gauging.foot_mm, gauging.displacement_mm)
        is_told = self.chip_mm(gauging.foot_mm, 0.0) >= least_chip_mm
        count = max(height / self.thickness_mm, 1.0) if is_told else None
        return Stack(at_mm=gauging.foot_mm, height_mm=height, count=count, counts=self.counts(gauging))

    def counts(self, gauging: Gauging) -> tuple[float, ...]:
        """Return the probabilities of 1, 2, 3 ... MOST_CHIPS chips.

        A Laplace distribution about the gauge's displacement, times exp(-n / USUAL_CHIPS), since low stacks are more
        common.
        """
        chips = np.arange(1, MOST_CHIPS + 1)
        heights = chips * self.thickness_mm
        displacements = self.distance_mm(gauging.foot_mm) * heights / (-self.camera_mm[2] - heights)
        logs = -np.abs(displacements - gauging.displacement_mm) / self.error_mm(gauging) - chips / USUAL_CHIPS
        shares = np.exp(logs - logs.max())
        return tuple((shares / shares.sum()).tolist())


def averaged(looks: Sequence[Sequence[Gauging]]) -> tuple[Gauging, ...]:
    """Return each stack's mean over looks; the stacks of a look are matched to those of the first by their bases.

    Args:
        looks: The same number of stacks in each, in any order.
    """
    if not looks:
        return ()
    rows = [[look[i] for i in matching(looks[0], look)] for look in looks]
    return tuple(_mean([row[k] for row in rows]) for k in range(len(looks[0])))


def matching(reference: Sequence[Gauging], others: Sequence[Gauging]) -> list[int]:
    """Return for each reference stack the index of its match among the others, pairing the nearest first."""
    gaps = np.linalg.norm(_feet(reference)[:, None] - _feet(others)[None], axis=2)
    chosen = [0] * len(reference)
    for _ in range(len(reference)):
        i, j = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        chosen[int(i)] = int(j)
        gaps[i, :], gaps[:, j] = np.inf, np.inf
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How some stacks changed."""

    is_seen: bool
    """Whether chips were certainly added, taken or exchanged."""
    direction: int | None
    """1: more chips, -1: fewer, 0: as many; None where it is unknown."""
    sureness: float = 1.0
    """Probability that a direction of 1 or -1 is right."""
    opposite: float = 0.0
    """Probability of the opposite direction; what is left is that nothing changed."""


def leaning(change: float, chip: float, error: float) -> float:
    """Return the log odds of one chip more to one chip less, given the gauge's change and a Laplace error.

    Args:
        change: How much the displacement grew.
        chip: The displacement of one chip.
        error: The error of the change. All three are in the same unit.
    """
    return (abs(change + chip) - abs(change - chip)) / error


def leanings(before: Sequence[Gauging], after: Sequence[Gauging], optics: GrowthOptics) -> list[float]:
    """Return each stack's log odds of one chip more to one less, given measures of the same stacks before and after."""
    told = []
    for old, new in zip(before, after, strict=True):
        change = new.displacement_mm - old.displacement_mm * _carried(old.foot_mm, new.foot_mm, optics)
        chip = optics.chip_mm(new.foot_mm, new.displacement_mm)
        told.append(leaning(change, chip, float(np.hypot(optics.error_mm(old), optics.error_mm(new)))))
    return told


def leant(fates: NDArray[np.float64], leaning: ArrayLike, judging: Judging) -> NDArray[np.float64]:
    """Combine probabilities of FATES, (..., 4), with the gauge's log odds of the direction, (...)."""
    told = np.array(fates, np.float64)
    both = told[..., FEWER] + told[..., MORE]
    odds = judging.comparison * np.log((told[..., MORE] + 1e-9) / (told[..., FEWER] + 1e-9))
    share = 1.0 / (1.0 + np.exp(-odds - judging.leaning * np.asarray(leaning)))
    told[..., MORE], told[..., FEWER] = both * share, both * (1.0 - share)
    return told


def weighed(fates: NDArray[np.float64], carried: int | None) -> NDArray[np.float64]:
    """Combine probabilities of FATES, (4,), with chips seen in the hand: BROUGHT, TAKEN or NEITHER.

    None changes nothing.
    """
    if carried is None:
        return fates
    told = fates * CARRYING[carried]
    return np.asarray(told / told.sum(), np.float64)


def compared_growth(fates: Sequence[NDArray[np.float64]], *, least_same: float) -> Growth:
    """Return how compared stacks changed in all.

    Args:
        fates: (4,) probabilities of FATES for each stack.
        least_same: A stack whose probability of "same" is below this was touched. It counts as changed unless "anew" is
            more likely than both "more" and "fewer".
    """
    changed = [fate for fate in fates if is_changed(fate, least_same=least_same)]
    ways = {1 if fate[MORE] > fate[FEWER] else -1 for fate in changed}
    if not changed:
        return Growth(is_seen=False, direction=0)
    if len(ways) > 1:
        return Growth(is_seen=True, direction=None)
    (way,) = ways
    surest = max(changed, key=lambda fate: float(fate[SAME + way]))
    return Growth(is_seen=True, direction=way, sureness=float(surest[SAME + way]), opposite=float(surest[SAME - way]))


def is_changed(fate: NDArray[np.float64], *, least_same: float) -> bool:
    """Whether chips were added to a stack or taken, given its probabilities of FATES."""
    return bool(fate[SAME] < least_same and fate[ANEW] < max(fate[FEWER], fate[MORE]))


def gauged(change: float) -> Growth:
    """Return the growth of stacks of which only measures are known, by the sign of their change."""
    return Growth(
        is_seen=True,
        direction=1 if change > 0 else -1,
        sureness=GAUGED_SURENESS,
        opposite=1.0 - GAUGED_SURENESS,
    )


def growth_of(before: Sequence[Gauging], after: Sequence[Gauging], optics: GrowthOptics) -> Growth:
    """Return how stacks changed, judged by their displacements.

    Args:
        before: One mean measure for each stack.
        after: As many.
        optics: The meaning of displacements here.
    """
    fates = [_fate(old, after[j], optics) for old, j in zip(before, matching(before, after), strict=True)]
    seen = [fate for fate in fates if fate.is_seen]
    if not seen:
        is_told = all(fate.is_told for fate in fates)
        return Growth(is_seen=False, direction=0 if is_told else None)
    chips = sum(fate.chips for fate in seen)
    if all(fate.is_told for fate in seen) and abs(chips) >= LEAST_CHIPS:
        return gauged(chips)
    is_even = all(fate.is_told for fate in seen) and len(seen) > 1
    return Growth(is_seen=not is_even, direction=0 if is_even else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fate:
    """How one stack changed."""

    is_seen: bool
    """Whether a change was detected."""
    is_told: bool
    """If it changed, whether the direction is known; if not, whether one chip more or less would have been detected."""
    chips: float
    """Number of chips added, roughly; negative for chips taken."""


def _fate(old: Gauging, new: Gauging, optics: GrowthOptics) -> _Fate:
    chip = optics.chip_mm(new.foot_mm, new.displacement_mm)
    change = new.displacement_mm - old.displacement_mm * _carried(old.foot_mm, new.foot_mm, optics)
    least = optics.sureness.least_change_mm(old, new)
    chips = change / max(chip, 1e-3)
    is_seen = abs(change) >= least
    return _Fate(is_seen=is_seen, is_told=is_seen or chip >= least, chips=chips)


def _carried(old_mm: Point, new_mm: Point, optics: GrowthOptics) -> float:
    """Return the factor by which the same stack's displacement is larger at a new place."""
    return max(optics.distance_mm(new_mm), NEAREST_MM) / max(optics.distance_mm(old_mm), NEAREST_MM)


def _mean(looks: Sequence[Gauging]) -> Gauging:
    feet = _feet(looks).mean(axis=0)
    return Gauging(
        displacement_mm=float(np.mean([look.displacement_mm for look in looks])),
        scale_mm=float(np.mean([look.scale_mm for look in looks])),
        foot_mm=(float(feet[0]), float(feet[1])),
    )


def _feet(stacks: Sequence[Gauging]) -> NDArray[np.float64]:
    return np.array([stack.foot_mm for stack in stacks], np.float64).reshape(-1, 2)
