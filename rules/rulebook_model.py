"""What a rulebook's file says, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from rules.alerts import Remedy
from rules.records import Settling
from rules.third_card import TableOfPlay
from rules.words import Bet, Side

OptionValue = str | int | bool | None


class Moment(StrEnum):
    """When betting on something closes."""

    CALL = "call"
    """The call, or the first card where it came without one."""
    FIRST_CARD = "first_card"
    """The round's first card leaves the shoe."""
    HAND_FIRST_CARD = "hand_first_card"
    """The first card of the hand that is bet on leaves the shoe."""
    FIRST_SEEN = "first_seen"
    """A card is shown or handed to a player, or a third card leaves the shoe."""
    RESULT = "result"
    """The result is announced."""


class Phase(StrEnum):
    """Which cards a dealing style lays face down."""

    INITIAL = "initial"
    THIRD = "third"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """Something that the house elects."""

    key: str
    rule: str | None
    text: str
    values: tuple[OptionValue, ...]
    """What may be elected, the default first."""
    takes_amount: bool
    """Whether any whole amount may be elected besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Options of which at most one may leave its default."""

    keys: tuple[str, ...]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How cards are dealt."""

    rule: str | None
    face_down: frozenset[Phase]
    players_handle: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingCase:
    """When betting on some bets closes."""

    when: frozenset[str]
    bets: frozenset[Bet]
    moment: Moment
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCase:
    """What one kind of fault breaks and what follows."""

    when: frozenset[str]
    rule: str | None
    rule_source: str | None
    """`table of play`, `closing`, `pay table` or `void order`: the rule broken is that of the entry that decided."""
    remedy: Remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class PayCase:
    """What a bet gets when a round ends so."""

    when: frozenset[str]
    outcome: Settling
    pays: Fraction
    """Winnings for one unit of stake."""
    rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactPay:
    """A bet of which only as much stands as the table's chips can pay exactly; the rest is void."""

    when: frozenset[str]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fee:
    """A bet that is no wager but the price of some: it is always collected, and without it they are void."""

    amount_option: str
    waived_from_option: str | None
    """The option that says from which wager on nothing is asked."""
    wagers: frozenset[Bet]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BetRule:
    """One bet: when it is offered and what it gets; it loses where no case holds."""

    bet: Bet
    offered: tuple[frozenset[str], ...]
    """Any one of these sets of facts is enough."""
    cases: tuple[PayCase, ...]
    windows: frozenset[frozenset[str]] = frozenset()
    """Of an insurance: each state of the hands in which it may be bet; empty for all other bets."""
    exact_pay: ExactPay | None = None
    fee: Fee | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Everything that a rulebook's file says."""

    id: str
    title: str
    source: str
    options: tuple[Option, ...]
    exclusions: tuple[Exclusion, ...]
    decks: frozenset[int]
    order: tuple[Side, ...]
    order_rule: str | None
    styles: Mapping[str, Style]
    table: TableOfPlay
    closings: tuple[ClosingCase, ...]
    call_rule: str | None
    """The rule that orders the call; None where none does."""
    frozen: tuple[frozenset[str], ...]
    """Elections under any of which a wager stays as it was placed even before betting closes."""
    push_is_free: bool
    """Whether wagers that stand off are their players' again as soon as a Tie is announced."""
    first_card_face_up_is_found: bool
    """Whether a first card that comes out face up counts as found so in the shoe and voids the hand."""
    faults: Mapping[str, tuple[FaultCase, ...]]
    bets: Mapping[Bet, BetRule]
    notes: Mapping[str, str]
    """Points that nothing is alleged from, by section."""
