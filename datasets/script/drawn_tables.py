"""The tables of drawn scripts: every rulebook in several variants, and how they may look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from thirdcard.datasets.script.script import Manner

MANNER_SHARE = 0.6
"""Probability that a dealer has any one of the habits."""
PACES = (0.6, 1.4)
CARD_GAPS_S = (0.75, 1.8)
"""From hurried to slow, as wide as scripts allow."""
HEIGHTS_MM = {"mini-7": (2150, 2500), "midi-9": (2600, 2950), "full-14": (3050, 3200)}
LAMP_DEVICES = ["bets_opened", "result_announced", "round_closed", "void_hand_announced"]
FEW_DEVICES = ["bets_opened", "round_closed"]
CHIPS: tuple[str | Mapping[str, object], ...] = (
    "house",
    {
        "diameter_mm": 39,
        "thickness_mm": 3.3,
        "chips": [
            {"value": 5, "name": "sand", "colour": "#d9b98a"},
            {"value": 25, "name": "teal", "colour": "#1f8a86"},
            {"value": 100, "name": "wine", "colour": "#7a1f3a"},
            {"value": 500, "name": "mauve", "colour": "#9a7ab8"},
            {"value": 1000, "name": "gold", "colour": "#c99a1a"},
        ],
    },
    {
        "diameter_mm": 40,
        "thickness_mm": 3.4,
        "chips": [
            {"value": 10, "name": "mint", "colour": "#8fd0b0"},
            {"value": 50, "name": "brick", "colour": "#b0452e"},
            {"value": 100, "name": "navy", "colour": "#26345e"},
            {"value": 500, "name": "apricot", "colour": "#e8a05a"},
            {"value": 2000, "name": "grey", "colour": "#6d6f75"},
        ],
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTable:
    """A variant of a rulebook with a layout and a way to call."""

    name: str
    rulebook: str
    style: str
    options: Mapping[str, object] = field(default_factory=dict)
    layout: str = "mini-7"
    call: str = "signal"
    devices: list[str] | None = None
    """None: all."""
    deck: str | None = None
    """None: a generated deck."""
    growth: str = "outward"
    handling: str = "dealer"
    """`players`: a dealer who deals face down passes the cards to them."""
    habits: Mapping[str, object] = field(default_factory=dict)
    """The script's `pace`, `card_gap_s` and `manner`, if they are not the usual ones."""

    @property
    def rule_options(self) -> dict[str, object]:
        """The rulebook's options for this variant."""
        return {"dealing_style": self.style, **self.options}

    def mapping(self, table_id: str, chips: object, *, decks: int | None = None) -> dict[str, object]:
        """Return the script's `table`; `decks`: how many the shoe holds, None for the usual number."""
        limits = {"minimum": 50 if self.layout == "midi-9" else 25, "maximum": 5000}
        table = {"id": table_id, "rulebook": self.rulebook, "options": self.rule_options, "limits": limits}
        shoe = {} if decks is None else {"shoe": {"decks": decks}}
        return {"table": {**table, **shoe, "layout": self.layout, "chips": chips}}

    def play(self) -> dict[str, object]:
        """Return the script's keys that describe how it is played."""
        devices = {} if self.devices is None else {"devices": self.devices}
        growth = {} if self.growth == "outward" else {"growth": self.growth}
        handling = {} if self.handling == "dealer" else {"handling": self.handling}
        return {"call": self.call, **devices, "pace": 0.8, **growth, **handling, **self.habits}


def handled(table: DrawnTable) -> DrawnTable:
    """Return the same table; if it deals face down in style B, the players handle the cards."""
    return replace(table, name=f"{table.name}-handled", handling="players") if table.style == "B" else table


def draw_manner(rng: np.random.Generator) -> dict[str, object]:
    """Draw the script's tempo and habits: each habit is present or not, and is not always kept."""
    manner = {
        name: round(float(rng.uniform(0.3, 1.0)), 2) for name in Manner.model_fields if rng.random() < MANNER_SHARE
    }
    pace, gap_s = (round(float(rng.uniform(low, high)), 2) for low, high in (PACES, CARD_GAPS_S))
    return {"pace": pace, "card_gap_s": gap_s, "manner": manner}


def draw_look(table: DrawnTable, rng: np.random.Generator, deck: int) -> dict[str, object]:
    """Draw the script's deck, camera, light and video."""

    def between(low: float, high: float, digits: int) -> float:
        return round(float(rng.uniform(low, high)), digits)

    low, high = HEIGHTS_MM[table.layout]
    camera: dict[str, object] = {
        "height_mm": int(rng.integers(low, high)),
        "tilt_deg": int(rng.integers(3, 16)),
        "tilted_from": str(rng.choice(["dealer", "players", "left", "right"])),
        "k1": between(-0.12, -0.03, 2),
    }
    if table.layout == "full-14":
        camera["resolution"] = [2560, 1440]
    return {
        "deck": table.deck or f"machine:{deck}",
        "camera": camera,
        "style": {
            "split": "held_out",
            "light": between(0.72, 1.0, 2),
            "noise": between(1.5, 3.2, 1),
            "clutter": between(0.2, 0.4, 1),
            "warmth": between(-0.3, 0.3, 1),
            "sharpen": 0,
            "defocus": between(0.0, 0.4, 1),
        },
        "video": {"fps": 10, "mbit_s": 4 if table.layout == "full-14" else 1.6, "key_frame_s": 2},
    }


TABLES = (
    DrawnTable(name="tas-a", rulebook="tas", style="A"),
    DrawnTable(
        name="nz-authority-c", rulebook="nz-authority", style="C", options={"version": "mini"}, deck="kde:ornamental"
    ),
    DrawnTable(
        name="sg-rws-a-lamp", rulebook="sg-rws", style="A", options={"insurance": False}, layout="midi-9",
        call="lamp", devices=LAMP_DEVICES,
    ),
    DrawnTable(name="nsw-b-blind", rulebook="nsw", style="B", call="none", devices=[]),
    DrawnTable(
        name="nz-secretary-a", rulebook="nz-secretary", style="A", options={"version": "mini"}, growth="inward"
    ),
    DrawnTable(name="tas-b-blind", rulebook="tas", style="B", call="none", devices=FEW_DEVICES),
    DrawnTable(
        name="nz-authority-a-gesture", rulebook="nz-authority", style="A", options={"version": "midi"},
        layout="midi-9", call="gesture", devices=LAMP_DEVICES,
    ),
    DrawnTable(name="sg-rws-b", rulebook="sg-rws", style="B", options={"insurance": False}, growth="inward"),
    DrawnTable(
        name="nz-secretary-c-lamp", rulebook="nz-secretary", style="C", options={"version": "mini", "tie_pays": 9},
        call="lamp", devices=LAMP_DEVICES, deck="gnome:neoclassical",
    ),
    DrawnTable(name="nsw-b-even-money", rulebook="nsw", style="B", options={"even_money": True}, deck="kde:white"),
    DrawnTable(
        name="tas-federal-full", rulebook="tas", style="A", options={"federal": True}, layout="full-14"
    ),
    DrawnTable(
        name="nz-authority-b", rulebook="nz-authority", style="B", options={"version": "midi"}, layout="midi-9",
        deck="kde:jolly-royal",
    ),
    DrawnTable(name="sg-rws-a-blind", rulebook="sg-rws", style="A", options={"insurance": False}, call="none",
               devices=FEW_DEVICES),
    DrawnTable(
        name="nz-secretary-b-gesture", rulebook="nz-secretary", style="B", options={"version": "mini"},
        call="gesture", devices=LAMP_DEVICES,
    ),
    DrawnTable(
        name="nsw-b-lamp", rulebook="nsw", style="B", layout="midi-9", call="lamp", devices=LAMP_DEVICES,
    ),
    DrawnTable(
        name="nz-authority-a-six-half", rulebook="nz-authority", style="A",
        options={"version": "mini", "banker_pay": "six_half"}, deck="gnome:neoclassical_4_color",
    ),
    DrawnTable(name="tas-a-gesture", rulebook="tas", style="A", call="gesture", devices=LAMP_DEVICES),
    DrawnTable(
        name="sg-rws-b-gesture", rulebook="sg-rws", style="B", options={"insurance": False}, call="gesture",
        devices=[],
    ),
    DrawnTable(
        name="nz-secretary-a-midi", rulebook="nz-secretary", style="A", options={"version": "midi"}, layout="midi-9",
        growth="inward",
    ),
    DrawnTable(name="nsw-b-even-lamp", rulebook="nsw", style="B", options={"even_money": True}, call="lamp",
               devices=LAMP_DEVICES),
)  # fmt: skip
