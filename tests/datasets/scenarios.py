"""Short scripts for the tests of scenario scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thirdcard.calibration.chips import load_chips
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.script.director import Performance, perform
from thirdcard.datasets.script.script import Script, parse_script

HERE = Path(__file__).parent
HANDS = "P 8H 10D | B KS 7D"
SMALL_CAMERA = {"height_mm": 2300, "tilt_deg": 10, "tilted_from": "players", "k1": -0.05, "resolution": [480, 270]}


def script_of(*rounds: dict[str, Any], rulebook: str = "tas", style: str = "A", **more: Any) -> Script:
    """A script at a mini table."""
    table = {"rulebook": rulebook, "options": {"dealing_style": style}, "limits": {"minimum": 25, "maximum": 5000}}
    return parse_script({"table": table, "seed": 3, "rounds": list(rounds)} | more, "scenario.yaml")


def play(script: Script) -> Performance:
    """Play the script with the built-in layout and chips."""
    return perform(script, load_layout("mini-7", HERE), load_chips("house", HERE))


def clean_round(**more: Any) -> dict[str, Any]:
    """A round with known cards and one wager."""
    return {"cards": HANDS, "wagers": [{"seat": 3, "bet": "player", "value": 100}]} | more
