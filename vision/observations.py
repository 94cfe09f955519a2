"""What was seen, tied to the regions of a layout: the output of `vision`.

Knows nothing of the game: a label is a class name of the reader, a region is an area's id. Points are layout
millimetres, times are seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thirdcard.calibration.camera import Calibration

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The label voted for a track, with its confidence."""

    label: str | None
    """None where the votes are not decisive."""
    confidence: float
    """0 to 1: how likely the label is right. Without a label: how likely the more likely of "a face" and "no face" is
    right."""
    value_confidence: float | None = None
    """0 to 1: how likely the card shows one of the labels that count the same as this one. None where it was not
    estimated."""
    alternatives: Mapping[str, float] = field(default_factory=dict)
    """Other labels that are possible, each with its probability; very unlikely ones are left out. Without a label: all
    faces that are possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRested:
    """A card came to rest where none lay before."""

    track_id: int
    t: float
    """When it was first seen at its place."""
    region: str
    at_mm: Point
    face_up: bool
    reading: Reading
    score: float
    """The detector's mean score, 0 to 1."""
    hidden_s: float = 0.0
    """How many seconds its place was covered, or not examined, before the card was first seen. It may have been turned
    over unseen in that time."""
    is_faint: bool = False
    """Whether the detector hardly recognises it as a card. It may have lain there before it was found, and a card
    beside it may be missed altogether."""
    may_be_turned: bool = False
    """Whether it shows its face, was hidden long enough to be turned over, and was never seen face up on its way."""
    is_back_seen: bool = True
    """False where the card is only assumed to have lain face down, because no look showed which side was up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFlipped:
    """A card at rest now shows its other side."""

    track_id: int
    t: float
    face_up: bool
    reading: Reading
    entries_mm: tuple[Point | None, ...] = ()
    """Where the arm that covered it at that time reached over the table's edge, look by look; None where that is not
    visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRead:
    """The face of a card that could not be read when it came to rest."""

    track_id: int
    t: float
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class CardShifted:
    """A card now lies in another region, or at a place to which cards are taken for a while."""

    track_id: int
    t: float
    region: str
    margin_mm: float = float("inf")
    """How many mm deeper it lies in that place than in the next nearest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLeft:
    """A card is gone: its place is in sight and empty."""

    track_id: int
    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTakenOff:
    """A card that was taken to a place is not visible anywhere, and no hand is there to hold it."""

    track_id: int
    t: float
    """Since when it has not been visible."""
    region: str
    """The place it was taken to."""
    entries_mm: tuple[Point | None, ...] = ()
    """Where the last arms over it reached over the table's edge, look by look; None where that is not visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBeside:
    """A card came to rest on the table beside the card regions."""

    t: float
    """When it was first seen at its place."""
    face_up: bool
    reading: Reading
    score: float
    """The detector's mean score, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBesideHidden:
    """A card beside the card regions was hidden and is visible again; another may have been laid onto it."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCardRested:
    """A card came to rest where no card belongs."""

    track_id: int
    """Counted apart from the tracks of the card regions."""
    t: float
    """When it was first seen at its place."""
    at_mm: Point
    face_up: bool
    reading: Reading
    score: float
    """The detector's mean score, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCardTurned:
    """A card where none belongs shows its other side."""

    track_id: int
    t: float
    face_up: bool
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCardLeft:
    """A card is gone from where none belongs: its place is in sight and empty."""

    track_id: int
    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLookDoubted:
    """What lay in the card regions at the first look may be cards with their backs up, or printed pictures."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardRested:
    """A cutting card came to rest where none lay before."""

    t: float
    """When it was first seen at its place."""
    at_mm: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionVisited:
    """A hand came over a region."""

    region: str
    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CardInSight:
    """A card on the table: where it was last seen, and what it shows."""

    corners_mm: tuple[Point, ...]
    face_up: bool
    label: str | None
    """None where it could not be read, or lies face down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One stack of chips, as measured while nothing covered it."""

    at_mm: Point
    """The centre of its base."""
    height_mm: float | None
    """None where the camera's position does not allow an estimate."""
    count: float | None
    """Number of chips, estimated from the height."""
    counts: tuple[float, ...] = ()
    """Probabilities of 1, 2, 3 ... chips; empty where the camera's position does not allow an estimate."""
    faces: tuple[float, ...] = ()
    """Probability of each of the house's chip kinds for the top chip; empty where it was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StacksChanged:
    """The chips of a region were covered and are visible again; `growth` says how they changed."""

    region: str
    t: float
    """The best estimate of the moment of the change."""
    t_earliest: float
    """When the cover began."""
    t_latest: float
    """When the new state was first fully visible."""
    before: tuple[Stack, ...] | None
    """None where the region was never seen before."""
    after: tuple[Stack, ...]
    growth: int | None
    """1: more chips, -1: fewer, 0: as many; None where it is unknown."""
    entries_mm: tuple[Point | None, ...]
    """Where what covered them reached over the table's edge, look by look; None where a look does not show it."""
    sureness: float = 1.0
    """Probability that the direction of `growth` is right; 1 where the number of stacks decides it."""
    opposite: float = 0.0
    """Probability of the opposite direction; what is left is that nothing changed."""
    picture: str | None = None
    """The file name of its picture, where one was kept."""
    tips_mm: tuple[Point | None, ...] = ()
    """How far what covered them reached from its place of entry, look by look."""
    was_print: bool = False
    """Whether what disappeared turned out to be a print on the cloth; nobody took it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LampChanged:
    """A lamp on the layout was lit or put out."""

    region: str
    t: float
    """When it was first seen in this state."""
    t_earliest: float
    """When it was last seen in the other state."""
    lit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LampCovered:
    """Something began to cover a lamp at `t`, or stopped covering it."""

    region: str
    t: float
    covered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionsSwept:
    """An arm from the top edge swept over the regions in one direction and withdrew."""

    t: float
    """When the arm was halfway; where it did not go straight, the middle between its beginning and its end."""
    t_began: float
    t_ended: float
    share: float
    """Share of the regions' width that it crossed, 0 to 1."""
    is_sure: bool = True
    """Whether it was one movement, under which no stack seems to have changed. An arm that crossed as much, but
    stopped, turned or met another arm on its way, may have come for something else."""


class PictureFault(StrEnum):
    """Why a picture cannot be trusted."""

    FROZEN = "frozen"
    """The same picture is repeated."""
    DARK = "dark"
    WASHED_OUT = "glare"
    """Glare: parts of the picture are pure white."""
    COVERED = "covered"
    BLURRED = "blurred"
    """Defocus, dirt or a veil of light: fine detail is gone."""
    MOVED = "moved"
    """The camera is no longer where it was when it was calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFaulted:
    """From `t` on the picture cannot be trusted; also reported when the reason changes."""

    t: float
    fault: PictureFault


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCleared:
    """From `t` on the picture can be trusted again."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraRefitted:
    """A moved camera is still again and was recalibrated from the printed cloth."""

    t: float
    calibration: Calibration
    moved_mm: float
    """Largest error of the previous calibration on the cloth, in mm."""
    within_mm: float
    """Largest error of the new calibration on the cloth, in mm, at 90 % confidence."""
    is_used: bool
    """Whether it is used from now on; otherwise a person should check it first."""


Observation = (
    CardRested
    | CardFlipped
    | CardRead
    | CardShifted
    | CardLeft
    | CardTakenOff
    | CardBeside
    | CardBesideHidden
    | LooseCardRested
    | LooseCardTurned
    | LooseCardLeft
    | CutCardRested
    | FirstLookDoubted
    | RegionVisited
    | StacksChanged
    | LampChanged
    | LampCovered
    | RegionsSwept
    | PictureFaulted
    | PictureCleared
)
