"""For each fault of opening cards, and of cards left for the next round: a fault and a near miss, for every rulebook
with a case of it."""

from __future__ import annotations

from functools import partial

from tests.rules.builders import TableLog
from tests.rules.scenarios import (
    PLAYER_DUE,
    STANDS,
    STYLE_B,
    STYLE_C,
    Build,
    Scenario,
    down,
    hidden,
    legal,
    nz,
    shown,
    then,
)
from tests.rules.scenarios import add as add_scenario

OPENINGS: list[Scenario] = []
add = partial(add_scenario, into=OPENINGS)


def second_down(log: TableLog) -> TableLog:
    return log.open().deal("player", "KH").deal("banker", "3D", face_up=False)


def third_down(log: TableLog) -> TableLog:
    return log.open().four(PLAYER_DUE).deal("player", "4S", face_up=False)


def third_up(log: TableLog) -> TableLog:
    return log.open().four(PLAYER_DUE).deal("player", "4S", face_up=True)


add("procedure.face_down_deal", "one of the four", {**nz("8.6"), "tas": "9.2"}, second_down, legal)
add("procedure.face_down_deal", "third card", {**nz("9.7"), "tas": "9.2"}, third_down, third_up)
add("procedure.face_down_deal", "third card in style C", nz("9.7"), third_down, third_up, options=STYLE_C)
for style in (STYLE_B, STYLE_C):
    add(
        "procedure.early_third_card", f"style {style['dealing_style']}",
        nz("9.1") if style is STYLE_C else {**nz("9.1"), "tas": "10.1"},
        lambda log: down(log).deal("player", "4S"), lambda log: down(log).turn_all().deal("player", "4S"),
        options=style,
    )  # fmt: skip


def from_the_shoe(log: TableLog) -> TableLog:
    return log.open().deal("player", "2C")


def with_the_card(log: TableLog) -> TableLog:
    return log.open().add("card_moved", card_id="c5", hand="player").deal("banker", "2C")


for name, start, rules in (
    ("seen, of the Player", shown("player"), {**nz("12.1(b)"), "tas": "14.1"}),
    ("hidden, of the Player", hidden("player"), {**nz("12.1(b)"), "tas": "14.1"}),
    ("seen, of the Banker", shown("banker"), nz("12.2(b)")),
    ("hidden, of the Banker", hidden("banker"), {**nz("12.2(a)"), "tas": "14.2"}),
):
    add("misdeal.order", f"card left out, {name}", rules, then(start, from_the_shoe), then(start, with_the_card))


def found(hand: str | None) -> Build:
    """A card that lay face up in the shoe and that is due to neither hand."""
    return lambda log: (
        log.open().four(STANDS).deal(hand, "6S", face_up=True, found_face_up=True).result(7, 7).close()
    )  # fmt: skip


LAST: Build = lambda log: log.add("last_round_announced")  # noqa: E731
for name, first in (("", lambda log: log), (", in the last hand", LAST)):
    add("misdeal.extra_card", f"found face up{name}", {"tas": "8"}, then(first, found(None)), legal)
    add("misdeal.third_card_not_due", f"found face up{name}", {"tas": "11"}, then(first, found("banker")), legal)
    add("exposed_card.excess", f"found face up{name}", {"tas": "14.4"}, then(first, found("banker")), hidden("banker"))
