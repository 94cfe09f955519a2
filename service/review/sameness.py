"""Decide by their pictures whether two files show the same, and where in one the other begins.

Equal coded pictures decide it, whatever the containers. If there are none, as with two recorders that encode
separately, small decoded pictures are compared along the clock: movement in one must match movement in the other. A
table at which nothing moves looks the same at any hour, so such pictures decide nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.media.clips import ClipSpan, decode_span
from thirdcard.service.review.coded_pictures import CodedPicture, pictures_between
from thirdcard.service.review.files import RecordedFile
from thirdcard.vision.errors import UnreadableVideoError

WINDOW_S = 20.0
"""Seconds of film that are compared at a time: at the beginning, in the middle and at the end."""
CLOCKS_APART_S = 15.0
"""The largest difference between two recorders' clocks, seconds."""
LEAST_BYTES = 24
"""A smaller coded picture only says that nothing moved."""
LEAST_ALIKE = 3
ALIKE_SHARE = 0.5
"""The share of a window's coded pictures that must be found again; below 1, since some may be damaged."""
SAME_STEP_S = 0.06
"""The largest shift in seconds of a picture against the others, from another container's coarser time base."""
GLANCE_S = 0.25
"""Seconds between small pictures of the second file; of the first all are used."""
LAG_STEP_S = 0.05
GLANCE_WH_PX = (48, 27)
LEAST_GLANCES = 8
SAME_LEVELS = 4.0
"""The largest difference of equal films: root mean square over small pictures, in levels of 255. On the demo,
re-encoded with constant rate factors of 18, 30 and 40, it is 0.3, 0.5 and 0.8 at the true place, 5.6 one picture (1/15
s) beside it, 10.8 a second beside it; for six pairs of other stretches of the demo the smallest is 6.6 to 9.1."""
SAME_RATIO = 0.45
"""The largest ratio of the difference at the true place to the difference elsewhere: 0.06 on the demo, 0.49 to 0.68 for
those other stretches."""
MOVING_LEVELS = 0.8
"""A film that differs less from itself a second later shows no movement: 0.3 to 0.5 where the demo is still."""
LOOK_BESIDE_S = 1.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """The result of comparing the pictures of two files."""

    lag_s: float | None
    """Where in the first file the second begins, seconds; None where they show something different."""
    is_telling: bool = True
    """False where nothing moves in either, or neither can be read: then the clocks may be believed."""


NO_WORD = Likeness(None, is_telling=False)
OTHERS = Likeness(None)
Compare = Callable[[RecordedFile, RecordedFile, float], Likeness]
"""Compares two files, given where in the first the second begins by the clock, seconds."""


def compare(first: RecordedFile, second: RecordedFile, lag_s: float) -> Likeness:
    """Compare two files where they overlap by the clock; results are cached in the process."""
    return _compare(first.path, second.path, first.lasts_s, second.lasts_s, round(lag_s, 3))


@cache
def _compare(first: Path, second: Path, first_s: float, second_s: float, lag_s: float) -> Likeness:
    from_s, to_s = max(0.0, -lag_s), min(second_s, first_s - lag_s)
    windows = list(_windows(from_s, to_s))
    try:
        for window in windows:
            found = _by_coded(first, second, window, lag_s)
            if found is not None:
                return Likeness(found)
        for window in windows:
            likeness = _by_glances(first, second, window, lag_s)
            if likeness.is_telling:
                return likeness
    except UnreadableVideoError:
        return NO_WORD
    return NO_WORD


def _windows(from_s: float, to_s: float) -> Iterator[tuple[float, float]]:
    """Windows at the beginning, the end and in the middle of a stretch of the second file."""
    begins = [from_s, to_s - WINDOW_S, (from_s + to_s - WINDOW_S) / 2]
    seen: set[float] = set()
    for begin in (max(from_s, round(one, 3)) for one in begins):
        if begin not in seen:
            seen.add(begin)
            yield begin, min(begin + WINDOW_S, to_s)


def _by_coded(first: Path, second: Path, window: tuple[float, float], lag_s: float) -> float | None:
    """The lag at which most coded pictures of a window are found again; None where too few are."""
    from_s, to_s = window
    theirs = pictures_between(second, from_s, to_s)
    ours = pictures_between(first, max(from_s + lag_s - CLOCKS_APART_S, 0.0), to_s + lag_s + CLOCKS_APART_S)
    at_s = {one.digest: one.at_s for one in _telling(ours)}
    pairs = [(at_s[one.digest], one.at_s) for one in _telling(theirs) if one.digest in at_s]
    if not pairs:
        return None
    found_s = median(one - other for one, other in pairs)
    alike = sum(abs(one - other - found_s) <= SAME_STEP_S for one, other in pairs)
    ours_end_s = max(one.at_s for one in ours)
    within = [one for one in _telling(theirs) if 0.0 <= one.at_s + found_s <= ours_end_s]
    is_same = alike >= min(LEAST_ALIKE, len(within)) and alike >= ALIKE_SHARE * len(within)
    return found_s if is_same else None


def _telling(pictures: list[CodedPicture]) -> list[CodedPicture]:
    """The pictures that occur once and show some movement."""
    count = Counter(one.digest for one in pictures)
    return [one for one in pictures if count[one.digest] == 1 and one.size_bytes >= LEAST_BYTES]


def _by_glances(first: Path, second: Path, window: tuple[float, float], lag_s: float) -> Likeness:
    """Compare small pictures at all lags that the clocks allow."""
    from_s, to_s = window
    theirs_s, theirs = _glances(second, from_s, to_s, GLANCE_S)
    ours_s, ours = _glances(first, max(from_s + lag_s - CLOCKS_APART_S, 0.0), to_s + lag_s + CLOCKS_APART_S, 0.0)
    if min(len(theirs), len(ours)) < LEAST_GLANCES:
        return NO_WORD
    lags_s = lag_s + np.arange(-CLOCKS_APART_S, CLOCKS_APART_S, LAG_STEP_S)
    levels = np.array([_levels_apart(ours_s, ours, theirs_s + one, theirs) for one in lags_s])
    if np.isnan(levels).all():
        return NO_WORD
    best = int(np.nanargmin(levels))
    beside = levels[np.abs(lags_s - lags_s[best]) > LOOK_BESIDE_S]
    elsewhere = float(np.nanmedian(beside)) if np.isfinite(beside).any() else np.inf
    step = max(1, round(1.0 / GLANCE_S))
    moves = float(np.sqrt(((theirs[step:] - theirs[:-step]) ** 2).mean(axis=(1, 2))).mean())
    if levels[best] <= min(SAME_LEVELS, SAME_RATIO * elsewhere) and min(moves, elsewhere) > MOVING_LEVELS:
        return Likeness(round(float(lags_s[best]), 3))
    return OTHERS if levels[best] > MOVING_LEVELS else NO_WORD


def _levels_apart(
    ours_s: NDArray[np.float64], ours: NDArray[np.float32], wanted_s: NDArray[np.float64], theirs: NDArray[np.float32]
) -> float:
    """The difference of small pictures of the same times, in levels of 255; NaN where too few times are shared."""
    places = np.clip(np.searchsorted(ours_s, wanted_s), 1, len(ours_s) - 1)
    places -= wanted_s - ours_s[places - 1] < ours_s[places] - wanted_s
    is_shared = np.abs(ours_s[places] - wanted_s) <= GLANCE_S
    if int(is_shared.sum()) < max(LEAST_GLANCES, len(wanted_s) // 4):
        return float("nan")
    apart = ours[places[is_shared]] - theirs[is_shared]
    return float(np.sqrt((apart**2).mean(axis=(1, 2))).mean())


def _glances(path: Path, from_s: float, to_s: float, step_s: float) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Small grey pictures of a stretch, and their times."""
    times: list[float] = []
    pictures: list[NDArray[np.float32]] = []
    width, height = GLANCE_WH_PX
    for at_s, frame in decode_span(path, ClipSpan(from_s=from_s, to_s=to_s)):
        if not times or at_s - times[-1] >= step_s - 0.01:
            small = frame.reformat(width=width, height=height, format="gray", interpolation="AREA")
            times.append(at_s)
            pictures.append(small.to_ndarray().astype(np.float32))
    return np.array(times), np.array(pictures)
