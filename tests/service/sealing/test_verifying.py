"""The check on a schedule: what it finds is reported once, and when all agrees again."""

from __future__ import annotations

import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON, HandClock
from tests.service.mqtt_fakes import wait_until
from thirdcard.service.sealing.verifying import Verified, Verifying

DAY = timedelta(days=1)


def verifying_of(script: str, told: list[tuple[str, str]]) -> Verifying:
    return Verifying([sys.executable, "-c", script], DAY, lambda *words: told.append(words), HandClock(NOON))


def saying(place: Path) -> str:
    """A command that says what stands in a file, and leaves with the number in its first line."""
    return (
        f"import sys; status, said = open({str(place)!r}).read().split(chr(10), 1); print(said); sys.exit(int(status))"
    )


def test_what_does_not_agree_is_told_once_and_so_is_the_end_of_it(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    place = tmp_path / "said"
    verifying = verifying_of(saying(place), told)
    assert verifying.fault is None
    for said in ("0\nAll agrees.", "1\nalert 1: was changed\nmore", "1\nalert 1: was changed", "0\nAll agrees."):
        place.write_text(said)
        verifying.verify()
    assert told == [("verify.failed", "alert 1: was changed"), ("verify.passed", "All agrees.")]
    assert verifying.last == Verified(at=NOON, status=0, said="All agrees.")


def test_what_cannot_be_checked_is_told_too(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    place = tmp_path / "said"
    place.write_text("2\nthirdcard: --anchors = x; must be a folder")
    verifying = verifying_of(saying(place), told)
    verifying.verify()
    assert told == [("verify.unusable", "--anchors = x; must be a folder")]
    assert verifying.fault == "--anchors = x; must be a folder"


@pytest.mark.skipif(sys.platform == "win32", reason="priorities of processes")
def test_check_gives_way_to_everybody() -> None:
    found = verifying_of("import os, time; time.sleep(0.3); print(os.getpriority(os.PRIO_PROCESS, 0))", []).verify()
    assert found is not None
    assert found.said == "19"


def test_service_that_stops_breaks_the_check_off() -> None:
    verifying = verifying_of("import time; time.sleep(600)", [])
    found: list[Verified | None] = []
    thread = threading.Thread(target=lambda: found.append(verifying.verify()))
    thread.start()
    verifying.stop()
    thread.join(30)
    assert found == [None]


def test_first_check_waits_until_tables_run() -> None:
    verifying = verifying_of("raise SystemExit(1)", [])
    verifying.start()
    wait_until(lambda: not verifying._is_first)
    verifying.stop()
    assert verifying.last is None
