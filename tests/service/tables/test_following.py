"""What is watched follows the database, whoever wrote there; what pages know follows what is watched."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from tests.service.tables.set_ups import House, sent_files, with_limit, write_table
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.tables.following import FactsOfTables, Following
from thirdcard.service.tables.setups import folder_of

PATIENCE_S = 30.0


@dataclass
class FakeWatching:
    """Applies each set-up on request."""

    next: dict[str, Path] = field(default_factory=dict)
    now: dict[str, Path] = field(default_factory=dict)

    def watch(self, table_id: str, table_file: Path) -> None:
        """It is next."""
        self.next[table_id] = table_file

    def unwatch(self, table_id: str) -> None:
        """It ends."""
        del self.next[table_id]

    def end_rounds(self) -> None:
        """Every table takes what is next."""
        self.now = dict(self.next)

    def wanted(self) -> dict[str, Path]:
        """What is next."""
        return dict(self.next)

    def running(self) -> dict[str, Path]:
        """What is watched."""
        return dict(self.now)


@dataclass
class Followed:
    """A house that is followed."""

    house: House
    watching: FakeWatching
    facts: FactsOfTables
    tables: dict[str, TableConfig]
    following: Following

    def limits(self) -> dict[str, object]:
        """What pages know: the most that may be bet, by table."""
        return {one.table_id: one.limits["maximum"] for one in self.facts}

    def wait(self, what: Callable[[], bool]) -> None:
        """Until it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not what():
            assert time.monotonic() < deadline, (self.watching, self.limits())
            time.sleep(0.02)


@pytest.fixture
def followed(house: House) -> Iterator[Followed]:
    write_table(house.home, "B08")
    known = house.acts("files").begin()
    watching, facts, tables = FakeWatching(), FactsOfTables(), dict[str, TableConfig]()
    following = Following(house.home, house.database, watching, facts, tables)
    following.learn(known)
    following.start()
    watching.end_rounds()
    yield Followed(house, watching, facts, tables, following)
    following.stop()


def test_pages_know_the_new_set_up_when_it_is_watched(followed: Followed, tmp_path: Path) -> None:
    assert followed.limits() == {"B07": 5000, "B08": 5000}
    followed.house.acts().change("B07", sent_files(with_limit(9000), tmp_path / "sent"))
    place = folder_of(followed.house.home, "B07", 2) / "table.yaml"
    followed.wait(lambda: followed.watching.next["B07"] == place)
    assert followed.limits() == {"B07": 5000, "B08": 5000}
    followed.watching.end_rounds()
    followed.following.wake()
    followed.wait(lambda: followed.limits() == {"B07": 9000, "B08": 5000})
    assert followed.tables["B07"].limits.maximum == 9000


def test_what_another_process_wrote_is_followed(followed: Followed) -> None:
    other = House(followed.house.home, followed.house.home.open_database({}), followed.house.clock)
    other.acts().stop("B07")
    followed.wait(lambda: followed.watching.next.keys() == {"B08"})
    other.acts().start("B07")
    followed.wait(lambda: followed.watching.next.keys() == {"B07", "B08"})
    shutil.rmtree(other.home.tables / "B07")
    other.acts().reload()
    followed.wait(lambda: followed.watching.next.keys() == {"B08"})
    followed.watching.end_rounds()
    followed.wait(lambda: followed.tables.keys() == {"B08"})
    other.database.close()


def test_one_version_that_cannot_be_used_holds_up_no_other_table(followed: Followed, tmp_path: Path) -> None:
    acts = followed.house.acts()
    followed.house.database.after_writing.clear()  # it looks by itself, later
    acts.change("B07", sent_files(with_limit(9000), tmp_path / "sent"))
    (folder_of(followed.house.home, "B07", 2) / "layout.yaml").unlink()
    acts.stop("B08")
    followed.wait(lambda: "B08" not in followed.watching.next)
    followed.watching.end_rounds()
    acts.restore("B07", 1)
    followed.wait(lambda: followed.watching.next["B07"].parent.name == "3")


def test_database_that_is_away_changes_nothing(followed: Followed, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("SELECT 1", None, Exception("gone"))

    before = followed.watching.wanted()
    with monkeypatch.context() as patch:
        patch.setattr(followed.house.database.engine, "connect", fail)
        followed.following._look()
    assert followed.watching.wanted() == before
    followed.house.acts().stop("B08")
    followed.wait(lambda: "B08" not in followed.watching.next)
