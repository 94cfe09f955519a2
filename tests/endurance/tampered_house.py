"""A signed and anchored house with every kind of entry, and the tools of an attacker who holds all its files.

The attacker bypasses the service: statements run on the database outside the sessions that record changes, and files
are overwritten. `reseal` and `record` are what the attacker can do with the project's own code.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Row, Table, select, update
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse, reseal
from tests.service.stores import BODY
from tests.service.tables.set_ups import write_table
from thirdcard.service.alerts.cases import add_note, open_case, put_alert
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.cli.entry import app
from thirdcard.service.config.data_folder import URL_VARIABLE, Home
from thirdcard.service.config.settings_record import note_settings
from thirdcard.service.dealers.register import DealerFields
from thirdcard.service.dealers.roster import StintFields
from thirdcard.service.rounds.dealer_acts import enter_dealer, enter_stint
from thirdcard.service.sealing.keys import new_key, public_path
from thirdcard.service.sealing.signer import begin_state
from thirdcard.service.store import audit, chain, people
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.alert_writer import AlertEvidence, KeptFile, RaisedAlert, write_alert
from thirdcard.service.store.database import Database
from thirdcard.service.store.holds import hold_alert, hold_case, lift_hold
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.recorded_rows import column_names, key_names, recorded_values, table_of
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import Base, ChainHead, ChainLine, LogRow, RoundRow
from thirdcard.service.tables.table_acts import TableActs

BOSS = Person(name="boss", role=Role.SUPERVISOR)
PASSWORD = "a long enough password"
KINDS = {"clip": "mp4", "still": "jpg", "overlay": "jpg"}
MEANS = ("seals", "key", "anchors")
"""What the verifier has: the database alone, the public key as well, and the anchors as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The exit status and the output of `thirdcard verify`."""

    status: int
    text: str


@dataclass(slots=True)
class TamperedHouse:
    """A house with its database, and with what lies outside it: key and anchors."""

    folder: Path
    url: str | None = None
    """The address of a PostgreSQL database; None for the file in the home."""
    clock: HandClock = field(default_factory=HandClock)
    database: Database = field(init=False)

    def __post_init__(self) -> None:
        """Open the database."""
        self.database = self.home.open_database(self.environment)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variable that names the database, if any."""
        return {} if self.url is None else {URL_VARIABLE: self.url}

    @property
    def home(self) -> Home:
        """The service's folder."""
        return Home(self.folder / "home")

    @property
    def outside(self) -> Path:
        """The folder of the signer's user, with key, state and anchors."""
        return self.folder / "outside"

    @property
    def anchors(self) -> Path:
        """The folder of anchors."""
        return self.outside / "anchors"

    @property
    def key(self) -> Path:
        """The private key, which the attacker does not have."""
        return self.outside / "signer.key"

    def file(self, kind: str, alert: int = 1) -> Path:
        """Return the path of a file of evidence."""
        return self.home.evidence / "B07" / f"{alert}-{kind}.{KINDS[kind]}"

    def sealed(self) -> SealedHouse:
        """Return the house with its signer, which can seal and sign it."""
        return SealedHouse(self.database, self.outside, self.clock, self.key)

    @contextmanager
    def hands(self) -> Iterator[Session]:
        """Yield a session that bypasses the service: nothing is recorded, and foreign keys are not checked."""
        is_sqlite = self.database.engine.dialect.name == "sqlite"
        with self.database.engine.connect() as connection:
            if is_sqlite:
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.exec_driver_sql("SET session_replication_role = replica")
            with Session(connection) as session:
                yield session
                session.flush()
            connection.commit()
            connection.invalidate()  # so that the next connection is one as the service makes it

    def verify(self, means: str) -> Verdict:
        """Return what `thirdcard verify` reports with these means."""
        arguments = ["verify", "--home", str(self.home.folder)]
        arguments += ["--key", str(public_path(self.key))] if means != "seals" else []
        arguments += ["--anchors", str(self.anchors)] if means == "anchors" else []
        with patch.dict(os.environ, self.environment):
            told = CliRunner().invoke(app, arguments)
        if told.exception is not None and not isinstance(told.exception, SystemExit):
            raise told.exception
        return Verdict(status=told.exit_code, text=told.output + told.stderr)

    def close(self) -> None:
        """Close the database."""
        self.database.close()


def build(folder: Path, url: str | None = None) -> TamperedHouse:
    """Return a house that was signed three times."""
    (folder / "outside" / "anchors").mkdir(parents=True)
    Home(folder / "home").make()
    house = TamperedHouse(folder, url)
    begin_state(house.key, new_key(house.key, ORIGIN), "first key", house.clock())
    write_table(house.home, "B07")
    TableActs(home=house.home, database=house.database, now=house.clock, who="ada").begin()
    with house.database.writing() as session:
        note_settings(session, house.home.folder, now=house.clock())
        _people_and_dealers(session, house.clock())
        _play(session, house)
        _raise(session, house)
    house.sealed().seal()
    with house.database.writing() as session:
        _decide(session, house.clock())
        _correct(session, house.clock())
    house.sealed().seal()
    with house.database.writing() as session:
        chain.append(session, log_chain("B07"), [{"t": 90.0, "type": "shoe_opened"}], at=house.clock())
        audit.note(session, "boss", "evidence.seen", "alert:1", at=house.clock())
        add_note(session, BOSS, 1, "The last note.", now=house.clock())
    house.sealed().seal()
    return house


def copy_of(house: TamperedHouse, folder: Path, url: str | None = None) -> TamperedHouse:
    """Return a copy of a house in another folder; a PostgreSQL database must be copied by the caller."""
    shutil.copytree(house.folder, folder)
    return TamperedHouse(folder, url, HandClock(house.clock()))


def _people_and_dealers(session: Session, now: datetime) -> None:
    for name, role in (("boss", "supervisor"), ("ben", "operator"), ("gone", "viewer")):
        people.add_user(session, name, role, PASSWORD, now=now)
        audit.note(session, "system", "user.added", f"user:{name}", at=now, role=role)
    people.add_token(session, "shoe", "device", now=now, tables=["B07"])
    for dealer in ("Ada", "Cleo"):
        enter_dealer(session, "boss", DealerFields(name=dealer), now=now)
    stint = StintFields(table_id="B07", dealer="Ada", from_at=NOON, to_at=NOON + timedelta(hours=4))
    enter_stint(session, "boss", stint, now=now)


def _play(session: Session, house: TamperedHouse) -> None:
    """Write three rounds at each of two tables."""
    for table in ("B07", "B08"):
        log = LogRow(table_id=table, began_at=NOON, rules=json.dumps({"limits": {"maximum": 5000}}), first_line=1)
        session.add(log)
        session.flush()
        for number in (1, 2, 3):
            lines = [{"t": number * 20.0 + n, "type": "card_dealt", "card": f"{n}H", "seat": 6} for n in range(2, 5)]
            written = chain.append(session, log_chain(table), lines, at=house.clock())
            moment = NOON + timedelta(seconds=20 * number)
            facts = {"first_line": written[0].seq, "last_line": written[-1].seq, "dealer": "Ada"}
            body = json.dumps({"round": number, "winner": "player", "filler": "x" * 300})
            span = {"opened_at": moment, "closed_at": moment + timedelta(seconds=9)}
            session.add(RoundRow(table_id=table, log_id=log.id, number=number, body=body, **facts, **span))


def _raise(session: Session, house: TamperedHouse) -> None:
    """Raise three alerts, each with a clip, a still and an overlay."""
    for number in (1, 2, 3):
        kept = []
        for kind in KINDS:
            path, content = house.file(kind, number), f"{kind} of alert {number}".encode()
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            name, digest = path.relative_to(house.home.evidence).as_posix(), sha256(content).hexdigest()
            kept.append(KeptFile(kind=kind, path=name, size_bytes=len(content), sha256=digest))
        evidence = AlertEvidence(from_at=NOON, to_at=NOON + timedelta(seconds=15), kept=tuple(kept))
        raised = RaisedAlert(
            table_id="B07", log_id=1, body=BODY | {"seat": 6, "round": number}, dealer="Ada", at=NOON,
            noticed_at=NOON, evidence=evidence,
        )  # fmt: skip
        write_alert(session, raised, now=house.clock())


def _decide(session: Session, now: datetime) -> None:
    """Write decisions, a case with alerts and a note, two holds, and the removal of a user."""
    take_step(session, BOSS, 1, Step(state=AlertState.CONFIRMED, note="Seen on the clip."), now=now)
    take_step(session, BOSS, 2, Step(state=AlertState.DISMISSED, reason="not_seen"), now=now)
    case = open_case(session, BOSS, "Seat 6", now=now)
    put_alert(session, BOSS, case, 1, now=now)
    put_alert(session, BOSS, case, 2, now=now)
    add_note(session, BOSS, case, "Seat 6 again.", now=now)
    hold_case(session, "boss", case, "The regulator asks.", now=now)
    hold = hold_alert(session, "boss", 3, "To be looked at.", now=now)
    assert hold is not None
    lift_hold(session, "boss", hold, now=now)
    people.remove_user(session, "gone")
    audit.note(session, "system", "user.removed", "user:gone", at=now)


def _correct(session: Session, now: datetime) -> None:
    change, effects = {"kind": "card", "line": 2, "card": "9H"}, {"rounds": [1]}
    row = CorrectionRow(
        table_id="B07", log_id=1, round_id=1, at=now, who="boss", why="The card was a nine.",
        body=chain.canonical(change), effects=chain.canonical(effects),
    )  # fmt: skip
    session.add(row)
    session.flush()
    sealed = {"correction": row.id, "who": row.who, "why": row.why, "change": change, "effects": effects}
    chain.append(session, "corrections/B07", [sealed], at=now)
    audit.note(session, "boss", "round.corrected", "round:1", at=now)


def row_of(session: Session, kind: type[Base], /, **key: Any) -> Row[Any]:
    """Return a row as the database holds it."""
    table = table_of(kind)
    found: Row[Any] = session.execute(select(table).where(*_is(table, key))).one()
    return found


def change_row(session: Session, kind: type[Base], key: Mapping[str, Any], /, **values: Any) -> None:
    """Change columns of a row, and leave its record as it is."""
    table = table_of(kind)
    done = session.execute(update(table).where(*_is(table, key)).values(**values))
    assert getattr(done, "rowcount", 0) >= 1, "there is no such row"


def record(session: Session, kind: type[Base], key: Mapping[str, Any]) -> None:
    """Change every record of a row to what the row holds now, and seal these chains anew."""
    row, table = row_of(session, kind, **key)._mapping, table_of(kind)
    values = recorded_values(kind, [row[name] for name in column_names(kind)])
    places = [column_names(kind).index(name) for name in key_names(kind)]
    wanted = [row[name] for name in key_names(kind)]
    for line in session.scalars(select(ChainLine).where(ChainLine.chain.startswith("rows/"))).all():
        body = json.loads(line.body)
        for one in body["rows"]:
            if one["table"] == table.name and one.get("key") == wanted:
                one["is"] = values
                one.pop("was", None)
            for added in one.get("added", ()) if one["table"] == table.name else ():
                if [added[place] for place in places] == wanted:
                    added[:] = values.values()
        if (text := chain.canonical(body)) != line.body:
            line.body = text
            session.flush()
            reseal(session, line.chain)
            session.flush()


def reseal_all(session: Session) -> None:
    """Seal every chain anew, as a small script with the project's own code can."""
    for name in session.scalars(select(ChainHead.chain)).all():
        reseal(session, name)
    session.flush()


def line_of(session: Session, name: str, seq: int) -> ChainLine:
    """Return a line of a chain."""
    return session.scalars(select(ChainLine).where(ChainLine.chain == name, ChainLine.seq == seq)).one()


def _is(table: Table, key: Mapping[str, Any]) -> list[Any]:
    return [table.c[name] == value for name, value in key.items()]
