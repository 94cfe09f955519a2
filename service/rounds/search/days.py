"""Parse the stretch of time in a text, such as "last Friday" or "from 20:00 to 22:00", in the house's time zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip
AROUND = timedelta(minutes=5)
"""A single time means the rounds up to this much before and after it: a round takes about a minute."""
NIGHT_BEGINS, NIGHT_ENDS = time(18), time(6)
_WEEKDAY = "|".join(f"{name}|{name[:3]}" for name in WEEKDAYS)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_CLOCK = r"(\d{1,2})(?:[:.](\d{2}))"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStretch:
    """A stretch by the house's clock; the end is exclusive; None: open."""

    begins: datetime | None
    ends: datetime | None


@dataclass(frozen=True, slots=True)
class Today:
    """The present time by the house's clock."""

    now: datetime
    """In the house's time zone."""

    def day(self, which: date, *, days: int = 1) -> DayStretch:
        """Whole days; one on which clocks change is longer or shorter."""
        zone = self.now.tzinfo
        begins = datetime.combine(which, time(), zone)
        return DayStretch(begins=begins, ends=datetime.combine(which + timedelta(days=days), time(), zone))

    def at(self, which: date, clock: time) -> datetime:
        """A time of a day."""
        return datetime.combine(which, clock, self.now.tzinfo)


Reading = Callable[[re.Match[str], Today], "DayStretch | None"]


def _weekday(match: re.Match[str], today: Today) -> DayStretch:
    wanted = next(i for i, name in enumerate(WEEKDAYS) if name.startswith(match["name"][:3]))
    back = (today.now.weekday() - wanted) % 7
    if back == 0 and match["last"]:
        back = 7
    return today.day(today.now.date() - timedelta(days=back))


def _written(match: re.Match[str], today: Today) -> DayStretch | None:
    try:
        return today.day(date(int(match["year"]), int(match["month"]), int(match["day"])))
    except ValueError:
        return None


def _named_month(match: re.Match[str], today: Today) -> DayStretch | None:
    month = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(match["month"][:3]))
    year = int(match["year"] or today.now.year)
    try:
        found = date(year, month, int(match["day"]))
    except ValueError:
        return None
    is_ahead = not match["year"] and found > today.now.date()
    return today.day(found.replace(year=year - 1) if is_ahead and (month, found.day) != (2, 29) else found)


def _ago(match: re.Match[str], today: Today) -> DayStretch:
    n = int(match["n"] or 1)
    if match["unit"].startswith("hour"):
        return DayStretch(begins=today.now - timedelta(hours=n), ends=None)
    return today.day(today.now.date() - timedelta(days=n - 1), days=n)


def _week(match: re.Match[str], today: Today) -> DayStretch:
    monday = today.now.date() - timedelta(days=today.now.weekday())
    return today.day(monday - timedelta(days=7 if match["which"] == "last" else 0), days=7)


def _night(_match: re.Match[str], today: Today) -> DayStretch:
    morning = today.now.date()
    evening = morning - timedelta(days=1)
    return DayStretch(begins=today.at(evening, NIGHT_BEGINS), ends=today.at(morning, NIGHT_ENDS))


READINGS: tuple[tuple[str, Reading], ...] = (
    (r"last night", _night),
    (r"(?P<which>last|this) week", _week),
    (r"(?:the )?last (?P<n>\d{1,3} )?(?P<unit>hours?|days?)", _ago),
    (r"(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)", _written),
    (r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)", _written),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})\b\.?(?: (?P<year>20\d\d))?", _named_month),
    (rf"(?P<last>last )?(?P<name>{_WEEKDAY})", _weekday),
    (r"today", lambda _match, today: today.day(today.now.date())),
    (r"yesterday", lambda _match, today: today.day(today.now.date() - timedelta(days=1))),
)
_DAYS = [(re.compile(rf"(?<![\w:.-])(?:on )?{pattern}(?![\w:.-])"), read) for pattern, read in READINGS]
_BETWEEN = re.compile(rf"(?<![\w:])(?:from|between) {_CLOCK} (?:to|and|until) {_CLOCK}(?!\w)")
_AFTER = re.compile(rf"(?<![\w:])(?:after|since|from) {_CLOCK}(?!\w)")
_AT = re.compile(rf"(?<![\w:.-])(?:(?:at|around|about) )?{_CLOCK}(?::\d\d)?(?![\w:.-])")
_BEFORE = re.compile(rf"(?<![\w:])(?:before|until|to) {_CLOCK}(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A stretch, the words that gave it, and the rest of the text."""

    stretch: DayStretch | None
    words: tuple[str, ...]
    rest: str


def read_day(text: str, now: datetime) -> DayStretch | None:
    """The day in a text that names nothing else; None otherwise."""
    told = read_days(text.casefold().strip(), now)
    return None if told.rest.strip() else told.stretch


def read_days(text: str, now: datetime) -> Told:
    """Find a day and hours in a lower-case text.

    Args:
        text: The query.
        now: The present time, in the house's time zone.
    """
    today, stretch, words = Today(now), None, []
    for pattern, read in _DAYS:
        match = pattern.search(text)
        found = None if match is None else read(match, today)
        if match is not None and found is not None:
            stretch, text = found, _without(text, match)
            words.append(match[0].strip())
            break
    hours = _hours(text, today, stretch)
    return hours if not words else replace(hours, words=(*words, *hours.words))


def _hours(text: str, today: Today, day: DayStretch | None) -> Told:
    """The hours of that day, or of today; an end before its beginning is on the next morning."""
    first = (today.now if day is None or day.begins is None else day.begins).date()
    match = _BETWEEN.search(text)
    if match is not None:
        begins, ends = _clock(match[1], match[2]), _clock(match[3], match[4])
        if begins is not None and ends is not None:
            last = first if ends > begins else first + timedelta(days=1)
            stretch = DayStretch(begins=today.at(first, begins), ends=today.at(last, ends))
            return Told(stretch=stretch, words=(match[0],), rest=_without(text, match))
    told = Told(stretch=day, words=(), rest=text)
    for pattern, name in ((_AFTER, "begins"), (_BEFORE, "ends")):
        match = pattern.search(told.rest)
        clock = None if match is None else _clock(match[1], match[2])
        if match is not None and clock is not None:
            whole = told.stretch or today.day(first)
            changed = replace(whole, **{name: today.at(first, clock)})
            told = Told(stretch=changed, words=(*told.words, match[0]), rest=_without(told.rest, match))
    return told if told.words else _around(told, today, day)


def _around(told: Told, today: Today, day: DayStretch | None) -> Told:
    """A time of that day, or the last such time in the past."""
    match = _AT.search(told.rest)
    clock = None if match is None else _clock(match[1], match[2])
    if match is None or clock is None:
        return told
    first = (today.now if day is None or day.begins is None else day.begins).date()
    at = today.at(first, clock)
    if day is None and at > today.now:
        at = today.at(first - timedelta(days=1), clock)
    stretch = DayStretch(begins=at - AROUND, ends=at + AROUND)
    return Told(stretch=stretch, words=(match[0].strip(),), rest=_without(told.rest, match))


def _clock(hour: str, minute: str) -> time | None:
    try:
        return time(int(hour), int(minute))
    except ValueError:
        return None


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"
