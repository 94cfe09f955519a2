"""The paragraphs that only the Secretary's rulebook has: side wagers, 2 to 1, Ante Up, International."""

from __future__ import annotations

from typing import Any

from tests.rules.builders import TableLog
from tests.rules.procedure_scenarios import settled as in_sequence
from tests.rules.scenarios import Build, legal
from tests.rules.witness import SEC, STANDS, STYLE_B, Witnesses, cards, passed, placed, settled, staked

WITNESSES = Witnesses()
MIXED, COLOURED, PERFECT = "P QH QS 9C | B 3C 4D", "P QH QD 9C | B 3C 4D", "P QH QH 9C | B 3C 4D"
NO_PAIR = "P QH KD 9C | B 3C 4D"
BANKER_MIXED = "P QH KD 9C | B 3C 3D"
TIE_ON_6, PLAYER_9_ON_THREE, BANKER_9_ON_THREE = "P 6H KD | B 6S QC", "P 2H 3D 4S | B 3C 4D", "P 2H KD 4S | B 3C 2D 4H"
BANKER_6 = "P 2H 3D 10S | B 2C 4D"
NATURAL, MARGIN_4, MARGIN_3 = "P 9H KD | B 3C 4D", "P 2H 3D AS | B 2C KD KH", "P 2H 3D KS | B 2C KD KH"
NATURAL_TIE = "P 8H KD | B 8C KH"
TRIPLE, TWO_OF_SUIT = "P 2H 2H 2H | B 3C 4D", "P 2H 2H 3S | B 3C 4D"


def told(paragraph: str, code: str, fault: Build, near: Build, **more: Any) -> None:
    WITNESSES.told(paragraph, code, fault, near, books=SEC, **more)


def permits(paragraph: str, near: Build, **more: Any) -> None:
    WITNESSES.permits(paragraph, near, books=SEC, **more)


def pays(paragraph: str, bet: str, text: str, amount: int, **more: Any) -> None:
    WITNESSES.pays(paragraph, bet, text, amount, books=SEC, **more)


def loses(paragraph: str, bet: str, text: str, **more: Any) -> None:
    WITNESSES.loses(paragraph, bet, text, books=SEC, **more)


def alone(bet: str, text: str) -> Build:
    """A round with only that wager."""
    return lambda log: log.legal_round(text, f"s3-{bet}")


SIDES: dict[str, tuple[str, dict[str, str], dict[str, str], str]] = {
    "11A": ("player_pair", {"perfect_pair": "one"}, {"any": "2", "closes": "3", "sign": "4", "settles": "6"}, NO_PAIR),
    "11B": ("dragon_player", {"dragon_bonus": "one"}, {"any": "3", "closes": "4", "sign": "5", "settles": "7"}, STANDS),
    "11C": ("player_pair", {"any_pair": "one"}, {"any": "3", "closes": "4", "sign": "5", "settles": "7"}, NO_PAIR),
    "11D": ("match_player", {"lucky_match": "one"}, {"any": "3", "closes": "4", "sign": "5", "settles": "7"}, NO_PAIR),
}
"""By section: a bet, its election, the paragraphs common to all four, and a round in which the bet loses."""
for section, (bet, elected, numbers, lost) in SIDES.items():
    other = bet.replace("player", "banker")
    permits(f"{section}.{numbers['any']}", alone(bet, lost), **elected)
    permits(f"{section}.{numbers['any']}", alone(other, lost), name="on the other hand", **elected)
    told(f"{section}.{numbers['closes']}", "late_bet.placed", placed(f"s3-{bet}", False), placed(f"s3-{bet}", True),
         **elected)  # fmt: skip
    told(
        f"{section}.{numbers['sign']}", "limit.below_minimum", staked(f"s3-{bet}", 9), staked(f"s3-{bet}", 10),
        table={"limits": {"minimum": 25, "bets": {bet: {"minimum": 10}}}}, **elected,
    )  # fmt: skip
    told(
        f"{section}.{numbers['sign']}", "limit.above_maximum", staked(f"s3-{other}", 91), staked(f"s3-{other}", 90),
        name="above, on the other hand", table={"limits": {"maximum": 25, "bets": {other: {"maximum": 90}}}}, **elected,
    )  # fmt: skip
    WITNESSES.kept(f"{section}.{numbers['settles']}", bet, lost, books=SEC, **elected)
    loses(f"{section}.{numbers['settles']}", bet, lost, **elected)

told("11C.4", "late_bet.placed", placed("s3-banker_pair", False), placed("s3-banker_pair", True), name="on scale two",
     any_pair="two")  # fmt: skip
for number, bets, early in (
    ("11A.6", ("player_pair", "banker_pair"), {"perfect_pair": "one"}),
    ("11C.7", ("player_pair", "banker_pair"), {"any_pair": "one"}),
):
    for bet in bets:
        told(number, "procedure.sequence", in_sequence(bet, is_early=True), in_sequence(bet, is_early=False),
             name=f"{bet} before the result", cites="remedy", action="supervisor", **early)  # fmt: skip
ELECTED = {"11A.1": "player_pair", "11B.1": "dragon_player", "11C.1": "player_pair", "11D.1": "match_player"}
for number, bet in ELECTED.items():
    told(number, "wager.not_offered", staked(f"s3-{bet}", 100), staked("s3-tie", 100), cites="other")

for scale, odds in {"one": (5, 10, 30), "two": (6, 12, 25), "three": (5, 12, 25)}.items():
    for text, odd in zip((MIXED, COLOURED, PERFECT), odds, strict=True):
        pays("11A.7", "player_pair", text, 100 * odd, perfect_pair=scale, name=f"{scale} {odd}")
pays("11A.5", "player_pair", MIXED, 500, cites="other", perfect_pair="one")
pays("11A.5", "banker_pair", BANKER_MIXED, 500, cites="other", perfect_pair="one", name="banker")
loses("11A.5", "player_pair", NO_PAIR, perfect_pair="one")
loses("11A.5", "player_pair", BANKER_MIXED, perfect_pair="one", name="the other hand's pair")
pays("11B.6", "dragon_player", NATURAL, 100, cites="other", dragon_bonus="one", name="natural")
pays("11B.6", "dragon_player", MARGIN_4, 100, cites="other", dragon_bonus="one", name="by four")
loses("11B.6", "dragon_player", MARGIN_3, dragon_bonus="one", name="by three")
for table, amount in {"one": 100, "two": 100, "three": 200}.items():
    pays("11B.8", "dragon_player", MARGIN_4, amount, dragon_bonus=table, name=f"table {table}")
WITNESSES.stands_off("11B.8", "dragon_player", NATURAL_TIE, books=SEC, dragon_bonus="two")
for scale, amount in {"one": 1100, "two": 1000}.items():
    pays("11C.8", "player_pair", PERFECT, amount, any_pair=scale, name=scale)
pays("11C.6", "player_pair", MIXED, 1100, cites="other", any_pair="one")
loses("11C.6", "player_pair", NO_PAIR, any_pair="one")
for scale, amount in {"one": 2500, "two": 2000}.items():
    pays("11D.8", "match_player", TWO_OF_SUIT, amount, lucky_match=scale, name=scale)
pays("11D.6", "match_player", MIXED, 500, cites="other", lucky_match="one")
loses("11D.6", "match_player", NO_PAIR, lucky_match="one")
pays("11D.9", "match_player", TRIPLE, 10000, cites="other", lucky_match="one")
told("11D.9", "payout.wrong_amount", settled("match_player", TRIPLE, ("paid", 12500)),
     settled("match_player", TRIPLE, ("paid", 10000)), cites="other", lucky_match="one", name="not both")  # fmt: skip

# The burn, and 2 to 1.
ONE: Build = lambda log: legal(log.add("shoe_opened", decks=8).add("card_burned"))  # noqa: E731
told("7.7(b)", "procedure.burn", lambda log: legal(log.add("shoe_opened", decks=8)), ONE, burn="one")
TWO_TO_ONE = {"two_to_one": True}
pays("5.10(c)", "tie", TIE_ON_6, 900, tie_pays=9, name="at 9 to 1")
pays("13.2(a)", "banker", BANKER_6, 100, cites="other", **TWO_TO_ONE)
loses("13.2(a)", "banker", TIE_ON_6, name="a Tie", **TWO_TO_ONE)
loses("13.2(b)", "player", TIE_ON_6, name="a Tie", **TWO_TO_ONE)
pays("13.2(c)", "tie", TIE_ON_6, 800, cites="other", **TWO_TO_ONE)
loses("13.2(c)", "tie", BANKER_6, **TWO_TO_ONE)
pays("13.3", "player", PLAYER_9_ON_THREE, 200, name="Player", **TWO_TO_ONE)
pays("13.3", "banker", BANKER_9_ON_THREE, 200, name="Banker", **TWO_TO_ONE)
pays("13.3", "player", NATURAL, 100, name="a natural", **TWO_TO_ONE)
pays("13.4", "banker", BANKER_6, 50, banker_pay="six_half", **TWO_TO_ONE)


# Ante Up.
def with_ante(ante: int, *acts: tuple[str, str, int], stake: int = 100) -> Build:
    """A winning Banker with a wager and an ante on it, and the dealer's acts."""

    def build(log: TableLog) -> TableLog:
        log.add("bets_opened").wager("s3-banker", 0, stake)
        if ante:
            log.wager("s3-ante", 0, ante)
        cards(log.add("no_more_bets"), "P KH 7C | B 3D 5H").result(7, 8)
        for area, action, amount in acts:
            log.settle(area, action, amount)
        return log.close()

    return build


PAID, TAKEN = ("s3-banker", "paid", 95), ("s3-ante", "collected", 5)
BACK = with_ante(0, ("s3-banker", "returned", 100))
told("14.1", "payout.wrong_amount", with_ante(5, ("s3-banker", "paid", 100), TAKEN), with_ante(5, PAID, TAKEN),
     cites="other", ante=5)  # fmt: skip
told("14.3", "payout.loser_paid", with_ante(4, PAID, ("s3-ante", "collected", 4)), with_ante(5, PAID, TAKEN),
     cites="other", ante=5)  # fmt: skip
told("14.4", "payout.loser_paid", with_ante(0, ("s3-banker", "paid", 190), stake=199),
     with_ante(0, ("s3-banker", "paid", 190), stake=200), cites="other", ante=5, ante_waived_from=200)  # fmt: skip
told("14.5", "late_bet.placed", placed("s3-ante", False), placed("s3-ante", True), ante=5)
told("14.6", "payout.loser_kept", with_ante(5, PAID), with_ante(5, PAID, TAKEN), cites="other", ante=5)
told("14.7", "payout.loser_paid", with_ante(0, PAID), BACK, name="paid", ante=5)
told("14.7", "payout.push_taken", with_ante(0, ("s3-banker", "collected", 100)), BACK, ante=5)

# International.
HOME = {"international": True, **STYLE_B}
MINE = (("s3-player", 100), ("s5-banker", 100))
WRONG = "procedure.wrong_handler"
pays("15.1", "banker", "P KH 7C | B 3D 5H", 95, cites="other", international=True)
SPLIT = passed(("c1", 3), ("c3", 8), wagers=MINE)
told("15.4", WRONG, passed(("c1", 8), ("c3", 8), wagers=MINE), SPLIT, cites="other", **HOME)
SHARED = passed(("c1", 3), ("c3", 3), ("c3", 8), wagers=MINE)
told("15.6", WRONG, passed(("c1", 8), wagers=MINE), SHARED, cites="other", **HOME)
ON_BANKER = (("s5-banker", 100),)
told("15.7(a)", WRONG, passed(("c1", 8), wagers=MINE), passed(("c1", 8), wagers=ON_BANKER), cites="other", **HOME)
GIVEN = passed(("player", 3), ("c1", 8), wagers=MINE)
told("15.7(b)", WRONG, passed(("c1", 8), wagers=MINE), GIVEN, cites="other", **HOME)
NAMED: Build = lambda log: passed(("c1", 8), ("c3", 8), wagers=MINE)(log.add("nominee_named", seat=3, nominee=8))  # noqa: E731
told("15.4", WRONG, passed(("c1", 8), wagers=MINE), NAMED, cites="other", name="a nominee who was named", **HOME)


def given_back(*, is_wrong_hand: bool) -> Build:
    """The winning wager on Banker is returned; the round's second card went to the Player, or not."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-banker").deal("player", "KH").deal("player" if is_wrong_hand else "banker", "3D")
        if is_wrong_hand:
            log.add("card_moved", card_id="c2", hand="banker")
        log.deal("player", "7C").deal("banker", "5H").turn_all().result(7, 8)
        return log.settle("s3-banker", "returned", 100).close()

    return build


told("15.9", "payout.winner_unpaid", given_back(is_wrong_hand=False), given_back(is_wrong_hand=True), cites="other",
     **HOME)  # fmt: skip


def altered(change: Build, *, is_seen: bool) -> Build:
    """A change of a wager while two cards lie face down, or after one was turned."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-banker").deal("player", "KH", face_up=False).deal("banker", "3D", face_up=False)
        return change(log.turn("c1") if is_seen else log)

    return build


def moved(log: TableLog) -> TableLog:
    return log.wager("s3-banker", 100, 0).wager("s3-player", 0, 100)


CHANGES: dict[str, tuple[str, Build]] = {
    "15.10(a)": ("late_bet.moved", moved),
    "15.10(b)": ("late_bet.increased", lambda log: log.wager("s3-banker", 100, 200)),
    "15.10(c)": ("late_bet.placed", lambda log: log.wager("s4-tie", 0, 100)),
    "15.10(d)": ("late_bet.removed", lambda log: log.wager("s3-banker", 100, 0)),
}
for number, (code, change) in CHANGES.items():
    told(number, code, altered(change, is_seen=True), altered(change, is_seen=False), cites="other", **HOME)
