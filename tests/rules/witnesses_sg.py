"""The rulebooks of Singapore and New South Wales, paragraph by paragraph."""

from __future__ import annotations

from typing import Any

from tests.rules.builders import TableLog
from tests.rules.scenarios import BANKER_DUE, Build, hidden, legal, shown
from tests.rules.witness import (
    NSW,
    SG,
    STANDS,
    STYLE_B,
    Witnesses,
    announced,
    cards,
    passed,
    placed,
    settled,
    staked,
)

WITNESSES = Witnesses()
BANKER_8, BANKER_6, BANKER_6_ON_THREE = "P KH 7C | B 3D 5H", "P KH 2C 3S | B 3D 3H", "P 5H KD KC | B 2C KD 4H"
NOT_DUE = "misdeal.third_card_not_due"
RESULT = "misdeal.wrong_result"


def told(paragraph: str, code: str, fault: Build, near: Build, **more: Any) -> None:
    WITNESSES.told(paragraph, code, fault, near, books=SG, **more)


def permits(paragraph: str, near: Build, **more: Any) -> None:
    WITNESSES.permits(paragraph, near, books=SG, **more)


def pays(paragraph: str, bet: str, text: str, amount: int, **more: Any) -> None:
    WITNESSES.pays(paragraph, bet, text, amount, books=SG, **more)


def loses(paragraph: str, bet: str, text: str, **more: Any) -> None:
    WITNESSES.loses(paragraph, bet, text, books=SG, **more)


def bets(*stakes: tuple[str, int]) -> Build:
    """A round with these stakes."""

    def build(log: TableLog) -> TableLog:
        log.add("bets_opened")
        for area, stake in stakes:
            log.wager(area, 0, stake)
        return legal(log)

    return build


# Definitions that matter for verdicts, and the points.
LIMITS = {"limits": {"minimum": 25, "maximum": 500, "differential": 300}}
TOO_FAR, JUST = bets(("s3-banker", 401), ("s4-player", 100)), bets(("s3-banker", 400), ("s4-player", 100))
for number in ("1.5", "3.4", "5.1"):
    told(number, "limit.differential", TOO_FAR, JUST, cites="rule" if number == "3.4" else "other", table=LIMITS)
NATURAL = "P KH 8C | B 3D 2H"
told("1.10", NOT_DUE, lambda log: log.open().four(NATURAL).third("banker", "6S"),
     lambda log: log.legal_round(NATURAL), cites="other")  # fmt: skip
pays("1.11", "banker", BANKER_6, 50, cites="other", name="on 6")
pays("1.11", "banker", BANKER_8, 100, cites="other", name="on 8")
pays("1.15", "player_pair", "P QH QD 9C | B 3C 4D", 1100, cites="other", name="a pair")
loses("1.15", "player_pair", "P QH KD 9C | B 3C 4D", name="equal in points alone")
pays("1.21", "super_six", BANKER_6, 1200, cites="other", name="on two cards")
pays("1.21", "super_six", BANKER_6_ON_THREE, 2000, cites="other", name="on three cards")
loses("1.21", "super_six", BANKER_8, name="on 8")
told("1.22", RESULT, announced(STANDS, 7, 7, winner="banker"), announced(STANDS, 7, 7), cites="other")
POINTS = {
    "aces": ("P AH 6C | B AD 5H", (7, 6), (6, 5)),
    "cards": ("P 2H 5C | B 3D 3H", (7, 6), (7, 7)),
    "pictures": ("P JH 7C | B QD 6H", (7, 6), (8, 6)),
    "sums": ("P 9H 8C | B 8D 8H", (7, 6), (7, 7)),
}
OF_POINTS = {
    "sg-rws": {"1.16": "sums", "3.2.1": "aces", "3.2.2": "cards", "3.2.3": "pictures"},
    "nsw": {"3.2.1": "cards", "3.2.2": "pictures", "3.2.3": "aces", "3.3.1": "cards", "3.3.2": "sums"},
}
for book, numbers in OF_POINTS.items():
    for number, kind in numbers.items():
        text, right, wrong = POINTS[kind]
        WITNESSES.told(
            number, RESULT, announced(text, *wrong), announced(text, *right), books=(book,), cites="other", name=kind
        )

# Bets.
told("3.5", "limit.below_minimum", staked("s3-tie", 24), staked("s3-tie", 25), table=LIMITS)
told("3.5", "limit.above_maximum", staked("s3-tie", 501), staked("s3-tie", 500), table=LIMITS)
told("5.2.1", "limit.below_minimum", staked("s3-tie", 24), staked("s3-tie", 25), cites="remedy", table=LIMITS)
for bet in ("player", "banker", "tie", "super_six", "player_pair", "banker_pair"):
    permits("3.7", bets((f"s3-{bet}", 100)), name=bet)
told("3.8", "late_bet.placed", placed("s3-tie", False), placed("s3-tie", True), cites="other")


def insured(insurance: str, *, text: str, third: str | None = None, areas: tuple[str, ...] = ("s3-player",),
            stake: int = 20, **next_card: str) -> Build:  # fmt: skip
    """Insurance after the four cards or the Player's third; then the next card."""

    def build(log: TableLog) -> TableLog:
        log.open(*areas).four(text)
        if third is not None:
            log.third("player", third)
        log.wager(insurance, 0, stake)
        for hand, card in next_card.items():
            log.third(hand, card)
        return log

    return build


PLAYER_7: Build = insured("s3-insurance_player", text=BANKER_DUE, banker="6S")
told("3.11", "limit.above_maximum", insured("s3-insurance_player", text=BANKER_DUE, areas=("s4-player",), banker="6S"),
     PLAYER_7, cites="other")  # fmt: skip
told("3.12.1", "late_bet.placed", insured("s3-insurance_banker", text="P KH 2C | B KD KS", third="6S", banker="3H"),
     insured("s3-insurance_banker", text="P KH KC | B KD 5S", areas=("s3-banker",), player="3H"),
     cites="other")  # fmt: skip
BACK_LATE: Build = lambda log: PLAYER_7(log).wager("s3-insurance_player", 20, 0)  # noqa: E731
BACK: Build = insured("s3-insurance_player", text=BANKER_DUE)
told("5.6", "late_bet.removed", BACK_LATE, lambda log: BACK(log).wager("s3-insurance_player", 20, 0), name="insurance")


def insured_for(stake: int) -> Build:
    """A stake on insurance, and the result."""
    return lambda log: insured("s3-insurance_player", text=BANKER_DUE, stake=stake, banker="6S")(log).result(7, 9)


told("5.3", "limit.below_minimum", insured_for(9), insured_for(10), cites="other",
     table={"limits": {"bets": {"insurance_player": {"minimum": 10}}}})  # fmt: skip
told("4.1.2", "late_bet.placed", insured("s3-insurance_player", text="P KH 7C | B 3D 3S"), PLAYER_7, cites="other")


def insured_on_9(*, result: str, pays_it: bool) -> Build:
    """Player insurance on 9 points, bet after the third card; the Banker draws to 9 as well, or to 8."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-player").four("P KH 3C | B KD 2S").third("player", "6S").wager("s3-insurance_player", 0, 10)
        log.third("banker", result).result(9, 9 if result == "7H" else 8)
        if result == "7H":
            log.settle("s3-player", "returned", 100)
        else:
            log.settle("s3-player", "paid", 100)
        if pays_it:
            return log.settle("s3-insurance_player", "paid", 80).close()
        return log.settle("s3-insurance_player", "collected", 10).close()

    return build


told("4.2.1", "payout.winner_unpaid", insured_on_9(result="7H", pays_it=False), insured_on_9(result="7H", pays_it=True),
     cites="other", name="a Tie on 9")  # fmt: skip
told("4.2.1", "payout.loser_paid", insured_on_9(result="6H", pays_it=True), insured_on_9(result="6H", pays_it=False),
     cites="other", name="no Tie")  # fmt: skip

# Third cards, results and payments.
told("3.13", "misdeal.third_card_missing", lambda log: log.open().four(BANKER_DUE).result(7, 3),
     lambda log: cards(log.open(), f"{BANKER_DUE} 6S").result(7, 9))  # fmt: skip
told("3.16", RESULT, announced(BANKER_8, 7, 8, winner="player"), announced(BANKER_8, 7, 8))
WITNESSES.stands_off("3.17", "player", STANDS, books=SG, cites="rule")
pays("4.1.1", "player", "P KH 8C | B 3D 4H", 100)
pays("4.1.1", "tie", STANDS, 800, name="tie")


# Irregularities.
def stopped(*events: str) -> Build:
    """A round that is abandoned after two cards, its wager returned."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-banker").deal("player", "2H").deal("banker", "KD")
        for kind in events:
            log.add(kind)
        return log.settle("s3-banker", "returned", 100).close()

    return build


told("5.4.2", "misdeal.short_hand", stopped(), stopped("round_voided"), cites="other")
told("5.7", NOT_DUE, shown("banker"), legal, cites="remedy")
told("5.7", NOT_DUE, hidden("banker"), legal, cites="remedy", name="not disclosed")


def fifth_card(*, is_open: bool) -> Build:
    """A card too many for the Player, whose cards were read by the shoe and seen by nobody."""

    def build(log: TableLog) -> TableLog:
        log.open()
        for i, (hand, card) in enumerate(zip(("player", "banker") * 2, ("KH", "3D", "7C", "5H"), strict=True)):
            log.add("card_dealt", card_id=f"c{i + 1}", hand=hand, card=card, face_up=False)
        return log.add("card_dealt", card_id="c5", hand="player", card="6S", face_up=is_open)

    return build


told("5.7.1", "exposed_card.excess", fifth_card(is_open=True), fifth_card(is_open=False), cites="remedy", **STYLE_B)
told("5.7", "exposed_card.excess", fifth_card(is_open=True), fifth_card(is_open=False), name="while all is open",
     **STYLE_B)  # fmt: skip
MISPLACED: Build = lambda log: log.open("s3-banker").deal("player", "KH").deal("player", "3D")  # noqa: E731
told("5.8.1", "misdeal.order", MISPLACED, legal, cites="remedy", action="reconstruct")
ON_BOTH = (("s3-player", 200), ("s5-banker", 100))
told("5.8.2", "procedure.wrong_handler", passed(("c2", 5), wagers=ON_BOTH), passed(("c2", 3), wagers=ON_BOTH),
     cites="other", **STYLE_B)  # fmt: skip
TOGETHER: Build = lambda log: log.open().deal("player", "KH").deal("banker", "3D", together_with="c1")  # noqa: E731
told("5.10.1", "misdeal.simultaneous", TOGETHER, legal, cites="remedy")
BEFORE: Build = lambda log: shown("player")(log).close()  # noqa: E731
told("5.11", "payout.winner_unpaid", lambda log: settled("banker", BANKER_8, ("returned", 100))(BEFORE(log)),
     lambda log: settled("banker", BANKER_8, ("paid", 100))(BEFORE(log)), cites="other")  # fmt: skip


def after_error(*acts: tuple[str, int], is_error: bool) -> Build:
    """A winning Banker after a misdealt card was corrected, and the acts on the wager."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-banker").deal("player", "KH").deal("player" if is_error else "banker", "3D")
        if is_error:
            log.add("card_moved", card_id="c2", hand="banker")
        log.deal("player", "7C").deal("banker", "5H").turn_all().result(7, 8)
        for action, amount in acts:
            log.settle("s3-banker", action, amount)
        return log.close()

    return build


KEPT, GOES_ON = after_error(is_error=True), after_error(("paid", 100), is_error=True)
GIVEN_BACK = after_error(("returned", 100), is_error=True)
told("5.12.1", "payout.winner_unpaid", KEPT, GOES_ON, cites="other")
told("5.12.2", "payout.winner_unpaid", KEPT, GOES_ON, cites="other")
told("5.12.3", "payout.winner_unpaid", after_error(("returned", 100), is_error=False), GIVEN_BACK, cites="other")
told("5.14", "late_bet.removed", lambda log: log.open("s3-tie").wager("s3-tie", 100, 0),
     lambda log: log.add("bets_opened").wager("s3-tie", 0, 100).wager("s3-tie", 100, 0), cites="remedy")  # fmt: skip
told("5.15", RESULT, announced(BANKER_8, 7, 7), announced(BANKER_8, 7, 8), cites="remedy")


def void(action: str) -> Build:
    """The shoe runs out before a third card; then the act on the wager."""
    return lambda log: (
        log.open("s3-tie").four("P KH 3C | B 3D 4H").add("shoe_closed").settle("s3-tie", action, 100).close()
    )


told("5.16", "payout.push_taken", void("collected"), void("returned"))
told("5.18", "limit.above_maximum", staked("s3-tie", 501), staked("s3-tie", 500), cites="remedy", table=LIMITS)

# New South Wales.
WITNESSES.told("1.1", "limit.differential", TOO_FAR, JUST, books=NSW, table=LIMITS)
