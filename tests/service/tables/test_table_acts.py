"""Tables are added, changed, stopped, started and taken back; what is wrong changes nothing, what is broken off is
either the old or the new."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.service.hand_clock import HandClock
from tests.service.setup.breakages import BREAKAGES
from tests.service.setup.broken import good_setup
from tests.service.tables.set_ups import House, sent_files, with_limit, write_table
from thirdcard.service.config.data_folder import Home, HomeError
from thirdcard.service.config.table_file import load_table
from thirdcard.service.ports.errors import TableError
from thirdcard.service.store import chain
from thirdcard.service.store.audit import AUDIT
from thirdcard.service.tables import file_set
from thirdcard.service.tables.setups import (
    NoSuchSetupError,
    SpoiledSetupError,
    Wanted,
    find_known,
    folder_of,
    list_known,
    table_file_of,
)
from thirdcard.service.tables.table_acts import TableActs, TableStateError, WrongSetupError


def acted(house: House) -> list[tuple[str, str, str]]:
    """Who did what to which table, by the audit."""
    with house.database.reading() as session:
        bodies = [json.loads(line.body) for line in chain.read(session, AUDIT)]
    return [(body["who"], body["action"], body["target"]) for body in bodies]


def state_of(house: House, table_id: str = "B07") -> Wanted:
    with house.database.reading() as session:
        return find_known(session, table_id).wanted


def test_table_that_lies_there_is_its_first_version_and_a_second_start_makes_none(house: House) -> None:
    assert house.versions() == [(1, "file", "files", None)]
    known = house.acts("files").begin()
    assert [(one.table_id, one.setup.version, one.wanted) for one in known] == [("B07", 1, Wanted.WATCHED)]
    table = load_table(table_file_of(house.home, known[0].setup))
    assert Path(table.cameras[0].source).resolve() == house.home.tables.resolve() / "B07" / "video.mp4"


def test_table_is_added_changed_and_taken_back(house: House, tmp_path: Path) -> None:
    acts = house.acts()
    write_table(Home(tmp_path), "B08")
    assert acts.add_from(tmp_path / "tables" / "B08" / "table.yaml", "a new table").version == 1
    assert acts.change("B07", sent_files(with_limit(9000), tmp_path / "sent"), "a high roller").version == 2
    assert (house.limit(), house.limit("B08")) == (9000, 5000)
    house.clock.move(hours=1)
    assert acts.restore("B07", 1, "he has left").version == 3
    assert house.versions() == [
        (3, "restore", "ada", "he has left"),
        (2, "change", "ada", "a high roller"),
        (1, "file", "files", None),
    ]
    assert house.limit() == 5000
    assert acted(house)[1:] == [
        ("ada", "table.added", "table:B08"),
        ("ada", "table.changed", "table:B07"),
        ("ada", "table.restored", "table:B07"),
    ]


def test_files_in_the_tables_folder_follow_and_the_next_start_finds_nothing_new(house: House, tmp_path: Path) -> None:
    (house.home.tables / "B07" / "notes.txt").write_text("call the electrician", encoding="utf-8")
    sent = sent_files(with_limit(9000), tmp_path / "sent")
    setup = yaml.safe_load(sent["table.yaml"]) | {"layout": "cloth/mini.yaml"}
    sent["cloth/mini.yaml"] = sent.pop("layout.yaml")
    house.acts().change("B07", sent | {"table.yaml": yaml.safe_dump(setup).encode()})
    names = set(house.on_disk())
    assert {"table.yaml", "cloth/mini.yaml", "notes.txt", "video.mp4"} <= names
    assert "layout.yaml" not in names
    house.acts("files").begin()
    assert len(house.versions()) == 2


def test_a_table_that_was_one_file_becomes_a_folder(empty_house: House, tmp_path: Path) -> None:
    house, elsewhere = empty_house, tmp_path / "elsewhere"
    elsewhere.mkdir()
    setup = good_setup()
    setup.write(elsewhere)
    for key in ("layout", "chips"):
        setup.table[key] = str(elsewhere / setup.table[key])
    setup.table["cameras"][0] |= {
        "source": "../../elsewhere/video.mp4",
        "calibration": str(elsewhere / "overhead.yaml"),
    }
    text = "# the corner table\n" + yaml.safe_dump(setup.table)
    (house.home.tables / "corner.yaml").write_text(text, encoding="utf-8")
    house.acts("files").begin()
    version, files = house.in_force()
    assert (version, set(files.files)) == (1, {"table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml"})
    assert files.files["table.yaml"].startswith(b"# the corner table\n")
    (elsewhere / "layout.yaml").rename(elsewhere / "moved.yaml")
    with pytest.raises(TableStateError, match="changed by hand"):
        house.acts().restore("B07", 1)
    (elsewhere / "moved.yaml").rename(elsewhere / "layout.yaml")

    house.acts().restore("B07", 1)

    assert not (house.home.tables / "corner.yaml").exists()
    table = load_table(house.home.tables / "B07" / "table.yaml")
    assert Path(table.cameras[0].source).resolve() == (elsewhere / "video.mp4").resolve()
    house.acts("files").begin()
    assert len(house.versions()) == 2


@pytest.mark.parametrize("name", [name for name, one in BREAKAGES.items() if one.is_wrong])
def test_wrong_set_up_is_refused_and_changes_nothing(name: str, house: House, tmp_path: Path) -> None:
    before, setup = house.on_disk(), good_setup()
    BREAKAGES[name].breaks(setup)
    with pytest.raises((WrongSetupError, TableError)) as refused:
        house.acts().change("B07", sent_files(setup, tmp_path / "sent"))
    assert BREAKAGES[name].says in str(refused.value) or "must be B07" in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert (house.on_disk(), len(house.versions())) == (before, 1)
    assert [path.name for path in (house.home.setups / "B07").iterdir()] == ["1"]
    with pytest.raises((WrongSetupError, TableError)):
        house.acts().add({**sent_files(setup, tmp_path / "sent"), "table.yaml": b"id: B09\nrulebook: macao\n"})
    assert not (house.home.setups / "B09").exists()


def test_doubtful_set_up_is_taken_and_what_is_doubtful_is_told(house: House, tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["no shoe"].breaks(setup)
    made = house.acts().change("B07", sent_files(setup, tmp_path / "sent"))
    assert made.version == 2
    assert any("kind shoe" in str(problem) for problem in made.problems)


@pytest.mark.parametrize(
    "name",
    ["../B08/table.yaml", "/etc/passwd", "a/../../x", ".hidden", "a\\b", "a\0b", "", "a//b", "x" * 300, "a/b/c/d/e/f"],
)
def test_name_that_leads_out_of_the_folder_is_refused(name: str, house: House, tmp_path: Path) -> None:
    before = house.on_disk()
    with pytest.raises(TableError, match="set-up: files = "):
        house.acts().change("B07", {**sent_files(good_setup(), tmp_path / "sent"), name: b"x"})
    assert house.on_disk() == before


@pytest.mark.parametrize("way", ["layout", "chips", "cameras.0.calibration", "cameras.0.source", "rulebook"])
def test_set_up_that_names_files_outside_is_refused(way: str, house: House, tmp_path: Path) -> None:
    setup = good_setup()
    within: Any = setup.table
    *parents, last = (int(step) if step.isdigit() else step for step in way.split("."))
    for step in parents:
        within = within[step]
    within[last] = "../B08/x.yaml"
    with pytest.raises(WrongSetupError, match=r"must lie beside it or below"):
        house.acts().change("B07", sent_files(setup, tmp_path / "sent"))


def test_files_changed_by_hand_become_a_version_when_they_are_read_anew(house: House) -> None:
    write_table(house.home, "B07", with_limit(7000))
    with pytest.raises(TableStateError, match="changed by hand"):
        house.acts().restore("B07", 1)
    (made,) = house.acts("ada").reload()
    assert (made.table_id, made.version, house.limit()) == ("B07", 2, 7000)
    assert house.versions()[0] == (2, "file", "ada", None)
    assert house.acts().reload() == []


def test_wrong_files_are_refused_when_they_are_read_anew_and_the_others_are_taken(house: House) -> None:
    write_table(house.home, "B08")
    (house.home.tables / "B07" / "table.yaml").write_text("id: [B07", encoding="utf-8")
    made = {one.table_id: one for one in house.acts().reload()}
    assert (made["B07"].version, made["B08"].version) == (None, 1)
    assert "table.yaml" in str(made["B07"].problems[0])
    assert state_of(house) is Wanted.WATCHED
    assert house.limit() == 5000


def test_table_whose_files_are_deleted_is_gone_and_can_be_taken_back(house: House) -> None:
    shutil.rmtree(house.home.tables / "B07")
    assert house.acts().reload() == []
    with house.database.reading() as session:
        assert list_known(session) == []
    (house.home.folder / "tables" / "B07").mkdir()
    (house.home.tables / "B07" / "video.mp4").write_bytes(b"")
    assert house.acts().restore("B07", 1).version == 2
    assert state_of(house) is Wanted.WATCHED
    assert ("ada", "table.gone", "table:B07") in acted(house)


def test_stopped_table_stays_stopped_over_a_change_and_a_restart(house: House, tmp_path: Path) -> None:
    house.acts().stop("B07", "the cloth is changed")
    with pytest.raises(TableStateError, match="stopped already"):
        house.acts().stop("B07")
    house.acts().change("B07", sent_files(with_limit(9000), tmp_path / "sent"))
    house.acts("files").begin()
    assert state_of(house) is Wanted.STOPPED
    house.acts().start("B07")
    assert state_of(house) is Wanted.WATCHED


@pytest.mark.parametrize(
    "act",
    [
        lambda acts: acts.stop("B99"),
        lambda acts: acts.start("B99"),
        lambda acts: acts.restore("B99", 1),
        lambda acts: acts.restore("B07", 7),
        lambda acts: acts.change("B99", {"table.yaml": b"id: B99"}),
    ],
)
def test_what_is_not_there_is_told(act: Callable[[TableActs], object], house: House) -> None:
    with pytest.raises(NoSuchSetupError, match="no such table|no version"):
        act(house.acts())


def test_table_is_not_added_twice(house: House, tmp_path: Path) -> None:
    with pytest.raises(TableStateError, match="there already"):
        house.acts().add(sent_files(good_setup(), tmp_path / "sent"))
    write_table(house.home, "B08")
    with pytest.raises(TableStateError, match="read again"):
        house.acts().add(sent_files(with_limit(9000, "B08"), tmp_path / "sent"))


def test_change_that_is_another_tables_is_refused(house: House, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="must be B07, the table that is changed"):
        house.acts().change("B07", sent_files(with_limit(9000, "B08"), tmp_path / "sent"))


def test_version_that_somebody_changed_is_not_restored(house: House) -> None:
    (folder_of(house.home, "B07", 1) / "layout.yaml").write_text("name: forged", encoding="utf-8")
    with pytest.raises(SpoiledSetupError, match=r"layout\.yaml: was changed since it was kept"):
        house.acts().restore("B07", 1)


def test_two_tables_of_one_id_are_refused_at_the_start(house: House) -> None:
    write_table(house.home, "B08")
    table = house.home.tables / "B08" / "table.yaml"
    table.write_text(table.read_text(encoding="utf-8").replace("id: B08", "id: B07"), encoding="utf-8")
    with pytest.raises(HomeError, match=r"id = B07; B07/table\.yaml has the same"):
        house.acts("files").begin()


def test_too_much_is_refused(house: House, tmp_path: Path) -> None:
    sent = sent_files(good_setup(), tmp_path / "sent")
    with pytest.raises(TableError, match="bytes at most"):
        house.acts().change("B07", {**sent, "big.png": bytes(file_set.MOST_BYTES)})
    with pytest.raises(TableError, match="files at most"):
        house.acts().change("B07", {**sent, **{f"{n}.png": b"" for n in range(file_set.MOST_FILES)}})


def killed_at(step: int, home: Path, sent: dict[str, bytes]) -> None:
    """Change the table in this process, and kill it at that one of the steps that put something onto the disk."""
    count = 0

    def watched(act: Any) -> Any:
        def counted(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*args, **options)

        return counted

    Path.replace, os.fsync, Path.unlink = watched(Path.replace), watched(os.fsync), watched(Path.unlink)  # type: ignore[method-assign]
    database = Home(home).open_database({})
    TableActs(home=Home(home), database=database, now=HandClock(), who="ada").change("B07", sent)
    os._exit(0)


def test_change_that_is_killed_leaves_the_old_or_the_new_whole(house: House, tmp_path: Path) -> None:
    old, sent = house.in_force()[1], sent_files(with_limit(9000), tmp_path / "sent")
    seen: set[int] = set()
    for step in range(1, 100):
        work = tmp_path / f"killed-{step}"
        shutil.copytree(house.home.folder, work, symlinks=True)
        process = multiprocessing.get_context("fork").Process(target=killed_at, args=(step, work, sent))
        process.start()
        process.join(60)
        home = Home(work)
        database = home.open_database({})
        after = House(home, database, HandClock())
        after.acts("files").begin()
        version, files = after.in_force()
        database.close()
        assert files.digest == old.digest if version == 1 else files.files == sent
        assert {name: after.on_disk()[name] for name in files.files} == files.files
        assert len(after.versions()) == version
        assert {path.name for path in (home.setups / "B07").iterdir()} <= {"1", "2"}
        seen.add(version)
        shutil.rmtree(work)
        if process.exitcode == 0:
            break
    assert (seen, process.exitcode) == ({1, 2}, 0)
    assert step > 10
