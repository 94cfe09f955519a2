"""Rounds drawn from a seed: clean ones full of legal acts, and ones with an incident of a given kind.

Knows what may happen at a table, not whether it can be played: the caller plays it and draws again if it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from thirdcard.calibration.chips import ChipSet
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.script.drawn_tables import DrawnTable
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.plan import DealingShoe, Hands, result_of
from thirdcard.datasets.script.settlement import payable
from thirdcard.rules.game.cards import format_card
from thirdcard.rules.game.words import Bet, Outcome

INCIDENTS = (
    "order", "third_card_not_due", "third_card_missing", "extra_card", "wrong_result", "face_up_deal", "no_call",
    "placed", "increased", "reduced", "removed", "moved",
)  # fmt: skip
PAYOUTS = ("loser_paid", "winner_unpaid", "wrong_amount", "loser_kept", "push_taken")
BEYOND_NOTICE = {"below_minimum": 20, "above_maximum": 10_000}
"""Values outside the notice of every drawn table that every set of chips can pay exactly on the Player."""
HANDLING_RULES = {
    "wrong_handler": ("nz-authority", "nz-secretary", "sg-rws", "tas"),
    "both_hands_out": ("nz-authority", "nz-secretary"),
    "card_off_table": ("nz-authority", "nz-secretary", "tas"),
}
"""The rulebooks that order the act whose omission is the fault."""
HANDLING = tuple(HANDLING_RULES)
CALL_RULES = ("nz-authority", "nz-secretary")
LOOSE_PLACES = ("shoe", "area", "rail")
# in a style that deals face down, a card that lies face up is another incident
HIDDEN: Mapping[str, object] = {"face_up": False}
LOOSE_SIDES: tuple[Mapping[str, object], ...] = ({"face_up": True}, HIDDEN, {"turned": True})
OPEN_UNTIL_CARD = ("nsw", "tas")
"""Rulebooks under which a wager may still change after the call."""
TIE_SHARE = 0.15
BETS = ("player", "banker")
CHANGES = (50, 100, 100, 200)
"""Values added to a wager or taken from it; 200 can be paid exactly under every rulebook."""

Act = dict[str, object]


@dataclass(slots=True)
class Drawer:
    """The table, the chips and the random generator of a draw."""

    table: DrawnTable
    chips: ChipSet
    rng: np.random.Generator
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        self.places = Places(load_layout(self.table.layout, Path()), (63.0, 88.0), 39.0)

    def one_of(self, choices: Sequence[str]) -> str:
        return str(choices[int(self.rng.integers(len(choices)))])

    def seconds(self, low: float, high: float) -> float:
        return round(float(self.rng.uniform(low, high)), 1)

    def seats(self, count: int) -> list[int]:
        """Draw `count` different seats."""
        numbers = list(self.places.seats)
        return [int(seat) for seat in self.rng.choice(numbers, count, replace=False)]


def clean_round(drawer: Drawer) -> Act:
    """Draw a round without incident, with up to three legal acts."""
    count = int(drawer.rng.choice([0, 1, 2, 3], p=[0.15, 0.35, 0.3, 0.2]))
    acts = [_legal_act(drawer, seat) for seat in drawer.seats(count)]
    if drawer.rng.random() < 0.3:
        acts.append(_tidying(drawer))
    spec: Act = {"pause_s": drawer.seconds(0.2, 0.8)}
    if drawer.rng.random() < TIE_SHARE:
        spec["cards"] = _tied(drawer)
    return spec | ({"happenings": acts} if acts else {})


def incident_round(drawer: Drawer, kind: str) -> Act:
    """Draw a round with one incident, and sometimes a legal act beside it."""
    first, second = drawer.seats(2)
    acts = [] if kind in BEYOND_NOTICE else [_incident(drawer, kind, first)]
    if kind in (*HANDLING, *PAYOUTS):
        tie = {"cards": _tied(drawer)} if kind == "push_taken" else {}
        return {**tie, "wagers": _on_both_hands(drawer), "happenings": acts}
    if kind in BEYOND_NOTICE:
        beyond = {"seat": first, "bet": "player"}
        wagers = [beyond | {"value": BEYOND_NOTICE[kind]}, {"seat": second, "bet": "banker", "value": 200}]
        return {"wagers": wagers, "happenings": [{"kind": kind, **beyond}]}
    if kind != "no_call" and drawer.rng.random() < 0.35:
        acts.append(_legal_act(drawer, second))
    return {"happenings": acts}


def _on_both_hands(drawer: Drawer) -> list[Act]:
    """Draw wagers of three patrons, on both hands; 200 can be paid exactly under every rulebook."""
    bets = (*BETS, drawer.one_of(BETS))
    values = drawer.rng.choice([200, 400, 600], len(bets))
    return [
        {"seat": seat, "bet": bet, "value": int(value)}
        for seat, bet, value in zip(drawer.seats(len(bets)), bets, values, strict=True)
    ]


def loose_round(drawer: Drawer) -> Act:
    """Draw a round without wagers, after which one more card is laid where none belongs.

    Under `nz-*` the next round must begin with it, under `tas` only if its face was not seen.
    """
    sides = LOOSE_SIDES[drawer.table.style == "B" :]
    side = sides[int(drawer.rng.integers(len(sides)))]
    is_kept = drawer.table.rulebook in CALL_RULES or (drawer.table.rulebook == "tas" and side == HIDDEN)
    act: Act = {"kind": "extra_card", "hand": None, "at": drawer.one_of(LOOSE_PLACES), **side}
    act |= {"then": "next" if is_kept else "discard"}
    return {"wagers": [], "pause_s": drawer.seconds(0.2, 0.6), "happenings": [act]}


def can_happen(kind: str, table: DrawnTable) -> bool:
    """Whether an incident of that kind is possible at that table."""
    if kind == "no_call":
        return table.rulebook in CALL_RULES
    if kind == "wrong_result":
        return table.devices is None or "result_announced" in table.devices  # settled by the cards, nothing shows it
    if kind in HANDLING:
        return table.handling == "players" and table.rulebook in HANDLING_RULES[kind]
    return kind != "face_up_deal" or table.style != "A"


def spread_incidents(
    tables: Sequence[DrawnTable],
    each: int,
    rng: np.random.Generator,
    *,
    of: Sequence[str] = INCIDENTS,
    can: Callable[[str, DrawnTable], bool] = can_happen,
) -> list[list[str]]:
    """Assign kinds of incidents to tables: about equally many each, and every kind `each` times where it is possible.

    Raises:
        ScriptError: A kind is possible at none of the tables.
    """
    kinds: list[list[str]] = [[] for _ in tables]
    for kind in sorted(of, key=lambda kind: len([t for t in tables if can(kind, t)])):
        if not any(can(kind, table) for table in tables):
            raise ScriptError("files", len(tables), f"none of these tables can show {kind}; draw more, or another seed")
        for _ in range(each):
            fitting = [i for i, table in enumerate(tables) if can(kind, table)]
            fewest = min(len(kinds[i]) + 3 * kinds[i].count(kind) for i in fitting)
            best = [i for i in fitting if len(kinds[i]) + 3 * kinds[i].count(kind) == fewest]
            kinds[best[int(rng.integers(len(best)))]].append(kind)
    return kinds


def _legal_act(drawer: Drawer, seat: int) -> Act:
    bet = drawer.one_of(BETS)
    kind = drawer.one_of(("reach", "reach", "nudge", "change", "change"))
    if kind == "reach":
        return {"kind": "reach", "seat": seat, "bet": drawer.one_of((*BETS, "tie")), "when": _any_time(drawer)}
    if kind == "nudge":
        return {"kind": "nudge", "seat": seat, "bet": bet, "when": _any_time(drawer)}
    late_is_legal = drawer.table.rulebook in OPEN_UNTIL_CARD and drawer.rng.random() < 0.3
    seconds = 0.3 if late_is_legal else -drawer.seconds(0.7, 1.2)
    return _change(drawer, "change", drawer.one_of(INCIDENTS[-5:]), seat) | {
        "when": {"after": "call", "seconds": seconds}
    }


def _any_time(drawer: Drawer) -> Act:
    after = drawer.one_of(("call", "card", "card", "result"))
    if after == "card":
        return {"after": "card", "card": int(drawer.rng.integers(1, 5)), "seconds": drawer.seconds(0.2, 1.0)}
    return {"after": after, "seconds": drawer.seconds(0.1, 0.6)}


def _tidying(drawer: Drawer) -> Act:
    if drawer.rng.random() < 0.5:
        return {"kind": "straighten_stack"}
    return {"kind": "straighten_card", "card": int(drawer.rng.integers(1, 5))}


def _tied(drawer: Drawer) -> str:
    shoe = DealingShoe(8, drawer.rng)
    hands = shoe.draw_hands(lambda hands: result_of(hands) is Outcome.TIE, None, "cards")
    return _written(hands)


def _written(hands: Hands) -> str:
    player, banker = (" ".join(map(format_card, cards)) for cards in (hands.player, hands.banker))
    return f"P {player} | B {banker}"


def _incident(drawer: Drawer, kind: str, seat: int) -> Act:
    number = int(drawer.rng.integers(2, 5))
    hand = drawer.one_of(BETS)
    if kind in ("order", "face_up_deal"):
        return {"kind": kind, "card": number}
    if kind == "third_card_missing":
        return {"kind": kind, "hand": hand}
    if kind == "third_card_not_due":
        then = drawer.one_of(("discard", "banker")) if hand == "player" else "discard"
        return {"kind": kind, "hand": hand, "then": then}
    if kind == "extra_card":
        face_up = drawer.table.style != "B" or bool(drawer.rng.random() < 0.5)
        return {"kind": kind, "hand": hand, "face_up": face_up, "then": "discard"}
    if kind in ("wrong_result", "no_call", "both_hands_out"):
        return {"kind": kind}
    if kind in HANDLING:
        return {"kind": kind, "hand": hand}
    if kind in PAYOUTS:
        return {"kind": "payout", "mistake": kind}
    return _change(drawer, "late_bet", kind, seat) | {"when": _late(drawer)}


def _change(drawer: Drawer, kind: str, action: str, seat: int) -> Act:
    bet = drawer.one_of(BETS)
    act: Act = {"kind": kind, "action": action, "seat": seat, "bet": bet}
    if action in ("placed", "increased", "reduced"):
        rules = (drawer.table.rulebook, drawer.table.rule_options)
        values = [value for value in CHANGES if payable(Bet(bet), value, drawer.chips, rules)]
        act["value"] = int(drawer.rng.choice(values))
    if action == "moved":
        act["to"] = drawer.one_of([*(other for other in BETS if other != bet), "tie"])
    return act


def _late(drawer: Drawer) -> Act:
    if drawer.rng.random() < 0.3 and drawer.table.rulebook not in OPEN_UNTIL_CARD:
        return {"after": "call", "seconds": drawer.seconds(1.3, 1.9)}
    return {"after": "card", "card": int(drawer.rng.integers(1, 5)), "seconds": drawer.seconds(0.9, 1.4)}
