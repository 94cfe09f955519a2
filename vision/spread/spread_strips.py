"""Find where each card of a row begins: the faint lines that the edges of cards draw across a row.

A row is straightened first. An edge is a thin line across the whole card, however faint. So it is measured at how many
heights of the row the line is visible, not how dark it is anywhere: print is darker, but nowhere as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.spread.spread_rows import CURVE_MM, RowLine

STEP_MM = 0.8
"""Distance of the samples along and across a row."""
INSIDE = 0.91
"""Share of a card's height that is examined."""
BEND_LEVELS = 2.0
"""Limit of the second difference of brightness: an edge is faint and long, print is strong and short."""
LEAST_APART_MM = 5.0
"""Width of the window in which only the strongest line is an edge: smaller than the distance of a row's cards, 9 mm
or more (PITCHES_MM)."""
PAPER_SHARE = 0.45
"""A column of a row shows a card if at least this share of it is paper."""
PAPER_LEVEL = 0.78
"""Brightness of paper, relative to the paper nearby."""
LONGEST_HOLE_MM = 26.0
"""Longest stretch without visible paper inside a row, because of print or things that lie on it; a longer one ends
the row. Chosen by hand."""
BEYOND_MM = 80.0
"""How far beyond its known part a row is looked for at once."""
MOST_LOOKS = 24
"""Most extensions, each by up to BEYOND_MM at both ends: enough for a row of 3.8 m, where the longest layout has 3.6
m."""
TRACK_STEP_MM = 16.0
"""Distance of the places at which a row's middle is measured: a quarter of a card's width, over which rows hardly
bend."""
COARSE_MM = 2.0
"""Distance of the samples that suffice to follow a row."""
ASTRAY_MM = 16.0
"""How far off the boxes' line a row is looked for."""
PITCHES_MM = tuple(float(pitch) for pitch in np.geomspace(9.0, 72.0, 40))
GAP_SPREAD = 0.17
"""Spread of the distances of neighbours: standard deviation of their logarithm."""

Signal = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Where cards may begin, along a row."""

    u_mm: Signal
    """(N,) in order."""
    score: Signal
    """(N,) log odds of being an edge, as far as the line shows."""
    from_mm: float
    to_mm: float
    """The row's ends, as u in mm."""


def straightened(
    image: Image, calibration: Calibration, row: RowLine, reach: tuple[float, float, float], *, step_mm: float = STEP_MM
) -> Image:
    """Return the row as a picture, (heights, lengths, 3): u from `reach[0]` to `reach[1]`, v within ± `reach[2]`."""
    u = np.arange(reach[0], reach[1], step_mm)
    v = np.arange(-reach[2], reach[2] + step_mm / 2, step_mm)
    grid_u, grid_v = np.meshgrid(u, v)
    points = calibration.image_from_layout(row.layout_mm(grid_u.ravel(), grid_v.ravel()))
    maps = np.asarray(points, np.float32).reshape(len(v), len(u), 2)
    maps = np.nan_to_num(maps, nan=-1e4)
    border = cv2.BORDER_CONSTANT
    return np.asarray(cv2.remap(image, maps[:, :, 0], maps[:, :, 1], cv2.INTER_CUBIC, borderMode=border), np.uint8)


def followed(image: Image, calibration: Calibration, row: RowLine, card_mm: tuple[float, float]) -> RowLine:
    """Follow the row along its paper, which boxes cover only partly: correct its line and find its ends."""
    half, known_mm = card_mm[1] / 2, (row.from_mm, row.to_mm)
    paper = _paper_level(
        straightened(image, calibration, row, (row.from_mm, row.to_mm, INSIDE * half), step_mm=COARSE_MM)
    )
    for _ in range(MOST_LOOKS):
        start, end = row.from_mm - BEYOND_MM, row.to_mm + BEYOND_MM
        strip = straightened(image, calibration, row, (start, end, half + ASTRAY_MM + 8.0), step_mm=COARSE_MM)
        is_paper = _paper_mask(strip, paper).astype(np.float32)
        u, v, is_card = _tracked(is_paper, start, half)
        kept = _around_middle(is_card, round(LONGEST_HOLE_MM * 2 / TRACK_STEP_MM))
        if not is_card[kept].any():
            return row
        own = is_card & (((u >= known_mm[0]) & (u <= known_mm[1])) | _within(kept, len(u)))
        line = row.bend(u[own]) + v[own]
        bend = _fitted(u[own], line, np.polynomial.Polynomial.fit)
        mended = replace(row, bend=bend, from_mm=float(u[own].min()), to_mm=float(u[own].max()))
        is_done = abs(mended.from_mm - row.from_mm) < TRACK_STEP_MM and abs(mended.to_mm - row.to_mm) < TRACK_STEP_MM
        row = mended
        if is_done:
            break
    return row


def _fitted(u: Signal, v: Signal, fit: Callable[..., np.polynomial.Polynomial]) -> np.polynomial.Polynomial:
    """Fit a smooth line through most of the points."""
    degree = min(3, max(1, int(np.ptp(u) / CURVE_MM)))
    line = fit(u, v, degree)
    for _ in range(3):
        off = np.abs(v - line(u))
        keep = off < max(2.5 * float(np.median(off)), 1.5)
        line = fit(u[keep], v[keep], degree)
    return line


def _tracked(is_paper: NDArray[np.float32], start: float, half: float) -> tuple[Signal, Signal, NDArray[np.bool_]]:
    """Return, every few mm, u, how far the row's middle lies off the line, and whether there is a row at all.

    A row is paper over the height of a card with something else above and below: inside minus outside is largest.
    """
    wide = max(3, 2 * round(TRACK_STEP_MM / COARSE_MM / 2) + 1)
    smooth = cv2.blur(is_paper, (wide, 1))[:, :: max(1, round(TRACK_STEP_MM / COARSE_MM))].astype(np.float64)
    u = start + np.arange(smooth.shape[1]) * TRACK_STEP_MM
    total = np.vstack([np.zeros((1, smooth.shape[1])), np.cumsum(smooth, axis=0)])
    centre = (len(is_paper) - 1) / 2
    inside, rim = round(2 * (half - 1.5) / COARSE_MM), round(5.0 / COARSE_MM)
    offsets = np.arange(-round(ASTRAY_MM / COARSE_MM), round(ASTRAY_MM / COARSE_MM) + 1)
    tops = np.round(centre - inside / 2 + offsets).astype(int)
    core = (total[tops + inside] - total[tops]) / inside
    gap = round(2.0 / COARSE_MM)
    above = (total[np.maximum(tops - gap, 0)] - total[np.maximum(tops - gap - rim, 0)]) / rim
    below_from = np.minimum(tops + inside + gap, len(total) - 1)
    below = (total[np.minimum(below_from + rim, len(total) - 1)] - total[below_from]) / rim
    score = 3.0 * core - np.minimum(above, 1.0) - np.minimum(below, 1.0) - 0.004 * np.abs(offsets)[:, None]
    best = score.argmax(axis=0)
    columns = np.arange(smooth.shape[1])
    off_mm = np.asarray(offsets[best] * COARSE_MM, np.float64)
    return np.asarray(u, np.float64), off_mm, core[best, columns] > PAPER_SHARE


def _around_middle(is_card: NDArray[np.bool_], hole: int) -> slice:
    """Return the stretch round the middle in which the row continues; small holes are ignored."""
    middle = len(is_card) // 2
    first = middle - _last_of(is_card[middle::-1], hole)
    return slice(first, middle + _last_of(is_card[middle:], hole) + 1)


def _within(kept: slice, count: int) -> NDArray[np.bool_]:
    index = np.arange(count)
    return np.asarray((index >= kept.start) & (index < kept.stop))


def _paper_mask(strip: Image, paper: float) -> NDArray[np.bool_]:
    """Return a mask of what is about as bright as the paper nearby, which varies along a row with light and shade."""
    level = strip.min(axis=2).astype(np.float32)
    own = np.percentile(level[len(level) // 4 : -(len(level) // 4)], 85, axis=0).astype(np.float32)
    local = cv2.blur(own[None], (2 * (own.size // 24) + 1, 1))[0]
    return np.asarray(level > PAPER_LEVEL * np.clip(local, 0.85 * paper, 1.15 * paper)[None])


def _paper_level(strip: Image) -> float:
    """Return the brightness of a row's paper, in its darkest channel."""
    return float(np.percentile(strip.min(axis=2), 75))


def find_edges(image: Image, calibration: Calibration, row: RowLine, card_mm: tuple[float, float]) -> Edges:
    """Return where the cards of a row may begin or end."""
    start, end = row.from_mm - BEYOND_MM, row.to_mm + BEYOND_MM
    strip = straightened(image, calibration, row, (start, end, INSIDE * card_mm[1] / 2))
    first, last = _ends(strip, slice(round((row.from_mm - start) / STEP_MM), round((row.to_mm - start) / STEP_MM)))
    lines = _line_strength(strip)
    peaks = _peaks(lines[first : last + 1], round(LEAST_APART_MM / STEP_MM / 2)) + first
    inner = peaks[(peaks > first + 3) & (peaks < last - 3)]
    places = np.concatenate([[first], inner, [last]])
    strength = lines[places]
    usual = float(np.median(lines[first : last + 1]))
    spread = max(float(np.percentile(strength, 75)) - usual, 0.05)
    score = np.clip(3.0 * (strength - usual) / spread - 2.0, -3.0, 2.5)
    score[[0, -1]] = 2.5
    return Edges(start + places * STEP_MM, score, start + first * STEP_MM, start + last * STEP_MM)


def usual_pitch(edges: Edges, card_width_mm: float) -> float:
    """Return the distance in mm from card to card that explains the edges best."""
    length = edges.to_mm - edges.from_mm - card_width_mm
    scores = [_best_walk(edges, pitch, card_width_mm) for pitch in PITCHES_MM if pitch < max(length, 10.0)]
    return PITCHES_MM[int(np.argmax(scores))] if scores else card_width_mm


def log_gap(gaps_mm: Signal, pitch_mm: float) -> Signal:
    """Return the log probability density of distances between neighbours, up to a constant."""
    off = np.log(np.maximum(gaps_mm, 0.1) / pitch_mm) / GAP_SPREAD
    return np.asarray(-0.5 * np.minimum(off * off, 60.0))


def _best_walk(edges: Edges, pitch_mm: float, card_width_mm: float) -> float:
    """Return the best sum of edges and gaps from one end of the row to the beginning of its last card."""
    last_mm = edges.to_mm - card_width_mm
    use = (edges.u_mm < last_mm + 6.0) | (edges.u_mm == edges.u_mm[0])
    u, score = edges.u_mm[use], edges.score[use]
    best = np.full(len(u), -np.inf)
    best[0] = score[0]
    for n in range(1, len(u)):
        gaps = u[n] - u[:n]
        near = (gaps > 0.35 * pitch_mm) & (gaps < 2.6 * pitch_mm)
        if near.any():
            best[n] = score[n] + float((best[:n][near] + log_gap(gaps[near], pitch_mm)).max())
    ends = np.abs(u - last_mm) < 8.0
    return float(best[ends].max()) if ends.any() else -np.inf


def _ends(strip: Image, known: slice) -> tuple[int, int]:
    """Return the first and the last column of the row that show paper, starting from its known part."""
    share = _paper_mask(strip, _paper_level(strip[:, known])).mean(axis=0)
    is_card, hole = share > PAPER_SHARE, round(LONGEST_HOLE_MM / STEP_MM)
    inner = [min(known.start + hole, known.stop - 1), max(known.stop - hole, known.start)]
    return inner[0] - _last_of(is_card[inner[0] :: -1], hole), inner[1] + _last_of(is_card[inner[1] :], hole)


def _last_of(is_card: NDArray[np.bool_], hole: int) -> int:
    """Return how far the row continues, in columns; small holes are ignored."""
    last = 0
    for n in np.flatnonzero(is_card):
        if n - last > hole:
            break
        last = int(n)
    return last


def _line_strength(strip: Image) -> Signal:
    """Return how strongly a thin line crosses the whole row, (lengths,).

    It is the mean of f(u - 2) - 2 f(u) + f(u + 2), bounded.
    """
    gray = cv2.GaussianBlur(strip.astype(np.float32).mean(axis=2), (0, 0), sigmaX=0.7, sigmaY=2.0)
    bend = cv2.filter2D(gray, -1, np.array([[1, 0, -2, 0, 1]], np.float32), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(np.clip(bend, -BEND_LEVELS, BEND_LEVELS).mean(axis=0), np.float64)


def _peaks(signal: Signal, apart: int) -> NDArray[np.int64]:
    """Return the columns that are higher than all others nearby."""
    window = cv2.dilate(signal.astype(np.float32)[None], np.ones((1, 2 * apart + 1), np.uint8))[0]
    return np.flatnonzero((signal >= window - 1e-6) & (signal > 0))
