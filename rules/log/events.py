"""The events of the table log: one frozen class per type of line, and their conversion from and to mappings.

They say what was seen, legal or not, and judge nothing. `t` is stream time in seconds; money is in minor units of the
table's currency. None means "not known", never "nothing".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Self

from thirdcard.rules.errors import CardError, EventError, UnknownEventError, brief
from thirdcard.rules.game.cards import Card, format_card
from thirdcard.rules.game.words import DEALER, UNKNOWN, Bet, HidingPlace, Outcome, SettleAction, Side, Source, seat_of
from thirdcard.rules.log.event_fields import ALLOWED, EVENT_READERS, QUICK_READERS, READERS, read_time

__all__ = [
    "DEALER", "EVENT_TYPES", "UNKNOWN", "Bet", "BetsOpened", "CameraBack", "CameraEvent", "CameraFaulted",
    "CameraLost", "CameraMoved", "CameraObstructed", "CardBurned", "CardDealt", "CardMoved", "CardPassed",
    "CardRemoved", "CardReplaced", "CardShown", "CardTurned", "CutCardDrawn", "DealerChanged", "Event",
    "HandlingDeclined", "HidingPlace", "LastRoundAnnounced", "LimitsChanged", "NoMoreBets", "NomineeNamed", "Outcome",
    "ResultAnnounced", "ReturnOrdered", "RoundClosed", "RoundVoided", "SettleAction", "ShoeClosed", "ShoeOpened",
    "Side", "Source", "VoidHandAnnounced", "WagerChanged", "WagerSettled", "format_event", "parse_event", "seat_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The fields that every line has."""

    type: ClassVar[str] = ""
    t: float
    """Stream time in seconds."""
    confidence: float | None = None
    """0 to 1; None where it was not estimated."""
    source: Source | None = None

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: an event is immutable."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeOpened(Event):
    """New cards are in the shoe."""

    type: ClassVar[str] = "shoe_opened"
    decks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBurned(Event):
    """One card was drawn and discarded before the first round."""

    type: ClassVar[str] = "card_burned"
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardDrawn(Event):
    """The cutting card came out and was put aside."""

    type: ClassVar[str] = "cut_card_drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRoundAnnounced(Event):
    """The dealer said "Last coup" or "Last hand"."""

    type: ClassVar[str] = "last_round_announced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeClosed(Event):
    """No further card comes from this shoe."""

    type: ClassVar[str] = "shoe_closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerChanged(Event):
    """Another person deals from here on."""

    type: ClassVar[str] = "dealer_changed"
    dealer: str | None
    """A name, a staff number or a badge; None: no known dealer, as in a break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsChanged(Event):
    """The limits of the table or of one player changed; limits that are not named stay as they were.

    A line with a seat and no limit ends that player's own limits.
    """

    type: ClassVar[str] = "limits_changed"
    seat: int | None = None
    """The player's seat; None: the table's limits."""
    minimum: int | None = None
    maximum: int | None = None
    differential: int | None = None
    collective: int | None = None
    bets: Mapping[str, Mapping[str, int]] | None = None
    """By bet: its `minimum`, its `maximum` or both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BetsOpened(Event):
    """The dealer asked for wagers."""

    type: ClassVar[str] = "bets_opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMoreBets(Event):
    """The call that closes betting; `source` says how it is known."""

    type: ClassVar[str] = "no_more_bets"
    within_s: float | None = None
    """The largest error of `t` against the true call, in seconds; None where it was not estimated."""
    was_missing: bool = False
    """Whether the round before had no call: it shows only now how calls are made at this table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerChanged(Event):
    """Chips on a wagering area changed."""

    type: ClassVar[str] = "wager_changed"
    area: str
    seat: int | None = None
    bet: Bet
    before: int | None = None
    """Value before, in minor units; 0 is empty, None unknown."""
    after: int | None = None
    before_low: int | None = None
    before_high: int | None = None
    """Bounds of the value before, where it is not known exactly."""
    after_low: int | None = None
    after_high: int | None = None
    chips_before: int | None = None
    chips_after: int | None = None
    by: str = UNKNOWN
    """`seat:3`, `dealer` or `unknown`."""
    promotional: bool = False
    """Whether the added chips are promotional: tokens or vouchers for one free wager."""
    earlier_s: float | None = None
    later_s: float | None = None
    """Bounds of the true time: seconds before `t`, and seconds after it. All times between are equally likely."""
    picture: str | None = None
    """Path beside the log of a picture of the area before and after."""
    alternatives: Mapping[str, float] | None = None
    """`more` or `fewer`: the probability that the chips changed in that direction instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDealt(Event):
    """A card left the shoe at `t` and came to rest."""

    type: ClassVar[str] = "card_dealt"
    card_id: str
    hand: Side | None = None
    """None: it came to rest outside the hands' boxes."""
    card: Card | None = None
    """None where the face was not seen."""
    face_up: bool | None = None
    """None: the log does not say; then its face is known neither to be seen nor to be hidden."""
    together_with: str | None = None
    """The id of the card that left the shoe at the same time, in unknown order."""
    found_face_up: bool = False
    """Whether it lay face up in the shoe."""
    order_unseen: bool = False
    """Whether its arrival was not seen; then cards that were seen later may have left the shoe before it."""
    value_confidence: float | None = None
    """Confidence in the card's point value, 0 to 1, whatever its suit and rank; None: same as `confidence`."""
    alternatives: Mapping[str, float] | None = None
    """The other possible faces, each with its probability; None where they were not estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidHandAnnounced(Event):
    """The coming or running round is played without wagers."""

    type: ClassVar[str] = "void_hand_announced"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundVoided(Event):
    """The house declared the running round void: its wagers go back, its cards to the discard rack."""

    type: ClassVar[str] = "round_voided"
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnOrdered(Event):
    """A supervisor ordered one wager returned, whatever the result."""

    type: ClassVar[str] = "return_ordered"
    area: str
    seat: int | None = None
    bet: Bet
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardShown(Event):
    """The face of a card that should stay hidden was seen."""

    type: ClassVar[str] = "card_shown"
    card: Card | None = None
    where: HidingPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReplaced(Event):
    """A card was exchanged for a new one."""

    type: ClassVar[str] = "card_replaced"
    card_id: str
    reason: str | None = None
    """`damaged`, `marked` or another word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlingDeclined(Event):
    """A player entitled to handle that hand declined."""

    type: ClassVar[str] = "handling_declined"
    seat: int
    hand: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class NomineeNamed(Event):
    """From here on a nominee handles that seat's hand."""

    type: ClassVar[str] = "nominee_named"
    seat: int
    nominee: int | None = None
    """The nominee's seat; None ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTurned(Event):
    """A card was turned."""

    type: ClassVar[str] = "card_turned"
    card_id: str
    card: Card | None = None
    face_up: bool = True
    by: str = UNKNOWN
    value_confidence: float | None = None
    """Confidence in the card's point value, 0 to 1, whatever its suit and rank; None: same as `confidence`."""
    alternatives: Mapping[str, float] | None = None
    """The other possible faces, each with its probability; None where they were not estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoved(Event):
    """A card was moved into another hand's box."""

    type: ClassVar[str] = "card_moved"
    card_id: str
    hand: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPassed(Event):
    """A card was passed to a player or to the dealer."""

    type: ClassVar[str] = "card_passed"
    card_id: str
    to: str
    """`seat:4` or `dealer`."""
    passing_confidence: float | None = None
    """Confidence that it went to a player at all, 0 to 1; None: same as `confidence`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRemoved(Event):
    """A card left the table."""

    type: ClassVar[str] = "card_removed"
    card_id: str
    to: str
    """`discard` or `off_table`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultAnnounced(Event):
    """The final result that the dealer or a display announced."""

    type: ClassVar[str] = "result_announced"
    player: int | None = None
    banker: int | None = None
    winner: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerSettled(Event):
    """The dealer paid, collected or returned a wager."""

    type: ClassVar[str] = "wager_settled"
    area: str
    seat: int | None = None
    bet: Bet
    action: SettleAction
    amount: int | None = None
    """In minor units. Paid: winnings without the stake, after commission; else the chips taken or returned. None: not
    read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClosed(Event):
    """Hands are cleared; the next round may begin."""

    type: ClassVar[str] = "round_closed"
    untouched: tuple[str, ...] | None = None
    """Areas with chips that nobody reached over since the round was decided; None where no camera watched."""


UNSEEN = 0.5
"""The highest confidence of a line about something nobody saw, or of a finding whose evidence favours neither side: as
likely as not."""
FEW_FRAMES = "few_frames"
"""The fault of a camera that sends too few frames to judge by; what it shows is still logged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraEvent(Event):
    """A camera became reliable or unreliable."""

    camera: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFaulted(CameraEvent):
    """The picture cannot be trusted from now on."""

    fault: str | None = None
    """The cause, as a word of the log; None where the type alone says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraLost(CameraFaulted):
    """The camera sends no picture."""

    type: ClassVar[str] = "camera_lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraBack(CameraEvent):
    """The picture can be trusted again."""

    type: ClassVar[str] = "camera_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMoved(CameraFaulted):
    """The camera no longer stands where it was calibrated."""

    type: ClassVar[str] = "camera_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraObstructed(CameraFaulted):
    """Something covers the view."""

    type: ClassVar[str] = "camera_obstructed"


EVENT_TYPES: Mapping[str, type[Event]] = {
    cls.type: cls
    for cls in (
        ShoeOpened, CardBurned, CutCardDrawn, LastRoundAnnounced, ShoeClosed, DealerChanged, LimitsChanged,
        BetsOpened, NoMoreBets, WagerChanged, CardDealt, VoidHandAnnounced, RoundVoided, ReturnOrdered, NomineeNamed,
        CardShown, CardReplaced,
        HandlingDeclined, CardTurned, CardMoved, CardPassed, CardRemoved, ResultAnnounced, WagerSettled, RoundClosed,
        CameraLost, CameraBack, CameraMoved, CameraObstructed,
    )
}  # fmt: skip


def parse_event(mapping: Mapping[str, Any]) -> Event:
    """The event in a line's mapping; fields that its type does not have are ignored.

    Raises:
        UnknownEventError: The table log has no such type.
        EventError: A field is missing or has a value that is not allowed; `field` names it.
    """
    kind = mapping.get("type")
    if kind is None or mapping.get("t") is None:
        name = "t" if mapping.get("t") is None else "type"
        raise EventError(name, f"{name} is missing; every line carries t and type")
    if not isinstance(kind, str):
        raise EventError("type", f"type = {brief(kind)}; allowed: the name of an event")
    cls = EVENT_TYPES.get(kind)
    if cls is None:
        read_time(mapping["t"])
        raise UnknownEventError("type", f"type = {brief(kind)}; allowed: {', '.join(EVENT_TYPES)}")
    values = _read(_PLANS[kind], mapping)
    if values is None:
        read_time(mapping["t"])
        values = dict(_values(cls, mapping))
    return cls(**values)


def format_event(event: Event) -> dict[str, Any]:
    """The event as a mapping that `parse_event` reads back; optional fields without a value are dropped."""
    mapping: dict[str, Any] = {"t": event.t, "type": event.type}
    tail: dict[str, Any] = {}
    for name in _PLANS[event.type].names:
        value = getattr(event, name)
        if (value is None and name == "face_up") or (name in _DROPPABLE and (value is None or value is False)):
            continue
        plain = format_card(value) if isinstance(value, Card) else str(value) if isinstance(value, StrEnum) else value
        (tail if name in _COMMON else mapping)[name] = plain
    return mapping | tail


def _read(plan: _Plan, mapping: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values of the fields; None where one is missing or not allowed, which `_values` then explains."""
    values: dict[str, Any] = {}
    try:
        for name, value in mapping.items():
            reader = plan.readers.get(name)
            if reader is not None:
                values[name] = reader(value)
    except (EventError, KeyError, ValueError, TypeError):
        return None
    for name in plan.required:
        if values.get(name) is None:
            return None
    for name in plan.nullable:
        if name not in values:
            return None
    return values


def _values(cls: type[Event], mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    plan = _PLANS[cls.type]
    values: list[tuple[str, Any]] = []
    for name in ("t", *plan.names):
        if name not in mapping:
            if name in plan.required or name in plan.nullable:
                raise EventError(name, f"{cls.type}: {name} is missing")
            continue
        try:
            value = EVENT_READERS.get((cls.type, name), READERS[name])(mapping[name])
            if value is None and name in plan.required:
                raise ValueError("allowed: anything but null")
            values.append((name, value))
        except (EventError, CardError, ValueError, TypeError) as error:
            raise EventError(name, _complaint(cls.type, name, mapping[name], error)) from error
    return values


def _complaint(kind: str, name: str, value: object, error: Exception) -> str:
    text = str(error)
    allowed = text.split("allowed: ", 1)[1] if "allowed: " in text else ALLOWED.get(name, "a fitting value")
    return f"{kind}: {name} = {brief(value)}; allowed: {allowed}"


@dataclass(frozen=True, slots=True)
class _Plan:
    names: tuple[str, ...]
    required: frozenset[str]
    nullable: frozenset[str]
    """Fields that a line must have, if only as null."""
    readers: Mapping[str, Callable[[object], Any]]


_COMMON = ("confidence", "value_confidence", "passing_confidence", "alternatives", "source")
_DROPPABLE = frozenset(
    {
        "confidence",
        "value_confidence",
        "passing_confidence",
        "source",
        "alternatives",
        "together_with",
        "found_face_up",
        "was_missing",
        "order_unseen",
        "within_s",
        "fault",
        "untouched",
        "picture",
        "promotional",
        "reason",
        "minimum",
        "maximum",
        "differential",
        "collective",
        "bets",
    }
) | {"earlier_s", "later_s", *(f"{moment}_{end}" for moment in ("before", "after") for end in ("low", "high"))}


def _plan(cls: type[Event]) -> _Plan:
    own = [field for field in fields(cls) if field.name != "t"]
    needed = [field for field in own if field.default is MISSING]
    nullable = frozenset(field.name for field in needed if "None" in str(field.type))
    required = frozenset(field.name for field in needed) - nullable
    names = tuple(field.name for field in own)
    readers = {name: EVENT_READERS.get((cls.type, name), QUICK_READERS[name]) for name in ("t", *names)}
    return _Plan(names, required, nullable, readers)


_PLANS: Mapping[str, _Plan] = {cls.type: _plan(cls) for cls in EVENT_TYPES.values()}
