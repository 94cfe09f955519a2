"""The rulebook of Tasmania, paragraph by paragraph."""

from __future__ import annotations

from typing import Any

from tests.rules.builders import TableLog
from tests.rules.scenarios import BANKER_DUE, Build, hidden, legal, shown
from tests.rules.witness import (
    STANDS,
    STYLE_B,
    TAS,
    Witnesses,
    announced,
    down,
    passed,
    placed,
    settled,
    staked,
    wagered,
)

WITNESSES = Witnesses()
BANKER_8, PLAYER_8, BANKER_6 = "P KH 7C | B 3D 5H", "P KH 8C | B 3D 4H", "P KH 2C 3S | B 3D 3H"
MIXED, COLOURED, PERFECT = "P QH QS 9C | B 3C 4D", "P QH QD 9C | B 3C 4D", "P QH QH 9C | B 3C 4D"
NO_PAIR = "P QH KD 9C | B 3C 4D"
NOT_DUE, RESULT, WRONG = "misdeal.third_card_not_due", "misdeal.wrong_result", "procedure.wrong_handler"
LIMITS: dict[str, Any] = {"limits": {"minimum": 25, "maximum": 500, "collective": 700}}


def told(paragraph: str, code: str, fault: Build, near: Build, **more: Any) -> None:
    WITNESSES.told(paragraph, code, fault, near, books=TAS, **more)


def permits(paragraph: str, near: Build, **more: Any) -> None:
    WITNESSES.permits(paragraph, near, books=TAS, **more)


def pays(paragraph: str, bet: str, text: str, amount: int, **more: Any) -> None:
    WITNESSES.pays(paragraph, bet, text, amount, books=TAS, **more)


def loses(paragraph: str, bet: str, text: str, **more: Any) -> None:
    WITNESSES.loses(paragraph, bet, text, books=TAS, **more)


# Wagers and limits.
for choice in ("player", "banker", "tie", "player tie", "banker tie", "player banker tie"):
    permits("6.5", wagered(*choice.split()), name=choice)
pays("6.6", "banker", BANKER_8, 95, cites="other")
loses("6.6", "banker", PLAYER_8)
pays("6.7", "player", PLAYER_8, 100, cites="other")
loses("6.7", "player", BANKER_8)
WITNESSES.stands_off("6.8", "banker", STANDS, books=TAS, cites="rule")
TAKEN: Build = lambda log: log.wager("s3-banker", 100, 0)  # noqa: E731
told("6.8", "late_bet.removed", lambda log: TAKEN(log.open("s3-banker").four(PLAYER_8).result(8, 7)),
     lambda log: TAKEN(log.open("s3-banker").four(STANDS).result(7, 7)), cites="other")  # fmt: skip
pays("6.8", "tie", STANDS, 800, cites="other", name="the Tie wins")


def on_one_hand(*stakes: int) -> Build:
    def build(log: TableLog) -> TableLog:
        log.add("bets_opened")
        for seat, stake in enumerate(stakes, start=1):
            log.wager(f"s{seat}-banker", 0, stake)
        return legal(log)

    return build


told("7.3(a)", "limit.above_maximum", on_one_hand(400, 301), on_one_hand(400, 300), table=LIMITS)
told("7.3(b)", "limit.above_maximum", on_one_hand(400, 301), on_one_hand(400, 300), table=LIMITS, cites="remedy")
BY_PLAYER: Build = lambda log: log.open("s3-tie").deal("player", "KH").wager("s3-tie", 100, 50)  # noqa: E731
BY_DEALER: Build = lambda log: log.open("s3-tie").deal("player", "KH").wager("s3-tie", 100, 50, by="dealer")  # noqa: E731
told("7.3(b)", "late_bet.reduced", BY_PLAYER, BY_DEALER, cites="other", name="by the dealer")


def above(amount: int) -> Build:
    """A winning wager of 600 on Player, where the maximum is 500."""
    return lambda log: (
        log.add("bets_opened").wager("s3-player", 0, 600).add("no_more_bets").four(PLAYER_8).result(8, 7)
        .settle("s3-player", "paid", amount).close()
    )  # fmt: skip


told("7.4", "payout.wrong_amount", above(600), above(500), table=LIMITS)
told("7.4", "limit.below_minimum", staked("s3-tie", 24), staked("s3-tie", 25), table=LIMITS, cites="remedy")


def agreed(stake: int, **limits: int) -> Build:
    """A wager of seat 3 with agreed limits."""
    return lambda log: staked("s3-tie", stake)(log.add("limits_changed", seat=3, **limits))


told("7.4", "limit.below_minimum", agreed(49, minimum=50), agreed(50, minimum=50), name="agreed minimum", table=LIMITS,
     cites="remedy", action="supervisor")  # fmt: skip
told("7.4", "limit.above_maximum", agreed(61, maximum=60), agreed(60, maximum=60), name="agreed maximum", table=LIMITS,
     cites="remedy", action="supervisor")  # fmt: skip

# Points, the deal, the cards.
told("8", RESULT, announced("P 9H 8C | B QD 6H", 7, 7), announced("P 9H 8C | B QD 6H", 7, 6), cites="other")
told(
    "8", RESULT, announced("P AH 6C | B AD 5H", 6, 5), announced("P AH 6C | B AD 5H", 7, 6), cites="other", name="aces"
)
told("10.3", RESULT, announced(BANKER_8, 7, 8, winner="player"), announced(BANKER_8, 7, 8), cites="other")
told("4.1", "misdeal.foreign_card", lambda log: log.legal_round("P 6H KD | B 3S 4C").legal_round("P 6H QD | B 3H 4D"),
     lambda log: log.legal_round("P 6H KD | B 3S 4C").legal_round("P 6D QD | B 3H 4D"), table={"decks": 1})  # fmt: skip
OF_TWO = (("s5-banker", 100), ("s9-banker", 50))
EQUAL = (("s5-banker", 100), ("s7-banker", 100))
told("9.3(a)", WRONG, passed(("c2", 9), wagers=OF_TWO), passed(("c2", 5), wagers=OF_TWO), **STYLE_B)
told("9.3(b)", WRONG, passed(("c2", 9), wagers=OF_TWO), passed(("banker", 5), ("c2", 9), wagers=OF_TWO), cites="other",
     **STYLE_B, name="refused")  # fmt: skip
told("9.3(c)", WRONG, passed(("c2", 7), wagers=EQUAL), passed(("c2", 5), wagers=EQUAL), **STYLE_B)
MARKER: Build = lambda log: log.open().deal("player", "6H").add("cut_card_drawn").deal("banker", "3S")  # noqa: E731
told(
    "9.4", "misdeal.after_last_round",
    lambda log: legal(MARKER(log).deal("player", "KD").deal("banker", "4C").result(6, 7).close()),
    lambda log: legal(log.open().four("P 6H KD | B 3S 4C").add("cut_card_drawn").result(6, 7).close()),
)  # fmt: skip

# Payments.
pays("12.1", "player", PLAYER_8, 100)
pays("12.2", "banker", BANKER_8, 95)
pays("12.3", "tie", STANDS, 800)
pays("12.4", "banker", BANKER_6, 50, federal=True)
pays("13", "banker", BANKER_8, 100, federal=True, cites="other")
pays("13", "player", PLAYER_8, 100, federal=True, cites="other", name="Player")

# Irregularities.
told("14.1", NOT_DUE, shown("player", BANKER_DUE), legal, cites="remedy", name="the Banker is due")
told("14.1", NOT_DUE, shown("player"), legal, cites="remedy", name="the Banker stands")
told("14.2", NOT_DUE, hidden("banker"), legal, cites="remedy")
SERVED: Build = lambda log: log.open().four("P KH 3C | B 3D KS").third("banker", "6S")  # noqa: E731
told("14.3", "misdeal.third_card_missing", SERVED, legal, cites="remedy")


def second_open(*, was_found: bool) -> Build:
    """The round's second card is dealt face up in a face-down style."""
    return lambda log: (
        log.open().deal("player", "KH").deal("banker", "3D", face_up=True, found_face_up=was_found)
        .deal("player", "7C").deal("banker", "4H").turn_all().result(7, 7).close()
    )  # fmt: skip


told("14.4", "exposed_card.face_up_deal", second_open(was_found=False), second_open(was_found=True), cites="remedy",
     **STYLE_B)  # fmt: skip
TOGETHER: Build = lambda log: log.open().deal("player", "KH").deal("banker", "3D", together_with="c1")  # noqa: E731
told("14.6", "misdeal.simultaneous", TOGETHER, legal, cites="remedy")

# Perfect Pairs.
PAIRS = {"perfect_pair": True}
for text, odd, name in ((MIXED, 6, "mixed"), (COLOURED, 12, "coloured"), (PERFECT, 25, "perfect")):
    pays("15.1", "player_pair", text, 100 * odd, cites="other", name=name, **PAIRS)
    pays("15.8", "player_pair", text, 100 * odd, name=name, **PAIRS)
loses("15.1", "player_pair", NO_PAIR, **PAIRS)
pays("15.1", "banker_pair", "P QH KD 9C | B 3C 3D", 600, cites="other", name="banker", **PAIRS)
told("15.2", "late_bet.placed", placed("s3-player_pair", False), placed("s3-player_pair", True), cites="other", **PAIRS)
OF_PAIRS: dict[str, Any] = {"limits": {"bets": {"player_pair": {"minimum": 5, "maximum": 50}}}}
told("15.3", "limit.below_minimum", staked("s3-player_pair", 4), staked("s3-player_pair", 5), table=OF_PAIRS,
     **PAIRS)  # fmt: skip
told("15.3", "limit.above_maximum", staked("s3-player_pair", 51), staked("s3-player_pair", 50), table=OF_PAIRS,
     **PAIRS)  # fmt: skip
told("7.4", "limit.below_minimum", staked("s3-player_pair", 4), staked("s3-player_pair", 5), table=OF_PAIRS,
     cites="remedy", name="a pair below the minimum", **PAIRS)  # fmt: skip
told("7.4", "limit.above_maximum", staked("s3-player_pair", 51), staked("s3-player_pair", 50), table=OF_PAIRS,
     cites="remedy", name="a pair above the maximum", **PAIRS)  # fmt: skip
permits("15.4", lambda log: log.legal_round(NO_PAIR, "s3-player_pair", "s4-banker"), **PAIRS)
told("15.5", "misdeal.third_card_missing",
     lambda log: log.open("s3-player_pair").four("P QH KD | B 3C 4D").result(0, 7),
     lambda log: log.legal_round(NO_PAIR, "s3-player_pair"), cites="other", **PAIRS)  # fmt: skip
pays("15.6(a)", "player_pair", MIXED, 600, cites="other", **PAIRS)
loses("15.6(b)", "player_pair", NO_PAIR, **PAIRS)
WITNESSES.kept("15.7(a)", "player_pair", NO_PAIR, books=TAS, cites="rule", **PAIRS)
told("15.7(b)", "payout.winner_unpaid", settled("player_pair", MIXED), settled("player_pair", MIXED, ("paid", 600)),
     **PAIRS)  # fmt: skip

# Competition.
FROZEN: Build = lambda log: log.add("bets_opened").wager("s3-banker", 0, 100).wager("s3-banker", 100, 200)  # noqa: E731
ONCE: Build = lambda log: log.add("bets_opened").wager("s3-banker", 0, 100).add("no_more_bets")  # noqa: E731
AFTER_TIE: Build = lambda log: ALTERED(log.legal_round(STANDS).open("s3-banker").four(STANDS).result(7, 7))  # noqa: E731
ALTERED: Build = lambda log: log.wager("s3-banker", 100, 200)  # noqa: E731
UP_TO: Build = lambda log: log.add("bets_opened").wager("s3-banker", 0, 20).wager("s3-banker", 20, 25)  # noqa: E731
BEYOND: Build = lambda log: log.add("bets_opened").wager("s3-banker", 0, 20).wager("s3-banker", 20, 30)  # noqa: E731
FIRST_TO_WAGER = (("s7-banker", 100), ("s5-banker", 100))
ON_BOTH = (("s3-player", 100), ("s4-player", 50), ("s5-banker", 100), ("s6-banker", 50))


def third_passed(seat: int) -> Build:
    """The Player's third card is passed face down to a seat."""

    def build(log: TableLog) -> TableLog:
        down(log, *ON_BOTH, text="P KH 3C | B 3D 4H").turn_all().deal("player", "4D", face_up=False)
        return log.add("card_passed", card_id="c5", to=f"seat:{seat}")

    return build


for kind in ("competition", "live"):
    elected = {"competition": kind}
    squeezed = {**elected, **STYLE_B}
    told("16.5.6", "late_bet.increased", FROZEN, ONCE, name=kind, **elected)
    told("16.5.7", "late_bet.increased", FROZEN, ONCE, name=kind, cites="other", **elected)
    told("16.5.8", "late_bet.increased", FROZEN, AFTER_TIE, name=kind, cites="other", **elected)
    told("16.5.12", "late_bet.increased", BEYOND, UP_TO, name=kind, cites="other", table=LIMITS, **elected)
    told("16.5.12", "limit.below_minimum", staked("s3-tie", 24), staked("s3-tie", 25), name=f"{kind} owner",
         cites="remedy", table=LIMITS, **elected)  # fmt: skip
    told("16.5.13", "payout.wrong_amount", above(600), above(500), name=kind, table=LIMITS, **elected)
    told(
        "16.7.1(a)", WRONG, passed(("c1", 4), wagers=ON_BOTH), passed(("c1", 3), wagers=ON_BOTH), name=kind, **squeezed
    )
    told(
        "16.7.1(b)", WRONG, passed(("c2", 6), wagers=ON_BOTH), passed(("c2", 5), wagers=ON_BOTH), name=kind, **squeezed
    )
    told("16.7.1(c)", WRONG, third_passed(4), third_passed(3), name=kind, **squeezed)
    told("16.7.2", WRONG, passed(("c2", 5), wagers=FIRST_TO_WAGER), passed(("c2", 7), wagers=FIRST_TO_WAGER),
         name=kind, cites="other", **squeezed)  # fmt: skip
    told("16.7.3", WRONG, passed(("c1", 4), wagers=ON_BOTH), passed(("c1", 3), wagers=ON_BOTH), name=kind,
         cites="remedy", **squeezed)  # fmt: skip
    permits("16.7.5", lambda log: down(log, ("s3-tie", 100)).turn_all().result(7, 7), name=kind, **squeezed)
