"""Everything that is wrong with a table is found in one go, and nothing with one that is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.calibration.cameras import camera_over
from tests.repository import ROOT
from tests.service.setup.breakages import BREAKAGES
from tests.service.setup.broken import Setup, good_setup
from tests.service.watch_fakes import write_video
from tests.vision.printed_cloth import cloth, seen
from thirdcard.calibration.camera import parse_calibration
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, load_layout
from thirdcard.service.cli.entry import app
from thirdcard.service.setup.camera_grade import camera_problems
from thirdcard.service.setup.layout_problems import layout_problems
from thirdcard.service.setup.problems import Grade
from thirdcard.service.setup.table_check import check_table


@pytest.mark.parametrize("name", BREAKAGES)
def test_every_breakage_is_named_with_its_file_and_key(name: str, tmp_path: Path) -> None:
    breakage, setup = BREAKAGES[name], good_setup()
    breakage.breaks(setup)
    found = check_table(setup.write(tmp_path)).problems
    fitting = [
        problem
        for problem in found
        if breakage.where in problem.where and breakage.key in problem.key and breakage.says in problem.say
    ]
    assert fitting, "\n".join(map(str, found)) or "nothing was found"
    assert all(problem.grade is (Grade.WRONG if breakage.is_wrong else Grade.DOUBTFUL) for problem in fitting)


def run(*arguments: object) -> Result:
    """The command, as from a terminal."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_nothing_is_found_at_a_table_that_is_right(tmp_path: Path) -> None:
    told = run("check", good_setup().write(tmp_path))
    assert told.exit_code == 0
    assert "nothing wrong" in told.output
    assert "player-box" in told.output


def test_all_breakages_of_one_file_are_named_at_once(tmp_path: Path) -> None:
    setup = good_setup()
    names = (
        "an area outside the cloth",
        "an area of an unknown kind",
        "two areas that overlap",
        "a camera below the table",
    )
    for name in names:
        BREAKAGES[name].breaks(setup)
    setup.table["shoe"]["decks"] = 0
    setup.table["limits"]["minimum"] = -1
    found = check_table(setup.write(tmp_path)).problems
    for name in names:
        assert any(BREAKAGES[name].says in problem.say for problem in found), name
    assert {"shoe.decks", "limits.minimum"} <= {problem.key for problem in found}
    grades = [problem.grade for problem in found]
    assert grades == sorted(grades, key=lambda grade: grade is not Grade.WRONG)


@pytest.mark.parametrize(
    ("breaks", "keys"),
    [
        pytest.param(
            lambda setup: setup.table.update(
                cameras=[{"name": "a", "transprot": "tcp", "source": "none.mp4", "calibration": "none.yaml"}]
            ),
            {"cameras[0].transprot", "cameras[0].source", "cameras[0].calibration"},
            id="camera",
        ),
        pytest.param(
            lambda setup: setup.table.update(cameras=[{"name": 5, "source": "none.mp4"}]),
            {"cameras[0].name", "cameras[0].source", "cameras[0].calibration"},
            id="camera without a name",
        ),
        pytest.param(
            lambda setup: setup.table.update(
                limits={
                    "minimum": 100,
                    "maximum": 50,
                    "maximun": 3,
                    "bets": {"tie": {"minimum": 9, "maximum": 5}, "dragon_seven": {"maximum": 5}},
                }
            ),
            {"limits.maximun", "limits.maximum", "limits.bets.tie.maximum", "limits.bets.dragon_seven"},
            id="limits",
        ),
        pytest.param(
            lambda setup: setup.table.update(shoe={"decks": 3, "devices": "shoe"}),
            {"shoe.decks", "shoe.devices"},
            id="shoe",
        ),
        pytest.param(
            lambda setup: setup.table.update(
                rulebook="nsw", options={}, shoe={"decks": 3, "device": "continuous_shuffler"}
            ),
            {"shoe.decks", "shoe.device"},
            id="decks and device",
        ),
        pytest.param(
            lambda setup: setup.table.update(rulebook="macao", limits={"minimum": 100, "maximum": 50}),
            {"rulebook", "limits.maximum"},
            id="rulebook",
        ),
        pytest.param(
            lambda setup: setup.layout.update(name="", size_mm=[2.13, 1.07]) or setup.area("shoe").update(kind="shoes"),
            {"name", "size_mm", "areas[2].kind"},
            id="cloth",
        ),
        pytest.param(
            lambda setup: setup.layout["areas"].insert(
                0, {"id": "x", "kind": "wager", "seat": 0, "bet": "Tie", "polygon": [[0, 0], [1], ["a", 2]], "nam": 1}
            ),
            {f"areas[0].{key}" for key in ("seat", "bet", "polygon[1]", "polygon[2]", "nam")},
            id="area",
        ),
        pytest.param(
            lambda setup: setup.chips["chips"][0].update(value=0, colour="green", name=""),
            {"chips[0].value", "chips[0].colour", "chips[0].name"},
            id="chip",
        ),
        pytest.param(
            lambda setup: setup.chips.update(diameter_mm=1.5, thickness_mm=0.1),
            {"diameter_mm", "thickness_mm"},
            id="inches",
        ),
        pytest.param(
            lambda setup: setup.camera.update(
                image_size=[1], camera_matrix=[[1]], distortion=None, residual_px=-1, x=1
            ),
            {"image_size", "camera_matrix", "distortion", "residual_px", "x"},
            id="calibration",
        ),
        pytest.param(lambda setup: setup.table.update({1: "x", "shoe": 3}), {"1", "shoe"}, id="keys"),
    ],
)
def test_no_mistake_hides_another(breaks: Callable[[Setup], object], keys: frozenset[str], tmp_path: Path) -> None:
    setup = good_setup()
    breaks(setup)
    found = {problem.key for problem in check_table(setup.write(tmp_path)).problems if problem.grade is Grade.WRONG}
    assert keys == found


def test_refused_area_is_not_reported_as_missing_too(tmp_path: Path) -> None:
    setup = good_setup()
    for name, key, value in (("banker-box", "hand", "bank"), ("shoe", "seat", 0), ("s5-banker", "bet", "Banker")):
        setup.area(name)[key] = value
    found = check_table(setup.write(tmp_path)).problems
    assert sorted(problem.key.rpartition(".")[2] for problem in found) == ["bet", "hand", "seat"]


def test_paths_that_are_too_long_are_problems_of_their_keys(tmp_path: Path) -> None:
    setup, name = good_setup(), f"{'l' * 300}.yaml"
    setup.table["layout"] = setup.table["chips"] = name
    setup.table["cameras"][0].update(source=name.replace("yaml", "mp4"), calibration=name)
    setup.table["cards"]["deck"] = name
    found = {problem.key: problem.say for problem in check_table(setup.write(tmp_path)).problems}
    assert {*found} == {"cameras[0].source", "cameras[0].calibration", "cards.deck", "layout", "chips"}
    assert all("200 characters at most" in say or "is too long" in say for say in found.values())


def test_file_that_is_not_in_utf_8_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = good_setup().write(tmp_path)
    (tmp_path / "layout.yaml").write_bytes("name: Café\n".encode("latin-1"))
    assert [(problem.where, problem.say) for problem in check_table(path).problems] == [
        (str(tmp_path / "layout.yaml"), "is not in UTF-8; save it as UTF-8")
    ]


def test_camera_that_cannot_be_reached_is_one_problem_among_the_others(tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["two chips alike"].breaks(setup)
    setup.table["cameras"][0]["source"] = "rtsp://eye:secret@127.0.0.1:9/x"
    told = run("check", setup.write(tmp_path), "--look", "--json")
    problems = json.loads(told.output)["problems"]
    assert told.exit_code == 1
    assert [problem["grade"] for problem in problems] == ["wrong", "doubtful"]
    assert "is the camera on" in problems[0]["say"]
    assert "secret" not in told.output


def test_camera_is_looked_through_though_the_files_are_wrong(tmp_path: Path) -> None:
    setup = good_setup()
    setup.table["limits"]["maximum"] = 10
    setup.table["cameras"][0]["source"] = "rtsp://127.0.0.1:9/x"
    told = run("check", setup.write(tmp_path), "--look")
    assert told.exit_code == 1
    assert "limits.maximum = 10" in told.output
    assert "rtsp://127.0.0.1:9/x: Connection refused" in told.output
    assert "doubtful" in told.output and "no picture was compared with the layout" in told.output


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param("none.png", "no such file", id="missing"),
        pytest.param("video.mp4", "is empty", id="empty"),
        pytest.param("table.yaml", "table.yaml: ", id="no picture"),
        pytest.param("face1.png", "size = 120 x 120", id="size"),
        pytest.param("dark.png", "more light", id="dark"),
    ],
)
def test_picture_that_cannot_be_compared_is_one_problem_among_the_others(name: str, says: str, tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["two chips alike"].breaks(setup)
    table = setup.write(tmp_path)
    camera = parse_calibration(setup.camera, "overhead.yaml")
    cv2.imwrite(str(tmp_path / "dark.png"), seen(camera, cloth(1, has_lines=True)) // 25)
    told = run("check", table, "--picture", tmp_path / name)
    assert told.exit_code == 1
    assert says in told.output and "looks like green" in told.output
    assert f"{name}: {tmp_path}" not in told.output


def test_area_is_named_by_its_own_number_though_others_before_it_are_refused(tmp_path: Path) -> None:
    setup = good_setup()
    for place in (1, 4):
        setup.layout["areas"][place]["kind"] = "unknown"
    keys = {problem.key for problem in check_table(setup.write(tmp_path)).problems}
    assert {"areas[1].kind", "areas[4].kind"} <= keys


def test_programs_get_an_object_and_status_1_where_something_is_wrong(tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["a maximum below the minimum"].breaks(setup)
    told = run("check", setup.write(tmp_path), "--json")
    assert told.exit_code == 1
    answer = json.loads(told.output)
    assert answer["fit"] is False
    assert answer["problems"][0]["key"] == "limits.maximum"
    assert answer["problems"][0]["value"] == 10
    assert {place["area"] for place in answer["camera"]["areas"]} >= {"player-box", "s1-player"}


def test_programs_get_an_object_though_a_value_is_none_of_json(tmp_path: Path) -> None:
    setup = good_setup()
    setup.table["id"] = date(2024, 1, 1)
    told = run("check", setup.write(tmp_path), "--json")
    assert [problem["value"] for problem in json.loads(told.output)["problems"]] == ["2024-01-01"]


def test_doubts_alone_leave_status_0(tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["two chips alike"].breaks(setup)
    told = run("check", setup.write(tmp_path))
    assert told.exit_code == 0
    assert "0 wrong, 1 doubtful" in told.output


def test_folder_stands_for_the_table_in_it(tmp_path: Path) -> None:
    good_setup().write(tmp_path)
    assert run("check", tmp_path).exit_code == 0
    assert run("check", tmp_path / "none").exit_code == 2


def test_password_of_a_camera_is_not_shown(tmp_path: Path) -> None:
    setup = good_setup()
    setup.table["cameras"].append({"name": "side", "source": "rtsp://eye:secret@10.0.0.5/live", "calibration": "no"})
    setup.table["cameras"][0]["wall_source"] = "eye:secret@10.0.0.5/small"
    for arguments in (("check", setup.write(tmp_path)), ("check", tmp_path, "--json")):
        assert "secret" not in run(*arguments).output


@pytest.mark.parametrize("name", BUILT_IN_LAYOUTS)
def test_shipped_cloths_have_nothing_odd(name: str) -> None:
    layout = load_layout(name, Path())
    assert list(layout_problems(layout, name, card_mm=(63, 88), chip_mm=39)) == []
    width, height = layout.size_mm
    camera = camera_over(layout, distance_mm=1.05 * width)
    found = list(camera_problems(camera, layout, name, card_mm=(63, 88), chip_mm=(39, 3.3)))
    assert [problem.key for problem in found] == ([] if width / height < 2.2 else ["image_size", "image_size"])


def test_shipped_demo_is_right() -> None:
    assert check_table(ROOT / "datasets" / "demo" / "table.yaml").problems == ()


@pytest.mark.parametrize("is_swapped", [False, True])
def test_picture_shows_bets_that_are_swapped_against_the_words_on_the_cloth(tmp_path: Path, is_swapped: bool) -> None:
    setup = good_setup()
    other = {"player": "banker", "banker": "player"}
    for area in setup.layout["areas"] if is_swapped else ():
        area["bet"] = other.get(area.get("bet"), area.get("bet"))
    camera = parse_calibration(setup.camera, "overhead.yaml")
    cv2.imwrite(str(tmp_path / "now.png"), seen(camera, cloth(1, has_lines=True)))
    told = run("check", setup.write(tmp_path), "--picture", tmp_path / "now.png")
    assert told.exit_code == 0
    assert ("Player's and Banker's bets look swapped" in told.output) == is_swapped
    assert ("table.yaml: layout: areas.s" in told.output) == is_swapped


def test_every_fault_of_the_house_s_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "tables" / "B07"
    folder.mkdir(parents=True)
    path = good_setup().write(folder)
    house = tmp_path / "house.yaml"
    house.write_text("# nothing yet\n", encoding="utf-8")
    assert check_table(path).is_fit
    house.write_text("port: 99999\ntimezone: UTC\nalerts: {false_per_table_hour: -1}\n", encoding="utf-8")
    found = {(problem.where, problem.key) for problem in check_table(path).problems}
    assert found == {(str(house), key) for key in ("port", "timezone", "alerts.false_per_table_hour")}


def test_keys_with_dots_that_begin_alike_are_both_named(tmp_path: Path) -> None:
    setup = good_setup()
    setup.table["alerts"] = {"codes": {"late_bet": 1, "late_bet.placd": 1}}
    found = {problem.key for problem in check_table(setup.write(tmp_path)).problems}
    assert found == {"alerts.codes.late_bet", "alerts.codes.late_bet.placd"}


@pytest.mark.parametrize("homography", [None, [[0.0] * 3] * 3], ids=["null", "singular"])
def test_homography_beside_a_pose_may_be_nothing(homography: object, tmp_path: Path) -> None:
    setup = good_setup()
    setup.camera["homography"] = homography
    assert check_table(setup.write(tmp_path)).is_fit is (homography is None)


def test_ids_that_name_something_else_are_no_mix_up(tmp_path: Path) -> None:
    setup = good_setup()
    setup.area("s1-banker")["id"] = "player-1-b"
    assert check_table(setup.write(tmp_path)).problems == ()


def test_unknown_bet_is_no_missing_area_too(tmp_path: Path) -> None:
    setup = good_setup()
    setup.area("s1-banker")["bet"] = "bnker"
    (problem,) = check_table(setup.write(tmp_path)).problems
    assert problem.key == "areas.s1-banker.bet"


def test_seam_between_two_boxes_is_no_overlap(tmp_path: Path) -> None:
    setup = good_setup()
    one, other = (np.array(setup.area(f"{hand}-box")["polygon"], float) for hand in ("player", "banker"))
    gap = other[:, 0].min() - one[:, 0].max()
    for wide, is_fit in ((2.0, True), (20.0, False)):
        setup.area("player-box")["polygon"] = (one + np.array([gap + wide, 0.0])).tolist()
        assert check_table(setup.write(tmp_path)).is_fit is is_fit


def test_folder_without_a_table_is_named_as_that(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no table.yaml" in result.output + (result.stderr if result.stderr_bytes else "")


@pytest.mark.parametrize(
    ("is_film", "says", "status"),
    [pytest.param(True, "image_size", 1, id="smaller"), pytest.param(False, "cameras[0].source", 0, id="no film")],
)
def test_film_is_opened(is_film: bool, says: str, status: int, tmp_path: Path) -> None:
    path = good_setup().write(tmp_path)
    if is_film:
        write_video(tmp_path / "video.mp4")
    else:
        (tmp_path / "video.mp4").write_text("no film", encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path)])
    assert (says in result.output, result.exit_code) == (True, status), result.output
