"""Has the log over all chains signed at intervals while the service runs, and says when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from thirdcard.service.ports.repeated_work import RepeatedWork
from thirdcard.service.sealing.signer import SigningRefusedError
from thirdcard.service.sealing.signer_socket import SignerLink
from thirdcard.service.sealing.tree import SetBackError, seal_heads
from thirdcard.service.store.database import Database

EVERY_S = 300.0
"""Seconds from one checkpoint to the next: what is younger than that may be unsigned."""
AGAIN_S = 30.0
"""Seconds until the next try where no signer answered."""

TellOfRefusal = Callable[[str], None]


class Sealing:
    """One database and its signer.

    Args:
        database: What is sealed.
        socket: Where the signer listens.
        tell: Called once with the reason where the signer refuses, or a chain was set back.
    """

    def __init__(self, database: Database, socket: Path, tell: TellOfRefusal) -> None:
        self._database = database
        self._signer = SignerLink(socket)
        self._tell = tell
        self._told: str | None = None
        self._work = RepeatedWork("sealing", self._seal, AGAIN_S)

    @property
    def fault(self) -> str | None:
        """Why nothing is signed at present; None where it is."""
        return self._work.fault

    def start(self) -> None:
        """Sign now and again and again."""
        self._work.start()

    def stop(self) -> None:
        """Let the checkpoint under way end."""
        self._work.stop()

    def _seal(self) -> float:
        try:
            seal_heads(self._database, self._signer)
        except (SigningRefusedError, SetBackError) as error:
            if self._told != str(error):
                self._told = str(error)
                self._tell(self._told)
            raise
        self._told = None
        return EVERY_S
