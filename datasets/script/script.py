"""The scenario script: a YAML file that describes the table, the recording, and what happens in each round.

Unknown keys are refused. Values of money are in the table's smallest unit; `seconds` count from the moment they name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from thirdcard.calibration.documents import allowed_by, read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.datasets.script.dealing_script import Opening, Rarity
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.spread_script import ScriptedSpread

Hand = Literal["player", "banker"]
Winner = Literal["player", "banker", "tie"]
Anchor = Literal["opened", "call", "card", "result"]
Device = Literal[
    "bets_opened", "no_more_bets", "result_announced", "round_closed", "void_hand_announced",
    "shoe_opened", "last_round_announced", "shoe_closed",
]  # fmt: skip
DEVICES: tuple[Device, ...] = get_args(Device)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptedShoe(_Part):
    """The cards in play, as in `table.yaml`."""

    decks: int = Field(default=8, ge=1, le=8)
    device: Literal["shoe", "continuous_shuffler", "non_continuous_shuffler"] = "shoe"


class Table(_Part):
    """The content of the recording's `table.yaml`."""

    id: str = "S1"
    rulebook: Literal["nz-authority", "sg-rws", "nsw", "nz-secretary", "tas"]
    options: dict[str, str | int | bool | None] = {}
    shoe: ScriptedShoe = ScriptedShoe()
    limits: dict[str, int] = {}
    layout: str | dict[str, Any] = "mini-7"
    chips: str | dict[str, Any] = "house"
    cards: dict[str, list[float]] = {"size_mm": [63.0, 88.0]}


class Camera(_Part):
    """The place of the overhead camera; what is missing is drawn from the seed."""

    height_mm: float | None = Field(default=None, ge=1000, le=5000)
    tilt_deg: float | None = Field(default=None, ge=0, le=40)
    tilted_from: Literal["dealer", "players", "left", "right"] | None = None
    roll_deg: float | None = Field(default=None, ge=-30, le=30)
    resolution: tuple[int, int] = (1920, 1080)
    k1: float | None = Field(default=None, ge=-0.4, le=0.2)


class Video(_Part):
    """How the recorder encodes."""

    fps: Literal[10, 15, 25] = 15
    mbit_s: float = Field(default=2.0, ge=0.3, le=12)
    key_frame_s: float = Field(default=2.0, ge=0.5, le=10)
    blur: bool = True
    """Whether the shutter stays open long enough to blur what moves."""


class Manner(_Part):
    """The habits of dealer and patrons; each value is the share of occasions on which the habit is followed."""

    tosses: float = Field(default=0.0, ge=0, le=1)
    """A card leaves the shoe and glides to its place by itself, rotating slightly; the hand stays at the shoe."""
    squares_up: float = Field(default=0.0, ge=0, le=1)
    """The dealer straightens the cards of both hands before the result."""
    rests: float = Field(default=0.0, ge=0, le=1)
    """While dealing, the dealer rests the other hand for a while on the edge of a card box, over its cards."""
    both_hands: float = Field(default=0.0, ge=0, le=1)
    """The dealer gathers both hands' cards at the same time, one with each hand."""
    slides: float = Field(default=0.0, ge=0, le=1)
    """Gathered cards are pushed over the cloth as a pile, not lifted."""
    lingers: float = Field(default=0.0, ge=0, le=1)
    """A patron's hand stays at the wager that he placed, even after the call."""


class ScriptedMoment(_Part):
    """A time relative to something that happens in the round; negative seconds lie before it (only for the call)."""

    after: Anchor = "call"
    card: int = Field(default=0, ge=0, le=7)
    """The number of the card that leaves the shoe, if `after` is `card`."""
    seconds: float = Field(default=1.0, ge=-5, le=20)


class ScriptedWager(_Part):
    """A wager placed in time."""

    seat: int
    bet: str
    value: int = Field(gt=0)
    seconds: float | None = Field(default=None, ge=0.6, le=30)
    """Seconds after betting opened."""


class Order(_Part):
    """One of the first four cards goes to the wrong hand; the dealer then moves it to its place."""

    kind: Literal["order"]
    card: int = Field(default=2, ge=1, le=4)


class NotDue(_Part):
    """A hand gets a third card that the table of play forbids."""

    kind: Literal["third_card_not_due"]
    hand: Hand
    card: str | None = None
    then: Literal["banker", "discard", "next"] = "discard"
    """Given to the Banker, taken away with the round's cards, or kept as the next round's first card."""


class Missing(_Part):
    """A hand does not get the third card that the table of play orders; the result is announced without it."""

    kind: Literal["third_card_missing"]
    hand: Hand


class Extra(_Part):
    """A card beyond all that the round may use is dealt."""

    kind: Literal["extra_card"]
    hand: Hand | None = None
    """None: it belongs to no hand."""
    at: Literal["shoe", "area", "rail"] = "shoe"
    """Where it is laid then: on free cloth beside the shoe, on a wagering area without chips, or near the table's
    edge."""
    card: str | None = None
    face_up: bool = True
    turned: bool = False
    """Whether it is dealt face down and turned at its place before the result."""
    then: Literal["discard", "next"] = "discard"

    @model_validator(mode="after")
    def _lies_in_one_place(self) -> Extra:
        if self.hand is not None and (self.at != "shoe" or self.turned):
            raise ValueError("at and turned are for an extra_card with hand: null")
        return self


class WrongResult(_Part):
    """The dealer announces a result that differs from the cards, and settles by the cards."""

    kind: Literal["wrong_result"]
    winner: Winner | None = None


class FaceUp(_Part):
    """A card is dealt face up where the style deals face down."""

    kind: Literal["face_up_deal"]
    card: int = Field(default=2, ge=1, le=4)


class NoCall(_Part):
    """The first card comes without the call."""

    kind: Literal["no_call"]


class ScriptedChange(_Part):
    """A patron changes a wager; `late_bet` if the rulebook forbids it at that moment, else `change`."""

    kind: Literal["late_bet", "change"]
    action: Literal["placed", "increased", "reduced", "removed", "moved"]
    seat: int
    bet: str
    value: int = Field(default=0, ge=0)
    """The value that is placed, added or taken back; `removed` and `moved` take all."""
    to: str | None = None
    """The bet to which chips are moved."""
    when: ScriptedMoment = ScriptedMoment()


class ScriptedReach(_Part):
    """A hand reaches over an area without touching anything."""

    kind: Literal["reach"]
    seat: int
    bet: str
    when: ScriptedMoment = ScriptedMoment()


class ScriptedNudge(_Part):
    """A patron touches his own stack and pushes it slightly; nothing is added or taken."""

    kind: Literal["nudge"]
    seat: int
    bet: str
    when: ScriptedMoment = ScriptedMoment()


class Straighten(_Part):
    """The dealer straightens a card or a stack."""

    kind: Literal["straighten_card", "straighten_stack"]
    card: int = Field(default=1, ge=1, le=6)
    seat: int = 0
    bet: str = ""


class Payout(_Part):
    """The dealer settles a wager wrongly."""

    kind: Literal["payout"]
    mistake: Literal["loser_paid", "winner_unpaid", "wrong_amount", "loser_kept", "push_taken"]
    seat: int | None = None
    """None: any wager of the round with which that mistake is possible."""
    bet: str | None = None


class Settle(_Part):
    """A wager is settled correctly, but in an unusual way."""

    kind: Literal["left_in_place", "change_given"]
    """`left_in_place`: the patron leaves a stand-off, or the stake that won, for the next round. `change_given`: the
    dealer takes the stake that won, and brings stake and winnings in the smallest chips that do not make too tall a
    stack."""
    seat: int
    bet: str


class Limit(_Part):
    """A wager that the script names is outside the table's limits when betting closes."""

    kind: Literal["below_minimum", "above_maximum"]
    seat: int
    bet: Literal["player", "banker"]


class WrongHandler(_Part):
    """A hand is passed to a patron who is not entitled to it."""

    kind: Literal["wrong_handler"]
    hand: Hand
    seat: int | None = None
    """None: a seat without a wager on the hand, else one with a lower wager."""


class BothOut(_Part):
    """Both hands are passed to patrons at once."""

    kind: Literal["both_hands_out"]


class TakenOffTable(_Part):
    """A patron takes a card that was passed to him off the table, and brings it back."""

    kind: Literal["card_off_table"]
    hand: Hand


Happening = Annotated[
    Order
    | NotDue
    | Missing
    | Extra
    | WrongResult
    | FaceUp
    | NoCall
    | ScriptedChange
    | ScriptedReach
    | ScriptedNudge
    | Straighten
    | Payout
    | Settle
    | Limit
    | WrongHandler
    | BothOut
    | TakenOffTable
    | Rarity,
    Field(discriminator="kind"),
]


class ScriptedRound(_Part):
    """One round; its cards and wagers are drawn from the seed if the script names none."""

    cards: str | None = None
    """Both hands as the rules would deal them: `P 8H 4D 2C | B KS 9D`."""
    wagers: tuple[ScriptedWager, ...] | None = None
    happenings: tuple[Happening, ...] = ()
    pause_s: float = Field(default=0.6, ge=0, le=60)
    """Seconds before the round."""
    opening: Opening | None = None
    """If given, the shoe is opened before the round."""


class Script(_Part):
    """A whole scenario."""

    table: Table
    deck: str = "machine:1"
    camera: Camera = Camera()
    style: dict[str, str | float] = {}
    """The appearance of cloth and light, as for `World.style`, and `split`: `train` or `held_out`."""
    video: Video = Video()
    seed: int = 0
    call: Literal["signal", "lamp", "gesture", "none"] = "signal"
    """How the closing of bets can be observed."""
    gesture: bool = False
    """Whether the dealer also sweeps his arm over the wagering areas, if the call is known otherwise."""
    handling: Literal["dealer", "players"] = "dealer"
    """Who turns cards that are dealt face down: with `players` they are passed to them, the highest wager first."""
    devices: tuple[Device, ...] = DEVICES
    """The events that devices report."""
    pace: float = Field(default=1.0, ge=0.6, le=2.0)
    """Above 1 the dealer and the patrons are slower."""
    manner: Manner = Manner()
    card_gap_s: float = Field(default=0.97, ge=0.7, le=3)
    """Seconds from card to card."""
    growth: Literal["outward", "inward"] = "outward"
    """Whether a hand's cards are laid away from the table's middle or towards it."""
    objects_every: int = Field(default=5, ge=1)
    """`objects.jsonl` describes every such frame."""
    spread: ScriptedSpread | None = None
    """If given, the decks are spread before play."""
    rounds: tuple[ScriptedRound, ...] = ()
    """At least one, unless a spread is shown."""

    @model_validator(mode="after")
    def _shows_something(self) -> Script:
        if not self.rounds and self.spread is None:
            raise ValueError("rounds must hold at least one, or spread be given")
        return self


def load_script(path: Path) -> Script:
    """Load a script.

    Raises:
        ScriptError: It cannot be read, or a key or a value is not allowed.
    """
    try:
        mapping = read_document(path)
    except DocumentError as error:
        raise ScriptError(path.name, error.allowed, "must be a readable YAML file") from error
    return parse_script(mapping, path.name)


def parse_script(mapping: object, where: str) -> Script:
    """Parse a script from a YAML document; `where` names the file in messages.

    Raises:
        ScriptError: A key or a value is not allowed.
    """
    if not isinstance(mapping, dict):
        raise ScriptError(where, type(mapping).__name__, "must be a mapping with table and rounds")
    try:
        return Script.model_validate(mapping)
    except ValidationError as error:
        first = error.errors()[0]
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
        found = first["input"] if first["type"] not in ("missing", "extra_forbidden") else first["loc"][-1]
        raise ScriptError(f"{where}: {key}", found, _allowed(first)) from error


def _allowed(mistake: ErrorDetails) -> str:
    return "is missing" if mistake["type"] == "missing" else allowed_by(mistake)
