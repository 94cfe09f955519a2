"""Faults of procedure: sequence, burned cards shown, the cutting card's depth, words left out, cards replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.rules.builders import TableLog
from tests.rules.scenarios import STANDS, Build, Scenario, legal, nz
from tests.rules.witness import cards

PROCEDURES: list[Scenario] = []


def add(code: str, name: str, rules: Mapping[str, str | None], fault: Build, near: Build, **options: Any) -> None:
    """Add the scenario under each of the rulebooks, with the rule that each cites."""
    for rulebook, rule in rules.items():
        PROCEDURES.append(
            Scenario(code=code, rulebook=rulebook, rule=rule, name=name, fault=fault, near=near, options=options)
        )


def turned(*ids: str) -> Build:
    """Four cards face down, then turned in this order."""

    def build(log: TableLog) -> TableLog:
        log.open()
        for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "7C", "4H"), strict=True):
            log.deal(hand, card, face_up=False)
        for name in ids:
            log.turn(name)
        return log.result(7, 7).close()

    return build


def settled(bet: str, *, is_early: bool, action: str = "collected", text: str = "P KH 7C | B 3D 5H") -> Build:
    """A whole round; 100 on the bet are settled before or after the result."""

    def build(log: TableLog) -> TableLog:
        cards(log.open(f"s3-{bet}"), text)
        if is_early:
            return log.settle(f"s3-{bet}", action, 100).result(7, 8).close()
        return log.result(7, 8).settle(f"s3-{bet}", action, 100).close()

    return build


def settled_amid(bet: str, *, is_early: bool) -> Build:
    """A whole round of five cards; 100 on the bet, which loses, are collected before the last card or at the end."""

    def build(log: TableLog) -> TableLog:
        log.open(f"s3-{bet}").four("P QH 4D | B 3C 4H")
        if is_early:
            log.settle(f"s3-{bet}", "collected", 100)
        log.third("player", "9C").result(3, 7)
        return log.close() if is_early else log.settle(f"s3-{bet}", "collected", 100).close()

    return build


def burned(*faces: str | None, shown: str | None) -> Build:
    """A new shoe's first burned card, further ones, and a face of the pile that was seen."""

    def build(log: TableLog) -> TableLog:
        log.add("shoe_opened", decks=8)
        for face in faces:
            log.add("card_burned", card=face)
        return legal(log.add("card_shown", card=shown, where="burn"))

    return build


def cut_with(left: int, *, decks: int) -> Build:
    """The cutting card comes when this number of cards is left."""

    def build(log: TableLog) -> TableLog:
        log.add("shoe_opened", decks=decks)
        for i in range(52 * decks - left):
            log.add("card_burned", card=None if i else "AS", after_s=0.01)
        return log.add("cut_card_drawn")

    return build


def announced(*, is_said: bool, cut_first: bool, is_reported: bool = True) -> Build:
    """The cutting card comes before or during a round; a person reports the announcements."""

    def build(log: TableLog) -> TableLog:
        who: dict[str, Any] = {"source": "person"} if is_reported else {}
        log.add("bets_opened", **who)
        if cut_first:
            log.add("cut_card_drawn")
        log.add("no_more_bets").four(STANDS)
        if not cut_first:
            log.add("cut_card_drawn")
        log.result(7, 7)
        if is_said:
            log.add("last_round_announced", **who)
        log.close()
        return log if cut_first else legal(log)

    return build


def replaced(*, is_within: bool) -> Build:
    """A damaged card is replaced during the round or after it."""

    def build(log: TableLog) -> TableLog:
        log.open().four(STANDS)
        if is_within:
            return log.add("card_replaced", card_id="c1", reason="damaged").result(7, 7).close()
        return log.result(7, 7).close().add("card_replaced", card_id="c1", reason="damaged")

    return build


add(
    "procedure.sequence", "banker first", nz("8.19"), turned("c2", "c4", "c1", "c3"), turned("c1", "c3", "c2", "c4"),
    dealing_style="C",
)  # fmt: skip
add(
    "procedure.sequence", "one amid", nz("8.19"), turned("c1", "c2", "c3", "c4"), turned("c3", "c1", "c4", "c2"),
    dealing_style="C",
)  # fmt: skip
add(
    "procedure.sequence", "before the result", nz("10.2"), settled("player", is_early=True),
    settled("player", is_early=False),
)  # fmt: skip
for bet, rule, options in (
    ("player_pair", "11A.6", {"perfect_pair": "one"}),
    ("banker_pair", "11A.6", {"perfect_pair": "two"}),
    ("player_pair", "11C.7", {"any_pair": "one"}),
    ("banker_pair", "11C.7", {"any_pair": "two"}),
    ("dragon_player", "11B.7", {"dragon_bonus": "one"}),
    ("dragon_banker", "11B.7", {"dragon_bonus": "two"}),
    ("match_player", "11D.7", {"lucky_match": "one"}),
    ("match_banker", "11D.7", {"lucky_match": "two"}),
    ("ante", "14.6", {"ante": 100}),
):
    add(
        "procedure.sequence", f"{bet} before the result", {"nz-secretary": rule}, settled(bet, is_early=True),
        settled(bet, is_early=False), **options,
    )  # fmt: skip
for bet in ("player_pair", "banker_pair"):
    add(
        "procedure.sequence", f"{bet} before the last card", {"tas": "15.7"}, settled_amid(bet, is_early=True),
        settled_amid(bet, is_early=False), perfect_pair=True,
    )  # fmt: skip
add(
    "procedure.burn_shown", "second card", {"nz-authority": "7.7(b)", "nz-secretary": "7.7(a)"},
    burned("2S", None, None, shown="KD"), burned("2S", None, None, shown="2S"),
)  # fmt: skip
add("procedure.cut_depth", "too near the end", nz("7.6"), cut_with(19, decks=4), cut_with(20, decks=4))
add("procedure.cut_depth", "six behind", {"tas": "5.4"}, cut_with(6, decks=4), cut_with(7, decks=4))
add("procedure.cut_depth", "eight behind", {"tas": "5.4"}, cut_with(8, decks=4), cut_with(7, decks=4))
for cut_first in (True, False):
    add(
        "procedure.last_hand_unannounced", "came first" if cut_first else "came amid a round", nz("11.2"),
        announced(is_said=False, cut_first=cut_first), announced(is_said=True, cut_first=cut_first),
    )  # fmt: skip
add(
    "procedure.last_hand_unannounced", "reported", nz("11.2"), announced(is_said=False, cut_first=False),
    announced(is_said=False, cut_first=False, is_reported=False),
)  # fmt: skip
add(
    "procedure.card_replaced", "damaged",
    {"nz-authority": "7.10", "nz-secretary": "7.9", "tas": "14.2", "nsw": "3.10"},
    replaced(is_within=True), replaced(is_within=False),
)  # fmt: skip
