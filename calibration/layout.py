"""A printed cloth in millimetres: its areas, reference points and markers.

Knows nothing of cameras or of the game. Origin at the cloth's top-left corner seen from above with the dealer at the
top edge; x runs right, y down towards the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.documents import (
    check_keys,
    is_number,
    read_document,
    take_choice,
    take_list,
    take_number,
    take_numbers,
    take_text,
)
from thirdcard.calibration.errors import MISSING, CalibrationError, LayoutError, NoSuchNameError

AREA_KINDS = ("hand", "wager", "shoe", "discard", "chip_tray", "no_more_bets_lamp", "paddle")
HANDS = ("player", "banker")
BETS = (
    "player",
    "banker",
    "tie",
    "player_pair",
    "banker_pair",
    "super_six",
    "dragon_player",
    "dragon_banker",
    "match_player",
    "match_banker",
    "insurance_player",
    "insurance_banker",
    "ante",
)
BUILT_IN_LAYOUTS = ("mini-7", "midi-9", "full-14")
LAYOUT_FOLDER = Path(__file__).parent / "layouts"

_SIZE_RANGE_MM = (300.0, 10000.0)
_SMALLEST_AREA_MM2 = 1.0
_AREA_KEYS = ("id", "kind", "hand", "seat", "bet", "name", "polygon")
_LAYOUT_KEYS = ("name", "size_mm", "areas", "reference_points", "markers")
_MARKER_KEYS = ("dictionary", "side_mm", "at")

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Area:
    """One printed or furnished place on the cloth."""

    id: str
    kind: str
    """One of `AREA_KINDS`."""
    polygon_mm: FloatArray
    """(N, 2) float64, layout plane, read-only; open or closed."""
    hand: str | None = None
    """`player` or `banker` where the kind is `hand`."""
    seat: int | None = None
    """Counted from 1; None for standing players and for areas that are no wagers."""
    bet: str | None = None
    """One of `BETS` where the kind is `wager`."""
    name: str | None = None
    """What people call a standing players' area."""

    def __post_init__(self) -> None:
        points = np.array(self.polygon_mm, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
            raise LayoutError("area", "polygon", value=points.tolist(), allowed="must be a list of [x, y] in mm")
        if len(np.unique(points, axis=0)) < 3:
            raise LayoutError("area", "polygon", value=points.tolist(), allowed="must have at least 3 points")
        if abs(_signed_area(points)) < _SMALLEST_AREA_MM2:
            raise LayoutError("area", "polygon", value=points.tolist(), allowed="must enclose an area")
        points.setflags(write=False)
        object.__setattr__(self, "polygon_mm", points)

    @property
    def centre_mm(self) -> tuple[float, float]:
        """Centroid of the enclosed area."""
        origin = self.polygon_mm[0]
        here = self.polygon_mm - origin
        there = np.roll(here, -1, axis=0)
        cross = here[:, 0] * there[:, 1] - there[:, 0] * here[:, 1]
        centre = origin + ((here + there) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())
        return float(centre[0]), float(centre[1])

    @property
    def size_mm2(self) -> float:
        """The enclosed area, never negative."""
        return abs(_signed_area(self.polygon_mm))

    def contains(self, points_mm: FloatArray) -> BoolArray:
        """Which points lie inside, by the even-odd rule.

        Args:
            points_mm: (N, 2) or (2,), layout plane.

        Returns:
            (N,) bool.
        """
        x, y = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2).T[:, :, None]
        here = self.polygon_mm
        there = np.roll(here, -1, axis=0)
        spans = (here[:, 1] > y) != (there[:, 1] > y)
        rise = np.where(there[:, 1] == here[:, 1], 1.0, there[:, 1] - here[:, 1])
        crossing_x = here[:, 0] + (y - here[:, 1]) * (there[:, 0] - here[:, 0]) / rise
        inside: BoolArray = ((spans & (x < crossing_x)).sum(axis=1) % 2).astype(np.bool_)
        return inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """ArUco fiducials on the table."""

    dictionary: str
    """OpenCV's name, such as `DICT_4X4_50`."""
    side_mm: float
    at: Mapping[int, tuple[float, float]]
    """Each marker's centre in mm, by its number."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """A cloth."""

    name: str
    size_mm: tuple[float, float]
    """Width, height."""
    areas: tuple[Area, ...]
    reference_points: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))
    """Printed features in mm, by name."""
    markers: Markers | None = None

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for i, area in enumerate(self.areas):
            if area.id in seen:
                raise LayoutError("layout", f"areas[{i}].id", value=area.id, allowed="ids must be unique")
            seen.add(area.id)

    def area(self, area_id: str) -> Area:
        """The area with this id.

        Raises:
            KeyError: There is none.
        """
        for area in self.areas:
            if area.id == area_id:
                return area
        raise KeyError(area_id)

    def of_kind(self, kind: str) -> tuple[Area, ...]:
        """All areas of a kind, in the file's order."""
        return tuple(area for area in self.areas if area.kind == kind)


def parse_layout(mapping: object, where: str) -> Layout:
    """A layout from its mapping; `where` begins every complaint.

    Raises:
        LayoutError: Something in it is not allowed.
    """
    try:
        fields = check_keys(mapping, _LAYOUT_KEYS, LayoutError)
        width, height = take_numbers(fields, "size_mm", count=2, kind=LayoutError)
        if not all(_SIZE_RANGE_MM[0] <= side <= _SIZE_RANGE_MM[1] for side in (width, height)):
            raise LayoutError("", "size_mm", value=[width, height], allowed="must be 300 to 10000 each")
        return Layout(
            name=take_text(fields, "name", LayoutError),
            size_mm=(width, height),
            areas=_parse_areas(take_list(fields, "areas", LayoutError)),
            reference_points=_parse_reference_points(fields),
            markers=_parse_markers(fields.get("markers")),
        )
    except LayoutError as error:
        raise error.at(where) from None


def load_layout(reference: str | Mapping[str, object], base: Path) -> Layout:
    """A layout from a path beside `base` (a folder), a built-in name, or the mapping itself.

    Raises:
        LayoutError: Something in it is not allowed.
        NoSuchNameError: No such layout exists.
        DocumentError: The file cannot be read.
    """
    if isinstance(reference, Mapping):
        return parse_layout(reference, "layout")
    path = base / reference
    if not path.is_file() and reference in BUILT_IN_LAYOUTS:
        path = LAYOUT_FOLDER / f"{reference}.yaml"
    if not path.is_file():
        allowed = f"no such file beside it, and no built-in layout; built in: {', '.join(BUILT_IN_LAYOUTS)}"
        raise NoSuchNameError(str(base), "layout", value=reference, allowed=allowed)
    return parse_layout(read_document(path), str(path))


def _parse_areas(entries: Sequence[object]) -> tuple[Area, ...]:
    areas = []
    for i, entry in enumerate(entries):
        try:
            areas.append(_parse_area(entry))
        except LayoutError as error:
            raise error.at("", f"areas[{i}]") from None
    if not areas:
        raise LayoutError("", "areas", value=[], allowed="must list at least one area")
    return tuple(areas)


def _parse_area(entry: object) -> Area:
    fields = check_keys(entry, _AREA_KEYS, LayoutError)
    kind = take_choice(fields, "kind", choices=AREA_KINDS, kind=LayoutError)
    hand = bet = None
    if kind == "hand":
        hand = take_choice(fields, "hand", choices=HANDS, kind=LayoutError)
    if kind == "wager":
        bet = take_choice(fields, "bet", choices=BETS, kind=LayoutError)
    return Area(
        id=take_text(fields, "id", LayoutError),
        kind=kind,
        polygon_mm=_parse_polygon(fields),
        hand=hand,
        seat=_parse_seat(fields),
        bet=bet,
        name=None if fields.get("name") is None else take_text(fields, "name", LayoutError),
    )


def _parse_seat(fields: Mapping[str, object]) -> int | None:
    seat = fields.get("seat")
    if seat is None:
        return None
    if not isinstance(seat, int) or isinstance(seat, bool) or not 1 <= seat <= 99:
        raise LayoutError("", "seat", value=seat, allowed="must be a whole number from 1 to 99, or null")
    return seat


def _parse_polygon(fields: Mapping[str, object]) -> FloatArray:
    entries = take_list(fields, "polygon", LayoutError)
    if len(entries) < 3:
        raise LayoutError("", "polygon", value=entries, allowed="must have at least 3 points")
    return np.array([_parse_point(entry, f"polygon[{i}]") for i, entry in enumerate(entries)])


def _parse_point(entry: object, key: str) -> tuple[float, float]:
    if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 2:
        raise LayoutError("", key, value=entry, allowed="must be [x, y] in mm")
    if not all(is_number(value) for value in entry):
        raise LayoutError("", key, value=entry, allowed="must be two finite numbers, [x, y] in mm")
    return float(entry[0]), float(entry[1])


def _parse_reference_points(fields: Mapping[str, object]) -> Mapping[str, tuple[float, float]]:
    points: dict[str, tuple[float, float]] = {}
    entries = [] if fields.get("reference_points") is None else take_list(fields, "reference_points", LayoutError)
    for i, entry in enumerate(entries):
        key = f"reference_points[{i}]"
        try:
            point = check_keys(entry, ("name", "at"), LayoutError)
            name = take_text(point, "name", LayoutError)
        except LayoutError as error:
            raise error.at("", key) from None
        if name in points:
            raise LayoutError("", f"{key}.name", value=name, allowed="names must be unique")
        points[name] = _parse_point(point.get("at", MISSING), f"{key}.at")
    return MappingProxyType(points)


def _parse_markers(entry: object) -> Markers | None:
    if entry is None:
        return None
    try:
        fields = check_keys(entry, _MARKER_KEYS, LayoutError)
        at = fields.get("at", MISSING)
        if not isinstance(at, Mapping) or not at:
            raise LayoutError("", "at", value=at, allowed="must map marker numbers to [x, y] in mm")
        return Markers(
            dictionary=take_text(fields, "dictionary", LayoutError),
            side_mm=take_number(fields, "side_mm", low=5, high=500, kind=LayoutError),
            at=MappingProxyType({_marker_number(key): _parse_point(value, f"at.{key}") for key, value in at.items()}),
        )
    except CalibrationError as error:
        raise error.at("", "markers") from None


def _marker_number(key: object) -> int:
    if isinstance(key, bool) or not str(key).isdigit():
        raise LayoutError("", f"at.{key}", value=key, allowed="marker numbers are whole numbers from 0")
    return int(str(key))


def _signed_area(points: FloatArray) -> float:
    shifted = points - points[0]
    x, y = shifted.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y)) / 2.0
