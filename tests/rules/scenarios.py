"""For each code of the contract: a fault and a near miss, for every rulebook with a case of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.rules.builders import NZ, RULEBOOKS, TableLog, rules_of
from thirdcard.rules.rulebook.options import Rules

Build = Callable[[TableLog], TableLog]
STANDS = "P KH 7C | B 3D 4H"
"""Both hands stand on 7."""
BANKER_DUE = "P KH 7C | B 3D KS"
PLAYER_DUE = "P KH 3C | B 3D 4H"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One fault under one rulebook, and a near miss."""

    code: str
    rulebook: str
    rule: str | None
    """The rule that the alert cites."""
    name: str
    fault: Build
    near: Build
    options: Mapping[str, Any] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rules(self) -> Rules:
        return rules_of(self.rulebook, **self.options)

    @property
    def id(self) -> str:
        return f"{self.rulebook}-{self.rule or 'silent'}-{self.code}-{self.name}"


SCENARIOS: list[Scenario] = []


def add(code: str, name: str, rules: Mapping[str, str | None], fault: Build, near: Build, **more: Any) -> None:
    """Add the scenario under each of the rulebooks, with the rule that each cites, to the list `into`."""
    options, into, table = more.pop("options", {}), more.pop("into", SCENARIOS), more
    for rulebook, rule in rules.items():
        style = options.get("dealing_style")
        if rulebook == "nsw" and style not in (None, "B"):
            continue
        into.append(
            Scenario(
                code=code, rulebook=rulebook, rule=rule, name=name, fault=fault, near=near, options=options, table=table
            )
        )


def five(nz: str | None, sg: str | None, tas: str | None) -> dict[str, str | None]:
    """The rules of five rulebooks; `nsw` has none."""
    return {"nz-authority": nz, "nz-secretary": nz, "sg-rws": sg, "tas": tas, "nsw": None}


def nz(rule: str) -> dict[str, str | None]:
    return dict.fromkeys(NZ, rule)


def legal(log: TableLog) -> TableLog:
    return log.legal_round("P KH 3C 4D | B 3D 4H")


def then(first: Build, second: Build) -> Build:
    return lambda log: second(first(log))


def event(kind: str, **fields: Any) -> Build:
    return lambda log: log.add(kind, **fields)


def stands(log: TableLog) -> TableLog:
    return log.open().four(STANDS)


def hidden(side: str) -> Build:
    return lambda log: log.open().four(STANDS).deal(side, None, face_up=False).result(7, 7).close()


def shown(side: str, text: str = STANDS) -> Build:
    return lambda log: log.open().four(text).third(side, "6S").result(7, 7).close()


def wagered(change: Callable[[TableLog], TableLog], *, is_late: bool, areas: tuple[str, ...] = ("s3-banker",)) -> Build:
    """A change of a wager after the first card, or before the call."""

    def build(log: TableLog) -> TableLog:
        log.add("bets_opened")
        for area in areas:
            log.wager(area, 0, 100)
        if is_late:
            log.add("no_more_bets").deal("player", "6H").deal("banker", "KS")
            return change(log).deal("player", "AD").deal("banker", "7C").turn_all()
        change(log).add("no_more_bets").deal("player", "6H").deal("banker", "KS")
        return log.deal("player", "AD").deal("banker", "7C").turn_all()

    return build


def after_result(change: Callable[[TableLog], TableLog], text: str, *result: int) -> Build:
    """A change of a wager on Banker after the result; in the near miss the Banker won and was paid."""

    def build(log: TableLog) -> TableLog:
        log.open("s3-banker").four(text).result(*result)
        if result[1] > result[0]:
            log.settle("s3-banker", "paid", 95)
        return change(log)

    return build


def moved(log: TableLog) -> TableLog:
    return log.wager("s3-banker", 100, 0).wager("s3-player", 0, 100)


CHANGES: dict[str, Callable[[TableLog], TableLog]] = {
    "placed": lambda log: log.wager("s4-banker", 0, 100),
    "increased": lambda log: log.wager("s3-banker", 100, 200),
    "reduced": lambda log: log.wager("s3-banker", 100, 50),
    "removed": lambda log: log.wager("s3-banker", 100, 0),
    "moved": moved,
}
LOST, WON = ("P KH 8C | B 3D 4H", 8, 7), ("P KH 7C | B 3D 5H", 7, 8)

# Cards that went or did not come where they should.
add(
    "misdeal.order", "second card to the Player", five("8.4", "3.10", "9.2"),
    lambda log: log.open().deal("player", "6H").deal("player", "KS"), legal,
)  # fmt: skip
add(
    "misdeal.order", "fourth card to the Player", five("8.4", "3.10", "9.2"),
    lambda log: log.open().deal("player", "6H").deal("banker", "KS").deal("player", "3H").deal("player", "2D")
    .turn_all(), legal,
)  # fmt: skip
TABLE_PLAYER = five("9.3", "3.15", "11")
for name, fault in (
    ("the Banker is due", shown("player", BANKER_DUE)), ("disclosed", shown("player")), ("hidden", hidden("player")),
):  # fmt: skip
    add("misdeal.third_card_not_due", f"to the Player, {name}", TABLE_PLAYER, fault, legal)
for name, fault in (("disclosed", shown("banker")), ("hidden", hidden("banker"))):
    add("misdeal.third_card_not_due", f"to the Banker, {name}", five("9.5", "3.13", "11"), fault, legal)
add(
    "misdeal.third_card_not_due", "in the last hand", {"tas": "11"},
    lambda log: shown("player")(log.add("last_round_announced")), legal,
)  # fmt: skip
LAST: Build = event("cut_card_drawn")
add("misdeal.third_card_not_due", "hidden, in the last hand", {"tas": "11"}, then(LAST, hidden("banker")), legal)
add(
    "misdeal.third_card_missing", "left out", five("9.3", "3.15", "11"),
    lambda log: log.open().four(PLAYER_DUE).result(3, 7), legal,
)  # fmt: skip
add(
    "misdeal.third_card_missing", "Banker served first", five("9.3", "3.15", "11"),
    lambda log: log.open().four("P KH 3C | B 3D KS").third("banker", "6S"), legal,
)  # fmt: skip
EXTRA: dict[str, Build] = {
    "disclosed": lambda log: log.third("player", "2D"),
    "hidden": lambda log: log.deal("player", None, face_up=False),
}
DRAWN: Build = lambda log: log.open().four(PLAYER_DUE).third("player", "4S")  # noqa: E731
for name, extra in EXTRA.items():
    add("misdeal.extra_card", name, five("9.6", "3.15", "8"), then(DRAWN, extra), legal)
add("misdeal.extra_card", "in the last hand", {"tas": "8"}, then(LAST, then(DRAWN, EXTRA["hidden"])), legal)
add(
    "misdeal.short_hand", "three cards", five("8.4", "3.10", "9.2"),
    lambda log: log.open().deal("player", "6H").deal("banker", "KS").deal("player", "AD").result(7, 0), legal,
)  # fmt: skip
add(
    "misdeal.simultaneous", "first two", five("8.4", "5.10", "9.2"),
    lambda log: log.open().deal("player", "6H").deal("banker", "KS", together_with="c1"), legal,
)  # fmt: skip
add(
    "misdeal.foreign_card", "one copy too many",
    {"nz-authority": "3.4(a)", "nz-secretary": "3.4(a)", "sg-rws": "5.5.2", "tas": "4.1", "nsw": "3.1"},
    lambda log: log.legal_round("P 6H KD | B 3S 4C").legal_round("P 6H QD | B 3H 4D"),
    lambda log: log.legal_round("P 6H KD | B 3S 4C").legal_round("P 6D QD | B 3H 4D"), decks=1,
)  # fmt: skip
add(
    "misdeal.wrong_result", "another winner", five("10.1", "3.16", "10.2"),
    lambda log: stands(log).result(7, 7, winner="player"), lambda log: stands(log).result(7, 7),
)  # fmt: skip
add(
    "misdeal.after_last_round", "announced", five("11.2", None, "9.4"),
    lambda log: legal(legal(log.add("last_round_announced"))),
    lambda log: legal(legal(log.add("last_round_announced")).add("shoe_opened", decks=8).add("card_burned", card="AS")
                      .add("card_burned")),
)  # fmt: skip
add(
    "misdeal.after_last_round", "cutting card in the round", {**nz("11.2")},
    lambda log: legal(legal(log.open().deal("player", "6H").add("cut_card_drawn").deal("banker", "3S")
                            .deal("player", "KD").deal("banker", "4C").turn_all().result(6, 7).close())),
    lambda log: legal(log.open().deal("player", "6H").add("cut_card_drawn").deal("banker", "3S")
                      .deal("player", "KD").deal("banker", "4C").turn_all().result(6, 7).close()),
)  # fmt: skip
add(
    "misdeal.after_last_round", "cutting card before the round", {**nz("11.2"), "tas": "9.4"},
    lambda log: legal(legal(log.add("cut_card_drawn"))), lambda log: legal(log.add("cut_card_drawn")),
)  # fmt: skip
add(
    "misdeal.after_last_round", "a card followed the marker", {"tas": "9.4"},
    lambda log: legal(log.open().deal("player", "6H").add("cut_card_drawn").deal("banker", "3S")
                      .deal("player", "KD").deal("banker", "4C").result(6, 7).close()),
    lambda log: legal(log.open().four("P 6H KD | B 3S 4C").add("cut_card_drawn").result(6, 7).close()),
)  # fmt: skip
add(
    "misdeal.shoe_exhausted", "a third card short", five("12.5", "5.5.4", "14.5"),
    lambda log: log.open().four(PLAYER_DUE).add("shoe_closed"), lambda log: stands(log).add("shoe_closed"),
)  # fmt: skip

# Wagers after the close.
CLOSING = five("5.14", "5.6", "6.3")
for name, change in CHANGES.items():
    areas = ("s3-banker",)
    add(
        f"late_bet.{name}",
        "after the first cards",
        CLOSING,
        wagered(change, is_late=True),
        wagered(change, is_late=False),
    )
    if name == "placed":
        continue
    add(f"late_bet.{name}", "losing", nz("5.15"), after_result(change, *LOST), after_result(change, *WON))
    if name != "moved":
        for kind in ("competition", "live"):
            add(
                f"late_bet.{name}", f"frozen in {kind}", {"tas": "16.5.6"}, wagered(change, is_late=False),
                lambda log: log.add("bets_opened").wager("s3-banker", 0, 100).add("no_more_bets"),
                options={"competition": kind},
            )  # fmt: skip
add(
    "late_bet.placed", "insurance after the next card", {"sg-rws": "5.3"},
    lambda log: log.open("s3-player").four(BANKER_DUE).third("banker", "6S").wager("s3-insurance_player", 0, 20),
    lambda log: log.open("s3-player").four(BANKER_DUE).wager("s3-insurance_player", 0, 20).third("banker", "6S"),
)  # fmt: skip
add(
    "late_bet.placed", "insurance that is not offered", {"sg-rws": "3.12"},
    lambda log: log.open("s3-player").four(STANDS).wager("s3-insurance_player", 0, 20),
    lambda log: log.open("s3-player").four("P KH 3C | B 3D KS").third("player", "2S")
    .wager("s3-insurance_player", 0, 20),
)  # fmt: skip


add(
    "wager.not_offered", "insurance", {"sg-rws": "4.2.2"},
    lambda log: log.open("s3-insurance_player").four(STANDS),
    lambda log: log.add("bets_opened").wager("s3-insurance_player", 0, 20).wager("s3-insurance_player", 20, 0)
    .add("no_more_bets").four(STANDS),
    options={"insurance": False},
)  # fmt: skip


def ordered_back(action: str) -> Build:
    """A bet that was not insured for lack of an offer loses; a manager orders its return, and the dealer does
    `action`."""
    return lambda log: (
        log.open("s3-player").four(BANKER_DUE).third("banker", "6S").result(7, 9)
        .add("return_ordered", area="s3-player", seat=3, bet="player").settle("s3-player", action, 100).close()
    )  # fmt: skip


add("payout.loser_paid", "ordered back", {"sg-rws": "5.13"}, ordered_back("paid"), ordered_back("returned"))
add("payout.push_taken", "ordered back", {"sg-rws": "5.13"}, ordered_back("collected"), ordered_back("returned"))

# Cards that were shown.
add(
    "exposed_card.first_card", "found face up", nz("12.3"),
    lambda log: log.open().deal("player", "6H", found_face_up=True), legal,
)  # fmt: skip
SECOND_UP: Build = lambda log: log.open().deal("player", "6H", face_up=False).deal("banker", "KS", face_up=True)  # noqa: E731
THIRD_UP: Build = lambda log: log.open().four(PLAYER_DUE).deal("player", "4S", face_up=True)  # noqa: E731
STYLE_B, STYLE_C = {"dealing_style": "B"}, {"dealing_style": "C"}
add("exposed_card.face_up_deal", "second card", five("8.12", "5.9", "9.3"), SECOND_UP, legal, options=STYLE_B)
add("exposed_card.face_up_deal", "third card", five("9.8", "5.9", "9.3"), THIRD_UP, legal, options=STYLE_B)
add("exposed_card.face_up_deal", "second card in style C", nz("8.19"), SECOND_UP, legal, options=STYLE_C)
add("exposed_card.excess", "to the Player", five("12.1(b)", "5.7", "14.1"), shown("player"), hidden("player"))
add("exposed_card.excess", "to the Banker", five("12.2(b)", "5.7", "14.2"), shown("banker"), hidden("banker"))
add(
    "exposed_card.excess", "in the last hand", {"tas": "14.1"},
    lambda log: shown("player")(log.add("last_round_announced")), hidden("player"),
)  # fmt: skip

# Steps of the procedure.
add(
    "procedure.no_call", "no call", nz("8.2"),
    lambda log: log.add("bets_opened").deal("player", "6H"), lambda log: log.open().deal("player", "6H"),
)  # fmt: skip
add(
    "procedure.void_hand_wagered", "announced", {**nz("12.3"), "tas": "14.1"},
    lambda log: log.add("void_hand_announced").wager("s3-banker", 0, 100).deal("player", "6H"),
    lambda log: log.wager("s3-banker", 0, 100).wager("s3-banker", 100, 0).add("void_hand_announced")
    .deal("player", "6H"),
)  # fmt: skip
add(
    "procedure.void_hand_wagered", "ordered", {**nz("12.1(b)"), "tas": "14.1"},
    lambda log: shown("player")(log).wager("s3-banker", 0, 100).deal("banker", "2C"),
    lambda log: shown("player")(log).wager("s3-banker", 0, 100).wager("s3-banker", 100, 0).deal("banker", "2C"),
)  # fmt: skip
add(
    "procedure.burn", "one card short", nz("7.7"),
    lambda log: legal(log.add("shoe_opened", decks=8).add("card_burned", card="2S").add("card_burned")),
    lambda log: legal(log.add("shoe_opened", decks=8).add("card_burned", card="AS").add("card_burned")),
)  # fmt: skip
add(
    "procedure.burn", "none", nz("7.7"), lambda log: legal(log.add("shoe_opened", decks=8)), legal,
)  # fmt: skip
add(
    "procedure.burn", "more than one", {"nz-secretary": "7.7"},
    lambda log: legal(log.add("shoe_opened", decks=8).add("card_burned").add("card_burned")),
    lambda log: legal(log.add("shoe_opened", decks=8).add("card_burned")), options={"burn": "one"},
)  # fmt: skip


def down(log: TableLog, *areas: str) -> TableLog:
    """Four cards face down with 100 on each area, 50 on those of seat 9."""
    log.add("bets_opened")
    for area in areas:
        log.wager(area, 0, 50 if area.startswith("s9") else 100)
    log.add("no_more_bets")
    for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "7C", "KS"), strict=True):
        log.deal(hand, card, face_up=False)
    return log


def passed(*passes: tuple[str, int], areas: tuple[str, ...] = ("s3-player", "s5-banker"), back: bool = False) -> Build:
    """Cards handed over; with `back` each is turned before the next."""

    def build(log: TableLog) -> TableLog:
        down(log, *areas)
        for card_id, seat in passes:
            log.add("card_passed", card_id=card_id, to=f"seat:{seat}")
            if back:
                log.turn(card_id)
        return log

    return build


add(
    "procedure.both_hands_out", "two players", nz("8.16"),
    passed(("c1", 3), ("c2", 5)), passed(("c1", 3), ("c2", 5), back=True), options=STYLE_B,
)  # fmt: skip
BOTH = ("s3-player", "s3-banker")
add(
    "procedure.both_hands_out", "one player", {**nz("8.16"), "tas": "9.3(f)"},
    passed(("c1", 3), ("c2", 3), areas=BOTH), passed(("c1", 3), ("c2", 3), areas=BOTH, back=True), options=STYLE_B,
)  # fmt: skip
RIGHT = passed(("c2", 5), areas=("s5-banker", "s7-banker", "s9-banker"))
LOWER = passed(("c2", 9), areas=("s5-banker", "s9-banker"))
EQUAL = passed(("c2", 7), areas=("s5-banker", "s7-banker"))
add(
    "procedure.wrong_handler",
    "lower wager",
    {**nz("8.9"), "sg-rws": "3.9", "tas": "9.3(a)"},
    LOWER,
    RIGHT,
    options=STYLE_B,
)
add(
    "procedure.wrong_handler", "equal wager, higher seat", {**nz("8.9"), "tas": "9.3(c)"}, EQUAL, RIGHT, options=STYLE_B
)
add(
    "procedure.wrong_handler", "no wager on the Player", {**nz("8.10"), "sg-rws": "3.9", "tas": "9.3(a)"},
    passed(("c1", 4), areas=("s3-player", "s5-banker")), passed(("c1", 3), areas=("s3-player", "s5-banker")),
    options=STYLE_B,
)  # fmt: skip
NO_HANDLING = passed(("c2", 5))
add("procedure.wrong_handler", "style A", {**nz("8.7"), "sg-rws": "3.9", "tas": "9.3"}, NO_HANDLING, legal)
add("procedure.wrong_handler", "style C", nz("8.20"), NO_HANDLING, legal, options=STYLE_C)
for kind in ("competition", "live"):
    add(
        "procedure.wrong_handler", f"second in the sequence of {kind}", {"tas": "16.7.1"},
        passed(("c2", 5), areas=("s7-banker", "s5-banker")), passed(("c2", 7), areas=("s7-banker", "s5-banker")),
        options={"dealing_style": "B", "competition": kind},
    )  # fmt: skip
OFF: Build = lambda log: down(log, "s5-banker").add("card_removed", card_id="c2", to="off_table")  # noqa: E731
KEPT: Build = lambda log: legal(log).add("card_removed", card_id="c2", to="discard")  # noqa: E731
for style, rule in (("A", "8.7"), ("B", "8.13"), ("C", "8.20")):
    add("procedure.card_off_table", f"style {style}", nz(rule), OFF, KEPT, options={"dealing_style": style})
add("procedure.card_off_table", "style A", {"tas": "9.1"}, OFF, KEPT)
add("procedure.card_off_table", "style B", {"tas": "9.3(b)", "nsw": "3.7"}, OFF, KEPT, options=STYLE_B)


# Bets that are not offered.
def lies_on(area: str) -> Build:
    return lambda log: log.legal_round(STANDS, area)


for stray in ("ante", "dragon_player", "match_banker"):
    add("wager.not_offered", stray, five("5.1", "3.7", "6.5"), lies_on(f"s3-{stray}"), lies_on("s3-tie"))


# The table's notice.
def bet(*wagers: tuple[str, int], known: bool = True) -> Build:
    def build(log: TableLog) -> TableLog:
        log.add("bets_opened")
        for area, value in wagers:
            log.wager(area, 0, value if known else None)
        return legal(log)

    return build


LIMITS = {"minimum": 25, "maximum": 500, "differential": 600, "collective": 700}
BELOW, ABOVE = bet(("s3-tie", 20)), bet(("s3-banker", 505))
FITTING = bet(("s3-tie", 25), ("s3-banker", 500), ("s4-player", 500), ("s5-banker", 200))
add("limit.below_minimum", "Tie", five("5.9(a)", "3.5", "7.1"), BELOW, FITTING, limits=LIMITS)
add("limit.above_maximum", "Banker", five("5.9(b)", "3.5", "7.1"), ABOVE, FITTING, limits=LIMITS)
for kind in ("competition", "live"):
    more: dict[str, Any] = {"limits": LIMITS, "options": {"competition": kind}}
    add("limit.below_minimum", kind, {"tas": "16.5.11"}, BELOW, FITTING, **more)
    add("limit.above_maximum", kind, {"tas": "16.5.10(a)"}, ABOVE, FITTING, **more)
    add(
        "wager.not_offered", f"both hands, {kind}", {"tas": "16.5.10(b)"},
        bet(("s3-player", 50), ("s3-tie", 25), ("s3-banker", 25)), bet(("s3-player", 50), ("s4-banker", 25)), **more,
    )  # fmt: skip


def agreed(area: str, value: int) -> Build:
    """A wager of a player with agreed limits of 100 to 200."""
    return lambda log: bet((area, value))(log.add("limits_changed", seat=3, minimum=100, maximum=200))


add("limit.below_minimum", "agreed", {"tas": "7.2"}, agreed("s3-banker", 99), agreed("s3-banker", 100), limits=LIMITS)
add("limit.above_maximum", "agreed", {"tas": "7.2"}, agreed("s3-banker", 201), agreed("s3-banker", 200), limits=LIMITS)
HEAVY = bet(("s3-banker", 400), ("s4-banker", 301), ("s5-player", 100))
DIFFERENTIAL: dict[str, str | None] = {**nz("5.17"), "sg-rws": "3.4", "nsw": "1.1"}
add("limit.differential", "Banker", DIFFERENTIAL, HEAVY, FITTING, limits=LIMITS)
add("limit.above_maximum", "collective", {"tas": "7.3"}, HEAVY, FITTING, limits=LIMITS)
add(
    "limit.above_maximum", "insurance", {"sg-rws": "3.12.2"},
    lambda log: log.open("s3-player").four(BANKER_DUE).wager("s3-insurance_player", 0, 26).third("banker", "6S"),
    lambda log: log.open("s3-player").four(BANKER_DUE).wager("s3-insurance_player", 0, 25).third("banker", "6S"),
)  # fmt: skip
for camera in ("lost", "moved", "obstructed"):
    add(
        f"camera.{camera}", "told", dict.fromkeys(RULEBOOKS),
        event(f"camera_{camera}", camera="overhead"), event("camera_back", camera="overhead"),
    )  # fmt: skip
