"""Three tables that are watched by their own processes, fed as logs: one is changed in the middle of a round."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import select

from tests.endurance.fed_tables import furnish_fed_tables, make_still_film, round_lines
from thirdcard.service.alerts.signals import keep_signal
from thirdcard.service.config.data_folder import Home
from thirdcard.service.live.live_tables import WatchedTables
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import LogRow, RoundRow
from thirdcard.service.tables.following import FactsOfTables, Following
from thirdcard.service.tables.setups import find_known, read_files
from thirdcard.service.tables.table_acts import TableActs

PATIENCE_S = 300.0
NAMES = ("F1", "F2", "F3")
CUT = 5
"""So many lines of a round are reported before the change: a card lies on the table."""


@dataclass(slots=True)
class Floor:
    """A service without pages."""

    home: Home
    database: Database
    live: WatchedTables

    def report(self, names: tuple[str, ...], lines: list[dict[str, Any]]) -> None:
        """Devices report these lines, a third of a second apart."""
        for line in lines:
            at = now_utc()
            with self.database.writing() as session:
                for name in names:
                    keep_signal(session, name, at, {**line, "source": "signal"})
            for name in names:
                self.live.nudge(name)
            time.sleep(0.3)

    def wait(self, what: Callable[[], object]) -> None:
        """Until it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not what():
            assert time.monotonic() < deadline, [(one.table_id, one.camera, one.fault) for one in self.live.states()]
            time.sleep(0.1)

    def state(self, name: str) -> TableStatus:
        """How a table stands."""
        found = self.live.state(name)
        assert found is not None
        return found

    def are_playing(self) -> bool:
        """Whether all tables look."""
        states = [self.live.state(name) for name in NAMES]
        return all(one is not None and one.camera == "playing" and one.frames for one in states)

    def rounds(self, name: str) -> list[tuple[int, int | None, bool]]:
        """Each round of a table: the minimum of its log's rules, its cards, and whether it is complete."""
        with self.database.reading() as session:
            rows = session.execute(
                select(RoundRow, LogRow).join(LogRow, LogRow.id == RoundRow.log_id).where(RoundRow.table_id == name)
            ).all()
            bodies = [(json.loads(row.body), json.loads(log.rules)) for row, log in rows]
        return [(rules["limits"].get("minimum"), len(body["player"]), body["complete"]) for body, rules in bodies]

    def lines(self, name: str) -> list[dict[str, Any]]:
        """A table's log."""
        with self.database.reading() as session:
            return [json.loads(line.body) for line in chain.read(session, log_chain(name))]


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    home = Home(tmp_path / "home")
    home.make()
    film = tmp_path / "still.mp4"
    make_still_film(film, minutes=15)
    furnish_fed_tables(home, film, NAMES)
    database = home.open_database({})
    live = WatchedTables(home.folder, home.live, now_utc)
    following = Following(home, database, live, FactsOfTables(), {})
    following.learn(TableActs(home=home, database=database, now=now_utc, who="files").begin())
    live.start()
    following.start()
    try:
        yield Floor(home, database, live)
    finally:
        following.stop()
        live.stop()
        database.close()


def test_changed_table_ends_its_round_with_the_old_set_up_and_the_others_do_not_notice(floor: Floor) -> None:
    floor.wait(floor.are_playing)
    pids = {name: floor.live.pid_of(name) for name in NAMES}
    acts = TableActs(home=floor.home, database=floor.database, now=now_utc, who="ada")
    with floor.database.reading() as session:
        files = dict(read_files(floor.home, find_known(session, "F1").setup).files)
    table = yaml.safe_load(files["table.yaml"])
    before = table["limits"]["minimum"]
    table["limits"]["minimum"] = before * 2
    first = [line for _, line in round_lines(0, None)]

    floor.report(NAMES, first[:CUT])
    floor.wait(lambda: floor.state("F1").player)
    assert acts.change("F1", {**files, "table.yaml": yaml.safe_dump(table).encode()}).version == 2
    floor.wait(lambda: floor.state("F1").setup_waits)
    time.sleep(1.0)
    assert (floor.live.pid_of("F1"), floor.state("F1").setup) == (pids["F1"], 1)
    floor.report(NAMES, first[CUT:] + [line for _, line in round_lines(1, None)])
    floor.wait(lambda: floor.live.pid_of("F1") not in (None, pids["F1"]) and floor.are_playing())
    floor.wait(lambda: all(len(floor.rounds(name)) == 2 for name in NAMES))

    assert floor.rounds("F1") == [(before, 2, True), (before * 2, 2, True)]
    assert (floor.state("F1").setup, floor.state("F1").setup_waits) == (2, False)
    for name in ("F2", "F3"):
        assert floor.rounds(name) == [(before, 2, True), (before, 2, True)]
        assert floor.live.pid_of(name) == pids[name]
        assert [line for line in floor.lines(name) if line.get("fault") == "stopped"] == []
    dealt = {name: [line["card"] for line in floor.lines(name) if line["type"] == "card_dealt"] for name in NAMES}
    assert dealt["F1"] == dealt["F2"] == dealt["F3"]
    assert len(dealt["F1"]) == 8

    acts.stop("F3", "the night is over")
    floor.wait(lambda: floor.live.state("F3") is None and "F3" not in floor.live.running())
    acts.start("F3")
    floor.wait(floor.are_playing)
    assert floor.live.pid_of("F2") == pids["F2"]
