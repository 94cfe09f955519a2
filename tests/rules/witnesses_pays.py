"""The printed payout of each entry in the pay tables: one witness for each line of a table and each hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from tests.rules.builders import NZ, TableLog
from tests.rules.game.test_third_card import printed_decision
from tests.rules.scenarios import Build
from tests.rules.witness import SEC, SG, TAS, Witnesses, totals

WITNESSES = Witnesses()
pays = WITNESSES.pays
PAIRS: Mapping[str, tuple[str, str]] = {
    "player": ("P QH {} 9C | B 3C 4D", "P QH {} 9C | B 3C 4D"),
    "banker": ("P KH 7C | B 4C {} QS", "P KH 7C | B 4H {} QS"),
}
KINDS = {"player": ("QS", "QD", "QH"), "banker": ("4D", "4S", "4C")}
"""The cards that make the first two cards a mixed, a coloured and a perfect pair."""


def pair_of(side: str, kind: int) -> str:
    return PAIRS[side][0].format(KINDS[side][kind])


# Pairs.
SCALES: Mapping[str, tuple[int, int, int]] = {"one": (5, 10, 30), "two": (6, 12, 25), "three": (5, 12, 25)}
for side in ("player", "banker"):
    for kind in range(3):
        for scale, odds in SCALES.items():
            pays("11A.7", f"{side}_pair", pair_of(side, kind), 100 * odds[kind], books=SEC,
                 name=f"{scale}, {side} {kind}", perfect_pair=scale)  # fmt: skip
        pays("15.8", f"{side}_pair", pair_of(side, kind), 100 * (6, 12, 25)[kind], books=TAS, name=f"{side} {kind}",
             perfect_pair=True)  # fmt: skip
        pays("4.1.1", f"{side}_pair", pair_of(side, kind), 1100, books=SG, name=f"{side} pair {kind}")
        for scale, odd in {"one": 11, "two": 10}.items():
            pays("11C.8", f"{side}_pair", pair_of(side, kind), 100 * odd, books=SEC, name=f"{scale}, {side} {kind}",
                 any_pair=scale)  # fmt: skip

# Lucky Match.
TRIPLES = {"player": "P 2H 2H 2H | B 3C 4D", "banker": "P KH 7C | B 2C 2C 2C"}
for scale, matches in {"one": (5, 10, 25, 100), "two": (5, 10, 20, 500)}.items():
    for side, triple in TRIPLES.items():
        for kind, odd in enumerate(matches):
            text = triple if kind == 3 else pair_of(side, kind)
            pays("11D.8", f"match_{side}", text, 100 * odd, books=SEC, name=f"{scale}, {side} {kind}",
                 lucky_match=scale)  # fmt: skip

# Dragon Bonus: the winner's margin without a natural, by side.
MARGINS: Mapping[str, Mapping[int, str]] = {
    "player": {
        9: "P KH 2C 7S | B KD QH KS", 8: "P KH 2C 6S | B KD QH KS", 7: "P KH 2C 5S | B KD QH KS",
        6: "P KH 2C 4S | B KD QH KS", 5: "P KH 2C 3S | B KD QH KS", 4: "P KH 2C 2S | B KD QH KS",
    },
    "banker": {
        9: "P KH QC KS | B KD 2H 7S", 8: "P KH QC KS | B KD 2H 6S", 7: "P KH QC KS | B KD 2H 5S",
        6: "P KH QC KS | B KD 2H 4S", 5: "P KH QC KS | B KD 2H 3S", 4: "P KH QC KS | B KD 2H 2S",
    },
}  # fmt: skip
BONUS: Mapping[str, Mapping[int, int]] = {
    "one": {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1},
    "two": {9: 20, 8: 8, 7: 7, 6: 4, 5: 3, 4: 1},
    "three": {9: 30, 8: 10, 7: 4, 6: 4, 5: 2, 4: 2},
}
NATURALS = {"player": "P KH 9C | B KD 2H", "banker": "P KH 2C | B KD 9H"}
NATURAL_TIE = "P 8H KD | B 8C KH"
for scale, table in BONUS.items():
    for side, rounds in MARGINS.items():
        for margin, text in rounds.items():
            pays("11B.8", f"dragon_{side}", text, 100 * table[margin], books=SEC, name=f"{scale}, {side} by {margin}",
                 dragon_bonus=scale)  # fmt: skip
        pays("11B.8", f"dragon_{side}", NATURALS[side], 100, books=SEC, name=f"{scale}, natural {side}",
             dragon_bonus=scale)  # fmt: skip
        WITNESSES.stands_off("11B.8", f"dragon_{side}", NATURAL_TIE, books=SEC, name=f"{scale}, {side} natural tie",
                             dragon_bonus=scale)  # fmt: skip

# Winning bets on the Banker's side.
pays("11B.6", "dragon_banker", NATURALS["banker"], 100, books=SEC, cites="other", name="natural Banker",
     dragon_bonus="one")  # fmt: skip
pays("11B.6", "dragon_banker", MARGINS["banker"][4], 100, books=SEC, cites="other", name="Banker by four",
     dragon_bonus="one")  # fmt: skip
pays("11C.6", "banker_pair", pair_of("banker", 0), 1100, books=SEC, cites="other", name="Banker", any_pair="one")
pays("11D.6", "match_banker", pair_of("banker", 0), 500, books=SEC, cites="other", name="Banker", lucky_match="one")
for side, text in TRIPLES.items():
    pays("11D.6", f"match_{side}", text, 10000, books=SEC, cites="other", name=f"triple, {side}", lucky_match="one")

# The two hands.
BANKER_6, BANKER_8 = "P KH 2C 3S | B 3D 3H", "P KH 7C | B 3D 5H"
pays("5.11", "banker", BANKER_8, 100, books=NZ, name="on 8", banker_pay="six_half")
pays("12.4", "banker", BANKER_8, 100, books=TAS, name="on 8", federal=True)
THREE = {"player": "P 2H 3D {}S | B 3C 4D", "banker": "P 2H KD 4S | B 3C 2D {}H"}
for side, (third_8, third_9) in {"player": ("3", "4"), "banker": ("3", "4")}.items():
    for points, third in ((8, third_8), (9, third_9)):
        pays("13.3", side, THREE[side].format(third), 200, books=SEC, name=f"{side} {points} on three", two_to_one=True)
pays("13.3", "banker", BANKER_8, 100, books=SEC, name="Banker on two cards", two_to_one=True)
pays("4.1.1", "super_six", BANKER_6, 1200, books=SG, name="super six on two cards")
pays("4.1.1", "super_six", "P 5H KD KC | B 2C KD 4H", 2000, books=SG, name="super six on three cards")
pays("4.1.1", "banker", BANKER_6, 50, books=SG, name="Banker on 6")
pays("4.1.1", "banker", BANKER_8, 100, books=SG, name="Banker on 8")
for bet, number in (("player", "6.8"),):
    WITNESSES.stands_off(number, bet, "P KH 7C | B 3D 4H", books=TAS, cites="other", name="Player")

# Insurance: the printed table, line by line.
INSURED: tuple[tuple[str, bool, int, int, int], ...] = (
    ("banker", False, 4, 5, 200), ("banker", False, 5, 6, 300), ("banker", False, 5, 7, 400),
    ("player", False, 5, 4, 200), ("player", False, 6, 5, 300), ("player", False, 7, 5, 400),
    ("banker", True, 1, 1, 600), ("banker", True, 1, 6, 700), ("banker", True, 2, 6, 400), ("banker", True, 3, 4, 150),
    ("player", True, 5, 4, 200), ("player", True, 6, 5, 300), ("player", True, 7, 6, 400), ("player", True, 8, 6, 700),
    ("player", True, 9, 6, 800),
)  # fmt: skip
"""The insured hand, whether after the Player's third card, the points of Player and Banker, odds to 100."""
RANKS = ("K", "A", *map(str, range(2, 10)))


def _round_of(hand: str, is_after_third: bool, player: int, banker: int) -> tuple[str, list[tuple[str, str]]]:
    """The four cards, and the third cards with which the insured hand loses; on 9 the Player can only tie."""
    for first, drawn, last in product(range(6), range(10), range(-1, 10)):
        two = first if is_after_third else player
        third = drawn if two <= 5 else None
        if is_after_third and (two + drawn) % 10 != player:
            continue
        if printed_decision(two, banker, third) != (last >= 0):
            continue
        ends = (two + (third or 0)) % 10, (banker + max(last, 0)) % 10
        won = min(9, ends[0] + 1) if hand == "player" else ends[0] - 1
        if (ends[1] >= won) if hand == "player" else (ends[1] <= won):
            text = f"P KH {RANKS[two]}C | B KD {RANKS[banker]}H"
            thirds = [("player", third), ("banker", None if last < 0 else last)]
            return text, [(side, f"{RANKS[card]}S") for side, card in thirds if card is not None]
    raise AssertionError((hand, is_after_third, player, banker))


def insured(hand: str, is_after_third: bool, player: int, banker: int, paid: int) -> Build:
    """100 on the hand, 10 on its insurance when it is offered; the hand loses and the insurance is paid this amount."""

    def build(log: TableLog) -> TableLog:
        text, thirds = _round_of(hand, is_after_third, player, banker)
        log.open(f"s3-{hand}").four(text)
        for i, (side, card) in enumerate(thirds):
            if i == int(is_after_third):
                log.wager(f"s3-insurance_{hand}", 0, 10)
            log.third(side, card)
        if len(thirds) == int(is_after_third):
            log.wager(f"s3-insurance_{hand}", 0, 10)
        own = {side: f" {card}" for side, card in thirds}
        two = text.split(" | ")
        points = totals(f"{two[0]}{own.get('player', '')} | {two[1]}{own.get('banker', '')}")
        log.result(*points).settle(f"s3-{hand}", "returned" if points[0] == points[1] else "collected", 100)
        return log.settle(f"s3-insurance_{hand}", "paid", paid).close()

    return build


for line in INSURED:
    hand, is_after_third, player, banker, odd = line
    name = f"{hand} at {player} to {banker} after {'the third' if is_after_third else 'four cards'}"
    fits: dict[str, Any] = {"books": SG, "name": name}
    right = insured(hand, is_after_third, player, banker, odd // 10)
    WITNESSES.told("4.1.2", "payout.wrong_amount", insured(hand, is_after_third, player, banker, odd // 10 + 5), right,
                   **fits)  # fmt: skip
