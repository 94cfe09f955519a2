"""The keys that a rulebook's file may have: the parser reads through them, and the JSON Schema is made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from thirdcard.rules.errors import RulebookPlaceError
from thirdcard.rules.game.words import BET_NAMES, BET_PATTERN, GAME_BETS, Bet, Device, Settling, Side
from thirdcard.rules.rulebook.cases import SITUATIONS
from thirdcard.rules.rulebook.model import (
    AfterCutCard,
    AreaKind,
    BurnCount,
    Collected,
    Entitled,
    LimitKind,
    Moment,
    Phase,
    Rounding,
    TieBreak,
    WindowStart,
)
from thirdcard.rules.rulebook.yaml_keys import (
    BetEntry,
    BetsEntry,
    ChoiceEntry,
    ChoicesEntry,
    EntryTable,
    FlagEntry,
    InnerEntry,
    ManyEntry,
    NamedEntry,
    NameEntry,
    PayEntry,
    Schema,
    SectionEntry,
    TextEntry,
    TextsEntry,
    ValuesEntry,
    WholeEntry,
    WholesEntry,
    definitions,
    mapping_schema,
    reference,
)

ACTIONS = frozenset(
    {
        "reconstruct", "card_to_banker", "first_card_of_next_round", "void_next_hand", "void_round", "void_wager",
        "player_options", "stand", "supervisor",
    }
)  # fmt: skip
REQUIRED_FAULTS = (
    "misdeal.order", "misdeal.third_card_not_due", "misdeal.third_card_missing", "misdeal.extra_card",
    "misdeal.short_hand", "misdeal.simultaneous", "misdeal.wrong_result",
    "late_bet.placed", "late_bet.increased", "late_bet.reduced", "late_bet.removed", "late_bet.moved",
    "exposed_card.face_up_deal", "exposed_card.excess",
    "payout.loser_paid", "payout.winner_unpaid", "payout.wrong_amount", "payout.loser_kept", "payout.push_taken",
    "wager.not_offered", "camera.lost", "camera.moved", "camera.obstructed",
)  # fmt: skip
OTHER_FAULTS = frozenset(
    {
        "misdeal.foreign_card", "misdeal.after_last_round", "misdeal.shoe_exhausted", "exposed_card.first_card",
        "procedure.no_call", "procedure.void_hand_wagered", "procedure.burn", "procedure.both_hands_out",
        "procedure.wrong_handler", "procedure.card_off_table", "procedure.sequence", "procedure.burn_shown",
        "procedure.cut_depth", "procedure.last_hand_unannounced", "procedure.card_replaced",
        "procedure.face_down_deal", "procedure.early_third_card",
        "limit.below_minimum", "limit.above_maximum", "limit.differential",
    }
)  # fmt: skip
REQUIRED_BETS = (Bet.PLAYER, Bet.BANKER, Bet.TIE)
INSURANCES = (Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER)
EXCESSES = (LimitKind.MAXIMUM, LimitKind.DIFFERENTIAL)
ROWS = range(8)
"""The Banker's points that have a row in the table of play."""

_WORDS = "what it says, in our own short words"
_RULE = "the section that says so, in quotes, or null where no section says so"
_A_FACT = {"anyOf": [{"enum": sorted(SITUATIONS)}, {"pattern": "^[^=]+=."}]}
_DEALT_TWICE = {
    "minItems": 4,
    "maxItems": 4,
    "allOf": [{"contains": {"const": str(side)}, "minContains": 2, "maxContains": 2} for side in Side],
}


def _facts(of: str) -> TextsEntry:
    about = f"the facts that must all hold for {of}: situations, elected options or results as key=value"
    return TextsEntry(about, each=_A_FACT, default=())


class WhenKeys(EntryTable):
    """Facts alone."""

    when = _facts("this to hold")


class PlainKeys(EntryTable):
    """A rule and what it says."""

    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class OptionKeys(EntryTable):
    """Something that the house elects."""

    key = TextEntry("the option's name, as a table's `options` names it")
    rule = SectionEntry("the section that lets the house elect it, in quotes")
    values = ValuesEntry("what may be elected, the default first")
    takes_amount = FlagEntry("true or false: whether any whole amount may be elected besides", default=False)
    text = TextEntry(_WORDS)


class ExclusionKeys(EntryTable):
    """Options that exclude each other."""

    keys = TextsEntry("the options of which at most one may leave its default")
    rule = SectionEntry("the section that excludes it, in quotes")
    text = TextEntry(_WORDS)


class DemandKeys(EntryTable):
    """What an election asks of another option."""

    when = _facts("the option to be so")
    option = TextEntry("the option that is bound")
    values = ValuesEntry("what may then be elected; the first of them where a table does not name the option")
    rule = SectionEntry("the section that asks it, in quotes")
    text = TextEntry(_WORDS)


class LeastDecksKeys(EntryTable):
    """An election that needs more decks than the game."""

    when = _facts("so many decks to be needed")
    decks = WholeEntry("a whole number of decks, 1 to 8: the fewest that the shoe holds", low=1, high=8)
    rule = SectionEntry(_RULE)


class DecksKeys(EntryTable):
    """How many decks a shoe may hold."""

    rule = SectionEntry(_RULE)
    allowed = WholesEntry("how many decks a shoe may hold: whole numbers, 1 to 8", low=1, high=8, plural="numbers")
    least = ManyEntry("elections that need more decks than the game", LeastDecksKeys, is_required=False)
    text = TextEntry(_WORDS)


class DevicesKeys(EntryTable):
    """What cards may be dealt from."""

    when = _facts("cards to be dealt so")
    allowed = ChoicesEntry("what cards may be dealt from", Device)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class SeatsKeys(EntryTable):
    """How many numbered seats a table may have."""

    when = _facts("a table to have so many seats")
    most = WholeEntry("the most numbered seats that a table may have, 1 to 99", low=1, high=99)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class DealKeys(EntryTable):
    """The order of the first four cards."""

    rule = SectionEntry(_RULE)
    order = ChoicesEntry("the first four cards, two each for player and banker", Side, besides=_DEALT_TWICE)
    text = TextEntry(_WORDS)


class StyleKeys(EntryTable):
    """How cards are dealt."""

    rule = SectionEntry(_RULE)
    face_down = ChoicesEntry("which cards come face down", Phase)
    players_handle = FlagEntry("true or false: whether players may handle the cards")
    text = TextEntry(_WORDS)


class DrawKeys(EntryTable):
    """When a hand draws."""

    rule = SectionEntry(_RULE)
    draws = WholesEntry("the points on which a third card is drawn, 0 to 9", low=0, high=9, plural="points")
    text = TextEntry(_WORDS)


class DrawRowsKeys(EntryTable):
    """When the Banker draws after the Player drew."""

    rule = SectionEntry(_RULE)
    draws = NamedEntry(
        "a row for each of the Banker's points, 0 to 7: the Player's third cards, by points, on which the Banker draws",
        WholesEntry("the points of the Player's third card, 0 to 9", low=0, high=9, plural="points"),
        required=ROWS,
        others=(),
    )
    text = TextEntry(_WORDS)


class TableOfPlayKeys(EntryTable):
    """When third cards are drawn."""

    natural = InnerEntry("when the drawing ends with two cards", PlainKeys)
    player = InnerEntry("when the Player draws", DrawKeys)
    banker_after_stand = InnerEntry("when the Banker draws after the Player stood", DrawKeys)
    banker_after_draw = InnerEntry("when the Banker draws after the Player drew", DrawRowsKeys)
    one_card_only = InnerEntry("that no hand gets more than one further card", PlainKeys)


USUAL = "usual"


class UsualTableKeys(EntryTable):
    """The table of play that nearly every house has."""

    usual = FlagEntry("true: the usual table of play holds", of=(True,))
    rule = SectionEntry("the section that holds it, in quotes, or null")


class TableEntry(InnerEntry):
    """A table of play: the word usual, the usual one with its section, or one of its own."""

    def reads(self, value: object) -> bool:
        return isinstance(value, str)

    def read(self, value: Any, place: str) -> Mapping[Any, Any]:
        if value != USUAL:
            raise RulebookPlaceError(place, f" = {value}; allowed: {USUAL}, or a mapping")
        return {}

    def keys_of(self, value: object) -> type[EntryTable]:
        return UsualTableKeys if isinstance(value, Mapping) and UsualTableKeys.usual.name in value else self.keys

    def schema(self) -> Schema:
        return {"anyOf": [{"const": USUAL}, reference(UsualTableKeys), reference(self.keys)]}

    def parts(self) -> Iterable[type[EntryTable]]:
        return (UsualTableKeys, self.keys)


class ClosingKeys(EntryTable):
    """When betting on some bets closes."""

    when = _facts("betting to close so")
    bets = BetsEntry("the bets that close so; all without it", default=())
    moment = ChoiceEntry("when betting closes", Moment)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class FrozenKeys(EntryTable):
    """Elections under which wagers stay as they were placed."""

    when = _facts("a wager to stay as it was placed even before betting closes")
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class TopUpKeys(EntryTable):
    """Elections under which a wager below the minimum may be brought up to it at any time."""

    when = _facts("a wager below the minimum to be brought up to it, after betting closed too")
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class AfterTieKeys(EntryTable):
    """What becomes of wagers that stand off."""

    rule = SectionEntry(_RULE)
    push_is_free = FlagEntry(
        "true or false: whether wagers that stand off may be changed as soon as a Tie is announced"
    )
    text = TextEntry(_WORDS)


class BettingKeys(EntryTable):
    """When wagers may be made and changed."""

    call = InnerEntry(
        "the call of no more bets; its rule is null where none orders it, as without it", PlainKeys, is_required=False
    )
    closes = ManyEntry("when betting closes; of the cases that fit a bet the first counts", ClosingKeys)
    frozen = ManyEntry("elections under which wagers stay as they were placed", FrozenKeys, is_required=False)
    top_ups = ManyEntry("elections under which low wagers are brought up to the minimum", TopUpKeys, is_required=False)
    promotional = InnerEntry(
        "that promotional chips are one free wager, spent whether it wins or loses", PlainKeys, is_required=False
    )
    after_tie = InnerEntry(
        "what becomes of wagers that stand off; they may be changed without it", AfterTieKeys, is_required=False
    )


class BurnKeys(EntryTable):
    """What is burned before a shoe's first round."""

    when = _facts("cards to be burned so")
    count = ChoiceEntry("how many cards are burned before a shoe's first round", BurnCount)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class CutDepthKeys(EntryTable):
    """How many cards lie behind the cutting card."""

    rule = SectionEntry(_RULE)
    least = WholeEntry("the fewest cards that lie behind the cutting card, 0 to 416", low=0, high=416)
    most = WholeEntry("the most cards that lie behind it, 0 to 416; 416: any number", low=0, high=416)
    text = TextEntry(_WORDS)


class LastRoundKeys(EntryTable):
    """When a shoe ends."""

    rule = SectionEntry(_RULE)
    after_cut_card = ChoiceEntry("which round is the shoe's last once the cutting card came", AfterCutCard)
    announced = FlagEntry("true or false: whether the dealer has to announce the last round", default=False)
    cut_depth = InnerEntry("how many cards lie behind the cutting card", CutDepthKeys, is_required=False)
    text = TextEntry(_WORDS)


class HandlingKeys(EntryTable):
    """Who may handle a hand's cards."""

    when = _facts("cards to be handled so")
    entitled = ChoiceEntry("who may be handed the cards of a hand", Entitled)
    ties = ChoiceEntry("who goes first among equal wagers; any without it", TieBreak, default=TieBreak.ANY)
    anyone_where_none = FlagEntry(
        "true or false: whether somebody without a wager may handle a hand that no entitled player takes", default=False
    )
    nominee_rule = SectionEntry("the section that lets a nominee handle his player's hand, in quotes", default=None)
    several_nominees = FlagEntry("true or false: whether a player may have more than one nominee", default=False)
    sharing_rule = SectionEntry("the section that lets an entitled player share the cards with a nominee", default=None)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class ReturnKeys(EntryTable):
    """That a further wager below the minimum may be given back, once one of its owner was paid or collected."""

    when = _facts("it to be given back")
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class ExcessKeys(EntryTable):
    """A limit beyond which a wager neither wins nor loses."""

    when = _facts("wagers over the limit to be cut so")
    over = ChoiceEntry("the limit beyond which a wager neither wins nor loses", LimitKind, of=EXCESSES)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class OwnLimitKeys(EntryTable):
    """The section of its own that says what limits hold for some bets."""

    when = _facts("the section to count")
    bets = BetsEntry("the bets that it speaks of")
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class LimitsKeys(EntryTable):
    """Which of the notice's limits the rulebook knows."""

    rule = SectionEntry(_RULE)
    kinds = ChoicesEntry("which limits of the table's notice the rulebook knows", LimitKind)
    own = ManyEntry("sections of their own for some bets; the first that fits counts", OwnLimitKeys, is_required=False)
    excess = ManyEntry("limits beyond which a wager neither wins nor loses", ExcessKeys, is_required=False)
    returned = InnerEntry(
        "that a further wager below the minimum may be given back whatever the result", ReturnKeys, is_required=False
    )
    text = TextEntry(_WORDS)


class InsuranceRowKeys(EntryTable):
    """A situation in which insurance is offered."""

    bet = BetEntry("which insurance", of=INSURANCES)
    after = ChoiceEntry("after which cards it is offered", WindowStart)
    player = WholesEntry("the Player's points just then, 0 to 9", low=0, high=9, plural="points")
    banker = WholesEntry("the Banker's points just then, 0 to 9", low=0, high=9, plural="points")
    pays = PayEntry("winnings for one unit of stake, a number or a fraction such as 3/2")
    wins_on_tie = FlagEntry("true or false: whether a Tie pays it too, instead of returning it", default=False)
    rule = SectionEntry(_RULE)


class InsuranceKeys(EntryTable):
    """When insurance may be bet."""

    offered = ManyEntry("the elections under any of which it is offered", WhenKeys)
    rows = ManyEntry("the situations in which it is offered", InsuranceRowKeys)
    rule = SectionEntry(_RULE)
    closing_rule = SectionEntry("the section of the card that ends a window, in quotes, or null")
    withdrawal_rule = SectionEntry(
        "the section of a wager that is taken back when its window has ended, in quotes, or null"
    )
    waiver_rule = SectionEntry(
        "the section of a third card that was seen before the Player's was open, in quotes, or null"
    )
    absence_rule = SectionEntry("the section of a table that offers none, in quotes, or null")
    text = TextEntry(_WORDS)


class RemedyKeys(EntryTable):
    """What follows on a fault."""

    action = NameEntry("what follows", ACTIONS)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class FaultKeys(EntryTable):
    """What one kind of fault breaks and what follows."""

    when = _facts("this case to count")
    rule = SectionEntry(
        "the section broken, in quotes; or the entry whose rule is: table of play, closing, pay table, void order, "
        "own limit, kept card"
    )
    remedy = InnerEntry("what the rulebook orders then", RemedyKeys)


class PayKeys(EntryTable):
    """What a bet gets when a round ends so."""

    when = _facts("the bet to get this; points and margins also as a range, margin=6-7")
    outcome = ChoiceEntry("what becomes of the wager; win without it", Settling, default=Settling.WIN)
    pays = PayEntry(
        "winnings for one unit of stake, a number or a fraction such as 19/20; only where it wins",
        default=Fraction(0),
    )
    rule = SectionEntry(_RULE)
    besides: ClassVar[Schema] = {
        "if": {"properties": {"outcome": {"const": Settling.WIN.value}}},
        "then": {"required": ["pays"]},
        "else": {"properties": {"pays": False}},
    }


class ExactKeys(EntryTable):
    """A bet of which only as much stands as the table's chips can pay exactly."""

    when = _facts("only what chips can pay exactly to stand")
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class FeeKeys(EntryTable):
    """A bet that is no wager but the price of some."""

    amount = TextEntry("the option that holds the amount")
    waived_from = TextEntry("the option that says from which wager on nothing is asked", default="")
    wagers = BetsEntry("the bets that are void without it")
    most = PayEntry("the most that may be asked, as a part of the table's minimum such as 1/8", default=Fraction(0))
    most_rule = SectionEntry("the section that sets the most, in quotes", default=None)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class RoundingKeys(EntryTable):
    """How a commission is rounded."""

    to = WholeEntry(
        "the commission is a multiple of this, 1 to 1000000, in the smallest unit of money", low=1, high=1_000_000
    )
    direction = ChoiceEntry("which way it is rounded; nearest without it", Rounding, default=Rounding.NEAREST)


class CommissionKeys(EntryTable):
    """What the house keeps of the winnings."""

    when = _facts("this commission to be taken")
    rate = PayEntry("which part of the winnings, a fraction such as 1/20 or a number such as 0.05")
    collected = ChoiceEntry("when it is taken; at_once without it", Collected, default=Collected.AT_ONCE)
    rounding = InnerEntry("how it is rounded; exact without it", RoundingKeys, is_required=False)
    minimum = WholeEntry(
        "the least commission on a wager that wins, 0 to 1000000000 in the smallest unit of money; 0 without it",
        low=0,
        high=1_000_000_000,
        default=0,
    )
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class BetMomentKeys(EntryTable):
    """Until when one bet may be placed, or be taken back."""

    moment = ChoiceEntry("until when", Moment)
    rule = SectionEntry(_RULE)
    text = TextEntry(_WORDS)


class BetKeys(EntryTable):
    """A bet of the game."""

    name = TextEntry("what people call it; its key without it", default="")
    area = ChoiceEntry(
        "what kind of area it is bet on: main, where the table's own minimum and maximum hold, or side, where only "
        "limits of its own do; without it main for player, banker and tie and side for all others",
        AreaKind,
        default=None,
    )
    closes = InnerEntry(
        "until when it may be placed; as betting.closes has it without it", BetMomentKeys, is_required=False
    )
    taken_back = InnerEntry(
        "until when it may be reduced or taken back; as long as it may be placed without it",
        BetMomentKeys,
        is_required=False,
    )
    commission = ManyEntry(
        "what the house keeps of its winnings; the first case that fits counts", CommissionKeys, is_required=False
    )
    offered = ManyEntry(
        "the elections under any of which it is offered; always without it", WhenKeys, is_required=False
    )
    cases = ManyEntry("what it gets; it loses where no case holds", PayKeys, is_required=False)
    paid_exactly = InnerEntry(
        "that only as much stands as the table's chips can pay exactly", ExactKeys, is_required=False
    )
    fee = InnerEntry("what makes it the price of some wagers instead of a wager", FeeKeys, is_required=False)
    besides: ClassVar[Schema] = {"anyOf": [{"required": ["cases"]}, {"required": ["fee"]}]}


class RulebookKeys(EntryTable):
    """A rulebook: a game's rules as data."""

    id = TextEntry("the rulebook's id, as a table's `rulebook` names it")
    title = TextEntry("the game's name, as people read it")
    source = TextEntry("where the text is from; the house itself without it", default="The house's own rules")
    options = ManyEntry(
        "what the house elects; only dealing_style with the one value A without it", OptionKeys, is_required=False
    )
    exclusions = ManyEntry("options that exclude each other", ExclusionKeys, is_required=False)
    demands = ManyEntry("what elections ask of other options", DemandKeys, is_required=False)
    decks = InnerEntry("how many decks a shoe may hold", DecksKeys)
    devices = ManyEntry(
        "what cards may be dealt from: the first case that fits; anything without one", DevicesKeys, is_required=False
    )
    seats = ManyEntry(
        "how many numbered seats a table may have: the first case that fits; any number without one",
        SeatsKeys,
        is_required=False,
    )
    initial_deal = InnerEntry(
        "the order of the first four cards; Player, Banker, Player, Banker without it", DealKeys, is_required=False
    )
    styles = NamedEntry(
        "how cards are dealt: an entry for each value of the option dealing_style; all face up without it",
        InnerEntry("how cards are dealt", StyleKeys),
        is_required=False,
    )
    table_of_play = TableEntry(
        "when third cards are drawn: usual, or {usual: true, rule: ...}, or a table of the house's own", TableOfPlayKeys
    )
    betting = InnerEntry("when wagers may be made and changed", BettingKeys)
    first_card_face_up_is_found = FlagEntry(
        "true or false: whether a first card that comes out face up counts as found so in the shoe and voids the hand; "
        "false without it",
        default=False,
    )
    burn = ManyEntry(
        "how many cards are burned, the last case without conditions; none without it", BurnKeys, is_required=False
    )
    last_round = InnerEntry("when a shoe ends; not said without it", LastRoundKeys, is_required=False)
    handling = ManyEntry(
        "who may handle cards, the last case without conditions; not said without it", HandlingKeys, is_required=False
    )
    limits = InnerEntry(
        "the limits of the table's notice; minimum, maximum and differential without it", LimitsKeys, is_required=False
    )
    insurance = InnerEntry("when insurance may be bet", InsuranceKeys, is_required=False)
    faults = NamedEntry(
        "what each fault breaks and what follows, by the alert's code; of a fault that is not there, the section that "
        "orders the thing is broken and nothing is ordered",
        ManyEntry("the cases of this fault; the first that fits counts", FaultKeys),
        others=(*REQUIRED_FAULTS, *sorted(OTHER_FAULTS)),
        is_required=False,
    )
    bets = NamedEntry(
        "every bet of the game: when it is offered and what it gets",
        InnerEntry("when it is offered and what it gets", BetKeys),
        required=REQUIRED_BETS,
        others=[bet for bet in GAME_BETS if bet not in REQUIRED_BETS],
        besides=(BET_PATTERN, f"allowed: {BET_NAMES}"),
    )
    sections = NamedEntry(
        "what each section says in short, by section in quotes; people read it beside the number",
        TextEntry("what the section says"),
        is_required=False,
    )
    notes = NamedEntry(
        "points that nothing is alleged from, by section in quotes",
        TextEntry("what the section says"),
        is_required=False,
    )


def rulebook_schema() -> Schema:
    """The JSON Schema of a rulebook's file, without its heading."""
    return mapping_schema(RulebookKeys) | {"$defs": definitions(RulebookKeys)}
