"""Write what the program logs: lines for people, or a JSON object a line for programs; no camera's password in any."""

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
"""What a record may say besides of where it happened: `logger.warning(..., extra={"table": "B07"})`."""

About = Callable[[], Mapping[str, object]]


def _nothing() -> Mapping[str, object]:
    return {}


class PlainLines(logging.Formatter):
    """A record as a line for people, its traceback below."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return public_text(super().format(record))


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def __init__(self, about: About = _nothing) -> None:
        """Make it.

        Args:
            about: gives the table and the round that all records belong to just now, where they are known.
        """
        super().__init__()
        self._about = about

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
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
    """Let what is logged be written to the standard error output; `form` as `logging.Formatter` has it."""
    logging.basicConfig(level=level)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PlainLines(form))


def begin_log(settings: LogFile, about: About = _nothing) -> None:
    """Let what is logged from now on be written as a house wants it."""
    root = logging.getLogger()
    if settings.level is not None:
        root.setLevel(settings.level.upper())
    if settings.format == "json":
        for handler in root.handlers:
            handler.setFormatter(JsonLines(about))
