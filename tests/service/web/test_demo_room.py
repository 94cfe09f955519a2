"""The room to look at: four tables and an admin, furnished once."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.repository import ROOT
from thirdcard.service.config.data_folder import Home
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import people
from thirdcard.service.web.demo_room import ADMIN, BEGINNINGS_S, RECORDING, furnish
from thirdcard.vision.video.video import probe


def test_room_has_four_tables_that_play_and_one_admin(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    database = home.open_database({})

    password = furnish(home, database, now=now_utc(), cores=4)
    again = furnish(home, database, now=now_utc(), cores=4)

    assert password is not None
    assert again is None
    with database.writing() as session:
        assert people.sign_in(session, ADMIN, password, now=now_utc()) is not None
    database.close()
    tables = home.load_tables()
    assert [table.id for table in tables] == ["T1", "T2", "T3", "T4"]
    lengths = [probe(table.cameras[0].source).duration_s or 0.0 for table in tables]
    assert lengths == sorted(lengths, reverse=True)
    for table, began_s in zip(tables, BEGINNINGS_S, strict=True):
        assert table.cameras[0].loop
        lines = Path(table.cameras[0].source).with_name("signals.jsonl").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        assert events[0]["type"] == "dealer_changed"
        assert events[1]["type"] in ("bets_opened", "no_more_bets"), began_s
        assert 0.0 < events[1]["t"] < 3.0, began_s


@pytest.mark.parametrize(("cores", "tables"), [(1, 2), (2, 2), (3, 4)])
def test_small_machines_get_two_tables(tmp_path: Path, cores: int, tables: int) -> None:
    home = Home(tmp_path)
    home.make()
    database = home.open_database({})
    furnish(home, database, now=now_utc(), cores=cores)
    database.close()
    assert len(home.load_tables()) == tables


def test_recording_is_part_of_the_installed_program() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packed = settings["tool"]["setuptools"]["package-data"]
    patterns = [*packed["*"], *packed["thirdcard.datasets.demo"]]
    left_out = [path.name for path in RECORDING.iterdir() if not any(path.match(pattern) for pattern in patterns)]
    assert left_out == []
