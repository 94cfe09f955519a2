"""Each misdeal is reported once, with rule and remedy, and its near miss is not."""

from __future__ import annotations

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of
from thirdcard.rules.findings.alerts import Alert

# Face-up styles where there are some; nsw deals face down only.
STYLES = {"nz-authority": "A", "nz-secretary": "A", "sg-rws": "A", "tas": "A", "nsw": "B"}


def log_of(rulebook_id: str, **options: object) -> TableLog:
    return TableLog(rules_of(rulebook_id, **options))


def only(alerts: list[Alert], code: str) -> Alert:
    found = [alert for alert in alerts if alert.code == code]
    assert len(found) == 1, alerts
    return found[0]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("P 8H KD | B 3S 4C", id="player-natural"),
        pytest.param("P 6H KD | B 3S 4C", id="both-stand"),
        pytest.param("P 6H KD | B 3S 2C 9D", id="banker-alone-draws"),
        pytest.param("P 2H KD 9S | B 3S 4C", id="player-alone-draws"),
        pytest.param("P 2H KD 6S | B 3S 2C 4D", id="both-draw"),
        pytest.param("P 2H KD 8S | B 3S KC", id="banker-3-stands-on-8"),
    ],
)
def test_legal_round_gives_no_alert(rulebook_id: str, text: str) -> None:
    assert alerts_of(log_of(rulebook_id).legal_round(text, "s3-banker")) == []


ORDER_RULES = {"nz-authority": "8.4", "nz-secretary": "8.4", "sg-rws": "3.10", "tas": "9.2", "nsw": None}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_order_second_card_to_player_is_told_once(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s1-player")
    log.deal("player", "2C").deal("player", "3C").deal("banker", "KC").deal("banker", "7D").turn_all()
    t = log.events[3].t + 1
    log.result(5, 7).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.order"]
    assert (alerts[0].t, alerts[0].hand, alerts[0].rule) == (t, "player", ORDER_RULES[rulebook_id])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_order_put_right_the_round_is_judged_again(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s1-player")
    log.deal("player", "2C").deal("player", "3C").deal("banker", "KC").deal("banker", "7D").turn_all()
    log.add("card_moved", card_id="c2", hand="banker").add("card_moved", card_id="c3", hand="player")
    log.third("banker", "4D").result(2, 4).close()
    assert codes_of(log) == ["misdeal.order", "misdeal.third_card_missing"]


NOT_DUE_PLAYER = {
    "nz-authority": ("9.3", "card_to_banker", "12.1(a)"),
    "nz-secretary": ("9.3", "card_to_banker", "12.1(a)"),
    "sg-rws": ("3.15", "reconstruct", "5.7"),
    "tas": ("11", "card_to_banker", "14.1"),
    "nsw": (None, "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_not_due_to_player_while_banker_must_draw(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D AH").third("player", "6S")
    t = log.events[-1].t if rulebook_id != "nsw" else log.events[-2].t
    log.add("card_moved", card_id="c5", hand="banker").result(7, 0).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_not_due"]
    assert (alerts[0].rule, alerts[0].remedy.action, alerts[0].remedy.rule) == NOT_DUE_PLAYER[rulebook_id]
    assert (alerts[0].t, alerts[0].hand) == (t, "player")


NOT_DUE_BOTH_STAND = {
    "nz-authority": ("9.3", "void_next_hand", "12.1(b)"),
    "nz-secretary": ("9.3", "void_next_hand", "12.1(b)"),
    "sg-rws": ("3.15", "first_card_of_next_round", "5.7"),
    "tas": ("11", "void_next_hand", "14.1"),
    "nsw": (None, "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_not_due_to_player_while_banker_stands(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D 4H").third("player", "6S").result(7, 7).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_not_due", "exposed_card.excess"]
    assert (alerts[0].rule, alerts[0].remedy.action, alerts[0].remedy.rule) == NOT_DUE_BOTH_STAND[rulebook_id]


NOT_DUE_BANKER = {
    "nz-authority": ("9.4", "void_next_hand", "12.2(b)"),
    "nz-secretary": ("9.4", "void_next_hand", "12.2(b)"),
    "sg-rws": ("3.15", "first_card_of_next_round", "5.7"),
    "tas": ("11", "supervisor", None),
    "nsw": (None, "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_not_due_to_banker_after_player_drew(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 3C | B 3D 3H").third("player", "5S").third("banker", "2D")
    log.result(8, 6).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_not_due", "exposed_card.excess"]
    assert (alerts[0].rule, alerts[0].remedy.action, alerts[0].remedy.rule) == NOT_DUE_BANKER[rulebook_id]
    assert alerts[0].hand == "banker"


@pytest.mark.parametrize("rulebook_id", NZ)
def test_rule_nz_12_1_b_unseen_card_is_kept_for_the_next_round(rulebook_id: str) -> None:
    log = log_of(rulebook_id, dealing_style="B").open().four("P KH 7C | B 3D 4H")
    log.deal("player", "6S").result(7, 7).close()
    log.add("bets_opened").add("card_moved", card_id="c5", hand="player").add("no_more_bets")
    log.deal("banker", "2C").deal("player", "KC").deal("banker", "5D").turn_all().result(6, 7).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_not_due"]
    assert alerts[0].remedy.action == "first_card_of_next_round"


MISSING_BANKER = {
    "nz-authority": ("9.4", "reconstruct", "12.6"),
    "nz-secretary": ("9.4", "reconstruct", "12.6"),
    "sg-rws": ("3.15", "reconstruct", "5.7"),
    "tas": ("11", "supervisor", "11"),
    "nsw": (None, "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_missing_for_banker_at_the_result(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P 2C 3H | B KD 5S").third("player", "6S").result(1, 5)
    t = log.t
    alerts = alerts_of(log.close())
    assert [alert.code for alert in alerts] == ["misdeal.third_card_missing"]
    assert (alerts[0].rule, alerts[0].remedy.action, alerts[0].remedy.rule) == MISSING_BANKER[rulebook_id]
    assert (alerts[0].t, alerts[0].hand) == (t, "banker")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_missing_for_player_leaves_banker_unjudged(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P 2C 3H | B KD 2S").result(5, 2).close()
    alerts = alerts_of(log)
    assert [(alert.code, alert.hand) for alert in alerts] == [("misdeal.third_card_missing", "player")]


SERVED_FIRST = {"nz-authority": "12.6", "nz-secretary": "12.6", "sg-rws": "5.8", "tas": "14.3", "nsw": None}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_missing_when_banker_is_served_first(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P 2C 3H | B KD 2S").deal("banker", "9C")
    t = log.t
    log.turn_all().add("card_moved", card_id="c5", hand="player").third("banker", "5H").result(4, 7).close()
    alerts = alerts_of(log)
    assert [(alert.code, alert.hand, alert.t) for alert in alerts] == [("misdeal.third_card_missing", "player", t)]
    assert alerts[0].remedy.rule == SERVED_FIRST[rulebook_id]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_missing_is_triggered_by_a_settlement(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s1-player").four("P 6C KH | B KD 5S").settle("s1-player", "collected", 100)
    assert [alert.t for alert in alerts_of(log)] == [log.t]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_third_card_missing_is_not_triggered_by_a_return_before_the_result(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s1-player").four("P 6C KH | B KD 5S").settle("s1-player", "returned", 100)
    log.third("banker", "4C").result(6, 9).close()
    assert alerts_of(log) == []


EXTRA = {
    "nz-authority": ("9.6", "void_next_hand"),
    "nz-secretary": ("9.6", "void_next_hand"),
    "sg-rws": ("3.15", "first_card_of_next_round"),
    "tas": ("8", "supervisor"),
    "nsw": (None, "supervisor"),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_extra_card_a_seventh_is_told(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 3C | B 3D 2H").third("player", "5S").third("banker", "2D")
    log.third("banker", "9D").result(8, 7).close()
    alerts = alerts_of(log)
    assert [alert.code for alert in alerts] == ["misdeal.extra_card", "exposed_card.excess"]
    assert (alerts[0].rule, alerts[0].remedy.action) == EXTRA[rulebook_id]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_extra_card_in_no_hand_is_told_when_the_round_closes(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D 4H").deal(None, None, face_up=False)
    t = log.t
    log.result(7, 7).close()
    alerts = alerts_of(log)
    assert [(alert.code, alert.t, alert.noticed_at) for alert in alerts] == [("misdeal.extra_card", t, log.t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("is_turned_later", [False, True])
def test_extra_card_in_no_hand_that_shows_its_face_was_disclosed(rulebook_id: str, *, is_turned_later: bool) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D 4H").deal(None, "9S", face_up=not is_turned_later)
    dealt_t = log.t
    if is_turned_later:
        log.add("card_turned", card_id="c5", card="9S", face_up=True, by="dealer")
    shown_t = log.t
    log.result(7, 7).close()
    alerts = {alert.code: alert for alert in alerts_of(log)}
    assert alerts["misdeal.extra_card"].t == dealt_t
    disclosed = alerts["exposed_card.excess"]
    assert (disclosed.t, [str(card) for card in disclosed.cards]) == (shown_t, ["9S"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_card_in_no_hand_belongs_where_it_is_first_moved(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 5C | B 3D 4H")
    log.third(None, "2S").add("card_moved", card_id="c5", hand="player").result(7, 7).close()
    assert codes_of(log) == []


RESULT_RULES = {"nz-authority": "10.1", "nz-secretary": "10.1", "sg-rws": "3.16", "tas": "10.2", "nsw": None}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"player": 7, "banker": 6, "winner": "banker"}, id="wrong-winner"),
        pytest.param({"player": 7, "banker": 5, "winner": "player"}, id="wrong-total"),
    ],
)
def test_wrong_result_is_told_at_the_announcement(rulebook_id: str, said: dict[str, object]) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D 3H").add("result_announced", **said)  # type: ignore[arg-type]
    t = log.t
    alert = only(alerts_of(log.close()), "misdeal.wrong_result")
    assert (alert.t, alert.rule) == (t, RESULT_RULES[rulebook_id])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wrong_result_an_unread_card_acquits(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D ?").result(7, 9).close()
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wrong_result_a_card_not_due_counts_for_nothing(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH 7C | B 3D 4H").third("banker", "2S").result(7, 9).close()
    assert codes_of(log) == ["misdeal.third_card_not_due", "exposed_card.excess", "misdeal.wrong_result"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wrong_result_is_told_when_the_card_is_read_late(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open()
    for hand, card in (("player", "KH"), ("banker", "3D"), ("player", "7C")):
        log.deal(hand, card)
    log.deal("banker", None, face_up=False).turn_all()
    log.events.pop()
    log.result(7, 8)
    t = log.t
    log.turn("c4", "3H").close()
    alert = only(alerts_of(log), "misdeal.wrong_result")
    assert (alert.t, alert.noticed_at) == (t, t + 1)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_unread_totals_allege_nothing_of_third_cards(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P KH ? | B 3D 4H").third("player", "6S").third("banker", "2D").close()
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_short_hand_is_told_for_the_hand_that_lacks_a_card(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().deal("player", "2C").deal("banker", "KC").deal("player", "6D").turn_all()
    log.result(8, 0)
    alerts = alerts_of(log)
    assert [(alert.code, alert.hand, alert.t) for alert in alerts] == [("misdeal.short_hand", "banker", log.t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_round_without_cards_has_no_short_hand(rulebook_id: str) -> None:
    assert alerts_of(log_of(rulebook_id).add("bets_opened").add("no_more_bets").close()) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_lost_camera_alleges_nothing_missing(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().four("P 2C 3H | B KD 2S").add("camera_lost", camera="overhead")
    log.add("camera_back", camera="overhead").result(5, 2).close()
    assert [code for code in codes_of(log) if not code.startswith("camera.")] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_simultaneous_cards_are_told_once_and_their_order_is_not_judged(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().deal("player", "2C").deal("player", "6C", together_with="c3")
    log.deal("banker", "KC", together_with="c2").deal("banker", "7D").turn_all().result(8, 7).close()
    assert codes_of(log) == ["misdeal.simultaneous"]


def test_rule_tas_14_1_last_hand_keeps_no_card() -> None:
    log = log_of("tas").open().add("last_round_announced").four("P KH 7C | B 3D 4H").third("player", "6S")
    assert alerts_of(log)[0].remedy.action == "stand"


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("source", "banker", "sure"),
    [
        pytest.param("camera", 3, {"third_card_missing": 0.5, "wrong_result": 0.5}, id="one-was-missed"),
        pytest.param("camera", 1, {"third_card_missing": 1.0}, id="none-came"),
        pytest.param("signal", 3, {"third_card_missing": 1.0, "wrong_result": 1.0}, id="not-filmed"),
    ],
)
def test_a_card_that_a_camera_missed_would_explain_another_total(
    rulebook_id: str, source: str, banker: int, sure: dict[str, float]
) -> None:
    log = log_of(rulebook_id).open()
    for hand, card in (("player", "KH"), ("banker", "JD"), ("player", "7C"), ("banker", "AH")):
        log.deal(hand, card, source=source)
    alerts = alerts_of(log.turn_all().result(7, banker).close())
    assert {alert.code.removeprefix("misdeal."): alert.confidence for alert in alerts} == sure


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_result_that_contradicts_itself_is_wrong_whatever_a_camera_missed(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open()
    for hand, card in (("player", "KH"), ("banker", "JD"), ("player", "7C"), ("banker", "AH")):
        log.deal(hand, card, source="camera")
    log.turn_all().add("result_announced", player=7, banker=3, winner="banker").close()
    assert only(alerts_of(log), "misdeal.wrong_result").confidence == 1.0


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(("winner", "told"), [("banker", ["misdeal.wrong_result"]), ("player", [])])
def test_result_that_contradicts_itself_is_wrong_though_a_card_is_unread(
    rulebook_id: str, winner: str, told: list[str]
) -> None:
    log = log_of(rulebook_id).open()
    for hand, card in (("player", "KH"), ("banker", "JD"), ("player", "7C"), ("banker", None)):
        log.deal(hand, card, source="camera")
    log.turn_all().add("result_announced", player=7, banker=6, winner=winner).close()
    assert [alert.code for alert in alerts_of(log)] == told


@pytest.mark.parametrize(("seen", "sure"), [(1.0, 0.8), (0.9, 0.8), (0.5, 0.5)])
def test_order_is_in_doubt_where_nobody_saw_the_card_before_come(seen: float, sure: float) -> None:
    log = TableLog(rules_of("nsw")).open().deal("player", None, face_up=False, confidence=seen)
    log.deal("player", None, face_up=False, confidence=0.8)
    (alert,) = alerts_of(log)
    assert alert.code == "misdeal.order"
    assert alert.confidence == pytest.approx(sure)
