"""The common rules of the two rulebooks of New Zealand, paragraph by paragraph."""

from __future__ import annotations

from tests.rules.builders import NZ, TableLog
from tests.rules.scenarios import BANKER_DUE, Build, hidden, legal, shown
from tests.rules.witness import (
    STANDS,
    STYLE_B,
    STYLE_C,
    Witnesses,
    announced,
    cards,
    down,
    passed,
    placed,
    settled,
    wagered,
)

BANKER_8, PLAYER_8 = "P KH 7C | B 3D 5H", "P KH 8C | B 3D 4H"
WITNESSES = Witnesses()
told, permits = WITNESSES.told, WITNESSES.permits


def late(change: Build, near: Build) -> tuple[Build, Build]:
    """The change after the first two cards, and `near` at the same time."""
    begun: Build = lambda log: log.open("s3-banker").deal("player", "KH").deal("banker", "3D")  # noqa: E731
    return lambda log: change(begun(log)), lambda log: near(begun(log))


def staked_in_chips(amount: int) -> Build:
    """600 on Banker, which wins; the smallest chip is 25, and commission can be paid exactly on 500."""

    def build(log: TableLog) -> TableLog:
        log.add("bets_opened").wager("s3-banker", 0, 600).add("no_more_bets")
        return cards(log, BANKER_8).result(7, 8).settle("s3-banker", "paid", amount).close()

    return build


def heavy(stake: int) -> Build:
    return lambda log: legal(log.add("bets_opened").wager("s3-banker", 0, stake).wager("s4-player", 0, 100))


def stands(log: TableLog) -> TableLog:
    """The Player drew an 8: the Banker stands on 3."""
    return cards(log.open(), "P KH 2C 8S | B KD 3H")


def draws(log: TableLog) -> TableLog:
    """The Player drew a 7: the Banker draws on 3."""
    return cards(log.open(), "P KH 2C 7S | B KD 3H")


def second_open(*, was_found: bool) -> Build:
    """The round's second card is dealt face up."""
    return lambda log: (
        log.open().deal("player", "KH").deal("banker", "3D", face_up=True, found_face_up=was_found)
        .deal("player", "7C").deal("banker", "4H").turn_all().result(7, 7).close()
    )  # fmt: skip


def burned(*faces: str | None) -> Build:
    def build(log: TableLog) -> TableLog:
        log.add("shoe_opened", decks=8)
        for face in faces:
            log.add("card_burned", card=face)
        return legal(log)

    return build


# Points of cards and hands.
for number, text, right, wrong in (
    ("4.1(a)", "P 2H 5C | B 3D 3H", (7, 6), (7, 7)),
    ("4.1(b)", "P 10H 7C | B QD 6H", (7, 6), (8, 6)),
    ("4.1(c)", "P AH 6C | B AD 5H", (7, 6), (6, 5)),
    ("4.2(a)", "P 4H 3C | B 2D 4H", (7, 6), (6, 7)),
    ("4.2(b)", "P 9H 8C | B 8D 8H", (7, 6), (7, 7)),
):
    told(number, "misdeal.wrong_result", announced(text, *wrong), announced(text, *right), cites="other")
OFF: Build = lambda log: legal(log.open()).open().four(STANDS).add("card_removed", card_id="c6", to="off_table")  # noqa: E731
IN: Build = lambda log: legal(log.open()).open().four(STANDS).add("card_removed", card_id="c6", to="discard")  # noqa: E731
told("4.3", "procedure.card_off_table", OFF, IN, cites="other")

# Wagers.
for number, bet, win, loss, off in (
    ("5.1(a)", "banker", BANKER_8, PLAYER_8, STANDS), ("5.1(b)", "player", PLAYER_8, BANKER_8, STANDS),
):  # fmt: skip
    WITNESSES.pays(number, bet, win, 95 if bet == "banker" else 100, cites="other")
    WITNESSES.loses(number, bet, loss)
    WITNESSES.stands_off(number, bet, off)
WITNESSES.pays("5.1(c)", "tie", STANDS, 800, cites="other")
WITNESSES.loses("5.1(c)", "tie", BANKER_8)
for choice in ("banker", "banker tie", "banker player", "banker player tie", "player", "player tie", "tie"):
    permits("5.2", wagered(*choice.split()), name=choice)
WITNESSES.pays("5.10(a)", "player", PLAYER_8, 100)
WITNESSES.pays("5.10(b)", "banker", BANKER_8, 95)
WITNESSES.pays("5.10(c)", "tie", STANDS, 800)
WITNESSES.pays("5.11", "banker", "P KH 2C 3S | B 3D 3H", 50, banker_pay="six_half")
for number in ("5.12", "5.13"):
    told(
        number, "payout.wrong_amount", staked_in_chips(570), staked_in_chips(475), cites="other",
        table={"chips": (25,)},
    )  # fmt: skip
told("5.14(a)", "late_bet.placed", placed("s4-banker", False), placed("s4-banker", True))
TAKEN_BACK = late(lambda log: log.wager("s3-banker", 100, 0), lambda log: log.wager("s3-banker", 100, 100))
told("5.14(b)", "late_bet.removed", *TAKEN_BACK)
ALTERED: Build = lambda log: log.wager("s3-banker", 100, 200)  # noqa: E731
told(
    "5.16", "late_bet.increased",
    lambda log: ALTERED(log.open("s3-banker").four(PLAYER_8).result(8, 7)),
    lambda log: ALTERED(log.open("s3-banker").four(STANDS).result(7, 7)), cites="other",
)  # fmt: skip
told(
    "5.18", "limit.differential", heavy(401), heavy(400), cites="remedy", table={"limits": {"differential": 300}}
)  # fmt: skip
PRO_RATA = late(
    lambda log: log.wager("s3-banker", 100, 50), lambda log: log.wager("s3-banker", 100, 50, by="dealer")
)  # fmt: skip
told("5.18", "late_bet.reduced", *PRO_RATA, cites="other", name="by the dealer")

# The shoe.
told("7.7(a)", "procedure.burn", burned(), burned("AS", None))
told("7.7(b)", "procedure.burn", burned("2S", None), burned("2S", None, None), books=NZ[:1])
told("7.9", "procedure.burn", burned("KS"), burned("KS", *[None] * 10), books=NZ[:1], cites="other")
told("4.1A", "procedure.burn", burned("KS"), burned("KS", *[None] * 10), books=NZ[1:], cites="other")
permits(
    "11.1", lambda log: legal(legal(log.add("last_round_announced").add("cut_card_drawn"))),
    table={"device": "continuous_shuffler"},
)  # fmt: skip
FIRST: Build = lambda log: legal(log.add("cut_card_drawn").add("last_round_announced"))  # noqa: E731
told("11.2(a)", "misdeal.after_last_round", lambda log: legal(FIRST(log)), FIRST)


def cut_within(log: TableLog) -> TableLog:
    log.open().deal("player", "KH").add("cut_card_drawn").deal("banker", "3D").deal("player", "7C")
    return legal(log.deal("banker", "4H").turn_all().result(7, 7).close().add("last_round_announced"))


told("11.2(b)", "misdeal.after_last_round", lambda log: legal(cut_within(log)), cut_within)

# The deal.
told(
    "8.1", "misdeal.short_hand",
    lambda log: log.open().deal("player", "KH").deal("player", "8C").turn_all().result(8, 0), legal, cites="other",
)  # fmt: skip
permits("8.6", legal)
TWO, THREE = (("s5-banker", 100), ("s9-banker", 50)), (("s5-banker", 100), ("s7-banker", 100), ("s9-banker", 50))
WRONG = "procedure.wrong_handler"
told("8.9(a)", WRONG, passed(("c2", 9), wagers=TWO), passed(("c2", 5), wagers=TWO), **STYLE_B)
told("8.9(b)", WRONG, passed(("c2", 7), wagers=THREE), passed(("c2", 5), wagers=THREE), **STYLE_B)
DECLINED = passed(("banker", 5), ("c2", 7), wagers=THREE)
told("8.9(b)", WRONG, passed(("banker", 7), ("c2", 9), wagers=THREE), DECLINED, name="declined", **STYLE_B)
NEXT = passed(("banker", 5), ("banker", 7), ("c2", 9), wagers=THREE)
told("8.9(c)", WRONG, passed(("banker", 5), ("c2", 9), wagers=THREE), NEXT, **STYLE_B)
permits(
    "8.9(d)", passed(("banker", 5), ("c1", None), ("c3", None), ("c2", None), ("c4", None), wagers=TWO[:1]), **STYLE_B
)
ONE_EACH = (("s3-player", 100), ("s5-banker", 100))
OUT = "procedure.both_hands_out"
IN_TURN = passed(("c1", 3), ("c3", 3), ("c1", None), ("c3", None), ("c2", 5), ("c4", 5), wagers=ONE_EACH)
told("8.15", OUT, passed(("c1", 3), ("c3", 3), ("c2", 5), wagers=ONE_EACH), IN_TURN, cites="other", **STYLE_B)
BANKER_FIRST = passed(("c2", 5), ("c4", 5), ("c2", None), ("c4", None), ("c1", 3), ("c3", 3), wagers=ONE_EACH)
told("8.17", OUT, passed(("c2", 5), ("c1", 3), wagers=ONE_EACH), BANKER_FIRST, cites="other", **STYLE_B)
permits("8.18", lambda log: down(log).turn_all().result(7, 7).close(), **STYLE_B)

# Third cards.
told("9.1", "misdeal.third_card_missing", announced("P KH 3C | B 3D 4H", 3, 7), legal, cites="other")
NATURAL = "P KH 8C | B 3D 2H"
told("9.2", "misdeal.third_card_not_due", lambda log: log.open().four(NATURAL).third("banker", "6S"),
     lambda log: log.legal_round(NATURAL))  # fmt: skip
told("9.4", "misdeal.third_card_not_due", lambda log: stands(log).third("banker", "2C"),
     lambda log: draws(log).third("banker", "2C"))  # fmt: skip
told("9.4", "misdeal.third_card_missing", lambda log: draws(log).result(9, 3), lambda log: stands(log).result(0, 3))
permits("9.7", lambda log: log.legal_round("P KH 3C 4D | B 3D 4H"), **STYLE_C)

# Irregularities.
NOT_DUE = "misdeal.third_card_not_due"
told("12.1(a)", NOT_DUE, shown("player", BANKER_DUE), legal, cites="remedy")
told("12.1(b)", NOT_DUE, hidden("player"), legal, cites="remedy", name="not disclosed")
told("12.1(b)", NOT_DUE, shown("player"), legal, cites="remedy", name="disclosed")
told("12.2(a)", NOT_DUE, hidden("banker"), legal, cites="remedy")
told("12.2(b)", NOT_DUE, shown("banker"), legal, cites="remedy")
told("12.4", "exposed_card.face_up_deal", second_open(was_found=False), second_open(was_found=True), cites="remedy",
     **STYLE_B)  # fmt: skip
told("12.6", "misdeal.order", lambda log: log.open().deal("player", "6H").deal("player", "KS"), legal, cites="remedy")
told("12.6", "payout.winner_unpaid", settled("banker", BANKER_8, ("returned", 100)),
     lambda log: log.open("s3-banker").deal("banker", "6H").add("card_moved", card_id="c1", hand="player")
     .deal("banker", "3D").deal("player", "AC").deal("banker", "5H").turn_all().result(7, 8)
     .settle("s3-banker", "returned", 100).close(), cites="other", name="wagers returned")  # fmt: skip
told("12.7", "procedure.burn", burned(), burned("AS", None), cites="remedy")
told(
    "12.8", "procedure.no_call", lambda log: log.add("bets_opened").four(STANDS), lambda log: log.open().four(STANDS),
    cites="remedy",
)  # fmt: skip
