"""Read a table log line by line, refusing what cannot be judged.

A stream: holds one line, bounded, and the ids of the cards seen, packed. Knows nothing of rules.
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
"""Characters. No line of a table log has a thousandth of that: what goes on longer is no log."""
_OF_CARDS = frozenset((CardDealt, RoundClosed, CardTurned, CardMoved, CardPassed, CardRemoved, CardReplaced))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_scan = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that a line holds.

    Raises:
        ValueError: it holds none, is too long or too deep, is no text in UTF-8, or holds half of a surrogate pair; of a
            line that ends too soon a json.JSONDecodeError.
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
    """Whether the line's bytes were UTF-8; what was not stands as halves of surrogate pairs, as `text_of` has it."""
    return text.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in text)


def text_of(stream: BinaryIO) -> TextIOWrapper:
    """The text of a file or of standard input; a line with bytes that are no UTF-8 is refused by its own number."""
    return TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a file with their ends; of one that does not end, its first part, which `parse_object` refuses."""
    return iter(lambda: stream.readline(LONGEST_LINE + 1), "")


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with one a line, each with its line's number from 1; blank lines are left out.

    Raises:
        LogError: a line holds none; names its number.
        OSError: the file cannot be read.
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
    """The events of a log's file, in order.

    Raises:
        LogError: a line cannot be used; names its number.
        OSError: the file cannot be read.
    """
    with text_of(path.open("rb")) as stream:
        yield from read_log(read_lines(stream), warn=warn)


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
        self.number = 0
        """Of the line that was read last, from 1."""
        self._last_t = float("-inf")
        self._card_ids = SeenIds()
        self._strange = SeenIds()
        """Ids of cards that nobody dealt."""
        self._awaited: set[str] = set()
        """Ids that a card is said to have left the shoe together with, until the round ends."""
        self._unknown: set[str] = set()
        self._broken: LogError | None = None

    def read(self, line: str) -> Event | None:
        """The event of the next line; None where it is blank, of an unknown type, or the incomplete end.

        Raises:
            LogError: the line cannot be used, or an incomplete line was not the last.
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
        """Pass over an incomplete last line with a warning; refuse any other that holds no object."""
        is_cut = isinstance(error, json.JSONDecodeError)
        why = f"; {error}" if not is_cut else "" if _is_text(text) else "; no text in UTF-8"
        broken = LogError(self.number, f"no JSON object: {brief(text)}{why}")
        if is_ended or not is_cut or not text.startswith("{"):
            raise broken from error
        self._broken = broken
        self._warn(f"line {self.number}: incomplete last line skipped")

    def _skip_unknown(self, mapping: dict[str, Any], error: UnknownEventError) -> None:
        """Pass over an event of a type that is not known, with one warning for each type."""
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
        """Whether a card is dealt twice, or was dealt by nobody."""
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
        """Warn of a card that nobody dealt, of each once."""
        if card_id not in self._card_ids and self._strange.add(card_id):
            self._warn(f"line {self.number}: {field} = {brief(card_id)}; no line before dealt it")


def _ignore(_text: str) -> None:
    return
