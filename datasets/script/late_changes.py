"""Rounds in which several patrons change their wagers too late, by a chip or two; used to measure chip detection."""

from __future__ import annotations

from thirdcard.datasets.script.drawn_rounds import Act, Drawer

UNITS = (100, 500)
"""Chip values that every drawn chip set has."""
TOPS = {100: (4, 500), 500: (1, 1000)}
"""For each unit: the most chips of it on top, and the larger value whose multiple lies below."""
HIGHEST = 4900
TWO_SHARE = 0.3
CHANGED_AFTER = (2, 3, 4)
"""The cards after which somebody changes his wager."""
ACTIONS = ("increased", "reduced", "moved")


def late_changes_round(drawer: Drawer) -> Act:
    """Draw a round with three late changes, and a fourth patron who nudges his wager or reaches over it.

    Wagers consist of one to nine chips, the larger ones below; mostly one chip is added or taken, sometimes two.
    """
    *seats, beside = drawer.seats(len(CHANGED_AFTER) + 1)
    wagers, acts = [], []
    for seat, card in zip(seats, CHANGED_AFTER, strict=True):
        wager, act = _late_change(drawer, seat, card)
        wagers.append(wager)
        acts.append(act)
    wagers.append({"seat": beside, "bet": "player", "value": _value(drawer, 100, least=1)})
    touch = drawer.one_of(("nudge", "nudge", "reach"))
    when = {"after": "card", "card": int(drawer.rng.integers(1, 5)), "seconds": drawer.seconds(0.2, 1.0)}
    acts.append({"kind": touch, "seat": beside, "bet": "player", "when": when})
    return {"pause_s": 0.3, "wagers": wagers, "happenings": acts}


def _late_change(drawer: Drawer, seat: int, card: int) -> tuple[Act, Act]:
    """Draw a wager and its change after the given card."""
    action, unit = drawer.one_of(ACTIONS), int(drawer.rng.choice(UNITS))
    chips = 2 if unit == UNITS[0] and drawer.rng.random() < TWO_SHARE else 1
    value = _value(drawer, unit, least=chips + 1 if action == "reduced" else 1)
    act: Act = {"kind": "late_bet", "action": action, "seat": seat, "bet": "player"}
    act |= {"to": drawer.one_of(("banker", "tie"))} if action == "moved" else {"value": chips * unit}
    when = {"after": "card", "card": card, "seconds": drawer.seconds(0.1, 1.1)}
    return {"seat": seat, "bet": "player", "value": value}, act | {"when": when}


def _value(drawer: Drawer, unit: int, *, least: int) -> int:
    """Draw a wager's value with at least `least` chips of the unit on top, and larger ones below."""
    most, larger = TOPS[unit]
    top = int(drawer.rng.integers(min(least, most), most + 1))
    fewest = 0 if top >= least else 1
    return top * unit + larger * int(drawer.rng.integers(fewest, (HIGHEST - top * unit) // larger + 1))
