"""Has the log over all chains signed at intervals while the service runs, and reports when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.ports.repeated_work import RepeatedWork
from thirdcard.service.sealing.checkpoint import SealError, parse_note
from thirdcard.service.sealing.signer import SigningRefusedError
from thirdcard.service.sealing.signer_socket import SignerAwayError, SignerLink
from thirdcard.service.sealing.tree import SetBackError, seal_heads
from thirdcard.service.store.database import Database
from thirdcard.service.store.sealing_schema import CheckpointRow

EVERY_S = 300.0
"""Seconds between checkpoints: newer lines may be unsigned."""
AGAIN_S = 30.0
"""Seconds until the next try where no signer answered."""
LONG_AWAY = timedelta(hours=1)
"""A signer that is away for this long is reported: a restart of its machine takes minutes."""
REFUSED, OFFLINE, SIGNED = "sealing.refused", "sealing.offline", "sealing.signed"
"""What is reported: the log does not continue what was signed; nothing was signed for long; signing works again."""

Tell = Callable[[str, str], None]
"""Takes one of these codes, and the message."""


class Sealing:
    """Has one database signed by its signer.

    Args:
        database: The database to seal.
        socket: The socket that the signer listens on.
        tell: Called once where the signer refuses or a chain was set back, where it is long away, and when it is back.
        now: The current time.
    """

    def __init__(self, database: Database, socket: Path, tell: Tell, now: Callable[[], datetime]) -> None:
        self._database = database
        self._signer = SignerLink(socket)
        self._tell = tell
        self._now = now
        self._began = now()
        self._told: tuple[str, str] | None = None
        self._work = RepeatedWork("sealing", self.seal, AGAIN_S)

    @property
    def fault(self) -> str | None:
        """Why nothing is signed at present, and since when; None where signing works."""
        fault = self._work.fault
        return None if fault is None else f"{fault}; {self._since()}"

    def age(self) -> timedelta | None:
        """The age of the last signature; None where there is none yet."""
        with self._database.reading() as session:
            at = last_signed(session)
        return None if at is None else max(timedelta(0), self._now() - at)

    def seal(self) -> float:
        """Have everything signed once; returns the seconds until the next time.

        Raises:
            SealError: The signer refuses or is away.
        """
        try:
            seal_heads(self._database, self._signer)
        except (SigningRefusedError, SetBackError) as error:
            self._tell_once(REFUSED, str(error))
            raise
        except SignerAwayError:
            age = self.age()
            if (self._now() - self._began if age is None else age) >= LONG_AWAY:
                self._tell_once(OFFLINE, f"The signer does not answer, and {self._since()}.")
            raise
        if self._told is not None:
            self._tell(SIGNED, "The signer signs again; all that waited is signed.")
        self._told = None
        return EVERY_S

    def start(self) -> None:
        """Sign now and then at intervals."""
        self._work.start()

    def stop(self) -> None:
        """Stop after the checkpoint in progress."""
        self._work.stop()

    def _tell_once(self, code: str, words: str) -> None:
        told = (code, words if code == REFUSED else "")
        if self._told != told:
            self._told = told
            self._tell(code, words)

    def _since(self) -> str:
        with self._database.reading() as session:
            at = last_signed(session)
        return "nothing was ever signed" if at is None else f"nothing is signed since {at:%Y-%m-%d %H:%M:%S} UTC"


def last_signed(session: Session) -> datetime | None:
    """When the newest checkpoint was signed, by its signer's clock; None where there is none."""
    newest = select(CheckpointRow.origin, func.max(CheckpointRow.number).label("number")).group_by(CheckpointRow.origin)
    ats = []
    for origin, number in session.execute(newest):
        note = session.get_one(CheckpointRow, (origin, number)).note
        try:
            ats.append(parse_note(note, f"checkpoint {number} of {origin}").checkpoint.at)
        except SealError:  # it was changed: `thirdcard verify` names it
            continue
    return max(ats, default=None)
