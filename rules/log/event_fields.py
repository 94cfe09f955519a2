"""Read the values of a table log's fields; a field means the same on every type of line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from thirdcard.rules.errors import CardError, EventError, brief
from thirdcard.rules.game.cards import PACK, Card, parse_card
from thirdcard.rules.game.words import (
    BET_NAMES,
    DEALER,
    GAME_BETS,
    SEAT_DIGITS,
    UNKNOWN,
    Bet,
    HidingPlace,
    Outcome,
    SettleAction,
    Side,
    Source,
    is_bet_name,
    seat_of,
)

MOST = 10**15
"""The largest number that any field may hold: sums of such numbers stay exact even as floats."""
ROUNDED = 1e-3
"""The tolerance by which rounded probabilities may add up to more than 1."""
DIRECTIONS = ("more", "fewer")
"""How the chips of a wager may have changed."""
MOST_SEATS = 10**SEAT_DIGITS - 1


def read_time(value: object) -> float:
    """A stream time in seconds.

    Raises:
        EventError: The value is not a finite number up to 10^15.
    """
    if type(value) is float and -MOST <= value <= MOST:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not -MOST <= value <= MOST:
        raise EventError("t", f"t = {brief(value)}; allowed: seconds, a finite number up to 10^15")
    return float(value)


def _read_confidence(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("allowed: 0 to 1, or null")
    return float(value)


def _read_duration(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 60:
        raise ValueError("allowed: 0 to 60 seconds, or null")
    return float(value)


def _read_span(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise ValueError("allowed: seconds from 0 to 10^15, or null")
    return float(value)


def _read_count(value: object) -> int | None:
    if value is None or (type(value) is int and 0 <= value <= MOST):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST or value != int(value):
        raise ValueError("allowed: a whole number from 0 to 10^15, or null")
    return int(value)


def _read_seat(value: object) -> int | None:
    if value is None or (type(value) is int and 1 <= value <= MOST_SEATS):
        return value
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SEATS:
        raise ValueError(f"allowed: a seat number from 1 to {MOST_SEATS}, or null")
    return value


def _read_points(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 9:
        raise ValueError("allowed: a point count from 0 to 9")
    return value


def _read_text(value: object) -> str:
    if type(value) is str and value and value.isascii():
        return value
    if not isinstance(value, str) or not value or not is_unicode(value):
        raise ValueError("allowed: a text")
    return value


def is_unicode(text: str) -> bool:
    """Whether a text can be encoded: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_dealer(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or not is_unicode(value):
        raise ValueError("allowed: a name, a number or a badge; null for nobody")
    return value


def _read_optional_text(value: object) -> str | None:
    return None if value is None else _read_text(value)


def _read_names(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise ValueError("allowed: a list of texts, or null")
    return tuple(map(_read_text, value))


def _read_alternatives(value: object) -> dict[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError("allowed: a mapping of cards to probabilities, or null")
    try:
        shares = {str(parse_card(_read_text(card))): _read_confidence(share) or 0.0 for card, share in value.items()}
    except CardError as error:
        raise ValueError(f"allowed: a mapping of cards to probabilities; {error}") from error
    if sum(shares.values()) > 1.0 + ROUNDED:
        raise ValueError("allowed: probabilities from 0 to 1 that add up to no more than 1")
    return shares


def _read_directions(value: object) -> dict[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(name in DIRECTIONS for name in value):
        raise ValueError(f"allowed: a mapping of {' or '.join(DIRECTIONS)} to a probability, or null")
    return {str(name): _read_confidence(share) or 0.0 for name, share in value.items()}


def _read_bet_limits(value: object) -> dict[str, dict[str, int]] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(_limits_a_bet(*entry) for entry in value.items()):
        raise ValueError("allowed: a mapping of bets to {minimum, maximum}, each a whole number from 0")
    return {str(bet): {str(end): int(amount) for end, amount in limits.items()} for bet, limits in value.items()}


def _limits_a_bet(bet: object, limits: object) -> bool:
    if not isinstance(bet, str) or not is_bet_name(bet) or not isinstance(limits, Mapping) or not limits:
        return False
    return all(
        end in ("minimum", "maximum") and type(amount) is int and 0 <= amount <= MOST for end, amount in limits.items()
    )


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("allowed: true, false")
    return value


def _read_card(value: object) -> Card | None:
    return None if value is None else parse_card(_read_text(value))


_CARDS: Mapping[object, Card | None] = {None: None, **{str(card): card for card in PACK}}


_PARTIES = frozenset((DEALER, UNKNOWN, *(f"seat:{number}" for number in range(1, 20))))
"""The most frequent parties, for a quick check."""


def _read_by(value: object) -> str:
    if isinstance(value, str) and value in _PARTIES:
        return value
    text = _read_text(value)
    if seat_of(text) is None:
        raise ValueError("allowed: seat:N, dealer, unknown")
    return text


def _read_to(value: object) -> str:
    text = _read_text(value)
    if text not in (DEALER, "discard", "off_table") and seat_of(text) is None:
        raise ValueError("allowed: seat:N, dealer, discard, off_table")
    return text


def _choice(kind: type[StrEnum], *, optional: bool = False) -> Callable[[object], StrEnum | None]:
    allowed = ", ".join(kind) + (", null" if optional else "")
    members = {str(member): member for member in kind}

    def read(value: object) -> StrEnum | None:
        if value is None and optional:
            return None
        if not isinstance(value, str) or value not in members:
            raise ValueError(f"allowed: {allowed}")
        return members[value]

    return read


def _read_bet(value: object) -> Bet:
    if not isinstance(value, str):
        raise ValueError(f"allowed: {BET_NAMES}")
    try:
        return Bet(value)
    except ValueError as error:
        raise ValueError(f"allowed: {BET_NAMES}") from error


class _Bets(dict[object, Bet]):
    """The bets by name; other valid names become bets on first use."""

    def __missing__(self, name: object) -> Bet:
        return _read_bet(name)


def _words(kind: type[StrEnum], *, optional: bool = False) -> Callable[[object], StrEnum | None]:
    words: dict[object, StrEnum | None] = {str(member): member for member in kind}
    return (words | {None: None} if optional else words).__getitem__


READERS: Mapping[str, Callable[[object], Any]] = {
    "t": read_time,
    "confidence": _read_confidence,
    "value_confidence": _read_confidence,
    "passing_confidence": _read_confidence,
    "alternatives": _read_alternatives,
    "source": _choice(Source, optional=True),
    "within_s": _read_duration,
    "was_missing": _read_flag,
    "decks": _read_count,
    "card": _read_card,
    "dealer": _read_dealer,
    "area": _read_text,
    "seat": _read_seat,
    "nominee": _read_seat,
    "bet": _read_bet,
    "before": _read_count,
    "after": _read_count,
    "before_low": _read_count,
    "before_high": _read_count,
    "after_low": _read_count,
    "after_high": _read_count,
    "chips_before": _read_count,
    "chips_after": _read_count,
    "by": _read_by,
    "earlier_s": _read_span,
    "later_s": _read_span,
    "picture": _read_optional_text,
    "card_id": _read_text,
    "hand": _choice(Side, optional=True),
    "face_up": _read_flag,
    "together_with": _read_optional_text,
    "found_face_up": _read_flag,
    "order_unseen": _read_flag,
    "to": _read_to,
    "player": _read_points,
    "banker": _read_points,
    "winner": _choice(Outcome, optional=True),
    "action": _choice(SettleAction),
    "amount": _read_count,
    "untouched": _read_names,
    "camera": _read_optional_text,
    "fault": _read_optional_text,
    "reason": _read_optional_text,
    "where": _choice(HidingPlace),
    "minimum": _read_count,
    "maximum": _read_count,
    "differential": _read_count,
    "collective": _read_count,
    "bets": _read_bet_limits,
    "promotional": _read_flag,
}
QUICK_READERS: Mapping[str, Callable[[object], Any]] = {
    **READERS,
    "source": _words(Source, optional=True),
    "card": _CARDS.__getitem__,
    "bet": _Bets((str(bet), bet) for bet in GAME_BETS).__getitem__,
    "hand": _words(Side, optional=True),
    "winner": _words(Outcome, optional=True),
    "action": _words(SettleAction),
    "where": _words(HidingPlace),
}
"""The same readers without explanations: quicker. A value that they refuse (KeyError and TypeError included) is read
again with `READERS`, which explain."""
EVENT_READERS: Mapping[tuple[str, str], Callable[[object], Any]] = {
    ("wager_changed", "alternatives"): _read_directions,
}
"""By event type and field: the readers of fields that hold something else in one type of event."""
ALLOWED = {"card": "a rank then a suit, such as 10H, or null"}
