"""A room served over HTTP, with tables whose cameras filmed the shipped recording.

The work of the tables' processes is done here step by step, with the same journal, ring and evidence writer.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import av
import cv2
import uvicorn

from tests.service.web.rooms import PASSWORD, StillTables, table_state
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Bet, Remedy, Severity
from thirdcard.rules.log.events import Event
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.config.table_facts import facts_of, rules_of
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.evidence_writer import GRACE, EvidenceWriter
from thirdcard.service.live.journal import EnteredAlert, Journal, News
from thirdcard.service.media.ring import RingWriter
from thirdcard.service.media.stills import still_at
from thirdcard.service.notify.settings import NOTIFICATIONS
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import add_user
from thirdcard.service.tables.table_acts import TableActs
from thirdcard.service.web.app import create_app
from thirdcard.service.web.background import BackgroundWork, open_background
from thirdcard.service.web.demo_room import furnish
from thirdcard.service.web.serving import RoomServer

PEOPLE = {"ada": "admin", "ben": "operator", "cleo": "supervisor", "vic": "viewer"}
FILMED_S = 40.0
REMEDY = Remedy("void_wager", "6.3", "The wager is void; the chips go back to the player.")


@dataclass(slots=True)
class FilmedTable:
    """A table that was filmed from a given time on."""

    home: Home
    database: Database
    config: TableConfig
    began: datetime
    journal: Journal = field(init=False)
    evidence: EvidenceWriter = field(init=False)

    def __post_init__(self) -> None:
        ring = self.home.ring / self.config.id
        self.journal = Journal(self.database, self.config.id, rules_of(self.config))
        self.journal.open(self.began)
        self.evidence = EvidenceWriter(self.database, self.config, ring, self.home.evidence)

    def film(self, length_s: float = FILMED_S) -> None:
        """Write the camera's packets into the table's ring."""
        writer = RingWriter(self.home.ring / self.config.id, keep=timedelta(hours=1))
        with av.open(self.config.cameras[0].source) as container:
            stream = container.streams.video[0]
            for packet in container.demux(stream):
                if packet.pts is None or packet.time_base is None:
                    continue
                t = float(packet.pts * packet.time_base)
                if t > length_s:
                    break
                writer.add(packet, stream, self.began + timedelta(seconds=t))
        writer.close()

    def write(self, *, alerts: Sequence[Alert] = (), events: Sequence[Event] = (), rounds: Sequence[RoundRecord] = (),
              doubtful: Sequence[Alert] = (), now: datetime | None = None) -> list[EnteredAlert]:  # fmt: skip
        """Write findings to the journal."""
        news = News(events=events, alerts=alerts, rounds=rounds, doubtful=doubtful)
        entries = self.journal.write(news, now or now_utc())
        for entry in entries:
            self.evidence.promise(entry)
        return entries

    def keep_all(self) -> None:
        """Make all promised pictures."""
        late = now_utc() + timedelta(hours=1) + GRACE
        while self.evidence.is_due(late):
            self.evidence.keep_next(late)


@dataclass(slots=True)
class ServedRoom:
    """A running service without processes of its tables."""

    home: Home
    database: Database
    live: StillTables
    background: BackgroundWork
    address: str
    tables: dict[str, FilmedTable]


def an_alert(t: float = 12.0, **changes: object) -> Alert:
    """A late bet at seat 3."""
    fault = Alert(
        t=t, round=1, code="late_bet.placed", severity=Severity.HIGH, rulebook="nz-authority", rule="8.3", seat=3,
        bet=Bet.BANKER, area="s3-banker", amount=500, confidence=0.97,
        message="Seat 3 placed 500 on Banker 2.4 s after betting closed.", remedy=REMEDY,
    )  # fmt: skip
    return replace(fault, **changes)  # type: ignore[arg-type]


@contextmanager
def a_served_room(
    folder: Path, *, notifications: str = "", environment: Mapping[str, str] | None = None
) -> Iterator[ServedRoom]:
    """The demonstration's four tables, a user of each role, and the service on its own port."""
    home = Home(folder)
    home.make()
    if notifications:
        (home.folder / NOTIFICATIONS).write_text(notifications, encoding="utf-8")
    with closing(home.open_database({})) as database:
        furnish(home, database, now=now_utc(), cores=4)
        with database.writing() as session:
            for name, role in PEOPLE.items():
                add_user(session, name, role, PASSWORD, now=now_utc())
        configs = home.load_tables()
        TableActs(home=home, database=database, now=now_utc, who="files").begin()
        began = now_utc() - timedelta(seconds=30)
        picture = Picture(jpeg=_first_picture(configs[0]), version="1")
        live = StillTables(
            known={config.id: table_state(config.id) for config in configs},
            pictures={config.id: picture for config in configs},
        )
        settings = RoomSettings(
            evidence=home.evidence,
            version="0.1.0",
            poll_s=0.2,
            heartbeat_s=1.0,
            tables=tuple(facts_of(config) for config in configs),
        )
        background = open_background(
            home.folder, environment or {}, settings=settings, database=database, live=live, clock=now_utc
        )
        app = create_app(settings=settings, database=database, live=live, clock=now_utc, background=background)
        tables = {config.id: FilmedTable(home, database, config, began) for config in configs}
        with _serving(RoomServer(uvicorn.Config(app, log_level="warning", proxy_headers=False), app)) as address:
            yield ServedRoom(home, database, live, background, address, tables)


def _first_picture(config: TableConfig) -> bytes:
    still = still_at(Path(config.cameras[0].source), 8.0)
    assert still is not None
    done, data = cv2.imencode(".jpg", cv2.resize(still.image_hw3, (960, 540)))
    assert done
    return data.tobytes()


@contextmanager
def _serving(server: RoomServer) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.config.app.state.room.feed.end_soon()  # type: ignore[union-attr]
            server.should_exit = True
            thread.join(15)
