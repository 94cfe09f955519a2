"""The content of a rulebook's file as frozen values."""

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
    """At the call, or at the first card if there was no call."""
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
    """The running round and one more; if the card came before a round's first card, that round."""
    ONE_CARD = "one_card"
    """The round in which a card follows it."""


class Entitled(StrEnum):
    """Who may be handed the cards of a hand."""

    UNSAID = "unsaid"
    NOBODY = "nobody"
    HIGHEST_ON_HAND = "highest_on_hand"
    HIGHEST_ON_TABLE = "highest_on_table"
    """The player with the highest wager on the table, on any bet."""


class TieBreak(StrEnum):
    """Who goes first among equal wagers."""

    ANY = "any"
    LOWEST_SEAT = "lowest_seat"
    FIRST_PLACED = "first_placed"


class LimitKind(StrEnum):
    """The kinds of limits that a table's notice may set."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DIFFERENTIAL = "differential"
    COLLECTIVE = "collective"


class WindowStart(StrEnum):
    """After which cards insurance is offered."""

    FOUR_CARDS = "four_cards"
    PLAYER_THIRD = "player_third"


class Phase(StrEnum):
    """The cards that a dealing style may lay face down."""

    INITIAL = "initial"
    THIRD = "third"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice that the rulebook leaves to the house."""

    key: str
    rule: str | None
    text: str
    values: tuple[OptionValue, ...]
    """The allowed values, the default first."""
    takes_amount: bool
    """Whether any whole amount may be elected too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Options of which at most one may leave its default."""

    keys: tuple[str, ...]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A demand of one elected option on another; the other defaults to the first of `values`."""

    when: frozenset[str]
    option: str
    values: tuple[OptionValue, ...]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastDecks:
    """The fewest decks that an elected option needs."""

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
    """The equipment that a table may have; without a matching case any device and any number of seats are allowed."""

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
    """The rule that a fault breaks in some situation, and its remedy."""

    when: frozenset[str]
    rule: str | None
    rule_source: str | None
    """The entry whose rule decided, in place of `rule`: `table of play`, `closing`, `pay table`, `void order`, `own
    limit` or `kept card`."""
    remedy: Remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class PayCase:
    """What a bet gets when the round ends with these facts."""

    when: frozenset[str]
    outcome: Settling
    pays: Fraction
    """Winnings for one unit of stake."""
    rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactPay:
    """A bet of which only the part that the table's chips can pay exactly is in play; the rest is void."""

    when: frozenset[str]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fee:
    """A fee that other bets need: it is always collected, and without it they are void."""

    bet: Bet
    amount_option: str
    waived_from_option: str | None
    """The option with the wager from which on no fee is due."""
    wagers: frozenset[Bet]
    rule: str | None
    text: str
    most: Fraction | None
    """The largest fee as a share of the table's minimum; None where the text sets no bound."""
    most_rule: str | None


class AreaKind(StrEnum):
    """What kind of area a bet is placed on."""

    MAIN = "main"
    """The table's own minimum and maximum apply."""
    SIDE = "side"
    """Only limits for the bet itself apply."""


class Collected(StrEnum):
    """When the house takes its commission."""

    AT_ONCE = "at_once"
    """The winnings are paid less the commission."""
    OWED = "owed"
    """The winnings are paid in full; the commission is marked and collected later."""


class Rounding(StrEnum):
    """Which way a commission is rounded."""

    UP = "up"
    DOWN = "down"
    NEAREST = "nearest"
    """A half goes up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """The share of a bet's winnings that the house keeps."""

    when: frozenset[str]
    rate: Fraction
    """The share of the winnings."""
    collected: Collected
    round_to: int | None
    """The commission is rounded to a multiple of this, in minor units; None: exact."""
    rounding: Rounding
    minimum: int
    """The least commission on a winning wager, in minor units."""
    rule: str | None
    text: str

    def of(self, winnings: Fraction) -> Fraction:
        """The commission on these winnings, in minor units; never more than the winnings."""
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
    """Until when one bet may be placed, or taken back."""

    moment: Moment
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BetRule:
    """One bet: when it is offered, and what it gets; it loses where no case applies."""

    bet: Bet
    name: str
    """The bet's name for people."""
    is_main: bool
    """Whether the table's own minimum and maximum apply to it."""
    closes: BetMoment | None = None
    """Until when it may be placed; None where `closings` decide."""
    taken_back: BetMoment | None = None
    """Until when it may be reduced or taken back; None: as long as it may be placed."""
    commissions: tuple[Commission, ...] = ()
    offered: tuple[frozenset[str], ...]
    """Alternatives: the bet is offered if all facts of any one set hold."""
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
    """None: the depth is not judged."""
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
    """The rule that lets a named nominee handle their player's hand; None where there is none."""
    has_several_nominees: bool
    """Whether a player may have more than one nominee."""
    sharing_rule: str | None
    """The rule that lets an entitled player share the cards with a nominee; None where there is none."""
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcessRule:
    """A limit above which a wager neither wins nor loses: each wager up to the maximum, or a hand's wagers in
    proportion up to the differential."""

    when: frozenset[str]
    over: LimitKind
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLimitRule:
    """A separate section on the limits of some bets."""

    when: frozenset[str]
    bets: frozenset[Bet]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnRule:
    """The rule that a later wager below the minimum may be returned, after one of the same player was paid or
    collected."""

    when: frozenset[str]
    rule: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRule:
    """The limits of the notice that the rulebook provides for."""

    kinds: frozenset[LimitKind]
    own: tuple[OwnLimitRule, ...]
    """The first case that matches a bet applies."""
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
    """The Player's points at that moment."""
    banker: frozenset[int]
    pays: Fraction
    wins_on_tie: bool
    """Whether a Tie pays it too, rather than returning it."""
    rule: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceRule:
    """When insurance may be bet; one set of facts under `offered` must hold."""

    offered: tuple[frozenset[str], ...]
    rows: tuple[InsuranceRow, ...]
    rule: str | None
    """The rule on when it is offered."""
    closing_rule: str | None
    """The rule that the next card ends the offer."""
    withdrawal_rule: str | None
    """The rule against taking it back after the offer ended."""
    waiver_rule: str | None
    """The rule on a Banker's third card that a player handles or sees before the Player's third is open."""
    absence_rule: str | None
    """The rule for a table that offers none."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """The content of a rulebook's file."""

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
    """Alternatives: options under which a placed wager may not be changed even before betting closes."""
    top_ups: tuple[frozenset[str], ...]
    """Alternatives: options under which a wager below the minimum may be raised to it at any time."""
    promotional_rule: str | None
    """The rule that promotional chips are one free wager, spent whether it wins or loses; None where there is none."""
    push_is_free: bool
    """Whether players may change wagers that stand off as soon as a Tie is announced."""
    first_card_face_up_is_found: bool
    """Whether a first card that comes out face up counts as found face up in the shoe, and voids the hand."""
    burn: tuple[BurnCase, ...]
    last_round: LastRoundRule
    handling: tuple[HandlingCase, ...]
    limits: LimitRule
    insurance: InsuranceRule | None
    faults: Mapping[str, tuple[FaultCase, ...]]
    bets: Mapping[Bet, BetRule]
    sections: Mapping[str, str]
    """A short paraphrase of each section."""
    notes: Mapping[str, str]
    """Sections that are only explained: no fault cites them."""

    def words_of(self, section: str) -> str | None:
        """The paraphrase of a section, or of the section that contains it; None where the file has none."""
        for texts in (self.sections, self.notes):
            for name in (section, section.partition("(")[0]):
                if name in texts:
                    return texts[name]
        return None
