"""Kinds of tampering with rows and files by an attacker who does not touch the chains. Any verification finds them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, insert, update

from tests.endurance.tampered_house import TamperedHouse, change_row, row_of
from tests.service.hand_clock import NOON
from thirdcard.service.store.dealer_schema import DealerNameRow, DealerRow, StintRow
from thirdcard.service.store.recorded_rows import table_of
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import (
    AlertChange,
    AlertRow,
    Base,
    CaseAlert,
    CaseNote,
    CaseRow,
    EvidenceRow,
    HoldRow,
    LogRow,
    RoundRow,
    TokenRow,
    UserRow,
)
from thirdcard.service.store.setup_schema import SetupRow, WatchedTableRow

Act = Callable[[TamperedHouse], None]
LATER = NOON + timedelta(hours=1)


def edited(kind: type[Base], key: Mapping[str, Any], /, **values: Any) -> Act:
    """Return an act that changes columns of a row."""

    def act(house: TamperedHouse) -> None:
        with house.hands() as session:
            change_row(session, kind, key, **values)

    return act


def removed(kind: type[Base], /, **key: Any) -> Act:
    """Return an act that deletes a row."""

    def act(house: TamperedHouse) -> None:
        with house.hands() as session:
            table = table_of(kind)
            done = session.execute(delete(table).where(*(table.c[name] == value for name, value in key.items())))
            assert getattr(done, "rowcount", 0) >= 1

    return act


def added(kind: type[Base], /, **values: Any) -> Act:
    """Return an act that inserts a row."""

    def act(house: TamperedHouse) -> None:
        with house.hands() as session:
            session.execute(insert(table_of(kind)).values(**values))

    return act


def change_seat(house: TamperedHouse) -> None:
    """Change the seat of the alert to 2."""
    with house.hands() as session:
        body = json.loads(row_of(session, AlertRow, id=1).body) | {"seat": 2}
        change_row(session, AlertRow, {"id": 1}, body=json.dumps(body))


def exchange_file(kind: str, house: TamperedHouse) -> None:
    """Replace the clip, still or overlay of the first alert."""
    house.file(kind).write_bytes(b"another")


def exchange_clip_and_checksum(house: TamperedHouse) -> None:
    """Replace the film, and its checksum in the row."""
    house.file("clip").write_bytes(b"another")
    facts = {"sha256": sha256(b"another").hexdigest(), "size_bytes": 7}
    edited(EvidenceRow, {"alert_id": 1, "kind": "clip"}, **facts)(house)


def delete_file(house: TamperedHouse) -> None:
    """Delete the film."""
    house.file("clip").unlink()


def cut_file(house: TamperedHouse) -> None:
    """Truncate the film."""
    house.file("clip").write_bytes(house.file("clip").read_bytes()[:4])


def swap_clips(house: TamperedHouse) -> None:
    """Swap the films of two alerts in their rows."""
    with house.hands() as session:
        first = row_of(session, EvidenceRow, alert_id=1, kind="clip")
        second = row_of(session, EvidenceRow, alert_id=2, kind="clip")
        for row, other in ((first, second), (second, first)):
            facts = {"path": other.path, "sha256": other.sha256, "size_bytes": other.size_bytes}
            change_row(session, EvidenceRow, {"id": row.id}, **facts)


def swap_clip_files(house: TamperedHouse) -> None:
    """Swap the films of two alerts on the disk."""
    first, second = house.file("clip", 1), house.file("clip", 2)
    contents = first.read_bytes(), second.read_bytes()
    second.write_bytes(contents[0])
    first.write_bytes(contents[1])


def set_to_deleted(house: TamperedHouse) -> None:
    """Delete the film, and mark it as deleted in the row."""
    house.file("clip").unlink()
    edited(EvidenceRow, {"alert_id": 1, "kind": "clip"}, state="deleted", path=None)(house)


def reorder_decisions(house: TamperedHouse) -> None:
    """Swap the order of two decisions."""
    with house.hands() as session:
        table = table_of(AlertChange)
        for number, other in ((1, -1), (2, 1), (-1, 2)):
            session.execute(update(table).where(table.c.id == number).values(id=other))


def bring_user_back(house: TamperedHouse) -> None:
    """Restore the account of a removed user."""
    with house.hands() as session:
        kept = row_of(session, UserRow, name="ben")
        values = dict(kept._mapping) | {"name": "gone", "role": "viewer"}
        session.execute(insert(table_of(UserRow)).values(values))


def lower_limit_in_kept_setup(house: TamperedHouse) -> None:
    """Change the limit in a stored version of a set-up."""
    path = house.home.setups / "B07" / "1" / "table.yaml"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"# another limit\n")


def change_setup_and_digest(house: TamperedHouse) -> None:
    """Change the limit in a stored version of a set-up, and the file's checksum in the row."""
    lower_limit_in_kept_setup(house)
    path = house.home.setups / "B07" / "1" / "table.yaml"
    with house.hands() as session:
        files = json.loads(row_of(session, SetupRow, id=1).files)
        files["files"]["table.yaml"] = sha256(path.read_bytes()).hexdigest()
        change_row(session, SetupRow, {"id": 1}, files=json.dumps(files))


def delete_kept_setup(house: TamperedHouse) -> None:
    """Delete a stored file of a set-up."""
    (house.home.setups / "B07" / "1" / "layout.yaml").unlink()


def delete_alert_with_all(house: TamperedHouse) -> None:
    """Delete an alert with its evidence and decisions."""
    for kind, key in ((CaseAlert, "alert_id"), (AlertChange, "alert_id"), (EvidenceRow, "alert_id"), (AlertRow, "id")):
        removed(kind, **{key: 1})(house)


def write_impossible_time(house: TamperedHouse) -> None:
    """Set a time that no calendar has: it could break what reads the row."""
    with house.hands() as session:
        session.connection().exec_driver_sql(f"UPDATE alerts SET noticed_at = {2**62} WHERE id = 1")


NOTE = {"case_id": 1, "at": NOON, "who": "boss", "text": "He confessed."}
DECISION = {"alert_id": 3, "at": NOON, "who": "boss", "before": "open", "after": "dismissed", "reason": "not_seen"}
ALERT_1, CASE_1, CHANGE_1 = {"id": 1}, {"id": 1}, {"id": 1}
ROW_TAMPERINGS: Mapping[str, tuple[Act, str]] = {
    "alert: state": (edited(AlertRow, ALERT_1, state="dismissed"), "alert 1: was changed: state = dismissed"),
    "alert: severity": (edited(AlertRow, ALERT_1, severity="low"), "alert 1: was changed: severity = low"),
    "alert: code": (edited(AlertRow, ALERT_1, code="card.burnt"), "alert 1: was changed: code = card.burnt"),
    "alert: dealer": (edited(AlertRow, ALERT_1, dealer="Cleo"), "alert 1: was changed: dealer = Cleo"),
    "alert: time": (edited(AlertRow, ALERT_1, at=LATER), "alert 1: was changed: at = 2026"),
    "alert: noticed later": (edited(AlertRow, ALERT_1, noticed_at=LATER), "alert 1: was changed: noticed_at"),
    "alert: a time that no calendar has": (write_impossible_time, "alert 1: was changed: noticed_at = 4611686"),
    "alert: owner": (edited(AlertRow, ALERT_1, owner="ben"), "alert 1: was changed: owner = ben"),
    "alert: made quiet": (edited(AlertRow, ALERT_1, is_quiet=True), "alert 1: was changed: is_quiet = True"),
    "alert: another round": (edited(AlertRow, ALERT_1, round=3), "alert 1: was changed: round = 3"),
    "alert: another table": (edited(AlertRow, ALERT_1, table_id="B08"), "alert 1: was changed: table_id = B08"),
    "alert: seat 6 becomes 2": (change_seat, "alert 1: was changed: body"),
    "alert: deleted with all": (delete_alert_with_all, "alert 1: is gone"),
    "decision: author": (edited(AlertChange, CHANGE_1, who="ben"), "decision 1: was changed: who = ben"),
    "decision: note": (edited(AlertChange, CHANGE_1, note="Nothing."), "decision 1: was changed: note = Nothing."),
    "decision: reason": (edited(AlertChange, {"id": 2}, reason="unclear"), "decision 2: was changed: reason = unclear"),
    "decision: outcome": (edited(AlertChange, CHANGE_1, after="dismissed"), "decision 1: was changed: after"),
    "decision: time": (edited(AlertChange, CHANGE_1, at=LATER), "decision 1: was changed: at = 2026"),
    "decision: deleted": (removed(AlertChange, id=1), "decision 1: is gone"),
    "decision: invented": (added(AlertChange, **DECISION), "decision 3: was added"),
    "decisions: reordered": (reorder_decisions, "decision 1: was changed: alert_id = 2"),
    "clip: exchanged": (partial(exchange_file, "clip"), "B07/1-clip.mp4: was changed"),
    "clip: exchanged with its checksum": (exchange_clip_and_checksum, "piece of evidence 1: was changed: "),
    "clip: deleted": (delete_file, "B07/1-clip.mp4: is missing"),
    "clip: cut": (cut_file, "B07/1-clip.mp4: was changed"),
    "clip: deleted as if over": (set_to_deleted, "its clip was set to deleted, and no line says so"),
    "clip: row deleted": (removed(EvidenceRow, alert_id=1, kind="clip"), "alert 1: its clip is missing"),
    "clip: moment": (edited(EvidenceRow, {"id": 1}, from_at=LATER), "piece of evidence 1: was changed: from_at"),
    "clips: rows swapped": (swap_clips, "piece of evidence 1: was changed: path"),
    "clips: files swapped": (swap_clip_files, "B07/1-clip.mp4: was changed"),
    "still: exchanged": (partial(exchange_file, "still"), "B07/1-still.jpg: was changed"),
    "overlay: exchanged": (partial(exchange_file, "overlay"), "B07/1-overlay.jpg: was changed"),
    "case: title": (edited(CaseRow, CASE_1, title="Nothing"), "case 1: was changed: title = Nothing"),
    "case: closed": (edited(CaseRow, CASE_1, state="closed", closed_at=NOON), "case 1: was changed: state = closed"),
    "case: opened by": (edited(CaseRow, CASE_1, opened_by="ben"), "case 1: was changed: opened_by = ben"),
    "case: alert taken out": (removed(CaseAlert, alert_id=2), "case and its alert 1 and 2: is gone"),
    "case: alert put in": (
        added(CaseAlert, case_id=1, alert_id=3, added_by="boss", added_at=NOON), "case and its alert 1 and 3: was added"
    ),
    "note: rewritten": (edited(CaseNote, {"id": 1}, text="Seat 2."), "note on a case 1: was changed: text = Seat 2."),
    "note: author": (edited(CaseNote, {"id": 1}, who="ben"), "note on a case 1: was changed: who = ben"),
    "note: deleted": (removed(CaseNote, id=1), "note on a case 1: is gone"),
    "note: invented": (added(CaseNote, **NOTE), "note on a case 3: was added"),
    "hold: lifted": (edited(HoldRow, {"id": 1}, lifted_by="boss", lifted_at=NOON), "hold 1: was changed: lifted_by"),
    "hold: reason": (edited(HoldRow, {"id": 1}, reason="None."), "hold 1: was changed: reason = None."),
    "hold: put in force again": (
        edited(HoldRow, {"id": 2}, lifted_by=None, lifted_at=None), "hold 2: was changed: lifted_by = None"
    ),
    "hold: deleted": (removed(HoldRow, id=1), "hold 1: is gone"),
    "round: dealer": (edited(RoundRow, {"id": 1}, dealer="Cleo"), "round 1: was changed: dealer = Cleo"),
    "round: record": (edited(RoundRow, {"id": 1}, body="{}"), "round 1: was changed: body"),
    "round: not counted": (edited(RoundRow, {"id": 1}, is_counted=False), "round 1: was changed: is_counted = False"),
    "round: time": (edited(RoundRow, {"id": 1}, closed_at=LATER), "round 1: was changed: closed_at"),
    "round: deleted": (removed(RoundRow, id=6), "round 6: is gone"),
    "log: what it is judged by": (edited(LogRow, {"id": 1}, rules="{}"), "log 1: was changed: rules = {}"),
    "log: began": (edited(LogRow, {"id": 1}, began_at=LATER), "log 1: was changed: began_at"),
    "correction: reason": (edited(CorrectionRow, {"id": 1}, why="None."), "correction 1: was changed: why = None."),
    "correction: taken back": (
        edited(CorrectionRow, {"id": 1}, taken_back_by="boss", taken_back_at=NOON),
        "correction 1: was changed: taken_back",
    ),
    "correction: deleted": (removed(CorrectionRow, id=1), "correction 1: is gone"),
    "user: made admin": (edited(UserRow, {"name": "ben"}, role="admin"), "user ben: was changed: role = admin"),
    "user: other tables": (edited(UserRow, {"name": "ben"}, tables='["B07"]'), "user ben: was changed: tables"),
    "user: password": (edited(UserRow, {"name": "ben"}, password_hash="x"), "user ben: was changed: password_hash"),
    "user: deleted": (removed(UserRow, name="ben"), "user ben: is gone"),
    "user: invented": (
        added(UserRow, name="eve", role="admin", password_hash="x", added_at=NOON, is_active=True),
        "user eve: was added",
    ),
    "user: brought back": (bring_user_back, "user gone: is there again"),
    "token: made admin": (edited(TokenRow, {"name": "shoe"}, role="admin"), "token shoe: was changed: role = admin"),
    "dealer: renamed": (edited(DealerRow, {"id": 1}, name="Eve"), "dealer 1: was changed: name = Eve"),
    "dealer: spelling moved": (
        edited(DealerNameRow, {"folded": "ada"}, dealer_id=2), "spelling of a dealer ada: was changed: dealer_id = 2"
    ),
    "roster: who deals": (edited(StintRow, {"id": 1}, dealer_id=2), "line of the roster 1: was changed: dealer_id"),
    "roster: deleted": (removed(StintRow, id=1), "line of the roster 1: is gone"),
    "set-up: row": (edited(SetupRow, {"id": 1}, made_by="ben"), "version of a set-up 1: was changed: made_by = ben"),
    "set-up: unknown origin": (
        edited(SetupRow, {"id": 1}, origin="nowhere"), "version of a set-up 1: was changed: origin = nowhere"
    ),
    "set-up: list of files is none": (
        edited(SetupRow, {"id": 1}, files="["), "version of a set-up 1: was changed: files"
    ),
    "set-up: file": (lower_limit_in_kept_setup, "set-up B07, version 1: "),
    "set-up: file with its checksum": (change_setup_and_digest, "version of a set-up 1: was changed: files"),
    "set-up: file deleted": (delete_kept_setup, "set-up B07, version 1: "),
    "table: no longer watched": (
        edited(WatchedTableRow, {"table_id": "B07"}, state="stopped"), "watched table B07: was changed: state = stopped"
    ),
    "table: unknown state": (
        edited(WatchedTableRow, {"table_id": "B07"}, state="?"), "watched table B07: was changed: state = ?"
    ),
}  # fmt: skip
"""The act, and what the output of `verify` must contain."""
