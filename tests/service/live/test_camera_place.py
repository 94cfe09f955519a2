"""How a live table's camera hangs is kept, told to people, and used when the table is started again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.service.hand_clock import HandClock
from tests.service.setup.broken import good_setup
from tests.service.store.conftest import NOW
from tests.service.tables.set_ups import House, write_table
from tests.vision.printed_cloth import cloth, seen, turned
from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.history import CameraHistory
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.place_folder import PlaceFolder
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.live.camera import Shot
from thirdcard.service.live.camera_place import SETTLED_S, PlaceKeeper, placed
from thirdcard.service.store.chain import read
from thirdcard.vision.frames import Frame
from thirdcard.vision.observations import CameraRefitted


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """One with the table B07, whose files a person put there; the service has started once."""
    home = Home(tmp_path / "home")
    home.make()
    database = home.open_database({})
    made = House(home, database, HandClock())
    write_table(home, "B07")
    made.acts("files").begin()
    yield made
    database.close()


@pytest.fixture
def table(house: House) -> TableConfig:
    """A table as its version in force says."""
    return load_table(house.home.tables / "B07" / "table.yaml")


def keeper_of(house: House, table: TableConfig) -> PlaceKeeper:
    folder = PlaceFolder(house.home.place(table.id))
    return PlaceKeeper(folder, table, house.database, lambda: NOW, has_reference=False)


def look(table: TableConfig, t: float, level: int = 90) -> Shot:
    width, height = table.cameras[0].calibration.image_size_wh_px
    return Shot(NOW, Frame(0, t, np.full((height, width, 3), level, np.uint8)), NOW)


def watch_of(table: TableConfig, *refits: CameraRefitted, is_idle: bool = True) -> Any:
    camera = CameraHistory(table.cameras[0].calibration)
    for one in refits:
        if one.is_used:
            camera.change(one.t, one.calibration)
    observer = SimpleNamespace(is_picture_good=True)
    doubts: list[str] = []
    return SimpleNamespace(
        refits=list(refits),
        camera=camera,
        is_idle=is_idle,
        observer=observer,
        doubts=doubts,
        belief=SimpleNamespace(doubt=doubts.append),
    )


def fitted(table: TableConfig, *, is_used: bool = True) -> CameraRefitted:
    calibration = turned(table.cameras[0].calibration, (0.0, 0.0, 0.4), (10.0, 0.0, 0.0))
    return CameraRefitted(t=40.0, calibration=calibration, moved_mm=18.24, within_mm=0.214, is_used=is_used)


def far_apart(one: Calibration, other: Calibration) -> float:
    places = np.array([[300.0, 300.0], [1500.0, 800.0]])
    return float(np.abs(one.layout_from_image(other.image_from_layout(places)) - places).max())


def test_nothing_is_kept_before_the_stream_has_settled(house: House, table: TableConfig) -> None:
    keeper = keeper_of(house, table)
    for t in (0.0, SETTLED_S - 0.1):
        keeper.note(look(table, t), watch_of(table))
    keeper.note(look(table, SETTLED_S), watch_of(table, is_idle=False))
    assert placed(table, keeper.folder)[1] is None


def test_picture_is_kept_once_and_found_again(house: House, table: TableConfig) -> None:
    keeper = keeper_of(house, table)
    keeper.note(look(table, 0.0), watch_of(table))
    for level in (100, 200):
        keeper.note(look(table, SETTLED_S, level), watch_of(table))
    again, reference = placed(table, keeper.folder)
    assert reference is not None and int(reference.mean()) == 100
    assert far_apart(again.cameras[0].calibration, table.cameras[0].calibration) < 0.01


@pytest.mark.parametrize("is_swapped", [False, True])
def test_words_of_the_cloth_are_compared_with_the_layout_once(
    house: House, table: TableConfig, is_swapped: bool
) -> None:
    other = {"player": "banker", "banker": "player"}
    areas = (replace(area, hand=other[area.hand]) if area.hand else area for area in table.layout.areas)
    shown = replace(table, layout=replace(table.layout, areas=tuple(areas))) if is_swapped else table
    keeper, watch = keeper_of(house, shown), watch_of(shown)
    grey = seen(table.cameras[0].calibration, cloth(1, has_lines=True))
    for t in (0.0, SETTLED_S, SETTLED_S + 1):
        keeper.note(Shot(NOW, Frame(0, t, np.dstack([grey] * 3)), NOW), watch)
    assert watch.doubts == (["boxes_swapped"] if is_swapped else [])


def test_fit_that_is_used_holds_after_a_start(house: House, table: TableConfig) -> None:
    keeper, fit = keeper_of(house, table), fitted(table)
    keeper.note(look(table, 40.0, 120), watch_of(table, fit))
    again, reference = placed(table, keeper.folder)
    assert far_apart(again.cameras[0].calibration, fit.calibration) < 0.01
    assert reference is not None and int(reference.mean()) == 120
    facts = keeper.folder.fit(table)
    assert facts is not None and (facts.moved_mm, facts.within_mm, facts.is_used) == (18.2, 0.21, True)
    assert keeper.hint == facts.text and "18 mm" in facts.text
    assert all(keeper.folder.picture(which).stat().st_size > 1000 for which in ("before", "after"))
    with house.database.reading() as session:
        (told,) = [line for line in read(session, "audit") if json.loads(line.body)["action"] == "camera.refitted"]
    assert json.loads(told.body)["details"] == {"moved_mm": 18.2, "within_mm": 0.21, "is_used": True}


def test_fit_for_a_person_changes_nothing(house: House, table: TableConfig) -> None:
    keeper = keeper_of(house, table)
    keeper.note(look(table, 40.0), watch_of(table, fitted(table, is_used=False)))
    again, reference = placed(table, keeper.folder)
    assert again is table and reference is None
    facts = keeper.folder.fit(table)
    assert facts is not None and not facts.is_used


def test_accepted_fit_becomes_a_version_that_is_compared_with_the_same_picture(
    house: House, table: TableConfig
) -> None:
    keeper, fit = keeper_of(house, table), fitted(table)
    keeper.note(look(table, 40.0), watch_of(table, fit))
    made = house.acts().recalibrate("B07", keeper.folder.offered.read_bytes())
    assert made.version == 2
    changed = load_table(house.home.tables / "B07" / "table.yaml")
    assert far_apart(changed.cameras[0].calibration, fit.calibration) < 0.01
    assert keeper.folder.fit(changed) is None
    again, reference = placed(changed, keeper.folder)
    assert far_apart(again.cameras[0].calibration, fit.calibration) < 0.01
    assert reference is not None


@pytest.mark.parametrize("name", ["held.json", "held.yaml", "reference.png", "fit.json"])
def test_spoiled_file_costs_nothing_else(house: House, table: TableConfig, name: str) -> None:
    keeper = keeper_of(house, table)
    keeper.note(look(table, 40.0), watch_of(table, fitted(table)))
    (keeper.folder.path / name).write_bytes(b"\x00 spoiled")
    again, _ = placed(table, keeper.folder)
    assert again.id == table.id
    keeper.folder.fit(table)


def test_disk_that_takes_nothing_does_not_end_the_watch(
    house: House, table: TableConfig, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = keeper_of(house, table)
    house.home.place("B07").parent.mkdir(parents=True, exist_ok=True)
    house.home.place("B07").write_text("a file stands in the folder's way")
    keeper.note(look(table, 40.0), watch_of(table, fitted(table)))
    assert "cannot be kept" in caplog.text
    assert keeper.hint is not None


def test_calibration_in_use_is_written_as_the_files_have_it(house: House, table: TableConfig) -> None:
    keeper, fit = keeper_of(house, table), fitted(table)
    keeper.note(look(table, 40.0), watch_of(table, fit))
    assert far_apart(load_calibration(keeper.folder.offered), fit.calibration) < 0.01
    assert good_setup().camera["image_size"] == list(fit.calibration.image_size_wh_px)
