"""Rounds drawn from a seed with rare happenings, and which of these are possible at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from thirdcard.datasets.script.drawn_rounds import Act, Drawer, clean_round
from thirdcard.datasets.script.drawn_tables import DrawnTable

ALL = ("nz-authority", "nz-secretary", "sg-rws", "nsw", "tas")
NZ = ("nz-authority", "nz-secretary")
SHOE_DEVICES = ["shoe_opened", "last_round_announced", "shoe_closed", "void_hand_announced"]
"""Events that devices must report, since no camera sees them."""
FIRST_BURNED = ("AS", "2D", "3H", "4C", "5S")
"""First burned cards of low value, so that a burn is short."""
STAKES = (100, 200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class RareKind:
    """One kind of rare happening."""

    rounds: Callable[[Drawer], list[Act]]
    """Draws the rounds in which it happens, with the rounds that must come before and after."""
    rulebooks: Sequence[str] = ALL
    """The rulebooks under which it is an incident."""
    styles: Sequence[str] = "ABC"
    decks: int | None = None
    """How many decks the shoe must hold; None: any number."""

    def can_be_at(self, table: DrawnTable) -> bool:
        """Whether it is an incident at that table."""
        return table.rulebook in self.rulebooks and table.style in self.styles


def rare_table(table: DrawnTable) -> DrawnTable:
    """Return the same table, with devices that report its shoe and its void hands."""
    if table.devices is None:
        return table
    return replace(table, devices=[*table.devices, *(name for name in SHOE_DEVICES if name not in table.devices)])


def decks_for(kinds: Sequence[str]) -> int | None:
    """Return how many decks a table needs for these kinds; None for any number."""
    return next((decks for kind in kinds if (decks := RARE[kind].decks) is not None), None)


def _simultaneous(drawer: Drawer) -> list[Act]:
    return [_happening({"kind": "simultaneous", "card": int(drawer.rng.integers(1, 4))})]


def _first_card(drawer: Drawer) -> list[Act]:
    return [_happening({"kind": "face_up_deal", "card": 1})]


def _burn(drawer: Drawer) -> list[Act]:
    """Draw a burn of too few cards, of too many, or of none at all."""
    first = drawer.one_of(FIRST_BURNED)
    due = 2 + FIRST_BURNED.index(first)
    burned = int(drawer.rng.choice([0, max(due - 1, 1), due + 1, due + 2]))
    return [{"opening": {"first": first, "burned": burned}}]


def _short_hand(drawer: Drawer) -> list[Act]:
    return [_happening({"kind": "short_hand"})]


def _foreign_card(drawer: Drawer) -> list[Act]:
    return [clean_round(drawer), _happening({"kind": "foreign_card", "card": int(drawer.rng.integers(1, 5))})]


def _shoe_exhausted(drawer: Drawer) -> list[Act]:
    return [_happening({"kind": "shoe_exhausted", "card": int(drawer.rng.integers(2, 5))}), _new_shoe(drawer)]


def _after_last_round(drawer: Drawer) -> list[Act]:
    """Draw the cutting card, the last round, one more that may not be dealt, and a new shoe."""
    number = 1 if drawer.table.rulebook == "tas" else int(drawer.rng.integers(1, 4))
    last = [] if number == 1 else [clean_round(drawer)]
    cut = _happening({"kind": "cut_card", "card": number})
    return [cut, *last, _happening({"kind": "after_last_round"}), _new_shoe(drawer)]


def _void_hand_wagered(drawer: Drawer) -> list[Act]:
    seat, value = drawer.seats(1)[0], int(drawer.rng.choice(STAKES))
    return [_happening({"kind": "void_hand_wagered", "seat": seat, "bet": drawer.one_of(("player", "banker")),
                        "value": value})]  # fmt: skip


def _happening(act: Act) -> Act:
    return {"happenings": [act]}


def _new_shoe(drawer: Drawer) -> Act:
    return {"opening": {"first": drawer.one_of(FIRST_BURNED)}}


DEALING: Mapping[str, RareKind] = {
    "simultaneous": RareKind(rounds=_simultaneous),
    "first_card": RareKind(rounds=_first_card, rulebooks=NZ, styles="BC"),
    "burn": RareKind(rounds=_burn, rulebooks=NZ),
    "short_hand": RareKind(rounds=_short_hand),
    "foreign_card": RareKind(rounds=_foreign_card, styles="AC", decks=1),
    "shoe_exhausted": RareKind(rounds=_shoe_exhausted),
    "after_last_round": RareKind(rounds=_after_last_round),
    "void_hand_wagered": RareKind(rounds=_void_hand_wagered, rulebooks=(*NZ, "tas")),
}
"""Faults in dealing and with the shoe, by name."""
RARE: Mapping[str, RareKind] = {**DEALING}
"""All rare kinds, by name."""
