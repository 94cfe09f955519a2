"""For each code of settlement: a wrong settlement and a near miss, for every rulebook."""

from __future__ import annotations

from typing import Any

from tests.rules.builders import TableLog
from tests.rules.scenarios import BANKER_DUE, Build, Scenario, five
from tests.rules.witness import settled

BANKER_6, BANKER_8, TIE = ("P KH 2C 3S | B 3D 3H", 5, 6), ("P KH 7C | B 3D 5H", 7, 8), ("P KH 7C | B 3D 4H", 7, 7)
PAYS: dict[str, tuple[str, int, str | None]] = {
    "nz-authority": ("commission", 95, "5.10(b)"),
    "nz-secretary": ("commission", 95, "5.10(b)"),
    "sg-rws": ("even money", 100, "4.1.1"),
    "tas": ("19 to 20", 95, "12.2"),
    "nsw": ("19 to 20", 95, None),
}
"""The win of 100 on Banker with 8 points, and the rule."""
HALF: dict[str, tuple[dict[str, Any], str | None]] = {
    "nz-authority": ({"banker_pay": "six_half"}, "5.11"),
    "nz-secretary": ({"banker_pay": "six_half"}, "5.11"),
    "sg-rws": ({}, "4.1.1"),
    "tas": ({"federal": True}, "12.4"),
    "nsw": ({"even_money": True}, None),
}
"""Half pay on a winning Banker with 6 points."""
PAYOUTS: list[Scenario] = []


def played(ending: tuple[str, int, int], *acts: tuple[str, int]) -> Build:
    """A round with 100 on Banker and this ending; then the dealer's acts on the wager."""

    def build(log: TableLog) -> TableLog:
        text, player, banker = ending
        hands = [hand.split() for hand in text.split("|")]
        log.open("s3-banker").four(f"{' '.join(hands[0][:3])} | {' '.join(hands[1][:3])}")
        if len(hands[0]) == 4:
            log.third("player", hands[0][3])
        log.result(player, banker)
        for action, amount in acts:
            log.settle("s3-banker", action, amount)
        return log.close()

    return build


def add(code: str, name: str, rules: dict[str, str | None], fault: Build, near: Build, **options: Any) -> None:
    for rulebook, rule in rules.items():
        PAYOUTS.append(
            Scenario(code=code, rulebook=rulebook, rule=rule, name=name, fault=fault, near=near, options=options)
        )


def voided(action: str, *, by: str) -> Build:
    """100 on Banker with a third card due: the house declares the round void, or the shoe runs out."""
    return lambda log: log.open("s3-banker").four("P KH 3C | B 3D 4H").add(by).settle("s3-banker", action, 100).close()


def insured(*acts: tuple[str, int]) -> Build:
    """20 of insurance on the Player at 7 points, which loses; then the dealer's acts on it."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-player").four(BANKER_DUE).wager("s3-insurance_player", 0, 20).third("banker", "6S").result(7, 9)
        log.settle("s3-player", "collected", 100)
        for action, amount in acts:
            log.settle("s3-insurance_player", action, amount)
        return log.close()

    return build


LOST = ("P KH 8C | B 3D 4H", 8, 7)
add(
    "payout.loser_paid", "Banker lost", five("10.2", "5.14", "12"),
    played(LOST, ("paid", 95)), played(LOST, ("collected", 100)),
)  # fmt: skip
add("payout.loser_kept", "Banker lost", five("10.2", "5.14", "12"), played(LOST), played(LOST, ("collected", 100)))
add(
    "payout.push_taken",
    "Tie",
    five("5.1", "3.17", "6.8"),
    played(TIE, ("collected", 100)),
    played(TIE, ("returned", 100)),
)
for rulebook, (name, amount, rule) in PAYS.items():
    paid = played(BANKER_8, ("paid", amount))
    unpaid = five("10.2", "4.1.1", "12")[rulebook]
    add("payout.winner_unpaid", "left", {rulebook: unpaid}, played(BANKER_8), paid)
    add("payout.winner_unpaid", "collected", {rulebook: unpaid}, played(BANKER_8, ("collected", 100)), paid)
    add("payout.wrong_amount", name, {rulebook: rule}, played(BANKER_8, ("paid", amount + 5)), paid)
    in_two = played(BANKER_8, ("paid", 50), ("paid", amount - 50))
    add("payout.wrong_amount", f"{name}, in two", {rulebook: rule}, played(BANKER_8, ("paid", 50), ("paid", 5)), in_two)
for rulebook, (options, rule) in HALF.items():
    PAYOUTS.append(
        Scenario(
            code="payout.wrong_amount",
            rulebook=rulebook,
            rule=rule,
            name="half pay on 6",
            fault=played(BANKER_6, ("paid", 100)),
            near=played(BANKER_6, ("paid", 50)),
            options=options,
        )
    )
for code, action in (("payout.loser_paid", "paid"), ("payout.push_taken", "collected")):
    for name, by, rules in (
        ("of a voided round", "round_voided", five("12.6", "5.16", "14.6")),
        ("of an exhausted shoe", "shoe_closed", five("12.5", "5.16", "14.5")),
    ):
        del rules["nsw"]
        add(code, name, rules, voided(action, by=by), voided("returned", by=by))
add("payout.winner_unpaid", "insurance", {"sg-rws": "4.1.2"}, insured(), insured(("paid", 80)))
NO_PAIR = "P KH 7C | B 3D 4H"
for side, pair in (("player", "P QH QD 9C | B 3D 4H"), ("banker", "P QH KD 9C | B 3C 3D")):
    bet, of_pairs = f"{side}_pair", {"perfect_pair": True}
    none, paid = settled(bet, NO_PAIR, ("collected", 100)), settled(bet, pair, ("paid", 600))
    wrongly = settled(bet, NO_PAIR, ("paid", 600))
    add("payout.loser_paid", f"no {side} pair", {"tas": "15.7(a)"}, wrongly, none, **of_pairs)
    add("payout.loser_kept", f"no {side} pair", {"tas": "15.7(a)"}, settled(bet, NO_PAIR), none, **of_pairs)
    add("payout.winner_unpaid", f"{side} pair", {"tas": "15.7(b)"}, settled(bet, pair), paid, **of_pairs)
NATURAL_TIE = "P KH 8C | B 3D 5H"
for bet in ("dragon_player", "dragon_banker"):
    taken, back = (settled(bet, NATURAL_TIE, (action, 100)) for action in ("collected", "returned"))
    add("payout.push_taken", bet, {"nz-secretary": "11B.8"}, taken, back, dragon_bonus="one")
