"""Read a table log line by line, and refuse lines that cannot be judged.

Streams: keeps one line of bounded length, and the packed ids of the cards seen. Knows nothing of rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO

from thirdcard.rules.errors import EventError, LogError, UnknownEventError, brief
from thirdcard.rules.log.events import (
    CardDealt,
    CardMoved,
    CardPassed,
    CardRemoved,
    CardReplaced,
    CardTurned,
    Event,
    RoundClosed,
    parse_event,
)
from thirdcard.rules.log.seen_ids import SeenIds

Warn = Callable[[str], None]
LONGEST_LINE = 4 * 2**20
"""The longest accepted line, in characters: a thousand times the longest line of a real log."""
_OF_CARDS = frozenset((CardDealt, RoundClosed, CardTurned, CardMoved, CardPassed, CardRemoved, CardReplaced))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_scan = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in a line.

    Raises:
        json.JSONDecodeError: The line is no whole JSON value.
        ValueError: It holds no object, is too long or too deeply nested, is not UTF-8, or has half a surrogate pair.
    """
    if len(text) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE} characters")
    try:
        mapping, end = _scan(text)
        if "\\u" in text or not text.isascii():
            json.dumps(mapping, ensure_ascii=False).encode()
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise ValueError("too many levels") from error
    except UnicodeEncodeError as error:
        raise ValueError(_what_is_no_text(text)) from error
    except ValueError as error:
        raise ValueError("a number that is none of JSON, or has thousands of digits") from error
    if end != len(text) or not isinstance(mapping, dict):
        raise ValueError("something else than one object")
    return mapping


def _what_is_no_text(text: str) -> str:
    return "half of a surrogate pair" if _is_text(text) else "no text in UTF-8"


def _is_text(text: str) -> bool:
    """Whether the line's bytes were UTF-8; `text_of` turns other bytes into halves of surrogate pairs."""
    return text.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in text)


def text_of(stream: BinaryIO) -> TextIOWrapper:
    """A file or standard input as text; bytes that are not UTF-8 pass, so that the reader can name their line."""
    return TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a file with their ends; an overlong line is cut, and `parse_object` refuses it."""
    return iter(lambda: stream.readline(LONGEST_LINE + 1), "")


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with one object a line, each with its line number from 1; blank lines are skipped.

    Raises:
        LogError: A line holds no object; names its number.
        OSError: The file cannot be read.
    """
    number = 0
    try:
        with text_of(path.open("rb")) as stream:
            for number, line in enumerate(read_lines(stream), 1):
                if line.strip():
                    yield number, parse_object(line.strip())
    except ValueError as error:
        raise LogError(number, f"no JSON object: {error}") from error


def read_log_file(path: Path, *, warn: Warn | None = None) -> Iterator[Event]:
    """The events of a log file, in order.

    Raises:
        LogError: A line cannot be used; names its number.
        OSError: The file cannot be read.
    """
    with text_of(path.open("rb")) as stream:
        yield from read_log(read_lines(stream), warn=warn)


def read_log(lines: Iterable[str], *, warn: Warn | None = None) -> Iterator[Event]:
    """The events of a log, in order.

    Blank lines are skipped. Lines of an unknown type are skipped with one warning per type. An incomplete last line is
    skipped with a warning.

    Args:
        lines: With their line ends, as a text file gives them; an incomplete last line is recognised by its missing
            end.
        warn: Takes each warning's text; None drops them.

    Raises:
        LogError: A line cannot be used; names its number, from 1.
    """
    reader = LogReader(warn=warn)
    for line in lines:
        event = reader.read(line)
        if event is not None:
            yield event


class LogReader:
    """Reads one line after another and remembers what later lines are checked with."""

    def __init__(self, *, warn: Warn | None = None) -> None:
        self._warn = warn or _ignore
        self.number = 0
        """The number of the line that was read last, from 1."""
        self._last_t = float("-inf")
        self._card_ids = SeenIds()
        self._strange = SeenIds()
        """Ids of cards that nobody dealt, already warned about."""
        self._awaited: set[str] = set()
        """Ids named as `together_with` in the running round; checked at its end."""
        self._unknown: set[str] = set()
        self._broken: LogError | None = None

    def read(self, line: str) -> Event | None:
        """The event in the next line; None for a blank line, an unknown type, or an incomplete last line.

        Raises:
            LogError: The line cannot be used, or an incomplete line was not the last.
        """
        self.number += 1
        if self._broken is not None:
            raise self._broken
        text = line.strip()
        if not text:
            return None
        try:
            mapping = parse_object(text)
        except ValueError as error:
            self._skip_broken(text, error, is_ended=line.endswith(("\n", "\r")))
            return None
        try:
            event = parse_event(mapping)
        except UnknownEventError as error:
            self._skip_unknown(mapping, error)
            return None
        except EventError as error:
            raise LogError(self.number, str(error)) from error
        if event.t < self._last_t:
            self._refuse_order(event.t)
        self._last_t = event.t
        if type(event) in _OF_CARDS:
            self._check_cards(event)
        return event

    def _skip_broken(self, text: str, error: ValueError, *, is_ended: bool) -> None:
        """Skip an incomplete last line with a warning; refuse any other line without an object."""
        is_cut = isinstance(error, json.JSONDecodeError)
        why = f"; {error}" if not is_cut else "" if _is_text(text) else "; no text in UTF-8"
        broken = LogError(self.number, f"no JSON object: {brief(text)}{why}")
        if is_ended or not is_cut or not text.startswith("{"):
            raise broken from error
        self._broken = broken
        self._warn(f"line {self.number}: incomplete last line skipped")

    def _skip_unknown(self, mapping: dict[str, Any], error: UnknownEventError) -> None:
        """Skip an event of an unknown type, with one warning per type."""
        t, kind = float(mapping["t"]), str(mapping["type"])
        if t < self._last_t:
            self._refuse_order(t)
        self._last_t = t
        if kind not in self._unknown:
            self._unknown.add(kind)
            self._warn(f"line {self.number}: {error}; skipped")

    def _refuse_order(self, t: float) -> NoReturn:
        raise LogError(self.number, f"t = {t}; allowed: from {self._last_t}, the time of the line before")

    def _check_cards(self, event: Event) -> None:
        """Refuse a card that is dealt twice; warn about a card that nobody dealt."""
        if isinstance(event, CardDealt):
            if not self._card_ids.add(event.card_id):
                raise LogError(self.number, f"card_dealt: card_id = {brief(event.card_id)}; it was dealt before")
            if event.together_with is not None:
                self._awaited.add(event.together_with)
        elif isinstance(event, RoundClosed):
            while self._awaited:
                self._check_card("card_dealt: together_with", self._awaited.pop())
        elif isinstance(event, CardTurned | CardMoved | CardPassed | CardRemoved | CardReplaced):
            self._check_card(f"{event.type}: card_id", event.card_id)

    def _check_card(self, field: str, card_id: str) -> None:
        """Warn about a card that nobody dealt, once per card."""
        if card_id not in self._card_ids and self._strange.add(card_id):
            self._warn(f"line {self.number}: {field} = {brief(card_id)}; no line before dealt it")


def _ignore(_text: str) -> None:
    return
