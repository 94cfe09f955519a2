"""Find problems of a layout: self-crossing outlines, overlapping areas, bets at the wrong seat, wrong units.

Uses the layout alone, in its millimetres. Plausible layouts pass: every built-in layout, and every cloth that the
renderer draws, has no problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import atan2, degrees

import numpy as np
from shapely import get_coordinates, maximum_inscribed_circle, minimum_rotated_rectangle
from shapely.geometry import MultiPoint, Point, Polygon, box
from shapely.validation import explain_validity

from thirdcard.calibration.errors import LayoutError
from thirdcard.calibration.layout import Area, Layout, Markers
from thirdcard.calibration.markers import marker_dictionary
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong

OUTSIDE_MM = 1.0
"""Outlines are written to the millimetre: they may exceed the cloth's edge by this much."""
OVERLAP_MM2 = 100.0
"""One square centimetre: outlines drawn by hand may touch, and the printed line itself is some millimetres wide."""
OVERLAP_MM = 5.0
"""A seam may be so wide: no chip and no card counts for both areas because of it."""
STANDING = ("hand", "wager", "shoe", "discard", "chip_tray")
"""Kinds of area that hold cards or chips: objects where two of them overlap are counted twice."""
SMALLEST_SHARE = 0.1
"""Layouts fill the cloth: if all areas lie within a tenth of its length, they are in another unit, or of
another cloth. Reference points within a tenth of its area lie in one corner."""
NEEDED_POINTS = 4
"""The number of points that determines a homography."""


def layout_problems(
    layout: Layout, where: str, *, card_mm: tuple[float, float], chip_mm: float, is_complete: bool = True
) -> Iterator[SetupProblem]:
    """Find all problems of a layout.

    Args:
        layout: the layout, in millimetres.
        where: the layout's file, for messages.
        card_mm: a card's width and height.
        chip_mm: a chip's diameter.
        is_complete: whether the layout has all areas of its file; otherwise none is reported as missing.
    """
    polygons = {area.id: Polygon(area.polygon_mm) for area in layout.areas}
    yield from _crossed(polygons, where)
    whole = {name: polygon for name, polygon in polygons.items() if polygon.is_valid}
    yield from _outside(layout, whole, where)
    yield from _overlapping(layout, whole, where)
    yield from _too_small(layout, whole, where, card_mm, chip_mm)
    yield from _not_in_millimetres(layout, where)
    yield from _dealer_not_at_the_top(layout, where)
    yield from _twice(layout, where)
    yield from _contradicting_ids(layout, where)
    yield from _seats(layout, where, is_complete=is_complete)
    if is_complete:
        yield from _missing(layout, where)
    yield from _points(layout, where)
    if layout.markers is not None:
        yield from _markers(layout.markers, layout.size_mm, where)


def _crossed(polygons: Mapping[str, Polygon], where: str) -> Iterator[SetupProblem]:
    for name, polygon in polygons.items():
        if not polygon.is_valid:
            at = explain_validity(polygon).rpartition("[")[2].rstrip("]").split()
            place = f" near [{', '.join(f'{float(one):.0f}' for one in at)}]" if len(at) == 2 else ""
            say = f"its outline crosses itself{place}; list its corners in order, once round"
            yield wrong(where, f"areas.{name}.polygon", say=say)


def _outside(layout: Layout, polygons: Mapping[str, Polygon], where: str) -> Iterator[SetupProblem]:
    width, height = layout.size_mm
    cloth = box(-OUTSIDE_MM, -OUTSIDE_MM, width + OUTSIDE_MM, height + OUTSIDE_MM)
    for name, polygon in polygons.items():
        if not polygon.within(cloth):
            left, top, right, bottom = (round(each) for each in polygon.bounds)
            span = f"x {left} to {right}, y {top} to {bottom}"
            say = f"lies outside the cloth, which is {width:g} x {height:g} mm"
            yield wrong(where, f"areas.{name}.polygon", value=span, say=say)


def _overlapping(layout: Layout, polygons: Mapping[str, Polygon], where: str) -> Iterator[SetupProblem]:
    areas = [area for area in layout.areas if area.kind in STANDING and area.id in polygons]
    for one, other in combinations(areas, 2):
        common = polygons[one.id].intersection(polygons[other.id])
        if common.area > OVERLAP_MM2 and not common.buffer(-OVERLAP_MM / 2).is_empty:
            size = f"{common.area / 100:.0f} cm2"
            say = f"overlaps with {other.id} by {size}; chips or cards there would count for both areas"
            yield wrong(where, f"areas.{one.id}.polygon", say=say)


def _too_small(
    layout: Layout, polygons: Mapping[str, Polygon], where: str, card_mm: tuple[float, float], chip_mm: float
) -> Iterator[SetupProblem]:
    short, long = sorted(card_mm)
    for area in layout.of_kind("hand"):
        if area.id not in polygons:
            continue
        sides = _sides(polygons[area.id])
        key, value = f"areas.{area.id}.polygon", f"{sides[1]:.0f} x {sides[0]:.0f} mm"
        if sides[0] < short or sides[1] < long:
            yield wrong(where, key, value=value, say=f"no card fits in: it is {short:g} x {long:g} mm")
        elif polygons[area.id].area < 3 * short * long:
            yield doubtful(where, key, value=value, say=f"three cards of {short:g} x {long:g} mm do not fit in")
    for area in layout.of_kind("wager"):
        if area.id in polygons:
            width = 2 * maximum_inscribed_circle(polygons[area.id]).length
            if width < chip_mm:
                say = f"a chip of {chip_mm:g} mm does not fit in"
                yield wrong(where, f"areas.{area.id}.polygon", value=f"{width:.0f} mm wide", say=say)


def _not_in_millimetres(layout: Layout, where: str) -> Iterator[SetupProblem]:
    points = np.concatenate([area.polygon_mm for area in layout.areas])
    span = np.ptp(points, axis=0)
    if span.max() < SMALLEST_SHARE * max(layout.size_mm):
        value = f"within {span[0]:.0f} x {span[1]:.0f} of a cloth of {layout.size_mm[0]:g} x {layout.size_mm[1]:g} mm"
        yield wrong(where, "areas", value=value, say="all lie in one corner; write every length in millimetres")


def _dealer_not_at_the_top(layout: Layout, where: str) -> Iterator[SetupProblem]:
    boxes = [area.centre_mm[1] for area in layout.of_kind("hand")]
    trays = [area.centre_mm[1] for area in layout.of_kind("chip_tray")]
    if boxes and trays and min(trays) > max(boxes):
        say = "the chip tray lies nearer to the seats than the card boxes; the dealer is at the top edge"
        yield doubtful(where, "areas", say=say)


def _missing(layout: Layout, where: str) -> Iterator[SetupProblem]:
    kinds = {area.kind for area in layout.areas}
    bets = {area.bet for area in layout.of_kind("wager")}
    if "wager" not in kinds:
        yield wrong(where, "areas", say="no area of kind wager: no bet would be seen")
    for bet in ("player", "banker"):
        if bets and bet not in bets:
            yield doubtful(where, "areas", say=f"no area for the bet {bet}; every table has it")
    for kind, use in (
        ("shoe", "where cards come from is then guessed"),
        ("discard", "cards that are cleared away then look the same as cards that leave the table"),
    ):
        if kind not in kinds:
            yield doubtful(where, "areas", say=f"no area of kind {kind}; {use}")


def _points(layout: Layout, where: str) -> Iterator[SetupProblem]:
    width, height = layout.size_mm
    for name, (x, y) in layout.reference_points.items():
        if not (0 <= x <= width and 0 <= y <= height):
            say = f"lies outside the cloth, which is {width:g} x {height:g} mm"
            yield wrong(where, f"reference_points.{name}.at", value=[x, y], say=say)
    for name, other in combinations(layout.reference_points, 2):
        if layout.reference_points[name] == layout.reference_points[other]:
            yield wrong(where, f"reference_points.{other}.at", say=f"is the place of {name} too; each has its own")
    at = np.array([*layout.reference_points.values()]).reshape(-1, 2)
    if len(at) >= 3 and np.linalg.matrix_rank(at - at.mean(axis=0), tol=OUTSIDE_MM) < 2:
        yield wrong(where, "reference_points", say="all lie on one line: no camera can be fitted to them")
    share = MultiPoint(at).convex_hull.area / (width * height)
    if len(at) >= NEEDED_POINTS and share < SMALLEST_SHARE and layout.markers is None:
        say = f"within {share:.0%} of the cloth: elsewhere a camera cannot be fitted well; give points all round it"
        yield doubtful(where, "reference_points", value=f"{len(at)} points", say=say)
    if len(at) < NEEDED_POINTS and layout.markers is None:
        say = f"needs {NEEDED_POINTS} or more, spread over the cloth, or markers: no camera can be fitted to the cloth"
        yield doubtful(where, "reference_points", value=f"{len(at)} points", say=say)


def _markers(markers: Markers, size_mm: tuple[float, float], where: str) -> Iterator[SetupProblem]:
    width, height = size_mm
    for number, (x, y) in markers.at.items():
        if not (0 <= x <= width and 0 <= y <= height):
            say = f"lies outside the cloth, which is {width:g} x {height:g} mm"
            yield wrong(where, f"markers.at.{number}", value=[x, y], say=say)
    try:
        count = len(marker_dictionary(markers.dictionary).bytesList)
    except LayoutError as error:
        yield wrong(where, "markers.dictionary", value=error.value, say=error.allowed)
    else:
        for number in (number for number in markers.at if number >= count):
            say = f"{markers.dictionary} has the markers 0 to {count - 1}"
            yield wrong(where, f"markers.at.{number}", value=list(markers.at[number]), say=say)
    for (number, at), (other, there) in combinations(markers.at.items(), 2):
        apart = max(abs(at[0] - there[0]), abs(at[1] - there[1]))
        if apart < markers.side_mm:
            say = f"is the place of {number} too" if apart == 0 else f"overlaps with {number}"
            yield wrong(
                where, f"markers.at.{other}", value=list(there), say=f"{say}; a marker is {markers.side_mm:g} mm wide"
            )


def _twice(layout: Layout, where: str) -> Iterator[SetupProblem]:
    """Report two areas for the same thing."""
    first: dict[tuple[str, object, str | None], str] = {}
    for area in layout.areas:
        if area.kind == "hand":
            key, thing, say = "hand", area.hand, f"{area.hand} has a box already"
        elif area.kind == "wager" and area.seat is not None:
            key, thing, say = "bet", str(area.seat), f"seat {area.seat} has it already"
        elif area.kind == "wager" and area.name is not None:
            key, thing, say = "name", area.name, f"another area for {area.bet} has this name"
        else:
            continue
        other = first.setdefault((key, thing, area.bet), area.id)
        if other != area.id:
            tell = doubtful if key == "hand" else wrong
            yield tell(where, f"areas.{area.id}.{key}", value=getattr(area, key), say=f"{say}: {other}")


def _contradicting_ids(layout: Layout, where: str) -> Iterator[SetupProblem]:
    """Report pairs of areas of which each has the hand, the bet or the seat that the other's id names."""
    named: dict[tuple[str, str, str], Area] = {}
    for area in layout.areas:
        words = re.split(r"[^a-z0-9]+", area.id.lower())
        hand = next((one for one in words if one in ("player", "banker")), None)
        seat = next((one for one in words if re.fullmatch(r"s\d+", one)), None)
        for key, of, word in (
            ("hand", area.hand, hand),
            ("bet", area.bet, hand),
            ("seat", None if area.seat is None else f"s{area.seat}", seat),
        ):
            if of is None or word is None or of == word or (key == "bet" and of not in ("player", "banker")):
                continue
            other = named.get((key, word, of))
            if other is not None:
                say = f"the ids of {other.id} and {area.id} name each the other's {key}; were they mixed up?"
                yield doubtful(where, f"areas.{area.id}.{key}", value=getattr(area, key), say=say)
            named[key, of, word] = area


def _seats(layout: Layout, where: str, *, is_complete: bool) -> Iterator[SetupProblem]:
    wagers = layout.of_kind("wager")
    yield from (
        doubtful(where, f"areas.{area.id}", say="has neither a seat nor a name; name it, so that alerts can say where")
        for area in wagers
        if area.seat is None and area.name is None
    )
    seats = _by_seat(wagers)
    if len(seats) < 3:
        return
    if is_complete:
        yield from _bets_of_seats(seats, where)
    yield from _scattered(seats, where)
    yield from _order_of_seats(layout, seats, where)
    yield from _order_of_bets(layout, seats, where)


def _by_seat(wagers: Sequence[Area]) -> dict[int, list[Area]]:
    seats: dict[int, list[Area]] = {}
    for area in wagers:
        if area.seat is not None:
            seats.setdefault(area.seat, []).append(area)
    return dict(sorted(seats.items()))


def _bets_of_seats(seats: Mapping[int, Sequence[Area]], where: str) -> Iterator[SetupProblem]:
    """Report seats without a bet that all but a few seats offer: it was probably forgotten."""
    for bet in dict.fromkeys(area.bet for areas in seats.values() for area in areas):
        without = [seat for seat, areas in seats.items() if bet not in {area.bet for area in areas}]
        if 0 < len(without) <= len(seats) // 4:
            named = ", ".join(map(str, without))
            yield doubtful(where, "areas", say=f"seat {named} has no area for {bet}, which all others have")


def _scattered(seats: Mapping[int, Sequence[Area]], where: str) -> Iterator[SetupProblem]:
    """Report an area that lies among those of another seat: the names of two seats were swapped."""
    for seat, areas in seats.items():
        for area in areas:
            own = _nearest_mm(area, [other for other in areas if other is not area])
            if own is None:
                continue
            distances = {number: _nearest_mm(area, others) or 0.0 for number, others in seats.items() if number != seat}
            nearest = min(distances, key=lambda number: distances[number])
            if own > 2 * distances[nearest] and own > _size_mm(area):
                say = f"lies at seat {nearest}, far from the other areas of seat {seat}"
                yield doubtful(where, f"areas.{area.id}.seat", value=seat, say=say)


def _order_of_seats(layout: Layout, seats: Mapping[int, Sequence[Area]], where: str) -> Iterator[SetupProblem]:
    """Report seat numbers that neither only rise nor only fall around the table."""
    middle = (layout.size_mm[0] / 2, 0.0)

    def round_deg(areas: Sequence[Area]) -> float:
        x, y = np.mean([area.centre_mm for area in areas], axis=0)
        return degrees(atan2(y - middle[1], x - middle[0]))

    order = sorted(seats, key=lambda seat: round_deg(seats[seat]))
    steps = [_sign(after - before) for before, after in pairwise(order)]
    usual = 1 if sum(steps) >= 0 else -1
    if any(step != usual for step in steps):
        value = ", ".join(map(str, order if usual > 0 else order[::-1]))
        yield doubtful(where, "areas", value=f"seats round the table: {value}", say="their numbers are not in order")


def _order_of_bets(layout: Layout, seats: Mapping[int, Sequence[Area]], where: str) -> Iterator[SetupProblem]:
    """Report seats where Player and Banker, seen from the boxes, have another order than at the other seats."""
    boxes = np.mean([area.centre_mm for area in layout.of_kind("hand") or layout.areas], axis=0)
    middles = {seat: np.mean([area.centre_mm for area in areas], axis=0) for seat, areas in seats.items()}
    numbers = [*seats]
    is_outer: dict[int, bool] = {}
    for i, seat in enumerate(numbers):
        places = {area.bet: np.array(area.centre_mm) for area in seats[seat]}
        if not {"player", "banker"} <= {*places}:
            continue
        along = middles[numbers[min(i + 1, len(numbers) - 1)]] - middles[numbers[max(i - 1, 0)]]
        outwards = np.array([-along[1], along[0]])
        outwards *= np.sign(outwards @ (middles[seat] - boxes))
        apart = places["player"] - places["banker"]
        if abs(apart @ outwards) > abs(apart @ along):  # otherwise they lie side by side
            is_outer[seat] = bool(apart @ outwards > 0)
    usual, count = Counter(is_outer.values()).most_common(1)[0] if is_outer else (True, 0)
    if count <= len(is_outer) / 2:
        return
    for seat in (seat for seat, is_out in is_outer.items() if is_out != usual):
        say = f"player and banker look swapped at seat {seat}: they lie the other way round than at the other seats"
        yield doubtful(where, f"areas.{seats[seat][0].id}.bet", value=seats[seat][0].bet, say=say)


def _sides(polygon: Polygon) -> tuple[float, float]:
    """The sides of the smallest enclosing rectangle, the shorter first, in mm."""
    corners = get_coordinates(minimum_rotated_rectangle(polygon))
    first, second = np.linalg.norm(np.diff(corners, axis=0), axis=1)[:2]
    return (float(first), float(second)) if first < second else (float(second), float(first))


def _size_mm(area: Area) -> float:
    return float(np.ptp(area.polygon_mm, axis=0).max())


def _nearest_mm(area: Area, others: Sequence[Area]) -> float | None:
    """The distance from the centre of an area to that of the nearest other area, in mm; None without others."""
    here = Point(area.centre_mm)
    return min((here.distance(Point(other.centre_mm)) for other in others), default=None)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
