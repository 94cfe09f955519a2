"""Parse the text of the search box: `code:late_bet table:B07 day:friday`, or plain words.

The answer always shows what was understood and what was not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from thirdcard.rules.game.words import GAME_BETS
from thirdcard.service.rounds.search.days import DayStretch, read_day, read_days
from thirdcard.service.rounds.search.fields import CHANGES, CODES, FAMILIES, FIELDS, Clause, SearchError, clauses_of

LONGEST_TEXT = 300
_PAIR = re.compile(r'(?<!\S)([a-z]+):("[^"]*"|\S+)')
_WORD = re.compile(r"[^\s,;]+")
SILENT = frozenset(re.findall(r"\w+", """
    a an the and or of on at in by with without where was were is are be has had have show me find all any rounds round
    which that who to from for did got gave him her hand hands card cards
"""))  # fmt: skip
"""Words that are ignored."""
RANK_WORDS = {
    "ace": "a", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "jack": "j", "queen": "q", "king": "k",
}  # fmt: skip
SUIT_WORDS = {"clubs": "c", "diamonds": "d", "hearts": "h", "spades": "s"}
_RANK = "|".join(RANK_WORDS)
CHANGE_WORDS = {"capped": "increased", "pressed": "increased", "pinched": "reduced", "taken off": "removed"}
CODE_WORDS = {
    **{
        f"{dealt}face{gap}{way}": code
        for way, code in (("up", "exposed_card.face_up_deal"), ("down", "procedure.face_down_deal"))
        for dealt in ("dealt ", "")
        for gap in " -"
    },
    "third card missing": "misdeal.third_card_missing",
    "third card not due": "misdeal.third_card_not_due",
    "wrong order": "misdeal.order",
    "wrong result": "misdeal.wrong_result",
    "late bets": "late_bet",
    "late bet": "late_bet",
    "past posting": "late_bet.placed",
    "past post": "late_bet.placed",
    "no call": "procedure.no_call",
    "misdeals": "misdeal",
    "payouts": "payout",
    "wrong payout": "payout.wrong_amount",
    "wrong payment": "payout.wrong_amount",
    "exposed cards": "exposed_card",
    "not offered": "wager.not_offered",
    "over the limit": "limit.above_maximum",
    "under the minimum": "limit.below_minimum",
    "camera lost": "camera.lost",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A parsed search."""

    clauses: tuple[Clause, ...]
    stretch: DayStretch
    words: tuple[str, ...]
    """The conditions in words, one entry each."""
    unknown: tuple[str, ...]
    """The words that were not understood."""
    values: Mapping[str, Sequence[str]]
    """The values by field, to fill a form."""


@dataclass(slots=True)
class _Draft:
    values: dict[str, list[str]] = field(default_factory=dict)
    stretch: DayStretch = field(default_factory=lambda: DayStretch(begins=None, ends=None))
    days: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def add(self, name: str, value: str) -> None:
        if value not in self.values.setdefault(name, []):
            self.values[name].append(value)


def understand(text: str, now: datetime, tables: Iterable[str] = (), dealers: Iterable[str] = ()) -> Understood:
    """Parse the text of a search.

    Args:
        text: The text as typed.
        now: The current time, with the house's time zone.
        tables: The names of all tables, so that "table 7" can mean B07, and "B07" itself.
        dealers: The names of the dealers that the asker may know, so that "Ben Tan" is understood.
    """
    draft, tables = _Draft(), list(tables)
    rest = _PAIR.sub(lambda match: _pair(match, draft, now), text.casefold().strip()[:LONGEST_TEXT])
    rest = _names(rest, draft, "dealer", dealers)
    rest = _names(rest, draft, "table", (name for name in tables if not name.isdecimal()))
    told = read_days(rest, now)
    if told.words and told.stretch is not None:
        draft.stretch, rest = told.stretch, told.rest
        draft.days += told.words
    rest = _phrases(rest, draft, tables)
    draft.unknown += [word for word in _WORD.findall(rest) if word not in SILENT]
    return _finished(draft)


def _names(text: str, draft: _Draft, field_name: str, names: Iterable[str]) -> str:
    """Take out the names that stand in a text as whole words, the longest first, with an optional prefix."""
    before = rf"(?:{field_name} )?"
    for name in sorted({name.casefold() for name in names}, key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w:.-]){before}{re.escape(name)}(?:'s)?(?![\w:.-])")
        if pattern.search(text):
            draft.add(field_name, name)
            text = pattern.sub(" ", text)
    return text


def understand_fields(values: Mapping[str, Sequence[str]], stretch: DayStretch) -> Understood:
    """The search that separate fields stand for.

    Raises:
        SearchError: A value is not allowed in its field; the message names the field.
    """
    clauses = clauses_of(values)
    words = tuple(clause.words for clause in clauses)
    return Understood(clauses=tuple(clauses), stretch=stretch, words=words, unknown=(), values=values)


def _finished(draft: _Draft) -> Understood:
    known: dict[str, list[str]] = {}
    for name, values in draft.values.items():
        for value in values:
            if FIELDS[name].read(value) is None:
                draft.unknown.append(f"{name}:{value}")
            else:
                known.setdefault(name, []).append(value)
    clauses = clauses_of(known)
    words = (*(clause.words for clause in clauses), *_stretch_words(draft.stretch))
    return Understood(
        clauses=tuple(clauses), stretch=draft.stretch, words=words, unknown=tuple(draft.unknown), values=known
    )


def _stretch_words(stretch: DayStretch) -> list[str]:
    """A day such as `Fri 20 Nov 2026`, or a span of days, in words."""
    begins, ends = stretch.begins, stretch.ends
    if (
        begins is not None
        and ends is not None
        and begins.time() == ends.time()
        and (ends.date() - begins.date()).days == 1
    ):
        return [f"{begins:%a %-d %b %Y}"]
    found = [] if begins is None else [f"from {begins:%a %-d %b %Y %H:%M}"]
    return found if ends is None else [*found, f"before {ends:%a %-d %b %Y %H:%M}"]


def _pair(match: re.Match[str], draft: _Draft, now: datetime) -> str:
    name, value = match[1], match[2].strip('"').rstrip(",;")
    if name in FIELDS:
        draft.add(name, value)
    elif name == "day" and (stretch := read_day(value, now)) is not None:
        draft.stretch = stretch
    elif name in ("from", "to") and (moment := _moment(value, now)) is not None:
        begins, ends = draft.stretch.begins, draft.stretch.ends
        draft.stretch = (
            DayStretch(begins=moment, ends=ends) if name == "from" else DayStretch(begins=begins, ends=moment)
        )
    else:
        draft.unknown.append(match[0])
    return " "


def _moment(text: str, now: datetime) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.upper())
    except ValueError:
        day = read_day(text, now)
        return None if day is None else day.begins
    return found if found.tzinfo is not None else found.replace(tzinfo=now.tzinfo)


Take = Callable[[re.Match[str], _Draft, list[str]], None]


def _phrases(text: str, draft: _Draft, tables: list[str]) -> str:
    for pattern, take in _PHRASES:

        def taken(match: re.Match[str], take: Take = take) -> str:
            take(match, draft, tables)
            return " "

        text = pattern.sub(taken, text)
    return text


def _take_table(match: re.Match[str], draft: _Draft, tables: list[str]) -> None:
    """Add the tables that have this name, or this number in their name."""
    wanted = match["name"]
    names = [name.casefold() for name in tables]
    found = [name for name in names if name == wanted]
    found = found or [name for name in names if re.fullmatch(rf"\D*0*{re.escape(wanted)}", name)]
    for name in found or [wanted]:
        draft.add("table", name)


def _take_code(match: re.Match[str], draft: _Draft, _tables: list[str]) -> None:
    draft.add("code", _CODE_PHRASES[match["words"]])
    if match["side"]:
        draft.add("hand", match["side"])


def _take_card(match: re.Match[str], draft: _Draft, _tables: list[str]) -> None:
    rank = RANK_WORDS.get(match["rank"], match["rank"])
    draft.add("card", rank + SUIT_WORDS[match["suit"]])


def _adds(name: str, value: str | None = None) -> Take:
    """A function that adds a fixed value, or the text that the pattern matched."""
    return lambda match, draft, _tables: draft.add(name, match["value"] if value is None else value)


def _code_phrases() -> dict[str, str]:
    """The phrases for each code: its own name, with and without its family, and common names."""
    found = {}
    for code in CODES:
        family, _, ending = code.partition(".")
        found[f"{family} {ending}".replace("_", " ")] = code
        if "_" in ending and not ending.endswith("maximum"):
            found[ending.replace("_", " ")] = code
    found |= {family.replace("_", " "): family for family in FAMILIES if family not in ("limit", "camera")}
    return found | CODE_WORDS


_CODE_PHRASES = _code_phrases()
_CODES = "|".join(re.escape(words) for words in sorted(_CODE_PHRASES, key=len, reverse=True))
_CHANGES = "|".join(name for name in CHANGES if name != "changed")
_PHRASES: Sequence[tuple[re.Pattern[str], Take]] = tuple(
    (re.compile(rf"(?<![\w:]){pattern}(?![\w:])"), take)
    for pattern, take in (
        (r"table (?P<name>[\w.-]+)", _take_table),
        (r"seat (?P<value>\d{1,2})", _adds("seat")),
        (r"dealer (?P<value>[\w.'-]+)", _adds("dealer")),
        (rf"(?:(?P<side>player|banker)(?:'s)? )?(?P<words>{_CODES})", _take_code),
        (r"(?P<value>player|banker)(?:'s)? third card", _adds("third")),
        (rf"(?P<rank>{_RANK}|10|[2-9ajqk]) of (?P<suit>clubs|diamonds|hearts|spades)", _take_card),
        (r"(?P<value>(?:10|[2-9ajqk])[cdhs♣♦♥♠])", _adds("card")),
        (r"(?P<value>player|banker) (?:wins|won|win)", _adds("winner")),
        (r"ties?", _adds("winner", "tie")),
        (r"naturals?", _adds("is", "natural")),
        (r"void", _adds("is", "void")),
        (r"(?:unread|not read)", _adds("is", "unread")),
        (r"(?:unseen|not seen|could not be seen)", _adds("is", "unseen")),
        (r"incomplete", _adds("is", "incomplete")),
        (r"corrected", _adds("is", "corrected")),
        (r"reviewed", _adds("origin", "review")),
        (r"(?:watched )?live", _adds("origin", "live")),
        (rf"(?:(?:stack|wager|bet|chips) )?(?P<value>{_CHANGES})", _adds("changed")),
        *((rf"(?:(?:stack|wager|bet|chips) )?{words}", _adds("changed", kind)) for words, kind in CHANGE_WORDS.items()),
        (r"(?:on )?(?P<value>[a-z]+ (?:pair|six)|ante)", lambda match, draft, _tables: _take_bet(match, draft)),
    )
)  # fmt: skip


def _take_bet(match: re.Match[str], draft: _Draft) -> None:
    name = match["value"].replace(" ", "_")
    if name not in GAME_BETS:
        draft.unknown.append(match["value"])
    else:
        draft.add("bet", name)


__all__ = ["SearchError", "Understood", "understand", "understand_fields"]
