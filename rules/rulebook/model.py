"""What a rulebook's file says, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor

from thirdcard.rules.game.third_card import TableOfPlay
from thirdcard.rules.game.words import Bet, Device, Remedy, Settling, Side

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


class BurnCount(StrEnum):
    """How many cards are burned before a shoe's first round."""

    NONE = "none"
    ONE = "one"
    FACE_VALUE = "face_value"
    """The first card, and as many more as its face value."""


class AfterCutCard(StrEnum):
    """Which round is the shoe's last once the cutting card came."""

    SILENT = "silent"
    """The text does not say."""
    FURTHER_ROUND = "further_round"
    """The running round and one more; where it came before a round's first card, that round."""
    ONE_CARD = "one_card"
    """No round starts once a card has followed it."""


class Entitled(StrEnum):
    """Who may be handed the cards of a hand."""

    UNSAID = "unsaid"
    NOBODY = "nobody"
    HIGHEST_ON_HAND = "highest_on_hand"
    HIGHEST_ON_TABLE = "highest_on_table"
    """The highest wager on the table, whatever it is on."""


class TieBreak(StrEnum):
    """Who goes first among equal wagers."""

    ANY = "any"
    LOWEST_SEAT = "lowest_seat"
    FIRST_PLACED = "first_placed"


class LimitKind(StrEnum):
    """What a table's notice may limit."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DIFFERENTIAL = "differential"
    COLLECTIVE = "collective"


class WindowStart(StrEnum):
    """After which cards insurance is offered."""

    FOUR_CARDS = "four_cards"
    PLAYER_THIRD = "player_third"


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
class Demand:
    """What an election asks of another option; where that one is not named, the first of `values` is elected."""

    when: frozenset[str]
    option: str
    values: tuple[OptionValue, ...]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastDecks:
    """How many decks an election needs at least."""

    when: frozenset[str]
    decks: int
    rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCase:
    """What cards may be dealt from."""

    when: frozenset[str]
    allowed: frozenset[Device]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsCase:
    """How many numbered seats a table may have."""

    when: frozenset[str]
    most: int
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What a table may be furnished with; any device and any number of seats where no case holds."""

    decks: frozenset[int]
    decks_rule: str | None
    least_decks: tuple[LeastDecks, ...]
    devices: tuple[DeviceCase, ...]
    seats: tuple[SeatsCase, ...]


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
    bets: frozenset[Bet] | None
    """None: every bet."""
    moment: Moment
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCase:
    """What one kind of fault breaks and what follows."""

    when: frozenset[str]
    rule: str | None
    rule_source: str | None
    """`table of play`, `closing`, `pay table`, `void order`, `own limit` or `kept card`: the rule of the entry that
    decided."""
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

    bet: Bet
    amount_option: str
    waived_from_option: str | None
    """The option that says from which wager on nothing is asked."""
    wagers: frozenset[Bet]
    rule: str | None
    text: str
    most: Fraction | None
    """The most that may be asked, as a part of the table's minimum; None where the text sets no bound."""
    most_rule: str | None


class AreaKind(StrEnum):
    """What kind of area a bet is placed on."""

    MAIN = "main"
    """The table's own minimum and maximum hold."""
    SIDE = "side"
    """Only limits of the bet's own hold."""


class Collected(StrEnum):
    """When the house takes its commission."""

    AT_ONCE = "at_once"
    """The winnings are paid less the commission."""
    OWED = "owed"
    """The winnings are paid whole; the commission is marked and taken later."""


class Rounding(StrEnum):
    """Which way a commission is rounded."""

    UP = "up"
    DOWN = "down"
    NEAREST = "nearest"
    """A half goes up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """What the house keeps of a bet's winnings."""

    when: frozenset[str]
    rate: Fraction
    """Of the winnings."""
    collected: Collected
    round_to: int | None
    """The commission is a multiple of this, in the smallest unit of money; None where it is exact."""
    rounding: Rounding
    minimum: int
    """The least commission on a wager that wins, in the smallest unit of money."""
    rule: str | None
    text: str

    def of(self, winnings: Fraction) -> Fraction:
        """The commission on some winnings; never more than they are."""
        share = winnings * self.rate
        if self.round_to is not None:
            steps = share / self.round_to
            if self.rounding is Rounding.NEAREST:
                share = Fraction(self.round_to * floor(steps + Fraction(1, 2)))
            else:
                share = Fraction(self.round_to * (ceil(steps) if self.rounding is Rounding.UP else floor(steps)))
        return min(max(share, Fraction(self.minimum)), winnings)


@dataclass(frozen=True, slots=True, kw_only=True)
class BetMoment:
    """A moment of one bet's own: until when it may be placed, or be taken back."""

    moment: Moment
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BetRule:
    """One bet: when it is offered and what it gets; it loses where no case holds."""

    bet: Bet
    name: str
    """As people call it."""
    is_main: bool
    """Whether the table's own minimum and maximum hold for it."""
    closes: BetMoment | None = None
    """Until when it may be placed; None where `closings` say it."""
    taken_back: BetMoment | None = None
    """Until when it may be reduced or taken back; None where that is as long as it may be placed."""
    commissions: tuple[Commission, ...] = ()
    offered: tuple[frozenset[str], ...]
    """Any one of these sets of facts is enough."""
    cases: tuple[PayCase, ...]
    exact_pay: ExactPay | None = None
    fee: Fee | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnCase:
    """What is burned before a shoe's first round."""

    when: frozenset[str]
    count: BurnCount
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CutDepth:
    """How many cards lie behind the cutting card."""

    least: int
    most: int
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRoundRule:
    """When a shoe ends."""

    after_cut_card: AfterCutCard
    is_announced: bool = False
    """Whether the dealer has to announce the last round."""
    cut_depth: CutDepth | None = None
    """None where nothing is reported about it."""
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlingCase:
    """Who may handle a hand's cards."""

    when: frozenset[str]
    entitled: Entitled
    ties: TieBreak
    anyone_where_none: bool
    """Whether somebody without a wager may handle a hand that no entitled player takes."""
    nominee_rule: str | None
    """The rule by which a nominee who was named handles his player's hand; None where none does."""
    has_several_nominees: bool
    """Whether a player may have more than one."""
    sharing_rule: str | None
    """The rule by which an entitled player may share the hand's cards with a nominee; None where none does."""
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcessRule:
    """A limit beyond which a wager neither wins nor loses: each up to the maximum, a hand's pro rata of the
    differential."""

    when: frozenset[str]
    over: LimitKind
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLimitRule:
    """The section of its own that says what limits hold for some bets."""

    when: frozenset[str]
    bets: frozenset[Bet]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnRule:
    """That a further wager below the minimum may be given back, once one of its owner was paid or collected."""

    when: frozenset[str]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRule:
    """Which of the notice's limits the rulebook knows."""

    kinds: frozenset[LimitKind]
    own: tuple[OwnLimitRule, ...]
    """Of the cases that fit a bet the first counts."""
    excess: tuple[ExcessRule, ...]
    returned: ReturnRule | None
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceRow:
    """One situation in which insurance is offered."""

    bet: Bet
    after: WindowStart
    player: frozenset[int]
    """The Player's points just then."""
    banker: frozenset[int]
    pays: Fraction
    wins_on_tie: bool
    """Whether a Tie pays it too, instead of returning it."""
    rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceRule:
    """When insurance may be bet; any one set of facts under `offered` is enough."""

    offered: tuple[frozenset[str], ...]
    rows: tuple[InsuranceRow, ...]
    rule: str | None
    """Of the windows."""
    closing_rule: str | None
    """Of the card that ends a window."""
    withdrawal_rule: str | None
    """Of a wager that is taken back when its window has ended."""
    waiver_rule: str | None
    """Of the Banker's third card that a player handles, or sees, before the Player's third is open."""
    absence_rule: str | None
    """Of a table that offers none."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Everything that a rulebook's file says."""

    id: str
    title: str
    source: str
    options: tuple[Option, ...]
    exclusions: tuple[Exclusion, ...]
    demands: tuple[Demand, ...]
    equipment: Equipment
    order: tuple[Side, ...]
    styles: Mapping[str, Style]
    table: TableOfPlay
    closings: tuple[ClosingCase, ...]
    call_rule: str | None
    """The rule that orders the call; None where none does."""
    frozen: tuple[frozenset[str], ...]
    """Elections under any of which a wager stays as it was placed even before betting closes."""
    top_ups: tuple[frozenset[str], ...]
    """Elections under any of which a wager below the minimum may be brought up to it at any time."""
    promotional_rule: str | None
    """The rule by which promotional chips are one free wager, spent whether it wins or loses; None where none is."""
    push_is_free: bool
    """Whether wagers that stand off are their players' again as soon as a Tie is announced."""
    first_card_face_up_is_found: bool
    """Whether a first card that comes out face up counts as found so in the shoe and voids the hand."""
    burn: tuple[BurnCase, ...]
    last_round: LastRoundRule
    handling: tuple[HandlingCase, ...]
    limits: LimitRule
    insurance: InsuranceRule | None
    faults: Mapping[str, tuple[FaultCase, ...]]
    bets: Mapping[Bet, BetRule]
    sections: Mapping[str, str]
    """What each section says in short, by section."""
    notes: Mapping[str, str]
    """Points that nothing is alleged from, by section."""

    def words_of(self, section: str) -> str | None:
        """What a section says in short, else what it is a part of; None where the file does not say it."""
        for texts in (self.sections, self.notes):
            for name in (section, section.partition("(")[0]):
                if name in texts:
                    return texts[name]
        return None
