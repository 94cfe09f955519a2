"""A table's file parsed, checked and followed to the files it names."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.calibration.cameras import camera_over
from thirdcard.calibration.camera import save_calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.service.config.table_file import is_live_source, load_table, read_chip_values, read_table_file
from thirdcard.service.ports.errors import ServiceError, TableError, UnreadableTableError
from thirdcard.service.watch.factory import observed_regions

TABLE: dict[str, Any] = {
    "id": "B07",
    "rulebook": "tas",
    "options": {"dealing_style": "A"},
    "shoe": {"decks": 8, "device": "shoe"},
    "limits": {"minimum": 25, "maximum": 5000, "bets": {"tie": {"minimum": 5, "maximum": 500}}},
    "layout": "mini-7",
    "chips": "house",
    "cards": {"size_mm": [63, 88]},
    "cameras": [{"name": "overhead", "source": "video.mp4", "calibration": "overhead.yaml"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a calibration in it."""
    save_calibration(tmp_path / "overhead.yaml", camera_over(load_layout("mini-7", tmp_path)))
    return tmp_path


def write_table(folder: Path, way: tuple[str | int, ...] = (), value: object = None) -> Path:
    """A table file with one value changed, or taken out where it is `...`."""
    table: Any = copy.deepcopy(TABLE)
    if way:
        *parents, key = way
        within = table
        for parent in parents:
            within = within[parent]
        if value is ...:
            del within[key]
        else:
            within[key] = value
    path = folder / "table.yaml"
    path.write_text(yaml.safe_dump(table))
    return path


def test_table_loads_with_all_its_files(folder: Path) -> None:
    table = load_table(write_table(folder))
    assert (table.id, table.rulebook, dict(table.options)) == ("B07", "tas", {"dealing_style": "A"})
    assert (table.shoe.decks, table.limits.minimum, table.limits.differential) == (8, 25, None)
    assert table.limits.bets["tie"].maximum == 500
    assert (table.layout.name, table.chips.diameter_mm, table.card_size_mm) == ("mini-7", 39.0, (63.0, 88.0))
    camera = table.cameras[0]
    assert (camera.source, camera.is_live, camera.loop) == (str(folder / "video.mp4"), False, False)
    assert camera.calibration.image_size_wh_px == (1920, 1080)


def test_left_out_values_have_the_usual_ones(folder: Path) -> None:
    fields = {key: TABLE[key] for key in ("id", "rulebook", "layout", "chips", "cameras")}
    (folder / "table.yaml").write_text(yaml.safe_dump(fields))
    table = load_table(folder / "table.yaml")
    assert (table.shoe.decks, table.shoe.device, table.card_size_mm) == (8, "shoe", (63.0, 88.0))
    assert (table.options, table.limits.minimum) == ({}, None)


def test_table_file_alone_is_enough_to_judge_a_log(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text("id: B07\nrulebook: nsw\n")
    assert read_table_file(tmp_path / "table.yaml").rulebook == "nsw"


def test_layout_and_chips_may_stand_within_the_table(folder: Path) -> None:
    boxes = [
        {"id": hand, "kind": "hand", "hand": hand, "polygon": [[0, top], [300, top], [300, top + 90]]}
        for hand, top in (("player", 0), ("banker", 100))
    ]
    write_table(folder, ("layout",), {"name": "own", "size_mm": [900, 600], "areas": boxes})
    assert load_table(folder / "table.yaml").layout.name == "own"
    chips = {"diameter_mm": 40, "thickness_mm": 3, "chips": [{"value": 1, "name": "one", "colour": "#ffffff"}]}
    assert load_table(write_table(folder, ("chips",), chips)).chips.chips[0].name == "one"


@pytest.mark.parametrize(
    ("source", "is_live"),
    [
        pytest.param("rtsp://camera.example/1", True, id="stream"),
        pytest.param("/dev/video0", True, id="device"),
        pytest.param("0", True, id="device number"),
        pytest.param("video.mp4", False, id="file"),
        pytest.param("0/video.mp4", False, id="file in a folder of digits"),
    ],
)
def test_source_is_live_by_its_spelling(source: str, is_live: bool) -> None:
    assert is_live_source(source) is is_live


def test_live_source_is_not_looked_for_beside_the_table(folder: Path) -> None:
    camera = load_table(write_table(folder, ("cameras", 0, "source"), "rtsp://camera.example/1")).cameras[0]
    assert (camera.source, camera.is_live) == ("rtsp://camera.example/1", True)


def test_other_source_takes_the_first_cameras_place(folder: Path) -> None:
    table = load_table(write_table(folder))
    assert table.with_source("other.mkv").cameras[0].source == "other.mkv"
    assert table.with_source("rtsp://camera.example/1").cameras[0].is_live
    assert table.cameras[0].source == str(folder / "video.mp4")


@pytest.mark.parametrize("way", [("loop",), ("cameras", 0, "loop")], ids=["table", "camera"])
def test_loop_is_said_of_the_table_or_of_a_camera(folder: Path, way: tuple[str | int, ...]) -> None:
    assert load_table(write_table(folder, way, True)).cameras[0].loop


def test_gestures_mean_nothing_unless_the_table_says_so(folder: Path) -> None:
    without = load_table(write_table(folder))
    with_gesture = load_table(write_table(folder, ("gestures",), ["no_more_bets"]))
    assert (without.gestures, with_gesture.gestures) == ((), ("no_more_bets",))
    assert not observed_regions(without.layout).sweeps
    assert set(observed_regions(with_gesture.layout, sweeps=True).sweeps) == {
        area.id for area in with_gesture.layout.of_kind("wager")
    }


WRONG = [
    pytest.param(("gestures",), ["wave"], "gestures[0] = wave; must be a list of the dealer's", id="unknown gesture"),
    pytest.param(("colour",), "red", "colour = red; unknown key; allowed: id, rulebook, options", id="unknown key"),
    pytest.param(("id",), 7, "id = 7; must be the table's name", id="id is a number"),
    pytest.param(("id",), ..., "id = (missing); must be the table's name", id="no id"),
    pytest.param(("rulebook",), "uk", "rulebook = uk; unknown rulebook; allowed: ", id="unknown rulebook"),
    pytest.param(("options",), {"speed": 1}, "options.speed = 1; allowed: ", id="option the rulebook lacks"),
    pytest.param(("options",), {"dealing_style": "C"}, "options.dealing_style = C; allowed: A, B", id="style it lacks"),
    pytest.param(("options",), 3, "options = 3; must be a mapping", id="options are a number"),
    pytest.param(("options", "x"), [1], "options.x = [1]; must be a mapping of", id="option is a list"),
    pytest.param(("shoe", "decks"), 0, "shoe.decks = 0; must be a whole number of decks, 1 to 16", id="no decks"),
    pytest.param(("shoe", "decks"), "8", 'shoe.decks = "8"; must be a whole number', id="decks in quotes"),
    pytest.param(("shoe", "device"), "box", "shoe.device = box; must be one of shoe, continuous", id="device"),
    pytest.param(("shoe", "age"), 1, "shoe.age = 1; unknown key; allowed: decks, device", id="unknown key of the shoe"),
    pytest.param(("limits", "minimum"), -5, "limits.minimum = -5; must be a whole number", id="negative limit"),
    pytest.param(("limits", "maximum"), 5, "limits.maximum = 5; must not be below the minimum 25", id="maximum"),
    pytest.param(
        ("limits", "bets", "tie", "maximum"), 1, "limits.bets.tie.maximum = 1; must not be below", id="maximum of a bet"
    ),
    pytest.param(("limits", "bets", "tye"), {}, "limits.bets.tye = tye; must be one of player", id="unknown bet"),
    pytest.param(("layout",), "maxi", "layout = maxi; no such file beside it, and no built-in", id="unknown layout"),
    pytest.param(("layout",), ..., "layout = (missing); must be a path", id="no layout"),
    pytest.param(("chips",), "ours", "chips = ours; no such file beside it, and no built-in", id="unknown chips"),
    pytest.param(("chips",), 3, "chips = 3; must be a path", id="chips are a number"),
    pytest.param(("cards", "size_mm"), [88, 63], "cards.size_mm = [88.0, 63.0]; must be [width, height]", id="lying"),
    pytest.param(("cards", "size_mm"), [63], "cards.size_mm[1] = (missing); must be [width, height]", id="one side"),
    pytest.param(("cameras",), [], "cameras = []; must be a list of cameras", id="no cameras"),
    pytest.param(("cameras", 0, "fps"), 0, "cameras[0].fps = 0; unknown key; allowed: name, source", id="camera key"),
    pytest.param(("cameras", 0, "source"), ..., "cameras[0].source = (missing); must be a video", id="no source"),
    pytest.param(
        ("cameras", 0, "calibration"), "no.yaml", "cameras[0].calibration = no.yaml; no such file", id="no calibration"
    ),
    pytest.param(
        ("cameras",), [TABLE["cameras"][0]] * 2, "cameras[1].name = overhead; must be unique", id="two of one name"
    ),
]


@pytest.mark.parametrize(("way", "value", "told"), WRONG)
def test_wrong_value_is_told_in_one_line(folder: Path, way: tuple[str | int, ...], value: object, told: str) -> None:
    path = write_table(folder, way, value)
    with pytest.raises(TableError) as caught:
        load_table(path)
    assert str(caught.value).startswith(f"{path}: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("table_id", ["../../x", "Salon/2", "a\\b", ".hidden", "a\n", "a+", "#", "ば" * 67, "a" * 100])
def test_table_is_not_called_by_what_leads_out_of_its_folder(folder: Path, table_id: str) -> None:
    with pytest.raises(TableError, match="id = .*; must be the table's name, a text of 1 to 99 characters"):
        load_table(write_table(folder, ("id",), table_id))


@pytest.mark.parametrize("table_id", ["B07", "Salon 2", "Züri-1", "7", "ば台", "ば" * 66, "é" * 99])
def test_table_is_called_as_people_call_it(folder: Path, table_id: str) -> None:
    assert load_table(write_table(folder, ("id",), table_id)).id == table_id


@pytest.mark.parametrize("decks", [5, 6])
def test_rule_tas_4_1_perfect_pairs_need_six_decks(folder: Path, decks: int) -> None:
    path = write_table(folder, ("options",), {"perfect_pair": True})
    path.write_text(path.read_text().replace("decks: 8", f"decks: {decks}"))
    if decks == 6:
        assert read_table_file(path).shoe.decks == 6
        return
    with pytest.raises(TableError, match=r"shoe.decks = 5; must be at least 6 where perfect_pair = true \(tas 4.1\)"):
        read_table_file(path)


@pytest.mark.parametrize(
    ("rulebook", "options", "shoe", "told"),
    [
        pytest.param("nz-authority", {}, {"decks": 3}, "shoe.decks = 3; must be one of 4, 5, 6, 7, 8", id="3.4(a)"),
        pytest.param("nsw", {}, {"decks": 7}, "shoe.decks = 7; must be one of 6, 8 (nsw 3.1)", id="nsw-3.1"),
        pytest.param(
            "nz-secretary", {"dealing_style": "B"}, {"device": "continuous_shuffler"},
            "shoe.device = continuous_shuffler; must be one of shoe, non_continuous_shuffler where dealing_style = B",
            id="style-B",
        ),
        pytest.param("nz-secretary", {"ante": 4}, {}, "options.ante = 4; must be at most 3 where the", id="ante"),
    ],
)  # fmt: skip
def test_equipment_that_the_text_forbids_is_refused(
    folder: Path, rulebook: str, options: dict[str, object], shoe: dict[str, object], told: str
) -> None:
    path = write_table(folder, ("rulebook",), rulebook)
    table = yaml.safe_load(path.read_text()) | {"options": options, "shoe": shoe}
    path.write_text(yaml.safe_dump(table))
    with pytest.raises(TableError) as caught:
        read_table_file(path)
    assert str(caught.value).startswith(f"{path}: {told}")
    path.write_text(yaml.safe_dump(table | {"drill": True}))
    if "ante" not in options:
        assert read_table_file(path).drill


def test_rule_tas_1_more_than_nine_seats_are_refused_but_for_practice(folder: Path) -> None:
    save_calibration(folder / "overhead.yaml", camera_over(load_layout("full-14", folder)))
    path = write_table(folder, ("layout",), "full-14")
    with pytest.raises(TableError, match=r"layout = 14 seats; must be at most 9 \(tas 1\)"):
        load_table(path)
    path.write_text(path.read_text() + "drill: true\n")
    assert load_table(path).layout.name == "full-14"


def test_layout_without_a_hands_box_is_refused(folder: Path) -> None:
    box = {"id": "p", "kind": "hand", "hand": "player", "polygon": [[0, 0], [300, 0], [300, 90]]}
    path = write_table(folder, ("layout",), {"name": "own", "size_mm": [900, 600], "areas": [box]})
    with pytest.raises(TableError, match="layout = own; must have a banker hand area"):
        load_table(path)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        pytest.param("table.yaml", "id: [\n", r"table\.yaml: no valid YAML: line 2", id="broken table"),
        pytest.param("table.yaml", "- 1\n", r"table\.yaml: content = \[1\]; must be a mapping", id="list"),
        pytest.param("overhead.yaml", "zoom: 3\n", r"overhead\.yaml: zoom = 3; unknown key", id="calibration"),
        pytest.param("mini-7", "name: x\n", r"mini-7: size_mm = \(missing\)", id="layout beside the file"),
        pytest.param("house", "chips: x\n", r"house: chips = x; must be a list", id="chips beside the file"),
    ],
)
def test_wrong_file_is_named(folder: Path, name: str, text: str, told: str) -> None:
    path = write_table(folder)
    (folder / name).write_text(text)
    with pytest.raises(UnreadableTableError, match=told):
        load_table(path)


def test_polygon_with_two_points_is_told_with_its_place(folder: Path) -> None:
    area = {"id": "p", "kind": "hand", "hand": "player", "polygon": [[0, 0], [300, 0]]}
    path = write_table(folder, ("layout",), {"name": "own", "size_mm": [900, 600], "areas": [area]})
    with pytest.raises(ServiceError, match=r"layout: areas\[0\]\.polygon = .*must have at least 3 points"):
        load_table(path)


def test_absent_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTableError, match=r"none\.yaml: no such file"):
        load_table(tmp_path / "none.yaml")


HOUSE_CHIPS = (5, 25, 100, 500, 1000, 5000)
OWN_CHIPS = {"diameter_mm": 39, "thickness_mm": 3.3, "chips": [{"value": 50, "name": "grey", "colour": "#777777"}]}


@pytest.mark.parametrize(
    ("chips", "values"),
    [
        pytest.param("house", HOUSE_CHIPS, id="built-in"),
        pytest.param(OWN_CHIPS, (50,), id="mapping"),
        pytest.param("own.yaml", (50,), id="file"),
        pytest.param("elsewhere.yaml", (), id="no-such-file"),
        pytest.param(..., (), id="none-named"),
    ],
)
def test_chips_are_known_where_they_are_at_hand(folder: Path, chips: object, values: tuple[int, ...]) -> None:
    (folder / "own.yaml").write_text(yaml.safe_dump(OWN_CHIPS))
    path = write_table(folder, ("chips",), chips)
    assert read_chip_values(read_table_file(path), path) == values


def test_chips_of_a_broken_file_is_refused(folder: Path) -> None:
    (folder / "own.yaml").write_text("chips: []")
    path = write_table(folder, ("chips",), "own.yaml")
    with pytest.raises(UnreadableTableError, match=r"own\.yaml"):
        read_chip_values(read_table_file(path), path)
