"""Read a table log line by line, refusing what cannot be judged.

A stream: holds one line and the ids of the cards seen, packed. Knows nothing of rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from thirdcard.rules.errors import EventError, LogError, UnknownEventError
from thirdcard.rules.log.events import CardDealt, Event, parse_event
from thirdcard.rules.log.seen_ids import SeenIds

Warn = Callable[[str], None]
_scan = json.JSONDecoder().raw_decode


def read_log(lines: Iterable[str], *, warn: Warn | None = None) -> Iterator[Event]:
    """The events of a log, in order.

    Blank lines are ignored. A type that is not known is skipped with one warning; so is a last line without an end
    that is not whole.

    Args:
        lines: with their line ends, as a text file gives them; an incomplete last line is known by its lack of one.
        warn: takes each warning's text; None drops them.

    Raises:
        LogError: a line cannot be used; names its number, from 1.
    """
    reader = LogReader(warn=warn)
    for line in lines:
        event = reader.read(line)
        if event is not None:
            yield event


class LogReader:
    """Reads one line after another and remembers what later lines are checked against."""

    def __init__(self, *, warn: Warn | None = None) -> None:
        self._warn = warn or _ignore
        self._number = 0
        self._last_t = float("-inf")
        self._card_ids = SeenIds()
        self._unknown: set[str] = set()
        self._broken: LogError | None = None

    def read(self, line: str) -> Event | None:
        """The event of the next line; None where it is blank, of an unknown type, or the incomplete end.

        Raises:
            LogError: the line cannot be used, or an incomplete line was not the last.
        """
        self._number += 1
        if self._broken is not None:
            raise self._broken
        text = line.strip()
        if not text:
            return None
        mapping = self._mapping(text, is_ended=line.endswith(("\n", "\r")))
        return None if mapping is None else self._event(mapping)

    def _mapping(self, text: str, *, is_ended: bool) -> dict[str, Any] | None:
        try:
            mapping, end = _scan(text)
            if end != len(text):
                raise ValueError("more than one value")
        except ValueError as error:
            broken = LogError(self._number, f"no JSON object: {text[:60]}")
            if is_ended or not text.startswith("{"):
                raise broken from error
            self._broken = broken
            self._warn(f"line {self._number}: incomplete last line skipped")
            return None
        if not isinstance(mapping, dict):
            raise LogError(self._number, f"no JSON object: {text[:60]}")
        return mapping

    def _event(self, mapping: dict[str, Any]) -> Event | None:
        try:
            event = parse_event(mapping)
        except UnknownEventError as error:
            self._check_order(float(mapping["t"]))
            kind = str(mapping["type"])
            if kind not in self._unknown:
                self._unknown.add(kind)
                self._warn(f"line {self._number}: {error}; skipped")
            return None
        except EventError as error:
            raise LogError(self._number, str(error)) from error
        self._check_order(event.t)
        if isinstance(event, CardDealt) and not self._card_ids.add(event.card_id):
            raise LogError(self._number, f"card_dealt: card_id = {event.card_id}; it was dealt before")
        return event

    def _check_order(self, t: float) -> None:
        if t < self._last_t:
            raise LogError(self._number, f"t = {t}; allowed: from {self._last_t}, the time of the line before")
        self._last_t = t


def _ignore(_text: str) -> None:
    return
