"""Draw the built-in layouts: a mini table of 7 seats, a midi table of 9, a full table of 14.

`python -m thirdcard.calibration.cloths` rewrites `calibration/layouts/*.yaml`. Millimetres, axes as in
`thirdcard.calibration.layout`. Seats lie along arcs of circles; their areas are cut out of rings round the same centre,
so that they never overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, radians, sin
from pathlib import Path

import yaml

from thirdcard.calibration.layout import LAYOUT_FOLDER

Point = tuple[float, float]
Entry = dict[str, object]

_EDGE_STEPS = 6
"""Straight segments of a curved edge."""
_GAP_MM = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """A circle along which players sit; 0 degrees points down, 90 to the right."""

    centre_mm: Point
    radius_mm: float
    """Radius of the outer edge of the outermost areas."""

    def point(self, angle_deg: float, inward_mm: float) -> Point:
        """Return the point at an angle, `inward_mm` inside the outer edge."""
        reach = self.radius_mm - inward_mm
        return (
            round(self.centre_mm[0] + reach * sin(radians(angle_deg)), 1),
            round(self.centre_mm[1] + reach * cos(radians(angle_deg)), 1),
        )

    def width_deg(self, width_mm: float, inward_mm: float) -> float:
        """Return the angle that a width spans, `inward_mm` inside the outer edge."""
        return width_mm / (self.radius_mm - inward_mm) * 180.0 / pi


@dataclass(frozen=True, slots=True, kw_only=True)
class BetRow:
    """Bets that lie side by side in one ring of every seat, left to right as the player sees them."""

    depth_mm: float
    bets: tuple[tuple[str, float], ...]
    """Each bet with its width in mm; width 0 is a round spot that fills the ring's depth."""


def ring_piece(arc: Arc, angle_deg: float, width_mm: float, *, inward_mm: float, depth_mm: float) -> list[Point]:
    """Return the outline of a piece of a ring, `width_mm` wide at its outer edge."""
    half = arc.width_deg(width_mm, inward_mm) / 2
    steps = [angle_deg - half + 2 * half * i / _EDGE_STEPS for i in range(_EDGE_STEPS + 1)]
    outer = [arc.point(step, inward_mm) for step in steps]
    inner = [arc.point(step, inward_mm + depth_mm) for step in reversed(steps)]
    return outer + inner


def disc(centre_mm: Point, radius_mm: float) -> list[Point]:
    """Return a circle as a polygon of 24 corners."""
    x, y = centre_mm
    return [
        (round(x + radius_mm * cos(2 * pi * i / 24), 1), round(y + radius_mm * sin(2 * pi * i / 24), 1))
        for i in range(24)
    ]


def box(left: float, top: float, width: float, height: float) -> list[Point]:
    """Return a rectangle, given its top-left corner and its size."""
    return [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]


def seat_areas(arc: Arc, seat: int, angle_deg: float, rows: Sequence[BetRow]) -> list[Entry]:
    """Return all wager areas of a seat, the outermost row first."""
    areas: list[Entry] = []
    inward = 0.0
    for row in rows:
        widths = [width or row.depth_mm for _, width in row.bets]
        offset = -(sum(widths) + _GAP_MM * (len(widths) - 1)) / 2
        for (bet, width), span in zip(row.bets, widths, strict=True):
            middle = angle_deg + arc.width_deg(offset + span / 2, inward + row.depth_mm / 2)
            if width:
                polygon = ring_piece(arc, middle, width, inward_mm=inward, depth_mm=row.depth_mm)
            else:
                polygon = disc(arc.point(middle, inward + row.depth_mm / 2), row.depth_mm / 2)
            areas.append({"id": f"s{seat}-{bet}", "kind": "wager", "seat": seat, "bet": bet, "polygon": polygon})
            offset += span + _GAP_MM
        inward += row.depth_mm + _GAP_MM
    return areas


def standing_areas(name: str, left: float, top: float, width: float) -> list[Entry]:
    """Return Player, Banker and Tie areas for standing patrons, one below the other, Player nearest to them."""
    tops = {"tie": top, "banker": top + 70 + _GAP_MM, "player": top + 150 + 2 * _GAP_MM}
    heights = {"tie": 70.0, "banker": 80.0, "player": 80.0}
    return [
        {
            "id": f"standing-{name}-{bet}",
            "kind": "wager",
            "seat": None,
            "name": f"standing {name}",
            "bet": bet,
            "polygon": box(left, tops[bet], width, heights[bet]),
        }
        for bet in ("player", "banker", "tie")
    ]


def dealer_areas(middle_x: float, *, boxes_top: float, box_size: Point, float_width: float) -> list[Entry]:
    """Return the places before the dealer, about a middle line: hands, shoe, rack, float and lamp."""
    width, height = box_size
    reach = width + 35
    areas: list[Entry] = [
        {"id": "player-box", "kind": "hand", "hand": "player"},
        {"id": "banker-box", "kind": "hand", "hand": "banker"},
        {"id": "shoe", "kind": "shoe"},
        {"id": "discard", "kind": "discard"},
        {"id": "float", "kind": "chip_tray"},
        {"id": "lamp", "kind": "no_more_bets_lamp"},
    ]
    polygons = [
        box(middle_x - 15 - width, boxes_top, width, height),
        box(middle_x + 15, boxes_top, width, height),
        box(middle_x + reach, boxes_top - 120, 160, 250),
        box(middle_x - reach - 160, boxes_top - 120, 160, 200),
        box(middle_x - float_width / 2, 15, float_width, 105),
        disc((middle_x, boxes_top - 27), 22),
    ]
    return [{**area, "polygon": polygon} for area, polygon in zip(areas, polygons, strict=True)]


def reference_points(areas: Sequence[Entry], seats: Sequence[int]) -> list[Entry]:
    """Return the corners of the hand boxes (P1.., B1..) and the outer corners of the Player areas (S1L, S1R)."""
    polygons = {str(area["id"]): area["polygon"] for area in areas}
    points: list[Entry] = []
    for letter, area_id in (("P", "player-box"), ("B", "banker-box")):
        corners = polygons[area_id]
        assert isinstance(corners, list)
        points += [{"name": f"{letter}{i + 1}", "at": corner} for i, corner in enumerate(corners)]
    for seat in seats:
        corners = polygons[f"s{seat}-player"]
        assert isinstance(corners, list)
        points += [
            {"name": f"S{seat}L", "at": corners[0]},
            {"name": f"S{seat}R", "at": corners[_EDGE_STEPS]},
        ]
    return points


def mini_7() -> Entry:
    """Return the layout with one dealer, seven seats on a shallow arc, and pairs."""
    arc = Arc(centre_mm=(1065.0, 0.0), radius_mm=965.0)
    rows = (
        BetRow(depth_mm=90, bets=(("player", 290),)),
        BetRow(depth_mm=90, bets=(("banker", 260),)),
        BetRow(depth_mm=72, bets=(("player_pair", 0), ("tie", 105), ("banker_pair", 0))),
    )
    areas = dealer_areas(1065, boxes_top=175, box_size=(360, 160), float_width=600)
    for seat in range(1, 8):
        areas += seat_areas(arc, seat, 22.0 * (seat - 4), rows)
    return {
        "name": "mini-7",
        "size_mm": [2130, 1070],
        "areas": areas,
        "reference_points": [
            *reference_points(areas, range(1, 8)),
            {"name": "X1", "at": (60.0, 60.0)},
            {"name": "X2", "at": (2070.0, 60.0)},
        ],
        "markers": _markers({0: (70, 140), 1: (2060, 140), 2: (1065, 480), 3: (230, 850), 4: (1900, 850)}),
    }


def midi_9() -> Entry:
    """Return the layout with one dealer, nine seats on a deep arc, pairs, dragon bonus and super six.

    Players may also stand at both ends.
    """
    arc = Arc(centre_mm=(1300.0, 190.0), radius_mm=1130.0)
    rows = (
        BetRow(depth_mm=90, bets=(("player", 310),)),
        BetRow(depth_mm=90, bets=(("banker", 280),)),
        BetRow(depth_mm=70, bets=(("super_six", 100), ("tie", 135))),
        BetRow(depth_mm=54, bets=(("dragon_player", 0), ("player_pair", 0), ("banker_pair", 0), ("dragon_banker", 0))),
    )
    areas = dealer_areas(1300, boxes_top=185, box_size=(380, 165), float_width=640)
    for seat in range(1, 10):
        areas += seat_areas(arc, seat, 18.5 * (seat - 5), rows)
    areas += standing_areas("left", 340, 20, 160) + standing_areas("right", 2100, 20, 160)
    return {
        "name": "midi-9",
        "size_mm": [2600, 1450],
        "areas": areas,
        "reference_points": [
            *reference_points(areas, range(1, 10)),
            {"name": "X1", "at": (60.0, 60.0)},
            {"name": "X2", "at": (2540.0, 60.0)},
        ],
        "markers": _markers({0: (90, 160), 1: (2510, 160), 2: (1300, 700), 3: (240, 1250), 4: (2360, 1250)}),
    }


def full_14() -> Entry:
    """Return the big layout: the dealer in the middle of the top side, seven seats round either end, super six."""
    left = Arc(centre_mm=(790.0, 750.0), radius_mm=650.0)
    right = Arc(centre_mm=(2810.0, 750.0), radius_mm=650.0)
    rows = (
        BetRow(depth_mm=84, bets=(("player", 270),)),
        BetRow(depth_mm=84, bets=(("banker", 235),)),
        BetRow(depth_mm=66, bets=(("super_six", 0), ("tie", 105))),
    )
    areas = dealer_areas(1800, boxes_top=330, box_size=(420, 180), float_width=900)
    for seat in range(1, 8):
        areas += seat_areas(left, seat, -90.0 - 29.0 * (4 - seat), rows)
    for seat in range(8, 15):
        areas += seat_areas(right, seat, 90.0 + 29.0 * (seat - 11), rows)
    areas += standing_areas("left", 1230, 1150, 260) + standing_areas("right", 2110, 1150, 260)
    return {
        "name": "full-14",
        "size_mm": [3600, 1500],
        "areas": areas,
        "reference_points": [
            *reference_points(areas, (1, 3, 4, 5, 7, 8, 10, 11, 12, 14)),
            {"name": "X1", "at": (60.0, 60.0)},
            {"name": "X2", "at": (3540.0, 60.0)},
            {"name": "X3", "at": (3540.0, 1440.0)},
            {"name": "X4", "at": (60.0, 1440.0)},
        ],
        "markers": _markers(
            {0: (80, 150), 1: (3520, 150), 2: (3520, 1350), 3: (80, 1350), 4: (1800, 620), 5: (1800, 1200)}
        ),
    }


def write_layouts(folder: Path) -> None:
    """Write every built-in layout to a folder."""
    for draw in (mini_7, midi_9, full_14):
        layout = draw()
        (folder / f"{layout['name']}.yaml").write_text(format_cloth(layout), encoding="utf-8")


def format_cloth(layout: Mapping[str, object]) -> str:
    """Return the text of a layout file, one block for each area and a line or two for each polygon."""
    text = yaml.dump(layout, Dumper=_PlainDumper, sort_keys=False, default_flow_style=None, width=120)
    return f"{_HEAD}{text}"


_HEAD = """# yaml-language-server: $schema=../../docs/schemas/layout.json
# Drawn by calibration/cloths.py; millimetres, the dealer at the top edge.
"""


class _PlainDumper(yaml.SafeDumper):
    """Writes tuples as lists, and repeats shared values instead of using aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


_PlainDumper.add_representer(tuple, yaml.SafeDumper.represent_list)


def _markers(at: Mapping[int, Point]) -> Entry:
    return {"dictionary": "DICT_4X4_50", "side_mm": 60, "at": dict(at)}


if __name__ == "__main__":
    write_layouts(LAYOUT_FOLDER)
