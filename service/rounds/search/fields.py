"""The search fields for rounds: the allowed values, their index terms, and their text for display."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from thirdcard.rules.game.cards import SUITS
from thirdcard.rules.game.words import BET_PATTERN, HANDS_AND_TIE, Severity
from thirdcard.rules.rulebook.file_keys import OTHER_FAULTS, REQUIRED_FAULTS
from thirdcard.service.ports.code_words import code_title
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.report.playing_cards import RANK_NAMES, SUIT_NAMES

CODES = tuple(sorted({*REQUIRED_FAULTS, *OTHER_FAULTS}))
FAMILIES = tuple(sorted({code.partition(".")[0] for code in CODES}))
CHANGES = ("placed", "increased", "reduced", "removed", "changed")
TRAITS: Mapping[str, str] = {
    "natural": "a natural",
    "void": "void",
    "incomplete": "not complete",
    "unread": "a card not read",
    "unseen": "part of it could not be seen",
    "corrected": "corrected by a person",
}
SUIT_SIGNS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_CARD = re.compile(r"(10|[2-9ajqk])([cdhs♣♦♥♠]?)")


class SearchError(ServiceError):
    """Rounds cannot be searched by this value; `field` names the field."""

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A condition: the round has one of these terms."""

    terms: tuple[str, ...]
    words: str
    """Its text for display."""


Read = Callable[[str], tuple[str, ...] | None]
"""Parses a text into values, any of which matches; None where it is not valid."""


@dataclass(frozen=True, slots=True)
class SearchField:
    """One search field."""

    read: Read
    allowed: str
    words: Callable[[str], str]
    is_single: bool = False
    """Whether a round has a single value of it, so that several values are alternatives."""


def one_of(*names: str) -> Read:
    """A parser for exactly these names."""
    return lambda text: (text,) if text in names else None


def _read_bet(text: str) -> tuple[str, ...] | None:
    return (text,) if re.fullmatch(BET_PATTERN, text) else None


def read_card(text: str) -> tuple[str, ...] | None:
    """Parse `7h` or `7♥`; a rank alone means any suit, a suit alone is not valid."""
    match = _CARD.fullmatch(text)
    if match is None:
        return None
    suit = SUIT_SIGNS.get(match[2], match[2])
    return tuple(match[1] + each for each in ((suit,) if suit else [suit.casefold() for suit in SUITS]))


def card_words(name: str) -> str:
    """A card in words for display, such as `7 of hearts`."""
    match = _CARD.fullmatch(name)
    assert match is not None, "read_card comes first"
    rank = match[1].upper()
    suit = SUIT_SIGNS.get(match[2], match[2]).upper()
    return RANK_NAMES.get(rank, rank) + (f" of {SUIT_NAMES[suit]}" if suit else " of any suit")


def _read_change(text: str) -> tuple[str, ...] | None:
    """Parse a kind, an area, or both: `increased`, `s3-banker`, `s3-banker:increased`."""
    area, _, kind = text.rpartition(":")
    is_known = (text in CHANGES) if not area else (kind in CHANGES)
    is_area = not area and re.fullmatch(r"[\w.-]{1,80}", text) is not None
    return (text,) if is_known or is_area else None


def _change_words(text: str) -> str:
    area, _, kind = text.rpartition(":")
    if not area:
        return f"a stack {text}" if text in CHANGES else f"the stack on {text} changed"
    return f"the stack {'at ' if area.startswith('seat:') else 'on '}{area.replace(':', ' ')} {kind}"


def _read_text(text: str) -> tuple[str, ...] | None:
    return (text,) if 0 < len(text) <= 200 else None


def _read_seat(text: str) -> tuple[str, ...] | None:
    return (str(int(text)),) if re.fullmatch(r"[1-9]\d?", text) else None


FIELDS: Mapping[str, SearchField] = {
    "table": SearchField(_read_text, "a table's name", lambda text: f"table {text.upper()}", is_single=True),
    "dealer": SearchField(_read_text, "a dealer's name", lambda text: f"dealer {text}", is_single=True),
    "rulebook": SearchField(_read_text, "a rulebook's id", lambda text: f"rulebook {text}", is_single=True),
    "origin": SearchField(
        one_of("live", "review"),
        "live or review",
        lambda text: "watched live" if text == "live" else "reviewed later",
        is_single=True,
    ),
    "code": SearchField(one_of(*CODES, *FAMILIES), "an alert's code, or the part before its dot", code_title),
    "severity": SearchField(
        one_of(*map(str, Severity)), ", ".join(map(str, Severity)), lambda text: f"an alert of severity {text}"
    ),
    "hand": SearchField(one_of("player", "banker"), "player or banker", lambda text: f"an alert on the {text.title()}"),
    "card": SearchField(read_card, "a rank and a suit such as 7H, or a rank", card_words),
    "third": SearchField(
        one_of("player", "banker"), "player or banker", lambda text: f"{text.title()} has a third card"
    ),
    "winner": SearchField(
        one_of("player", "banker", "tie", "unknown"),
        "player, banker, tie or unknown",
        lambda text: {"tie": "a Tie", "unknown": "result not known"}.get(text, f"{text.title()} wins"),
        is_single=True,
    ),
    "seat": SearchField(_read_seat, "a seat's number from 1", lambda text: f"seat {text}"),
    "bet": SearchField(
        _read_bet,
        "a bet's name such as " + " or ".join(HANDS_AND_TIE),
        lambda text: f"a wager on {text.replace('_', ' ')}",
    ),
    "changed": SearchField(_read_change, f"{', '.join(CHANGES)}, a wagering area, or AREA:KIND", _change_words),
    "is": SearchField(one_of(*TRAITS), ", ".join(TRAITS), lambda text: TRAITS[text]),
}
Values = Mapping[str, Sequence[str]]
"""The requested values by field, in lower case."""


def clauses_of(values: Values) -> list[Clause]:
    """The conditions; a code is combined with the hand or seat beside it, a change with its seat.

    Raises:
        SearchError: A value is not allowed for its field.
    """
    read = {name: [(text.casefold(), _read(name, text)) for text in texts] for name, texts in values.items() if texts}
    clauses = _joined(read)
    for name, found in read.items():
        field = FIELDS[name]
        if field.is_single:
            words = " or ".join(field.words(text) for text, _ in found)
            terms = tuple(f"{name}:{value}" for _, meant in found for value in meant)
            clauses.append(Clause(terms=terms, words=words))
        else:
            clauses += [Clause(terms=tuple(f"{name}:{value}" for value in meant), words=field.words(text))
                        for text, meant in found]  # fmt: skip
    return clauses


def _read(name: str, text: str) -> tuple[str, ...]:
    field = FIELDS[name]
    meant = field.read(text.casefold())
    if meant is None:
        raise SearchError(f"{name} = {text}; allowed: {field.allowed}", field=name)
    return meant


def _joined(read: dict[str, list[tuple[str, tuple[str, ...]]]]) -> list[Clause]:
    """Remove pairs that mean one condition together from what was parsed, and return these conditions."""
    clauses = []
    codes, changes = read.get("code", []), [one for one in read.get("changed", []) if one[0] in CHANGES]
    if len(codes) == 1 and (read.get("hand") or (read.get("seat") and not changes)):
        code = codes[0][0]
        named = [(f":{text}", f" ({text.title()})") for text, _ in read.pop("hand", [])]
        if not named:
            named = [(f":seat:{text}", f" (seat {text})") for text, _ in read.pop("seat", [])]
        clauses += [Clause(terms=(f"code:{code}{end}",), words=f"{code_title(code)}{said}") for end, said in named]
        read.pop("code")
    if len(changes) == 1 and read.get("seat"):
        kind = changes[0][0]
        for text, _ in read.pop("seat"):
            term = f"changed:seat:{text}:{kind}"
            clauses.append(Clause(terms=(term,), words=_change_words(f"seat:{text}:{kind}")))
        read["changed"] = [one for one in read["changed"] if one[0] != kind]
    return clauses
