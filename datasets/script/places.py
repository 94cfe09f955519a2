"""The places of things and the origins of hands, for any layout.

Millimetres of the layout plane. A table's seats are on the side opposite the dealer, whose edge is y = 0.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from thirdcard.calibration.layout import Area, Layout
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.motion import Point, Pose
from thirdcard.rules.game.words import GAME_BETS, Bet, Side

CARD_GAP_MM = 5.0
EDGE_MM = 55.0
CARD_CLEAR_MM = 64.0
"""Least distance of cards passed to a seat from any area."""
BURN_CLEAR_MM = 24.0
"""Distance of burned cards from the boxes."""
RAIL_MM = 6.0
"""Distance of a card near the table's edge from that edge."""
BARE_MM = 130.0
"""Chips on an area whose centre is farther away do not touch a card."""
ARMS_MM = 1650.0
"""How far from left to right a dealer reaches without a step."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The geometry of one seat."""

    number: int
    bank_mm: Point
    """Where its patron's own chips stand."""
    along: Point
    """Unit vector along the edge, to the right for somebody who looks from the seat to the dealer."""
    inward: Point
    """Unit vector from the edge into the table."""
    home_mm: Point
    """Where a hand rests on the cushion or the cloth's edge."""
    base_mm: Point
    """The shoulder, beyond the edge."""


class Places:
    """The places of a layout that a choreography needs."""

    def __init__(self, layout: Layout, card_size_mm: Point, chip_diameter_mm: float) -> None:
        self.layout = layout
        self.card_size_mm = card_size_mm
        self.chip_radius_mm = chip_diameter_mm / 2
        self.width_mm, self.depth_mm = layout.size_mm
        self._wagers = {(area.seat, area.bet): area for area in layout.of_kind("wager") if area.seat is not None}
        self.seats = {number: self._seat(number) for number in sorted({key[0] for key in self._wagers if key[0]})}

    def wager_area(self, seat: int, bet: str, where: str) -> Area:
        """Return the area of a seat's bet.

        Raises:
            ScriptError: The layout has none.
        """
        area = self._wagers.get((seat, bet))
        if area is None:
            known = ", ".join(sorted(str(a.bet) for (s, _), a in self._wagers.items() if s == seat))
            allowed = f"seat {seat} of layout {self.layout.name} has areas for {known}" if known else "no such seat"
            raise ScriptError(where, f"seat {seat} {bet}", allowed)
        return area

    def bets_of(self, seat: int) -> list[str]:
        """Return the bets for which a seat has areas."""
        return [str(area.bet) for (number, _), area in self._wagers.items() if number == seat]

    def shoe_mouth(self) -> Pose:
        """Return where a card appears: at the shoe's end towards the middle of the table."""
        return self._mouth("shoe", (self.width_mm * 0.8, self.depth_mm * 0.2))

    def discard_mouth(self) -> Pose:
        """Return where used cards go: the discard rack."""
        area = self._first("discard")
        x, y = area.centre_mm if area else (self.width_mm * 0.1, self.depth_mm * 0.15)
        return Pose(x, y, self._long_axis_deg(area) if area else 0.0)

    def tray_mm(self, share: float) -> Point:
        """Return a point in the chip tray, from its left (0) to its right end (1)."""
        area = self._first("chip_tray")
        if area is None:
            return (self.width_mm * (0.35 + 0.3 * share), 60.0)
        low, high = area.polygon_mm.min(axis=0), area.polygon_mm.max(axis=0)
        x = low[0] + (0.08 + 0.84 * share) * (high[0] - low[0])
        return (float(x), float(0.45 * low[1] + 0.55 * high[1]))

    def beside_shoe(self) -> Pose:
        """Return a place for a card that belongs to no hand: on free cloth near the shoe's mouth."""
        mouth, radius = self.shoe_mouth(), math.hypot(*self.card_size_mm) / 2
        tried = [
            (mouth.x_mm + reach * math.cos(turn), mouth.y_mm + reach * math.sin(turn))
            for reach in range(80, 420, 20)
            for turn in np.arange(0.0, 2 * math.pi, math.pi / 8)
        ]
        at = next((at for at in tried if self.is_free(at, radius)), None)
        return self.beside_rail() if at is None else Pose(*at, 0.0)

    def beside_rail(self) -> Pose:
        """Return a place for a card at the table's left or right edge, whichever is nearer to the shoe."""
        mouth, radius = self.shoe_mouth(), math.hypot(*self.card_size_mm) / 2
        x = radius + RAIL_MM if mouth.x_mm < 0.5 * self.width_mm else self.width_mm - radius - RAIL_MM
        tried = [(x, float(y)) for y in np.arange(radius + RAIL_MM, self.depth_mm - radius, 20.0)]
        free = [at for at in tried if self.is_free(at, radius)] or tried
        return Pose(*min(free, key=lambda at: abs(at[1] - 0.5 * self.depth_mm)), 0.0)

    def bare_area(self, taken: Container[str], rng: np.random.Generator) -> Pose:
        """Return the centre of a seat's wagering area that is not near to any of `taken`, given by their ids."""
        areas = list(self._wagers.values())
        lying = [area.centre_mm for area in areas if area.id in taken]
        free = [a for a in areas if all(math.dist(a.centre_mm, at) >= BARE_MM for at in lying)] or areas
        area = free[int(rng.integers(len(free)))]
        return Pose(*area.centre_mm, self._long_axis_deg(area))

    def aside(self) -> Pose:
        """Return the place of the cutting card if no cloth beside the shoe is free: in a box, towards the shoe."""
        first, second = (self._hand_area(side).centre_mm for side in (Side.PLAYER, Side.BANKER))
        mouth = self.shoe_mouth()
        nearer = min((first, second), key=lambda at: math.dist(at, mouth.at_mm))
        share = 0.52
        x = (1 - share) * nearer[0] + share * mouth.x_mm
        return Pose(x, (1 - share) * nearer[1] + share * mouth.y_mm, 0.0)

    def hand_slot(self, side: Side, index: int, growth: str) -> Pose:
        """Return the place of a hand's card: two upright side by side, the third sideways beside them, more beyond."""
        area = self._hand_area(side)
        (centre_x, centre_y), extent, tilt_deg = _box(area)
        outward = 1.0 if centre_x >= self.width_mm / 2 else -1.0
        if growth == "inward":
            outward = -outward
        width, height = self.card_size_mm
        full = 2 * width + height + 2 * CARD_GAP_MM
        squeeze = min(1.0, (extent[0] - 8.0) / full)
        starts = [0.0, width + CARD_GAP_MM, 2 * (width + CARD_GAP_MM), 2 * (width + CARD_GAP_MM) + 0.45 * height]
        half = [width / 2, width / 2, height / 2, height / 2]
        along = (starts[min(index, 3)] + half[min(index, 3)] - full / 2) * squeeze * outward
        tilt = math.radians(tilt_deg)
        down = 0.0 if index < 3 else 0.3 * height
        x = centre_x + along * math.cos(tilt) - down * math.sin(tilt)
        y = centre_y + along * math.sin(tilt) + down * math.cos(tilt)
        return Pose(x, y, tilt_deg + (0.0 if index < 2 else 90.0))

    def burn_slot(self, index: int) -> Pose:
        """Return the place of a burned card: in a row before the boxes, beginning at the one nearer to the shoe."""
        boxes = [self._hand_area(side).polygon_mm for side in (Side.PLAYER, Side.BANKER)]
        low, high = np.concatenate(boxes).min(axis=0), np.concatenate(boxes).max(axis=0)
        width, height = self.card_size_mm
        pitch = min(width + CARD_GAP_MM, (high[0] - low[0] - width) / 10)
        is_right = self.shoe_mouth().x_mm > 0.5 * (low[0] + high[0])
        start, step = (high[0] - width / 2, -pitch) if is_right else (low[0] + width / 2, pitch)
        return Pose(float(start + index * step), float(high[1] + BURN_CLEAR_MM + height / 2), 0.0)

    def cut_card_place(self) -> Pose:
        """Return the place of the cutting card: on free cloth beside the shoe's mouth, else in a box."""
        mouth, radius = self.shoe_mouth(), math.hypot(*self.card_size_mm) / 2
        tried = [
            (mouth.x_mm + reach * math.cos(turn), mouth.y_mm + reach * math.sin(turn))
            for reach in range(80, 320, 20)
            for turn in np.arange(0.0, 2 * math.pi, math.pi / 8)
        ]
        at = next((at for at in tried if self.is_free(at, radius)), None)
        return self.aside() if at is None else Pose(*at, 90.0)

    def before_seat(self, number: int, count: int) -> list[Pose]:
        """Return places side by side for cards passed to a seat: upright for it, near its areas and clear of all."""
        corners = np.concatenate([area.polygon_mm for (seat, _), area in self._wagers.items() if seat == number])
        seat, width = self.seats[number], self.card_size_mm[0] + 1.0
        inward, along, centre = np.asarray(seat.inward), np.asarray(seat.along), corners.mean(axis=0)
        ideal = centre + inward * (float(((corners - centre) @ inward).max()) + CARD_CLEAR_MM)
        tried = [
            _point(ideal + reach * np.array([math.cos(turn), math.sin(turn)]))
            for reach in range(0, 260, 20)
            for turn in np.arange(0.0, 2 * math.pi, math.pi / 6)
        ]
        middle = np.asarray(next((at for at in tried if self.is_free(at, CARD_CLEAR_MM)), tried[0]))
        angle = math.degrees(math.atan2(along[1], along[0]))
        return [Pose(*_point(middle + along * width * (i - (count - 1) / 2)), angle) for i in range(count)]

    def spot_in(self, area: Area, rng: np.random.Generator, taken: Sequence[Point] = ()) -> Point:
        """Return a point at which a stack stands wholly in an area, clear of the stacks there."""
        contour = area.polygon_mm.astype(np.float32).reshape(-1, 1, 2)
        centre = np.asarray(area.centre_mm)
        low, high = area.polygon_mm.min(axis=0), area.polygon_mm.max(axis=0)
        best, best_score = (float(centre[0]), float(centre[1])), -math.inf
        spread = (high - low) / 5.0
        for _ in range(60):
            point = np.clip(rng.normal(centre, spread), low, high)
            inside = cv2.pointPolygonTest(contour, (float(point[0]), float(point[1])), True) - self.chip_radius_mm
            gap = min((math.dist(point, other) - 2 * self.chip_radius_mm for other in taken), default=2.0)
            score = min(inside, 4.0) + 2.0 * min(gap, 2.0) - 0.02 * math.dist(point, centre)
            if gap < 0:
                score += 8.0 * gap
            if score > best_score:
                best, best_score = (float(point[0]), float(point[1])), score
        return best

    def over_wagers(self, share: float, depth: float, count: int) -> list[Point]:
        """Return points from left to right over the middle `share` of the seats' areas, at that part of their depth."""
        centres = np.array([area.centre_mm for area in self._wagers.values()])
        centres = centres[np.argsort(centres[:, 0])]
        half = 0.5 * min(share * np.ptp(centres[:, 0]), ARMS_MM)
        across = np.linspace(-half, half, count) + 0.5 * (centres[0, 0] + centres[-1, 0])
        curve = np.polynomial.Polynomial.fit(centres[:, 0], centres[:, 1], 2)
        return [(float(x), float(depth * curve(x))) for x in across]

    def kept_in(self, area: Area, at_mm: Point, otherwise_mm: Point) -> Point:
        """Return the first point, or the other one if a stack there would stand farther inside the area."""
        contour = area.polygon_mm.astype(np.float32).reshape(-1, 1, 2)
        room = [cv2.pointPolygonTest(contour, (float(x), float(y)), True) for x, y in (at_mm, otherwise_mm)]
        return at_mm if room[0] >= min(self.chip_radius_mm, room[1]) else otherwise_mm

    def _seat(self, number: int) -> Seat:
        polygons = [area.polygon_mm for (seat, _), area in self._wagers.items() if seat == number]
        corners = np.concatenate(polygons)
        centre = np.mean([polygon.mean(axis=0) for polygon in polygons], axis=0)
        origin = np.array([self.width_mm / 2, min(0.0, centre[1] - 50.0)])
        outward = (centre - origin) / np.linalg.norm(centre - origin)
        edge = _exit_mm(centre, outward, (self.width_mm, self.depth_mm))
        outer = float(((corners - centre) @ outward).max())
        room = math.dist(edge, centre)
        reach = min(outer + 34.0 + self.chip_radius_mm, room - self.chip_radius_mm - 12.0)
        bank = centre + outward * reach
        home = np.asarray(edge) - outward * min(EDGE_MM, max(15.0, room - reach - 40.0))
        base = np.asarray(edge) + outward * 260.0
        inward = -outward
        right = np.array([-inward[1], inward[0]])
        return Seat(
            number=number,
            bank_mm=_point(bank),
            along=_point(right),
            inward=_point(inward),
            home_mm=_point(home + right * 95.0),
            base_mm=_point(base + right * 170.0),
        )

    def is_free(self, at_mm: Point, radius_mm: float) -> bool:
        """Whether a disc lies on the cloth and touches no area."""
        x, y = at_mm
        if not (radius_mm < x < self.width_mm - radius_mm and radius_mm < y < self.depth_mm - radius_mm):
            return False
        for area in self.layout.areas:
            contour = area.polygon_mm.astype(np.float32).reshape(-1, 1, 2)
            if cv2.pointPolygonTest(contour, (float(x), float(y)), True) > -radius_mm:
                return False
        return True

    def _mouth(self, kind: str, fallback: Point) -> Pose:
        area = self._first(kind)
        if area is None:
            return Pose(*fallback)
        target = np.array([self.width_mm / 2, self.depth_mm * 0.45])
        centre = np.asarray(area.centre_mm)
        toward = (target - centre) / np.linalg.norm(target - centre)
        angle = self._long_axis_deg(area)
        axis = np.array([-math.sin(math.radians(angle)), math.cos(math.radians(angle))])
        axis = axis if axis @ toward >= 0 else -axis
        reach = float(((area.polygon_mm - centre) @ axis).max())
        return Pose(*_point(centre + axis * (reach - 30.0)), angle)

    def _long_axis_deg(self, area: Area) -> float:
        """Return the rotation of a card whose long side lies along the area's long side."""
        _, extent, tilt = _box(area)
        return tilt if extent[1] >= extent[0] else tilt + 90.0

    def _hand_area(self, side: Side) -> Area:
        for area in self.layout.of_kind("hand"):
            if area.hand == str(side):
                return area
        raise ScriptError("table.layout", self.layout.name, f"must have an area of kind hand for the {side}")

    def _first(self, kind: str) -> Area | None:
        areas = self.layout.of_kind(kind)
        return areas[0] if areas else None


def bets_known(bet: str, where: str) -> Bet:
    """Return the bet with a name.

    Raises:
        ScriptError: There is no such bet.
    """
    try:
        return Bet(bet)
    except ValueError as error:
        raise ScriptError(where, bet, f"allowed: {', '.join(GAME_BETS)}") from error


def _box(area: Area) -> tuple[Point, tuple[float, float], float]:
    """Return centre, (width, height) and tilt of an area's smallest rectangle.

    Its width axis is within 45 degrees of x.
    """
    (centre_x, centre_y), (width, height), angle = cv2.minAreaRect(area.polygon_mm.astype(np.float32))
    while angle > 45.0:
        angle, width, height = angle - 90.0, height, width
    while angle < -45.0:
        angle, width, height = angle + 90.0, height, width
    return (float(centre_x), float(centre_y)), (float(width), float(height)), float(angle)


def _exit_mm(start: np.ndarray, direction: np.ndarray, size_mm: Point) -> Point:
    """Return where a ray from a point on the cloth leaves it."""
    shares = []
    for axis in (0, 1):
        if direction[axis] > 1e-9:
            shares.append((size_mm[axis] - start[axis]) / direction[axis])
        elif direction[axis] < -1e-9:
            shares.append(-start[axis] / direction[axis])
    return _point(start + direction * min(shares))


def _point(vector: np.ndarray) -> Point:
    return (float(vector[0]), float(vector[1]))
