"""Cards that the shoe cannot hold, and a shoe that runs out."""

from __future__ import annotations

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run
from thirdcard.rules.log.events import CardDealt

FOREIGN = {"nz-authority": "3.4(a)", "nz-secretary": "3.4(a)", "sg-rws": "5.5.2", "tas": "4.1", "nsw": "3.1"}


@pytest.mark.parametrize("rulebook_id", ["sg-rws", "tas", "nsw", "nz-authority", "nz-secretary"])
def test_foreign_card_is_told_of_the_time_at_which_it_left_the_shoe(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style="B")).legal_round("P 6H KD | B 3S 4C").open()
    t = log.deal("player", "6H").t
    log.deal("banker", "QC").turn("c5")
    (foreign,) = [one for one in alerts_of(log, decks=1) if one.code == "misdeal.foreign_card"]
    assert (foreign.t, foreign.noticed_at) == (t, log.t)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_foreign_card_one_copy_too_many(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("shoe_opened", decks=1)
    log.legal_round("P 6H KD | B 3S 4C").open().four("P 6H QD | B 3H 4D")
    foreign = [alert for alert in alerts_of(log) if alert.code == "misdeal.foreign_card"]
    assert [(str(alert.cards[0]), alert.round, alert.rule) for alert in foreign] == [("6H", 2, FOREIGN[rulebook_id])]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_as_many_copies_as_decks_are_no_fault(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").legal_round("P 6H KD | B 3S 4C")
    assert alerts_of(log, decks=2) == []
    assert set(codes_of(log, decks=1)) == {"misdeal.foreign_card"}


def test_new_shoe_starts_the_count_again() -> None:
    log = TableLog(rules_of("tas")).add("shoe_opened", decks=1).add("card_burned", card="6H")
    log.add("shoe_opened", decks=1).legal_round("P 6H KD | B 3S 4C")
    assert alerts_of(log) == []


def test_burned_card_counts() -> None:
    log = TableLog(rules_of("tas")).add("shoe_opened", decks=1).add("card_burned", card="6H")
    assert codes_of(log.legal_round("P 6H KD | B 3S 4C")) == ["misdeal.foreign_card"]


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary"])
def test_rule_continuous_shuffler_counts_within_a_round_only(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").legal_round("P 6H KD | B 3S 4C")
    assert alerts_of(log, decks=1, device="continuous_shuffler") == []
    log.open().four("P 6H KD | B 6H 4C")
    assert "misdeal.foreign_card" in codes_of(log, decks=1, device="continuous_shuffler")


EXHAUSTED = {
    "nz-authority": ("12.5", "void_round", "12.5"),
    "nz-secretary": ("12.5", "void_round", "12.5"),
    "sg-rws": ("5.5.4", "void_round", "5.5"),
    "tas": ("14.5", "void_round", "14.5"),
    "nsw": (None, "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    "text", [pytest.param("P 2C 3H | B KD 5S", id="third-card"), pytest.param("P 2C 3H | B KD", id="second-card")]
)
def test_shoe_exhausted_before_the_round_was_complete(rulebook_id: str, text: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker")
    if text.endswith("5S"):
        log.four(text)
    else:
        log.deal("player", "2C").deal("banker", "KD").deal("player", "3H").turn_all()
    log.add("shoe_closed")
    t = log.t
    alerts, records = run(log.rules, log.close().events)
    assert [(alert.code, alert.t) for alert in alerts] == [("misdeal.shoe_exhausted", t)]
    assert (alerts[0].rule, alerts[0].remedy.action, alerts[0].remedy.rule) == EXHAUSTED[rulebook_id]
    assert records[0].void is (rulebook_id != "nsw")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_shoe_closed_after_a_complete_round_is_no_fault(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four("P 6H KD | B 3S 4C").add("shoe_closed").result(6, 7).close()
    assert alerts_of(log) == []


def spent(log: TableLog) -> TableLog:
    """All cards of a deck are out, the last four of them face up in a round that is due one more."""
    for _ in range(12):
        log.legal_round("P ? ? | B ? ?")
    return log.open().four("P 2C 3H | B KD 5S")


def test_shoe_is_exhausted_when_all_its_cards_are_out() -> None:
    log = spent(TableLog(rules_of("tas")).add("shoe_opened", decks=1))
    assert codes_of(log, decks=1) == ["misdeal.shoe_exhausted"]
    assert codes_of(log, decks=1, device="continuous_shuffler") == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_shoe_whose_opening_was_not_seen_is_exhausted_when_the_round_ends_so(rulebook_id: str) -> None:
    log = spent(TableLog(rules_of(rulebook_id)))
    t = max(event.t for event in log.events if isinstance(event, CardDealt))
    alerts = alerts_of(log.close(), decks=1)
    assert [(alert.code, alert.t) for alert in alerts] == [("misdeal.shoe_exhausted", t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_card_beyond_the_count_shows_that_another_shoe_is_in_use(rulebook_id: str) -> None:
    log = spent(TableLog(rules_of(rulebook_id))).third("player", "KC").result(5, 5).close()
    assert codes_of(log.legal_round("P 6H KD | B 3S 4C"), decks=1) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_another_shoe_without_its_opening_is_counted_anew(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("last_round_announced").legal_round("P 6H KD | B 3S 4C")
    log.add("shoe_closed").add("card_burned", card="2H")
    assert codes_of(log.legal_round("P 6H KD | B 3S 4C"), decks=1) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rounds_after_the_shoe_was_closed_are_after_its_last_one_and_no_foreign_cards_are_told(
    rulebook_id: str,
) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").add("shoe_closed")
    log.legal_round("P 6H KD | B 3S 4C").legal_round("P 6D KC | B 3H 4H")
    alerts = alerts_of(log, decks=1)
    assert [(alert.code, alert.round) for alert in alerts] == [("misdeal.after_last_round", n) for n in (2, 3)]
    assert alerts_of(log, decks=1, device="continuous_shuffler") == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("dealt", [0, 2], ids=["while-bets-are-placed", "after-two-cards"])
def test_shoe_closed_in_a_round_makes_it_the_last_one_where_its_cards_are_out(rulebook_id: str, dealt: int) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").open()
    for i, (hand, card) in enumerate(zip(("player", "banker") * 2, ("6D", "3H", "KC", "4H"), strict=True)):
        if i == dealt:
            log.add("shoe_closed")
        log.deal(hand, card)
    log.turn_all().result(6, 7).close().legal_round("P 7D KC | B 2H 4S")
    told = [alert.round for alert in alerts_of(log) if alert.code == "misdeal.after_last_round"]
    assert told == ([2, 3] if dealt == 0 else [3])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_announced_last_round_is_not_dealt_once_the_shoe_is_closed(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").add("last_round_announced")
    log.add("shoe_closed").legal_round("P 6D KC | B 3H 4H")
    assert codes_of(log) == ["misdeal.after_last_round"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_new_cards_after_the_shoe_was_closed_are_another_shoe(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").add("shoe_closed")
    log.add("shoe_opened", decks=1).add("card_burned", card="AS").add("card_burned")
    assert alerts_of(log.legal_round("P 6H KD | B 3S 4C")) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rounds_after_the_last_one_stay_a_fault_without_new_cards(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("last_round_announced").legal_round("P 6H KD | B 3S 4C")
    codes = codes_of(log.legal_round("P 6H KD | B 3S 4C"), decks=1)
    assert codes.count("misdeal.after_last_round") == 1 and codes.count("misdeal.foreign_card") == 4


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_each_round_after_the_last_one_is_a_fault_of_its_own(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("last_round_announced")
    for _ in range(4):
        log.legal_round("P 6H KD | B 3S 4C", "s3-banker")
    alerts = [alert for alert in alerts_of(log) if alert.code == "misdeal.after_last_round"]
    assert [alert.round for alert in alerts] == [2, 3, 4]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_cards_that_the_shoe_cannot_hold_any_more_end_the_faults_after_its_last_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("shoe_opened", decks=1).add("last_round_announced")
    for _ in range(14):
        log.legal_round("P 6H KD | B 3S 4C")
    alerts = [alert for alert in alerts_of(log, decks=1) if alert.code == "misdeal.after_last_round"]
    assert [alert.round for alert in alerts] == list(range(2, 14))


@pytest.mark.parametrize("rulebook_id", ["nsw", "nz-authority", "nz-secretary", "tas"])
def test_rule_nsw_3_10_chips_on_the_table_are_no_coup_in_which_no_card_is_replaced(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P KH 7C | B 3D 5H").add("bets_opened").wager("s1-tie", 0, 100)
    assert codes_of(log.add("card_replaced", card_id="c2", reason="marked")) == []
    log.add("no_more_bets").deal("player", "2H").add("card_replaced", card_id="c5", reason="marked")
    assert codes_of(log) == ["procedure.card_replaced"]


def test_foreign_card_is_as_sure_as_all_its_copies() -> None:
    log = TableLog(rules_of("nz-authority"), confidence=0.9).open().four("P 6H KD | B 6H 4C").result(6, 0).close()
    (foreign,) = [alert for alert in alerts_of(log, decks=1) if alert.code == "misdeal.foreign_card"]
    assert foreign.confidence == pytest.approx(0.9**2)
