"""Everything that is wrong with a table is found in one go, and nothing with one that is right."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from tests.calibration.cameras import camera_over
from tests.repository import ROOT
from tests.service.setup.broken import BREAKAGES, good_setup
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
    names = ("an area outside the cloth", "an area of an unknown kind", "two areas that overlap", "no discard rack")
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
