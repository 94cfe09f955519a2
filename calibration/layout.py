"""A printed cloth in millimetres: its areas, reference points and markers.

Knows nothing of cameras or of the game. Origin at the cloth's top-left corner seen from above with the dealer at the
top edge; x runs right, y down towards the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.documents import file_fault, is_missing, parse_mapping, read_text
from thirdcard.calibration.errors import CalibrationError, LayoutError, NoSuchNameError
from thirdcard.calibration.keys import (
    ChoiceKey,
    ConditionalChoiceKey,
    ConditionalWordKey,
    FileKeys,
    InnerKey,
    ManyKey,
    NumberedPlacesKey,
    NumberKey,
    OptionalTextKey,
    OptionalWholeKey,
    OutlineKey,
    PlaceKey,
    Point,
    Schema,
    SidesKey,
    TextKey,
    required_where,
)

AREA_KINDS = ("hand", "wager", "shoe", "discard", "chip_tray", "no_more_bets_lamp", "paddle")
HANDS = ("player", "banker")
BET_PATTERN = "^[a-z][a-z0-9_]{0,39}$"
BUILT_IN_LAYOUTS = ("mini-7", "midi-9", "full-14")
LAYOUT_FOLDER = Path(__file__).parent / "layouts"
KEPT_LAYOUTS = 32
"""The number of parsed layouts that are kept. The tables of a house share a few layouts, of which each has a copy;
to parse one takes 40 ms, and a start read it four times for each table."""

_SMALLEST_AREA_MM2 = 1.0
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class AreaKeys(FileKeys):
    """One printed or furnished place on the cloth."""

    id = TextKey("the area's id, unique among the areas")
    kind = ChoiceKey("what it is", AREA_KINDS)
    hand = ConditionalChoiceKey(
        "whose cards lie in it, player or banker; where the kind is hand", HANDS, where=("kind", "hand")
    )
    seat = OptionalWholeKey("the seat, counted from 1 to 99; null for standing players", low=1, high=99)
    bet = ConditionalWordKey(
        "what is bet on it, a bet of the table's rulebook; where the kind is wager",
        pattern=BET_PATTERN,
        allowed="must be a bet of the table's rulebook, such as player, banker or tie",
        where=("kind", "wager"),
    )
    name = OptionalTextKey("what people call a standing players' area; or null")
    polygon = OutlineKey("its outline, 3 points or more: [x, y] in mm from the cloth's top-left corner, y to the seats")
    besides: ClassVar[Schema] = {
        "allOf": [
            required_where("hand", {"enum": list(HANDS)}, other="kind", value="hand"),
            required_where("bet", {"type": "string", "pattern": BET_PATTERN}, other="kind", value="wager"),
        ],
    }


class ReferencePointKeys(FileKeys):
    """A printed feature."""

    name = TextKey("its name, unique among the reference points")
    at = PlaceKey("its place, [x, y] in mm")


class MarkerKeys(FileKeys):
    """ArUco fiducials on the table."""

    dictionary = TextKey("OpenCV's name of the dictionary, such as DICT_4X4_50")
    side_mm = NumberKey("the side of a marker in mm, 5 to 500", low=5, high=500)
    at = NumberedPlacesKey("each marker's centre, [x, y] in mm, by its number")


class LayoutKeys(FileKeys):
    """`layout.yaml`."""

    name = TextKey("the cloth's name")
    size_mm = SidesKey("[width, height] of the cloth in mm, 300 to 10000 each", low=300, high=10000)
    areas = ManyKey("the places on the cloth, at least one", AreaKeys, least="area")
    reference_points = ManyKey("printed features that a camera can be fitted to", ReferencePointKeys)
    markers = InnerKey("ArUco markers on the table, where there are some", MarkerKeys)


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
    """Counted from 1; None for standing players and for areas that are not wagers."""
    bet: str | None = None
    """A bet of the table's rulebook where the kind is `wager`."""
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
        """The enclosed area in mm², never negative."""
        return abs(_signed_area(self.polygon_mm))

    def contains(self, points_mm: FloatArray) -> BoolArray:
        """Return a mask of the points that lie inside, by the even-odd rule.

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
    """A printed cloth."""

    name: str
    size_mm: tuple[float, float]
    """Width and height."""
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
        """Return the area with this id.

        Raises:
            KeyError: There is none.
        """
        for area in self.areas:
            if area.id == area_id:
                return area
        raise KeyError(area_id)

    def of_kind(self, kind: str) -> tuple[Area, ...]:
        """Return all areas of a kind, in the file's order."""
        return tuple(area for area in self.areas if area.kind == kind)


def parse_layout(mapping: object, where: str) -> Layout:
    """Parse a layout from a mapping; `where` begins every error message.

    Raises:
        LayoutError: A value is not allowed.
    """
    try:
        fields = LayoutKeys.check(mapping, LayoutError)
        return Layout(
            size_mm=LayoutKeys.size_mm.take(fields, LayoutError),
            name=LayoutKeys.name.take(fields, LayoutError),
            areas=_parse_areas(LayoutKeys.areas.take(fields, LayoutError)),
            reference_points=_parse_reference_points(LayoutKeys.reference_points.take(fields, LayoutError)),
            markers=_parse_markers(LayoutKeys.markers.take(fields, LayoutError)),
        )
    except LayoutError as error:
        raise error.at(where) from None


def load_layout(reference: str | Mapping[str, object], base: Path) -> Layout:
    """Load a layout from a path relative to the folder `base`, a built-in name, or the mapping itself.

    Raises:
        LayoutError: A value is not allowed.
        NoSuchNameError: No such layout exists.
        DocumentError: The file cannot be read.
    """
    if isinstance(reference, Mapping):
        return parse_layout(reference, "layout")
    path = base / reference
    if is_missing(path) and reference in BUILT_IN_LAYOUTS:
        path = LAYOUT_FOLDER / f"{reference}.yaml"
    fault = file_fault(path)
    if fault is not None:
        none = f"no such file beside it, and no built-in layout; built in: {', '.join(BUILT_IN_LAYOUTS)}"
        allowed = none if is_missing(path) else fault
        raise NoSuchNameError(str(base), "layout", value=reference, allowed=allowed)
    text = read_text(path)
    try:
        return _layout_of(text)
    except CalibrationError:
        return parse_layout(parse_mapping(text, str(path)), str(path))  # the error again, with its place


@lru_cache(maxsize=KEPT_LAYOUTS)
def _layout_of(text: str) -> Layout:
    """The layout that a file's text describes; layouts are immutable."""
    return parse_layout(parse_mapping(text, ""), "")


def _parse_areas(entries: Sequence[object]) -> tuple[Area, ...]:
    areas = []
    for i, entry in enumerate(entries):
        try:
            areas.append(_parse_area(entry))
        except LayoutError as error:
            raise error.at("", f"areas[{i}]") from None
    return tuple(areas)


def _parse_area(entry: object) -> Area:
    fields = AreaKeys.check(entry, LayoutError)
    kind = AreaKeys.kind.take(fields, LayoutError)
    hand = AreaKeys.hand.take(fields, LayoutError) if kind == "hand" else None
    bet = AreaKeys.bet.take(fields, LayoutError) if kind == "wager" else None
    return Area(
        id=AreaKeys.id.take(fields, LayoutError),
        kind=kind,
        polygon_mm=np.array(AreaKeys.polygon.take(fields, LayoutError)),
        hand=hand,
        seat=AreaKeys.seat.take(fields, LayoutError),
        bet=bet,
        name=AreaKeys.name.take(fields, LayoutError),
    )


def _parse_reference_points(entries: Sequence[object]) -> Mapping[str, Point]:
    points: dict[str, Point] = {}
    for i, entry in enumerate(entries):
        key = f"reference_points[{i}]"
        try:
            fields = ReferencePointKeys.check(entry, LayoutError)
            name = ReferencePointKeys.name.take(fields, LayoutError)
            if name in points:
                raise LayoutError("", "name", value=name, allowed="names must be unique")
            points[name] = ReferencePointKeys.at.take(fields, LayoutError)
        except LayoutError as error:
            raise error.at("", key) from None
    return MappingProxyType(points)


def _parse_markers(entry: object) -> Markers | None:
    if entry is None:
        return None
    try:
        fields = MarkerKeys.check(entry, LayoutError)
        return Markers(
            at=MappingProxyType(MarkerKeys.at.take(fields, LayoutError)),
            dictionary=MarkerKeys.dictionary.take(fields, LayoutError),
            side_mm=MarkerKeys.side_mm.take(fields, LayoutError),
        )
    except LayoutError as error:
        raise error.at("", "markers") from None


def _signed_area(points: FloatArray) -> float:
    shifted = points - points[0]
    x, y = shifted.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y)) / 2.0
