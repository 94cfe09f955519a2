"""Common rules of the rulebooks on the table of play, the deal and the handling of cards, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from tests.rules.builders import NZ, TableLog
from tests.rules.game.test_third_card import printed_decision
from tests.rules.scenarios import Build, down, legal, then
from tests.rules.witness import NSW, SG, STYLE_B, STYLE_C, TAS, Witnesses, announced, cards, passed
from tests.rules.witnesses_nz import burned

WITNESSES = Witnesses()
told, permits = WITNESSES.told, WITNESSES.permits
MISSING, NOT_DUE, WRONG = "misdeal.third_card_missing", "misdeal.third_card_not_due", "procedure.wrong_handler"
RANKS = ("K", "A", *map(str, range(2, 10)))
"""A card of each point value."""


def hands(player: int, banker: int, *thirds: int) -> str:
    """A round in which the hands have these points on two cards; then the third cards of Player and Banker."""
    more = [f" {RANKS[third]}S" for third in (*thirds, -1, -1)[:2] if third >= 0]
    two = f"P KH {RANKS[player]}C", f"B KD {RANKS[banker]}H"
    return " | ".join(hand + card for hand, card in zip(two, (*more, "", ""), strict=False))


def shown(text: str) -> Build:
    return lambda log: cards(log.open(), text)


def drawn(text: str, hand: str) -> Build:
    """The round, and one more card for the hand."""
    return lambda log: cards(log.open(), text).third(hand, "2S")


def called(text: str, player: int, banker: int) -> Build:
    """The round and its result."""
    return lambda log: cards(log.open(), text).result(player % 10, banker % 10)


def ended(text: str) -> Build:
    return lambda log: log.legal_round(text)


# Points, card by card: two cards that come to 7, against 6.
COUNTED: Mapping[tuple[str, ...], tuple[str, str, str]] = {
    NZ: ("4.1(c)", "4.1(a)", "4.1(b)"), SG: ("3.2.1", "3.2.2", "3.2.3"), NSW: ("3.2.3", "3.2.1", "3.2.2"),
    TAS: ("8", "8", "8"),
}  # fmt: skip
"""By rulebook: the paragraphs on an ace, on cards from 2 to 9, and on tens and pictures."""
COMPLEMENTS = {"A": "6", "2": "5", "3": "4", "4": "3", "5": "2", "6": "A", "7": "K", "8": "9", "9": "8",
               "10": "7", "J": "7", "Q": "7", "K": "7"}  # fmt: skip
for (books, (ace, pips, tens)), (rank, other) in product(COUNTED.items(), COMPLEMENTS.items()):
    number = ace if rank == "A" else tens if rank in ("10", "J", "Q", "K") else pips
    if books == SG and rank == "10":
        number = "3.2.2"
    text = f"P {rank}H {other}C | B KD 6S"
    told(number, "misdeal.wrong_result", announced(text, 6, 6), announced(text, 7, 6), books=books, cites="other",
         name=f"{rank} and {other}")  # fmt: skip

# The value of a burned card.
for books, number in ((NZ[:1], "7.9"), (NZ[1:], "4.1A")):
    for rank in ("10", "J", "Q", "K"):
        told(number, "procedure.burn", burned(f"{rank}S"), burned(f"{rank}S", *[None] * 10), books=books,
             cites="other", name=f"{rank} counts 10")  # fmt: skip
told("7.9", "procedure.burn", burned("AS"), burned("AS", None), books=NZ[:1], cites="other", name="an ace counts 1")
for points in range(2, 10):
    told("7.7(a)", "procedure.burn", burned(f"{points}S"), burned(f"{points}S", *[None] * points), books=NZ[1:],
         name=f"{points} counts {points}")  # fmt: skip
    told("7.7(b)", "procedure.burn", burned(f"{points}S"), burned(f"{points}S", *[None] * points), books=NZ[:1],
         name=f"{points} counts {points}")  # fmt: skip

# The table of play, cell by cell.
PLAYER: Mapping[tuple[str, ...], str] = {NZ: "9.3", SG: "3.15", TAS: "11"}
STOOD: Mapping[tuple[str, ...], str] = {NZ: "9.5", SG: "3.13", TAS: "11"}
DREW: Mapping[tuple[str, ...], str] = {NZ: "9.4", SG: "3.15", TAS: "11"}
NATURAL: Mapping[tuple[str, ...], str] = {NZ: "9.2", SG: "3.15", TAS: "11"}
for books, number in PLAYER.items():
    for points in range(8):
        text = hands(points, 7)
        more: dict[str, Any] = {"books": books, "name": f"Player {points}"}
        if points <= 5:
            told(number, MISSING, called(text, points, 7), drawn(text, "player"), **more)
        else:
            told(number, NOT_DUE, drawn(text, "player"), called(text, points, 7), **more)
for books, number in STOOD.items():
    for points in range(8):
        text = hands(6, points)
        more = {"books": books, "name": f"Banker {points} after a stand"}
        if points <= 5:
            told(number, MISSING, called(text, 6, points), drawn(text, "banker"), **more)
        else:
            told(number, NOT_DUE, drawn(text, "banker"), called(text, 6, points), **more)
for (books, number), points, third in product(DREW.items(), range(8), range(10)):
    text = hands(2, points, third)
    more = {"books": books, "name": f"Banker {points} after {third}"}
    if printed_decision(2, points, third):
        told(number, MISSING, called(text, 2 + third, points), drawn(text, "banker"), **more)
    else:
        told(number, NOT_DUE, drawn(text, "banker"), called(text, 2 + third, points), **more)
for (books, number), (player, banker) in product(NATURAL.items(), ((8, 2), (9, 2), (2, 8), (2, 9))):
    for hand in ("player", "banker"):
        more = {"books": books, "name": f"natural {player} to {banker}, {hand} draws"}
        told(number, NOT_DUE, drawn(hands(player, banker), hand), called(hands(player, banker), player, banker), **more)


# How cards are dealt.
def faced(*are_up: bool, third: bool | None = None) -> Build:
    """Four cards with this side up, whatever the style, and on request a third for the Player."""

    def build(log: TableLog) -> TableLog:
        log.open()
        for hand, card, is_up in zip(("player", "banker") * 2, ("KH", "3D", "3C", "4H"), are_up, strict=True):
            log.deal(hand, card, face_up=is_up)
        log.turn_all()
        return log if third is None else log.deal("player", "4S", face_up=third).turn_all().result(7, 7).close()

    return build


UP, DOWN = (True,) * 4, (False,) * 4
permits("8.6", faced(*UP, third=True), name="four cards face up")
permits("9.2", faced(*UP, third=True), books=TAS, name="all cards face up")
permits("3.10", faced(*UP, third=True), books=SG, name="four cards face up")
for style in ({"dealing_style": "A"}, STYLE_C):
    permits("9.7", faced(*(UP if style is not STYLE_C else DOWN), third=True), name=f"style {style['dealing_style']}",
            **style)  # fmt: skip
FACE_UP = "exposed_card.face_up_deal"
ONE_UP = (False, True, False, False)
told("3.9", FACE_UP, faced(*ONE_UP), faced(*DOWN), books=SG, cites="other", name="dealt face down", **STYLE_B)


# The cutting card alone, without an announcement.
def cut_first(log: TableLog) -> TableLog:
    return legal(log.add("cut_card_drawn"))


def cut_within(log: TableLog) -> TableLog:
    log.open().deal("player", "KH").add("cut_card_drawn").deal("banker", "3D").deal("player", "7C")
    return legal(log.deal("banker", "4H").turn_all().result(7, 7).close())


AFTER_LAST = "misdeal.after_last_round"
for number, cut in (("11.2(a)", cut_first), ("11.2(b)", cut_within)):
    told(number, AFTER_LAST, then(cut, legal), cut, name="unannounced")

# Who gets the cards, and who keeps them.
HIGHER_ELSEWHERE = (("s3-player", 300), ("s5-banker", 100), ("s4-player", 50))
told("8.9(a)", WRONG, passed(("c2", 3), wagers=HIGHER_ELSEWHERE), passed(("c2", 5), wagers=HIGHER_ELSEWHERE),
     name="a higher wager on the other hand", **STYLE_B)  # fmt: skip
told("9.3(a)", WRONG, passed(("c2", 3), wagers=HIGHER_ELSEWHERE), passed(("c2", 5), wagers=HIGHER_ELSEWHERE),
     books=TAS, name="a higher wager on the other hand", **STYLE_B)  # fmt: skip
ALONE = (("s5-banker", 100),)
REFUSED = ("banker", 5)
BY_DEALER = passed(REFUSED, ("c1", None), ("c3", None), ("c2", None), ("c4", None), wagers=ALONE)
told("8.9(d)", WRONG, passed(REFUSED, ("c2", 9), wagers=ALONE), BY_DEALER, cites="other", **STYLE_B)
told("8.18", WRONG, passed(REFUSED, ("c2", 9), wagers=ALONE), BY_DEALER, cites="other", name="nobody wishes", **STYLE_B)
ON_TIE = (("s3-tie", 100),)
told("8.18", WRONG, passed(("c1", 3), wagers=ON_TIE), lambda log: down(log, "s3-tie").turn_all().result(7, 3),
     cites="other", name="no bet on the hand", **STYLE_B)  # fmt: skip
for kind in ("competition", "live"):
    told("16.7.5", WRONG, passed(("c1", 3), wagers=ON_TIE), lambda log: down(log, "s3-tie").turn_all(), books=TAS,
         cites="other", name=kind, competition=kind, **STYLE_B)  # fmt: skip
permits("9.7", legal, name="a round")
