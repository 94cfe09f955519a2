"""The part of a scenario script that spreads the decks before play: how, how many at once, and what is wrong with them.

Knows nothing of time or motion. Millimetres of the layout plane.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Oddness = Literal["missing", "doubled", "foreign", "joker", "face_down"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Oddity(_Part):
    """One wrong card."""

    kind: Oddness
    """It is missing; it is there twice; the same card of a strange deck, or a joker, is in its place; or it lies
    face down."""
    card: str
    deck: int = Field(default=1, ge=1, le=8)
    """The number of its deck, from 1."""


class ScriptedSpread(_Part):
    """The decks, face up in rows by suit and sequence."""

    decks: int = Field(default=1, ge=1, le=8)
    at_once: int | None = Field(default=None, ge=1, le=6)
    """How many decks lie there together before they are gathered for the next; None: as many as have room, at most
    4."""
    way: Literal["ribbon", "loose"] = "ribbon"
    """A ribbon shows a strip of each card; loose cards lie side by side."""
    cards_a_row: Literal[13, 26, 52] | None = None
    """None: 52 in a ribbon, 13 loose."""
    pitch_mm: float | None = Field(default=None, ge=8, le=90)
    """Distance from card to card; None: what the cloth allows, at most 32 in a ribbon."""
    arc_mm: float = Field(default=0.0, ge=-80, le=80)
    """How much farther a row's middle lies from the dealer than its ends: a fan-shaped row."""
    suits: str = "CDHS"
    """The order of the suits."""
    falling: str = ""
    """The suits that run from the king down; the others run from the ace up."""
    from_right: bool = False
    """Whether the first card lies at the right end and the next ones over its left side."""
    upside_down: bool = False
    """Whether the cards are upright for the dealer."""
    untidy: float = Field(default=1.0, ge=0, le=3)
    """Factor on the irregularity of cards and distances."""
    seconds: float = Field(default=3.0, ge=0.5, le=60)
    """How long a complete lay is left to be filmed."""
    stranger: str = "machine:7"
    """The deck from which foreign cards come."""
    oddities: tuple[Oddity, ...] = ()
