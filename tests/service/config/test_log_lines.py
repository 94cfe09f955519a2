"""Log lines as JSON for programs, and as they were for people."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from io import StringIO

import pytest

from thirdcard.service.config.house_yaml import LogFile
from thirdcard.service.config.log_lines import begin_log

logger = logging.getLogger("thirdcard.service.live.worker")


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What the root's one handler writes; the root is put back as it was."""
    root, stream = logging.getLogger(), StringIO()
    handlers, level = root.handlers[:], root.level
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("thirdcard: %(message)s"))
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def test_text_stays_as_it_was(log: StringIO) -> None:
    begin_log(LogFile())
    logger.warning("camera %s: gone", "overhead")
    logger.info("not said")
    assert log.getvalue() == "thirdcard: camera overhead: gone\n"


def test_json_is_an_object_a_line_with_time_in_utc(log: StringIO) -> None:
    begin_log(LogFile(format="json", level="info"), lambda: {"table": "B07", "round": None})
    record = logger.makeRecord(logger.name, logging.INFO, "", 0, "two\nlines \N{EURO SIGN} %d", (7,), None)
    record.created = 1_777_918_867.4125
    logger.handle(record)
    assert json.loads(log.getvalue()) == {
        "time": "2026-05-04T18:21:07.412Z",
        "level": "info",
        "logger": "thirdcard.service.live.worker",
        "message": "two\nlines \N{EURO SIGN} 7",
        "table": "B07",
    }
    assert log.getvalue().count("\n") == 1


def test_record_names_its_own_table_and_round(log: StringIO) -> None:
    begin_log(LogFile(format="json"), lambda: {"table": "B07", "round": 4})
    logger.warning("gone", extra={"table": "B08"})
    logger.warning("here")
    first, second = map(json.loads, log.getvalue().splitlines())
    assert (first["table"], first["round"]) == ("B08", 4)
    assert (second["table"], second["round"]) == ("B07", 4)


def test_failure_keeps_its_traceback_in_one_line(log: StringIO) -> None:
    begin_log(LogFile(format="json"))
    try:
        raise ValueError("broken")
    except ValueError:
        logger.exception("table %s: failed", "B07")
    line = json.loads(log.getvalue())
    assert line["level"] == "error"
    assert line["error"].endswith("ValueError: broken")
    assert "table" not in line


def test_level_leaves_out_what_is_below(log: StringIO) -> None:
    begin_log(LogFile(level="error"))
    logger.warning("not said")
    logger.error("said")
    assert log.getvalue() == "thirdcard: said\n"
