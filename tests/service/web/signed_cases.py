"""A room with a running signer, and a case that is exported."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse, signing
from tests.service.web.rooms import Seed, TestRoom, a_room, alert_body, close_round, keep_evidence, raise_alert
from thirdcard.service.sealing.keys import new_key
from thirdcard.service.sealing.signer import begin_state
from thirdcard.service.store import chain
from thirdcard.service.store.database import open_database, sqlite_url

FILES = {"clip": b"film", "still": b"picture"}


@contextmanager
def a_signed_room(folder: Path, seed: Seed) -> Iterator[TestRoom]:
    """Yield a room whose signer runs while the block runs."""
    outside, inside = folder / "outside", folder / "inside"
    (outside / "anchors").mkdir(parents=True)
    inside.mkdir()
    key = outside / "key"
    begin_state(key, new_key(key, ORIGIN), "first key", NOON)
    signers = open_database(sqlite_url(outside / "unused.db"))
    with (
        signing(SealedHouse(signers, outside, HandClock(NOON), key)) as link,
        a_room(inside, seed, signer=link.path) as room,
    ):
        yield room
    signers.close()


def furnish_case(room: TestRoom) -> int:
    """A case with one alert, whose files are sealed; returns its id."""
    close_round(room, 4)
    alert = raise_alert(room)
    lines: list[dict[str, object]] = [{"alert": alert, "body": alert_body()}]
    for kind, content in FILES.items():
        keep_evidence(room, alert, kind, content)
        lines.append({"alert": alert, "evidence": kind, "sha256": hashlib.sha256(content).hexdigest()})
    with room.database.writing() as session:
        chain.append(session, "alerts/B07", lines, at=room.clock())
    answer = room.as_role("supervisor").post("/api/cases", json={"title": "Seat 3 </script>", "alert": alert})
    return int(answer.json()["id"])


def export(room: TestRoom, case: int, folder: Path) -> Path:
    """Export a case and unpack the archive; returns the folder."""
    answer = room.as_role("supervisor").get(f"/api/cases/{case}/export")
    assert answer.status_code == 200, answer.text
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(folder)
    return folder
