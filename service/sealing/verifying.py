"""Runs `thirdcard verify` on a schedule, in a process that gives way to all others, and tells what it says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.service.ports.repeated_work import RepeatedWork

FIRST_S = 600.0
"""Seconds from the service's start to the first time: tables come first."""
LOOK_S = 0.5
"""How often it is looked whether it ended, or whether the service stops."""
LEAST_PRIORITY = 19
DIFFERS, UNUSABLE, AGREES = "verify.failed", "verify.unusable", "verify.passed"
"""What is reported: something does not agree; it could not be checked; all agrees again."""

Tell = Callable[[str, str], None]
"""Takes one of these codes, and the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What came of one time."""

    at: datetime
    status: int
    """Of the command: 0, 1 or 2."""
    said: str
    """Its first line."""


class Verifying:
    """One service's folder.

    Args:
        command: What checks it.
        every: From one time to the next.
        tell: Called where something does not agree, where it cannot be checked, and when all agrees again.
        now: The clock.
    """

    def __init__(self, command: Sequence[str], every: timedelta, tell: Tell, now: Callable[[], datetime]) -> None:
        self._command = list(command)
        self._every = every
        self._tell = tell
        self._now = now
        self._is_first = True
        self.last: Verified | None = None
        """What came of the last time; None before the first."""
        self._work = RepeatedWork("verification", self._verify_and_rest, every.total_seconds())

    @property
    def fault(self) -> str | None:
        """What does not agree, or why it cannot be checked; None where all agreed the last time."""
        if self.last is not None and self.last.status:
            return self.last.said
        return self._work.fault

    def start(self) -> None:
        """Check after a while, and again and again."""
        self._work.start()

    def stop(self) -> None:
        """Break off what is under way."""
        self._work.stop()

    def verify(self) -> Verified | None:
        """Check now; None where the service stopped meanwhile."""
        with subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            os.setpriority(os.PRIO_PROCESS, process.pid, LEAST_PRIORITY)
            while True:
                try:
                    said, _ = process.communicate(timeout=LOOK_S)
                    break
                except subprocess.TimeoutExpired:
                    if self._work.is_stopping:
                        process.kill()
                        return None
        first = said.strip().partition("\n")[0].removeprefix("thirdcard: ")
        found = Verified(at=self._now(), status=process.returncode, said=first)
        self._tell_of(found)
        self.last = found
        return found

    def _verify_and_rest(self) -> float:
        if self._is_first:
            self._is_first = False
            return FIRST_S
        self.verify()
        return self._every.total_seconds()

    def _tell_of(self, found: Verified) -> None:
        before = self.last
        if found.status and (before is None or before.said != found.said):
            self._tell(DIFFERS if found.status == 1 else UNUSABLE, found.said)
        elif not found.status and before is not None and before.status:
            self._tell(AGREES, found.said)
