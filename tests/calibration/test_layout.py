"""Layouts parsed, refused, and the built-in ones measured."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from thirdcard.calibration.cloths import format_cloth, full_14, midi_9, mini_7, write_layouts
from thirdcard.calibration.errors import DocumentError, LayoutError, NoSuchNameError
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, LAYOUT_FOLDER, Area, Layout, load_layout, parse_layout

SEATS = {"mini-7": 7, "midi-9": 9, "full-14": 14}


def layout_fields() -> dict[str, object]:
    """A small layout's mapping."""
    return {
        "name": "small",
        "size_mm": [900, 600],
        "areas": [
            {"id": "player-box", "kind": "hand", "hand": "player", "polygon": [[0, 0], [340, 0], [340, 150], [0, 150]]},
            {"id": "s1-tie", "kind": "wager", "seat": 1, "bet": "tie", "polygon": [[0, 300], [60, 300], [30, 360]]},
        ],
        "reference_points": [{"name": "A", "at": [10, 20]}],
        "markers": {"dictionary": "DICT_4X4_50", "side_mm": 50, "at": {0: [40, 40]}},
    }


def test_layout_parses_whole() -> None:
    layout = parse_layout(layout_fields(), "layout.yaml")
    assert layout.size_mm == (900.0, 600.0)
    assert [area.id for area in layout.of_kind("wager")] == ["s1-tie"]
    assert layout.area("player-box").hand == "player"
    assert layout.area("s1-tie").seat == 1
    assert layout.reference_points["A"] == (10.0, 20.0)
    assert layout.markers is not None
    assert layout.markers.at[0] == (40.0, 40.0)


def test_standing_area_has_no_seat_and_a_name() -> None:
    fields = layout_fields()
    fields["areas"] = [
        {"id": "a", "kind": "wager", "seat": None, "name": "rail", "bet": "tie", "polygon": [[0, 0], [9, 0], [9, 9]]}
    ]
    area = parse_layout(fields, "layout.yaml").area("a")
    assert (area.seat, area.name) == (None, "rail")


def test_area_that_is_not_there_raises_its_id() -> None:
    with pytest.raises(KeyError, match="s9-tie"):
        parse_layout(layout_fields(), "layout.yaml").area("s9-tie")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({"colour": "red"}, "colour = red; unknown key; allowed: name, size_mm, areas", id="unknown key"),
        pytest.param({"name": ""}, 'name = ""; must be a text', id="no name"),
        pytest.param({"size_mm": [900]}, "size_mm = [900]; must be a list of 2 numbers", id="one side"),
        pytest.param({"size_mm": [900, 9]}, "size_mm = [900.0, 9.0]; must be 300 to 10000 each", id="tiny cloth"),
        pytest.param({"size_mm": [900, "x"]}, "size_mm = [900, 'x']; must be a list of 2 finite", id="side in words"),
        pytest.param({"areas": "all"}, "areas = all; must be a list", id="areas in words"),
        pytest.param({"areas": []}, "areas = []; must list at least one area", id="no areas"),
        pytest.param({"areas": [3]}, "areas[0] = 3; must be a mapping with id, kind", id="area is a number"),
        pytest.param({"reference_points": 1}, "reference_points = 1; must be a list", id="points are a number"),
        pytest.param(
            {"reference_points": [{"name": "A"}]}, "reference_points[0].at = (missing); must be [x, y]", id="no place"
        ),
        pytest.param(
            {"reference_points": [{"name": "A", "at": [1, 2]}] * 2},
            "reference_points[1].name = A; names must be unique",
            id="two points of a name",
        ),
        pytest.param({"markers": []}, "markers = []; must be a mapping", id="markers are a list"),
        pytest.param(
            {"markers": {"dictionary": "D", "side_mm": 50}}, "markers.at = (missing); must map", id="markers nowhere"
        ),
        pytest.param(
            {"markers": {"dictionary": "D", "side_mm": 0, "at": {0: [1, 1]}}},
            "markers.side_mm = 0; must be a number from 5 to 500",
            id="markers without size",
        ),
        pytest.param(
            {"markers": {"dictionary": "D", "side_mm": 50, "at": {"x": [1, 1]}}},
            "markers.at.x = x; marker numbers are whole numbers",
            id="marker with a name",
        ),
    ],
)
def test_wrong_layout_is_told_in_one_line(change: dict[str, object], told: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_layout({**layout_fields(), **change}, "layout.yaml")
    assert str(caught.value).startswith(f"layout.yaml: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            {"polygon": [[0, 0], [1, 1]]}, "polygon = [[0, 0], [1, 1]]; must have at least 3", id="two points"
        ),
        pytest.param({"polygon": [[0, 0], [9, 9], [0, 0]]}, "polygon = ", id="two points and the first again"),
        pytest.param({"polygon": [[0, 0], [5, 5], [9, 9]]}, "polygon = ", id="a line"),
        pytest.param({"polygon": [[0, 0], [5], [9, 9]]}, "polygon[1] = [5]; must be [x, y]", id="point of one number"),
        pytest.param(
            {"polygon": [[0, 0], [5, "a"], [9, 9]]}, "polygon[1] = [5, 'a']; must be two", id="point in words"
        ),
        pytest.param({"kind": "bank"}, "kind = bank; must be one of hand, wager, shoe", id="unknown kind"),
        pytest.param(
            {"bet": "Ties!"},
            "bet = Ties!; must be a bet of the table's rulebook, such as player, banker or tie",
            id="unknown bet",
        ),
        pytest.param({"bet": None}, "bet = null; must be a bet of", id="wager without bet"),
        pytest.param({"kind": "hand"}, "hand = (missing); must be one of player, banker", id="hand of nobody"),
        pytest.param({"seat": 0}, "seat = 0; must be a whole number from 1 to 99", id="seat 0"),
        pytest.param({"seat": True}, "seat = true; must be a whole number", id="seat true"),
        pytest.param({"id": 5}, "id = 5; must be a text", id="id is a number"),
        pytest.param({"colour": "red"}, "colour = red; unknown key; allowed: id, kind", id="unknown key"),
    ],
)
def test_wrong_area_is_told_with_its_place(change: dict[str, object], told: str) -> None:
    fields = layout_fields()
    areas = fields["areas"]
    assert isinstance(areas, list)
    areas[1].update(change)
    with pytest.raises(LayoutError) as caught:
        parse_layout(fields, "layout.yaml")
    assert str(caught.value).startswith(f"layout.yaml: areas[1].{told}")


def test_two_areas_of_one_id_are_refused() -> None:
    fields = layout_fields()
    areas = fields["areas"]
    assert isinstance(areas, list)
    areas[1]["id"] = "player-box"
    with pytest.raises(LayoutError, match=r"areas\[1\].id = player-box; ids must be unique"):
        parse_layout(fields, "layout.yaml")


def test_contains_follows_the_outline() -> None:
    area = Area(id="l", kind="shoe", polygon_mm=np.array([[0, 0], [90, 0], [90, 30], [30, 30], [30, 90], [0, 90]]))
    inside = area.contains(np.array([[10.0, 10.0], [80.0, 20.0], [10.0, 80.0], [60.0, 60.0], [-1.0, 5.0]]))
    assert inside.tolist() == [True, True, True, False, False]
    assert area.contains(np.empty((0, 2))).shape == (0,)


def test_closed_and_open_polygons_are_the_same_area() -> None:
    corners = [[0, 0], [60, 0], [60, 40], [0, 40]]
    opened = Area(id="a", kind="shoe", polygon_mm=np.array(corners))
    closed = Area(id="b", kind="shoe", polygon_mm=np.array([*corners, corners[0]]))
    points = np.random.default_rng(1).uniform(-20, 80, (200, 2))
    assert np.array_equal(opened.contains(points), closed.contains(points))
    assert opened.centre_mm == closed.centre_mm == (30.0, 20.0)
    assert opened.size_mm2 == closed.size_mm2 == 2400.0


def test_polygon_is_read_only() -> None:
    area = parse_layout(layout_fields(), "layout.yaml").area("s1-tie")
    with pytest.raises(ValueError, match="read-only"):
        area.polygon_mm[0, 0] = 5.0


def test_layout_loads_from_file_name_or_mapping(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(layout_fields()))
    assert load_layout("own.yaml", tmp_path).name == "small"
    assert load_layout("mini-7", tmp_path).name == "mini-7"
    assert load_layout(layout_fields(), tmp_path).name == "small"


def test_layout_of_one_content_is_parsed_once_and_a_changed_file_anew(tmp_path: Path) -> None:
    for name in ("own.yaml", "copy.yaml"):
        (tmp_path / name).write_text(yaml.safe_dump(layout_fields()))
    first = load_layout("own.yaml", tmp_path)
    assert load_layout("copy.yaml", tmp_path) is first
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(layout_fields() | {"name": "other"}))
    assert load_layout("own.yaml", tmp_path).name == "other"


def test_wrong_file_is_named_each_time(tmp_path: Path) -> None:
    for name in ("own.yaml", "copy.yaml"):
        (tmp_path / name).write_text(yaml.safe_dump(layout_fields() | {"name": ""}))
        with pytest.raises(LayoutError, match=rf"{name}: name = "):
            load_layout(name, tmp_path)


def test_layout_of_no_such_name_lists_the_built_in_ones(tmp_path: Path) -> None:
    with pytest.raises(NoSuchNameError, match="layout = maxi; .* built in: mini-7, midi-9, full-14"):
        load_layout("maxi", tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("areas: [1\nname: 2\n", "no valid YAML: line 2", id="broken"),
        pytest.param("name: a\nname: b\n", "key name stands twice", id="key twice"),
        pytest.param("? [1, 2]\n: 3\n", "a key is no plain word", id="list as key"),
        pytest.param("- 1\n", r"content = \[1\]; must be a mapping", id="list"),
        pytest.param("", "content = null; must be a mapping", id="empty"),
        pytest.param("\x00", "no valid YAML", id="binary"),
    ],
)
def test_file_that_is_no_mapping_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(DocumentError, match=rf"own\.yaml: {told}|own\.yaml: .*{told}") as caught:
        load_layout("own.yaml", tmp_path)
    assert "\n" not in str(caught.value)


@pytest.fixture(params=BUILT_IN_LAYOUTS)
def built_in(request: pytest.FixtureRequest) -> Layout:
    """Each built-in layout."""
    return load_layout(str(request.param), Path())


def test_built_in_layout_has_every_seat_with_the_three_main_bets(built_in: Layout) -> None:
    seats = {(area.seat, area.bet) for area in built_in.of_kind("wager")}
    expected = {(seat, bet) for seat in range(1, SEATS[built_in.name] + 1) for bet in ("player", "banker", "tie")}
    assert expected <= seats
    assert {seat for seat, _ in seats if seat is not None} == set(range(1, SEATS[built_in.name] + 1))


@pytest.mark.parametrize("kind", ["shoe", "discard", "chip_tray", "no_more_bets_lamp"])
def test_built_in_layout_has_one_of_each_furniture(built_in: Layout, kind: str) -> None:
    assert len(built_in.of_kind(kind)) == 1


def test_built_in_areas_lie_on_the_cloth(built_in: Layout) -> None:
    for area in built_in.areas:
        assert area.polygon_mm.min() >= 0, area.id
        assert (area.polygon_mm <= built_in.size_mm).all(), area.id


def test_built_in_areas_do_not_overlap(built_in: Layout) -> None:
    width, height = (int(side) for side in built_in.size_mm)
    taken = np.zeros((height + 1, width + 1), np.uint8)
    for area in built_in.areas:
        own = np.zeros_like(taken)
        cv2.fillPoly(own, [area.polygon_mm.round().astype(np.int32)], 1)
        assert not (taken & own).any(), area.id
        taken |= own


def test_built_in_hand_boxes_hold_three_cards(built_in: Layout) -> None:
    for area in built_in.of_kind("hand"):
        width, height = np.ptp(area.polygon_mm, axis=0)
        assert width >= 2 * 63 + 88 + 100
        assert height >= 88 + 50


def test_built_in_wager_areas_hold_a_stack(built_in: Layout) -> None:
    for area in built_in.of_kind("wager"):
        assert np.ptp(area.polygon_mm, axis=0).min() > 50, area.id


def test_built_in_reference_points_and_markers_spread_over_the_cloth(built_in: Layout) -> None:
    points = np.array(list(built_in.reference_points.values()))
    assert (np.ptp(points, axis=0) > 0.7 * np.array(built_in.size_mm)).all()
    assert built_in.markers is not None
    half = built_in.markers.side_mm / 2 + 5
    for centre in built_in.markers.at.values():
        corners = np.array(centre) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, 0]])
        assert not any(area.contains(corners).any() for area in built_in.areas)


def test_built_in_files_are_what_the_drawing_says(tmp_path: Path) -> None:
    write_layouts(tmp_path)
    for name in BUILT_IN_LAYOUTS:
        assert (tmp_path / f"{name}.yaml").read_text() == (LAYOUT_FOLDER / f"{name}.yaml").read_text()


@pytest.mark.parametrize("draw", [mini_7, midi_9, full_14])
def test_drawn_layout_parses_from_its_own_text(draw: object) -> None:
    assert callable(draw)
    fields = draw()
    assert parse_layout(yaml.safe_load(format_cloth(fields)), "drawn").name == fields["name"]
