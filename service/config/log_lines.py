"""Write log messages as lines for people, or as JSON lines for programs; camera passwords are removed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from thirdcard.vision.addresses import public_text

if TYPE_CHECKING:
    from thirdcard.service.config.house_yaml import LogFile

ABOUT = ("table", "round")
"""Additional fields of a record that say where it happened: `logger.warning(..., extra={"table": "B07"})`."""

About = Callable[[], Mapping[str, object]]


def _nothing() -> Mapping[str, object]:
    return {}


class PlainLines(logging.Formatter):
    """A record as a line for people, followed by its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The formatted line."""
        return public_text(super().format(record))


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def __init__(self, about: About = _nothing) -> None:
        """Set up the formatter.

        Args:
            about: Returns the present table and round, if known, for all records.
        """
        super().__init__()
        self._about = about

    def format(self, record: logging.LogRecord) -> str:
        """The formatted line."""
        about = {**self._about(), **{key: getattr(record, key) for key in ABOUT if hasattr(record, key)}}
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": public_text(record.getMessage()),
        }
        line |= {key: about[key] for key in ABOUT if about.get(key) is not None}
        if record.exc_info:
            line["error"] = public_text(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def begin_lines(form: str, level: int) -> None:
    """Log to standard error in the format `form`, as in `logging.Formatter`."""
    logging.basicConfig(level=level)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PlainLines(form))


def begin_log(settings: LogFile, about: About = _nothing) -> None:
    """Log from now on as the house's settings say."""
    root = logging.getLogger()
    if settings.level is not None:
        root.setLevel(settings.level.upper())
    if settings.format == "json":
        for handler in root.handlers:
            handler.setFormatter(JsonLines(about))
