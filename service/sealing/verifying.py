"""Runs `thirdcard verify` on a schedule, in a process of the lowest priority, and reports its result."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.service.ports.repeated_work import RepeatedWork

FIRST_S = 600.0
"""Seconds from the service's start to the first run: tables come first."""
LOOK_S = 0.5
"""Seconds between checks whether the run ended, or whether the service stops."""
LEAST_PRIORITY = 19
DIFFERS, UNUSABLE, AGREES = "verify.failed", "verify.unusable", "verify.passed"
"""What is reported: something does not match; it could not be checked; everything matches again."""

Tell = Callable[[str, str], None]
"""Takes one of these codes, and the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result of one run."""

    at: datetime
    status: int
    """The exit status of the command: 0, 1 or 2."""
    said: str
    """The first line of its output."""


class Verifying:
    """Verifies one service's folder at intervals.

    Args:
        command: The command to run.
        every: The interval between runs.
        tell: Called where something does not match, where it cannot be checked, and when everything matches again.
        now: The current time.
    """

    def __init__(self, command: Sequence[str], every: timedelta, tell: Tell, now: Callable[[], datetime]) -> None:
        self._command = list(command)
        self._every = every
        self._tell = tell
        self._now = now
        self._is_first = True
        self.last: Verified | None = None
        """The result of the last run; None before the first."""
        self._work = RepeatedWork("verification", self._verify_and_rest, every.total_seconds())

    @property
    def fault(self) -> str | None:
        """What does not match, or why it cannot be checked; None where the last run found no fault."""
        if self.last is not None and self.last.status:
            return self.last.said
        return self._work.fault

    def start(self) -> None:
        """Start the runs, the first after `FIRST_S`."""
        self._work.start()

    def stop(self) -> None:
        """Stop, also a run in progress."""
        self._work.stop()

    def verify(self) -> Verified | None:
        """Run the verification now; None where the service stopped meanwhile."""
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
