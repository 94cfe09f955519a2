"""A room served over HTTP, and tables whose cameras filmed the shipped recording: what their processes would do is done
here step by step, through the same journal, ring and keeper of evidence.
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

from rules.alerts import Alert, Remedy, Severity
from rules.events import Event
from rules.records import RoundRecord
from rules.words import Bet
from service.app import create_app
from service.config import TableConfig
from service.demo_room import furnish
from service.home import Home
from service.live.evidence import GRACE, EvidenceWriter
from service.live.journal import Entry, Journal, News
from service.live.ring import RingWriter
from service.live.table_process import rules_of
from service.notify.settings import NOTIFICATIONS
from service.outside import Outside, open_outside
from service.ports import Picture
from service.room.table_facts import facts_of
from service.serving import RoomServer
from service.settings import RoomSettings
from service.stills import still_at
from service.store.database import Database
from service.store.people import add_user
from service.wiring import now_utc
from tests.service.room.rooms import PASSWORD, StillTables, table_state

PEOPLE = {"ada": "admin", "ben": "operator", "cleo": "supervisor", "vic": "viewer"}
FILMED_S = 40.0
REMEDY = Remedy("void_wager", "6.3", "The wager is void; the chips go back to the player.")


@dataclass(slots=True)
class FilmedTable:
    """A table that was filmed from a moment on."""

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
        """Put what the camera sent into its ring."""
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
              now: datetime | None = None) -> list[Entry]:  # fmt: skip
        """Enter what was found."""
        news = News(events=events, alerts=alerts, rounds=rounds)
        entries = self.journal.write(news, now or now_utc())
        for entry in entries:
            self.evidence.promise(entry)
        return entries

    def keep_all(self) -> None:
        """Keep every promise of pictures."""
        late = now_utc() + timedelta(hours=1) + GRACE
        while self.evidence.is_due(late):
            self.evidence.keep_next(late)


@dataclass(slots=True)
class ServedRoom:
    """A running service without tables' processes of its own."""

    home: Home
    database: Database
    live: StillTables
    outside: Outside
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
    """The demonstration's four tables, a user of each role, and the service on a port of its own."""
    home = Home(folder)
    home.make()
    if notifications:
        (home.folder / NOTIFICATIONS).write_text(notifications, encoding="utf-8")
    with closing(home.open_database({})) as database:
        furnish(home, database, now=now_utc())
        with database.writing() as session:
            for name, role in PEOPLE.items():
                add_user(session, name, role, PASSWORD, now=now_utc())
        configs = home.load_tables()
        began = now_utc() - timedelta(seconds=30)
        picture = Picture(jpeg=_first_picture(configs[0]), version="1")
        live = StillTables(
            known={config.id: table_state(config.id) for config in configs},
            pictures={config.id: picture for config in configs},
        )
        settings = RoomSettings(
            evidence=home.evidence, version="0.1.0", poll_s=0.2, tables=tuple(facts_of(config) for config in configs)
        )
        outside = open_outside(
            home.folder, environment or {}, settings=settings, database=database, live=live, clock=now_utc
        )
        app = create_app(settings=settings, database=database, live=live, clock=now_utc, outside=outside)
        tables = {config.id: FilmedTable(home, database, config, began) for config in configs}
        with _serving(RoomServer(uvicorn.Config(app, log_level="warning", proxy_headers=False), app)) as address:
            yield ServedRoom(home, database, live, outside, address, tables)


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
