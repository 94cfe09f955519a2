"""The things on a table at one moment, in millimetres of the layout plane.

Knows nothing of pixels or of the game. x runs right, y down towards the seats; heights are millimetres above the cloth,
never negative. A card's `angle_deg` is 0 when it is upright for a person at the seats, and grows clockwise as seen from
above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.chips import ChipSet
from thirdcard.calibration.layout import Layout

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardObject:
    """One card: lying, carried or being turned."""

    object_id: str
    card: str | None
    """The card's face, known even while the back shows; None only for a dummy."""
    face_up: bool
    at_mm: Point
    """Its centre."""
    angle_deg: float = 0.0
    height_mm: float = 0.0
    turn: float = 0.0
    """0: flat; between 0 and 1 it rotates about its long axis: at 0.5 it stands on edge, above that the other side
    shows."""
    curl_mm: float = 0.0
    """How far its middle rises above its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipStack:
    """A stack of chips standing on the cloth or carried."""

    object_id: str
    at_mm: Point
    chips: tuple[int, ...]
    """Indices into the chip set, bottom first."""
    height_mm: float = 0.0
    """Height of the stack's base above the cloth."""
    seed: int = 0
    """Determines the rotations and offsets of its chips."""
    area: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmObject:
    """A sleeve, a forearm and a hand that reach over the table."""

    object_id: str
    owner: str
    """`dealer` or `seat:3`."""
    tip_mm: Point
    """The position of the finger tips."""
    base_mm: Point
    """Where the arm enters, usually beyond the table's edge."""
    height_mm: float = 60.0
    pose: str = "reach"
    """`reach` (fingers closed, pointing), `grip` (thumb and fingers hold something), `palm` (flat, fingers spread)."""
    seed: int = 0
    """Determines skin, sleeve, cuff and jewellery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCardObject:
    """A cutting card: plain plastic, the size of a card."""

    object_id: str
    at_mm: Point
    angle_deg: float = 0.0
    height_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything on a table that can change, at one moment; later entries lie above earlier ones."""

    t: float
    cards: tuple[CardObject, ...] = ()
    stacks: tuple[ChipStack, ...] = ()
    arms: tuple[ArmObject, ...] = ()
    cut_cards: tuple[CutCardObject, ...] = ()
    lamp_lit: bool = False
    discard_count: int = 0
    """Number of cards in the discard rack."""
    light: float = 1.0
    """Momentary factor on the light (flicker, a passing shadow)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that stays the same through one recording."""

    layout: Layout
    chips: ChipSet
    camera: Calibration
    deck: str
    """A deck's name as `thirdcard.datasets.decks` loads it."""
    card_size_mm: Point = (63.0, 88.0)
    style: Mapping[str, str | float] = field(default_factory=dict)
    """Looks that a script may set: cloth_colour, print, light, noise, clutter ...; the rest is drawn from the seed."""
    seed: int = 0
    print_px_per_mm: float | None = None
    """Resolution of the cloth's print, to get the same print under different cameras; None: as the camera needs it."""
