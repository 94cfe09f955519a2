"""What was seen, tied to the regions of a layout: the last word of `vision`.

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
    """A track's voted label."""

    label: str | None
    """None where the votes do not tell."""
    confidence: float
    """0 to 1: how sure the label is; with no label, how sure it is that there is a face, or none, as is likelier."""
    value_confidence: float | None = None
    """0 to 1: how sure it is that one of the labels shows that count alike with this one. None where nobody
    estimated it."""
    alternatives: Mapping[str, float] = field(default_factory=dict)
    """The other labels that it may be, each with its probability; the unlikeliest are left out."""


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
    """The detector's mean score."""
    hidden_s: float = 0.0
    """How long its place was covered, or not looked at, until it was first seen: so long it may have been turned
    unseen."""
    is_faint: bool = False
    """Whether the detector hardly knows it for a card: it may have lain there before it was found, and one beside it
    may not be found at all."""
    may_be_turned: bool = False
    """Whether it shows its face, was hidden for long enough to be turned over, and no look showed a face on its way."""
    is_back_seen: bool = True
    """False for one that is said to have lain face down only because no look showed which side was up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFlipped:
    """A card at rest shows its other side."""

    track_id: int
    t: float
    face_up: bool
    reading: Reading
    entries_mm: tuple[Point | None, ...] = ()
    """Where the cover over it entered over the table's edge about then, look by look; None where it does not show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRead:
    """A face that could not be read when it came to rest is reported now."""

    track_id: int
    t: float
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class CardShifted:
    """A card at rest now lies in another region, or at a place to which cards are taken for a while."""

    track_id: int
    t: float
    region: str
    margin_mm: float = float("inf")
    """How much deeper it lies in that place than in the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLeft:
    """A card is gone: its place is in sight and empty."""

    track_id: int
    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTakenOff:
    """A card that was taken to a place lies nowhere, and no hand is there to hold it."""

    track_id: int
    t: float
    """Since when."""
    region: str
    """The place."""
    entries_mm: tuple[Point | None, ...] = ()
    """Where the last arms over it came in, look by look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBeside:
    """A card came to rest on the ground beside the card regions."""

    t: float
    """When it was first seen at its place."""
    face_up: bool
    reading: Reading
    score: float
    """The detector's mean score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardBesideHidden:
    """A card beside the card regions was out of sight and lies there again: another may have been laid onto it."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCardRested:
    """A card came to rest where no card belongs."""

    track_id: int
    """Of its own kind: no card region's track has to do with it."""
    t: float
    """When it was first seen at its place."""
    at_mm: Point
    face_up: bool
    reading: Reading
    score: float
    """The detector's mean score."""


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
    """What lay in the card regions at the first look may be cards with their backs up, or print."""

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
    """A card that was reported, where it was last seen."""

    corners_mm: tuple[Point, ...]
    face_up: bool
    label: str | None
    """None where it could not be read, or lies face down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One stack of chips, as measured while nothing covered it."""

    at_mm: Point
    """The centre of its foot."""
    height_mm: float | None
    """None where the camera's place does not tell it."""
    count: float | None
    """Chips, estimated from the height."""
    counts: tuple[float, ...] = ()
    """How likely it has 1, 2, 3 ... chips; empty where the camera's place does not tell it."""
    faces: tuple[float, ...] = ()
    """How likely each kind of chip of the house lies on top; empty where that was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StacksChanged:
    """Something covered the chips of a region and is gone; `growth` says what had changed then."""

    region: str
    t: float
    """The best guess of the moment."""
    t_earliest: float
    """When the cover began."""
    t_latest: float
    """When the new state was first in plain sight."""
    before: tuple[Stack, ...] | None
    """None where the region was never seen before."""
    after: tuple[Stack, ...]
    growth: int | None
    """1 more chips, -1 fewer, 0 as many; None where it is unknown."""
    entries_mm: tuple[Point | None, ...]
    """Where the cover entered over the table's edge, look by look; None where a look does not show it."""
    sureness: float = 1.0
    """Probability that the direction of `growth` is right; 1 where the number of stacks tells it."""
    picture: str | None = None
    """What the picture of it is called, where one was kept."""
    tips_mm: tuple[Point | None, ...] = ()
    """How far the cover reached from where it entered, look by look."""
    was_print: bool = False
    """What is gone was the cloth's print, as it turned out: nobody took it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LampChanged:
    """A lamp on the layout was lit or put out."""

    region: str
    t: float
    """When it was first seen so."""
    t_earliest: float
    """When it was last seen otherwise."""
    lit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LampCovered:
    """Something lies over a lamp from `t` on, or no longer."""

    region: str
    t: float
    covered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionsSwept:
    """An arm from the top edge swept over the regions one way, left everything as it was and withdrew."""

    t: float
    """When it was halfway."""
    t_began: float
    t_ended: float
    share: float
    """How much of the regions' width it crossed."""


class PictureFault(StrEnum):
    """Why a picture cannot be trusted."""

    FROZEN = "frozen"
    """The same picture again and again."""
    DARK = "dark"
    WASHED_OUT = "glare"
    """Glare: parts of it show nothing but white."""
    COVERED = "covered"
    BLURRED = "blurred"
    """Defocus, dirt or a veil of light: the fine detail is gone."""
    MOVED = "moved"
    """The camera no longer stands where it was calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFaulted:
    """From `t` on the picture cannot be trusted, or not for another reason than before."""

    t: float
    fault: PictureFault


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCleared:
    """From `t` on it can be trusted again."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraRefitted:
    """A moved camera is still again and was recalibrated from the printed cloth."""

    t: float
    calibration: Calibration
    moved_mm: float
    """By how much the calibration before misses the cloth where it misses it most."""
    within_mm: float
    """How far the new one may be off where it may be off most, in nine cases of ten."""
    is_used: bool
    """Whether it holds from now on; else a person should look at it first."""


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
