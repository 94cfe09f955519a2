"""An alert is as sure as the hypotheses of its round that show the fault weigh, by how often such rounds happen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.belief.choices import choices_of
from thirdcard.rules.belief.priors import Priors
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import FEW_FRAMES, CameraBack, CameraLost, CardDealt, Event, WagerChanged
from thirdcard.rules.referee import Judgement, Referee

RULES = rules_of("tas")
FACE_DOWN = rules_of("sg-rws", dealing_style="B")
NATURAL = ("KD", "4H", "8C", "3D", "4S")
"""Player, Banker, Player, Banker: eight against seven; then a third card for the Player that is not due."""

FAULTS = ["misdeal.third_card_not_due", "exposed_card.excess"]
"""The card, and that it was dealt face up."""


def telling(alert: Alert) -> Telling:
    if alert.confidence >= 0.6:
        return Telling.ALERT
    return Telling.REVIEW if alert.confidence >= 0.05 else Telling.NOTHING


def as_it_weighs(alert: Alert) -> float:
    return alert.confidence


def belief_of(priors: Priors | None = None) -> Belief:
    referee = Referee(RULES)
    if priors is None:
        return Belief(referee, telling, lambda alert: alert.confidence)
    return Belief(referee, telling, lambda alert: alert.confidence, priors)


def round_with(doubt: tuple[str, dict[str, float]] | None = None, **result: Any) -> list[Event]:
    """Five cards; of one of them other faces are likely too."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    hands = ("player", "banker", "player", "banker", "player")
    for number, (card, hand) in enumerate(zip(NATURAL, hands, strict=True)):
        more: dict[str, Any] = {}
        if doubt is not None and card == doubt[0]:
            more = {
                "confidence": 1.0 - sum(doubt[1].values()),
                "alternatives": doubt[1],
                "source": "camera",
            }
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, **more)
    if result:
        log.add("result_announced", **result)
    log.add("round_closed")
    return log.events


def judged(events: Iterable[Event], belief: Belief | None = None) -> list[Judgement]:
    belief = belief or belief_of()
    return [*(belief.observe(event) for event in events), belief.finish()]


def alerts_of(judgements: Iterable[Judgement]) -> list[Alert]:
    return [alert for each in judgements for alert in each.alerts]


def test_fault_that_no_reading_leaves_open_is_certain() -> None:
    first, *_ = alerts_of(judged(round_with()))
    assert (first.code, first.confidence) == ("misdeal.third_card_not_due", 1.0)


def test_misreading_that_explains_a_fault_makes_it_a_doubtful_finding() -> None:
    """As a three the eight makes the fifth card lawful: four in a hundred is more than dealers err."""
    judgements = judged(round_with(("8C", {"3C": 0.04})))
    assert alerts_of(judgements) == []
    doubtful = [alert for each in judgements for alert in each.doubtful]
    assert [alert.code for alert in doubtful] == FAULTS
    assert 0.05 <= doubtful[0].confidence < 0.2


def test_misreading_that_explains_nothing_takes_nothing_away() -> None:
    alerts = alerts_of(judged(round_with(("3D", {"KD": 0.04}))))
    assert alerts[0].code == "misdeal.third_card_not_due"
    assert alerts[0].confidence > 0.99


def test_result_that_bears_the_reading_out_makes_the_fault_sure() -> None:
    judgements = judged(round_with(("8C", {"3C": 0.04}), player=8, banker=7, winner="player"))
    alerts = alerts_of(judgements)
    assert [(alert.code, alert.hand) for alert in alerts] == [(code, Side.PLAYER) for code in FAULTS]
    assert alerts[0].confidence > 0.95


def test_result_that_bears_the_other_reading_out_leaves_nothing_to_tell() -> None:
    judgements = judged(round_with(("8C", {"3C": 0.06}), player=7, banker=7, winner="tie"))
    assert alerts_of(judgements) == []
    assert [alert for each in judgements for alert in each.doubtful] == []
    (record,) = [record for each in judgements for record in each.rounds]
    assert record.player == (parse_card("KD"), parse_card("3C"), parse_card("4S"))


def test_alert_is_withdrawn_when_what_comes_later_takes_it_back() -> None:
    events = round_with(("8C", {"3C": 0.0025}), player=7, banker=7, winner="tie")
    judgements = judged(events)
    assert [alert.code for alert in alerts_of(judgements)] == FAULTS
    withdrawn = [alert for each in judgements for alert in each.withdrawn]
    assert [alert.code for alert in withdrawn] == FAULTS
    assert withdrawn[0].is_same_as(alerts_of(judgements)[0])
    assert withdrawn[0].confidence < 0.5


def test_house_where_dealers_err_more_believes_it_sooner() -> None:
    often = Priors({"misdeal": 0.5})
    alerts = alerts_of(judged(round_with(("8C", {"3C": 0.04})), belief_of(often)))
    assert [alert.code for alert in alerts] == FAULTS


def test_record_says_what_else_the_round_may_have_been() -> None:
    judgements = judged(round_with(("3D", {"4D": 0.04, "AD": 0.001})))
    (record,) = [record for each in judgements for record in each.rounds]
    assert [(str(other.banker[1]), round(other.probability, 2)) for other in record.otherwise] == [("4D", 0.04)]


def test_next_round_begins_with_one_hypothesis() -> None:
    first = round_with(("8C", {"3C": 0.04}))
    late = first[-1].t + 1.0
    second = [replace(event, t=event.t + late) for event in round_with()]
    second = [replace(one, card_id=f"d{one.card_id}") if isinstance(one, CardDealt) else one for one in second]
    alerts = alerts_of(judged([*first, *second]))
    assert [(alert.round, alert.confidence) for alert in alerts] == [(2, 1.0), (2, 1.0)]


def test_round_that_the_log_breaks_off_in_keeps_its_record_and_its_doubts() -> None:
    events = round_with(("8C", {"3C": 0.04}))[:-1]
    judgements = judged(events)
    (record,) = [record for each in judgements for record in each.rounds]
    assert record.closed is None
    assert [alert.code for each in judgements for alert in each.doubtful] == FAULTS


def test_round_without_a_fault_that_the_log_breaks_off_in_says_what_else_it_may_be() -> None:
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    more: dict[str, Any] = {"confidence": 0.9, "alternatives": {"7D": 0.1}, "source": "camera"}
    for number, (card, hand) in enumerate(zip(("KD", "KH", "7C", "3D"), ("player", "banker") * 2, strict=True)):
        log.add(
            "card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, **(more if card == "3D" else {})
        )
    (record,) = [record for each in judged(log.events) for record in each.rounds]
    assert record.banker[1] == parse_card("3D")
    assert [other.probability for other in record.otherwise] == [pytest.approx(0.1)]


def test_alert_between_rounds_is_not_withdrawn_by_the_next_one() -> None:
    lost = TableLog(RULES).add("camera_lost", camera="overhead", source="camera").events
    events = [replace(event, t=event.t + 9.0) for event in round_with(("8C", {"3C": 0.04}))]
    judgements = judged([*lost, *events])
    assert [alert.code for alert in alerts_of(judgements)] == ["camera.lost"]
    assert [alert for each in judgements for alert in each.withdrawn] == []


def test_log_without_doubts_is_judged_as_the_referee_does() -> None:
    events = round_with(None, player=8, banker=7, winner="player")
    referee = Referee(RULES)
    plain = [*(referee.observe(event) for event in events), referee.finish()]
    assert alerts_of(judged(events)) == alerts_of(plain)


@pytest.mark.parametrize(
    ("sure", "alternatives", "shares"),
    [
        pytest.param(0.96, {"3C": 0.04}, [0.96, 0.04], id="another-value"),
        pytest.param(0.7, {"8S": 0.3}, [1.0], id="counts-alike"),
        pytest.param(0.93, {"3C": 0.03, "3S": 0.01, "6C": 0.02, "8S": 0.01}, [0.94, 0.04, 0.02], id="by-value"),
        pytest.param(0.4, {"3C": 0.6}, [0.6, 0.4], id="the-likeliest-first"),
    ],
)
def test_faces_that_count_alike_make_one_hypothesis(
    sure: float, alternatives: dict[str, float], shares: list[float]
) -> None:
    assert [choice.probability for choice in choices_of(eight(sure, alternatives))] == pytest.approx(shares)


def eight(sure: float, alternatives: dict[str, float]) -> CardDealt:
    alike = sum(share for face, share in alternatives.items() if face[0] == "8")
    of_value = sure + alike if alike else None
    card = parse_card("8C")
    return CardDealt(
        t=1.0, card_id="c", card=card, confidence=sure, value_confidence=of_value, alternatives=alternatives,
        source=Source.CAMERA,
    )  # fmt: skip


def test_what_the_probabilities_lack_may_be_any_card() -> None:
    values = {
        line.card.point_value: choice.probability
        for choice in choices_of(eight(0.86, {"3C": 0.09}))
        for line in choice.lines
        if isinstance(line, CardDealt) and line.card is not None
    }
    assert values == {
        0: pytest.approx(0.05 * 16 / 52),
        3: pytest.approx(0.09 + 0.05 * 4 / 52),
        8: pytest.approx(0.86 + 0.05 * 4 / 52),
        **{value: pytest.approx(0.05 * 4 / 52) for value in (1, 2, 4, 5, 6, 7, 9)},
    }


def test_card_that_seems_open_and_cannot_be_read_may_show_a_strange_back() -> None:
    event = CardDealt(t=1.0, card_id="c", face_up=True, confidence=0.9, source=Source.CAMERA)
    sides = [(line.face_up, round(choice.probability, 3)) for choice in choices_of(event) for line in choice.lines
             if isinstance(line, CardDealt)]  # fmt: skip
    assert sides == [(True, 0.9), (False, 0.1)]


def test_doubt_about_how_a_card_came_stays_in_every_hypothesis() -> None:
    event = CardDealt(t=1.0, card_id="c", card=parse_card("8C"), confidence=0.48, alternatives={"3C": 0.04})
    read, other = choices_of(event)
    ways = [line.value_confidence for choice in (read, other) for line in choice.lines if isinstance(line, CardDealt)]
    assert ways == [pytest.approx(0.5), pytest.approx(0.5)]


def third_that_nobody_saw_come(*, shown: bool) -> list[Event]:
    """A back beside a natural's four cards, first seen when it lay there; turned, where that is so."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    hands = ("player", "banker", "player", "banker")
    for number, (card, hand) in enumerate(zip(NATURAL, hands, strict=False)):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, confidence=1.0, source="camera")
    log.add("card_dealt", card_id="c4", hand="player", order_unseen=True, confidence=0.5, source="camera")
    if shown:
        log.add("card_turned", card_id="c4", card="4S", face_up=True, by="dealer", confidence=0.999, source="camera")
    log.add("card_removed", card_id="c4", to="discard", source="camera")
    return log.add("round_closed").events


def test_back_that_nobody_saw_come_accuses_nobody() -> None:
    judgements = judged(third_that_nobody_saw_come(shown=False))
    assert alerts_of(judgements) == []


def test_card_that_nobody_saw_come_and_that_shows_its_face_was_dealt() -> None:
    assert "misdeal.third_card_not_due" in [
        alert.code for alert in alerts_of(judged(third_that_nobody_saw_come(shown=True)))
    ]


def test_round_in_which_frames_came_too_seldom_is_marked_and_the_next_is_not() -> None:
    belief, events = belief_of(), round_with()
    later = [replace(event, t=event.t + 60.0) for event in events]
    marks = []
    for event in (
        *events[:3],
        CameraLost(t=3.0, fault=FEW_FRAMES),
        *events[3:5],
        CameraBack(t=4.0),
        *events[5:],
        *later,
    ):
        belief.observe(event)
        marks.append(belief.sight.is_seldom_seen)
    assert marks == [False] * 3 + [True] * (len(events) - 3 + 1) + [False] * (len(later) + 1)


def test_frames_that_come_seldom_for_ever_mark_every_round() -> None:
    belief, events = belief_of(), round_with()
    belief.observe(CameraLost(t=0.0, fault=FEW_FRAMES))
    for event in (*events, *events):
        belief.observe(event)
        assert belief.sight.is_seldom_seen


def face_down_round(hands: str, *, passed_after: int, rules: Any = FACE_DOWN) -> list[Event]:
    """A round of backs, as a camera logs it; the Player's hand is passed to its player after so many cards."""
    log = TableLog(rules).add("bets_opened").add("no_more_bets")
    for number, hand in enumerate(hands):
        side = "player" if hand == "P" else "banker"
        log.add(
            "card_dealt", card_id=f"c{number}", hand=side, face_up=False, confidence=0.97, source="camera", after_s=0.9
        )
        if number + 1 == passed_after:
            log.add("card_passed", card_id="c0", to="seat:2", confidence=0.97, source="camera", after_s=2.0)
            log.add("card_turned", card_id="c0", card="9D", face_up=True, by="seat:2", source="camera", after_s=3.0)
    log.add("result_announced", player=5, banker=7, winner="banker", source="signal")
    log.add("round_closed")
    return log.events


@pytest.mark.parametrize("hands", ["PBPP", "PBBP", "PPBP", "BPBP"])
def test_hand_that_was_passed_after_three_cards_shows_that_one_was_missed(hands: str) -> None:
    judgements = judged(face_down_round(hands, passed_after=3), Belief(Referee(FACE_DOWN), telling, as_it_weighs))

    told = [alert.code for alert in alerts_of(judgements)]
    withdrawn = [alert.code for each in judgements for alert in each.withdrawn]
    assert "misdeal.order" not in told or "misdeal.order" in withdrawn


def test_card_in_the_wrong_hand_is_told_where_nothing_shows_that_one_was_missed() -> None:
    judgements = judged(face_down_round("PBPP", passed_after=4), Belief(Referee(FACE_DOWN), telling, as_it_weighs))

    assert "misdeal.order" in [alert.code for alert in alerts_of(judgements)]
    assert not [alert for each in judgements for alert in each.withdrawn]


def changed_late(confidence: float, alternatives: dict[str, float] | None) -> list[Event]:
    """A wager of three chips that a player changed between the first two cards: to two, or to more."""
    log = TableLog(RULES).add("bets_opened")
    wager: dict[str, Any] = {"area": "s1-player", "seat": 1, "bet": "player", "by": "seat:1", "source": "camera"}
    log.add("wager_changed", **wager, chips_before=0, chips_after=3, confidence=1.0).add("no_more_bets")
    log.add("card_dealt", card_id="c0", hand="player", card="KD", face_up=True, confidence=1.0, source="camera")
    doubt: dict[str, Any] = {"confidence": confidence, "alternatives": alternatives}
    log.add("wager_changed", **wager, chips_before=3, chips_after=2, **doubt)
    for number, (card, hand) in enumerate((("4H", "banker"), ("8C", "player"), ("3D", "banker")), start=1):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, confidence=1.0, source="camera")
    return log.add("round_closed").events


def test_wager_that_changed_late_is_told_once_though_the_direction_is_open() -> None:
    (told,) = alerts_of(judgements := judged(changed_late(0.55, {"more": 0.4})))
    assert told.code == "late_bet.reduced"
    assert told.confidence == pytest.approx(0.55, abs=0.01)
    assert not [alert for each in judgements for alert in (*each.doubtful, *each.withdrawn)]


@pytest.mark.parametrize("alternatives", [None, {"more": 0.02}], ids=["none", "hardly-any"])
def test_change_that_may_be_none_stays_doubtful(alternatives: dict[str, float] | None) -> None:
    judgements = judged(changed_late(0.5, alternatives))
    assert alerts_of(judgements) == []
    assert [alert.code for each in judgements for alert in each.doubtful] == ["late_bet.reduced"]


def test_directions_that_are_open_share_the_probability_of_a_change() -> None:
    (late,) = (one for one in changed_late(0.6, {"more": 0.3}) if isinstance(one, WagerChanged) and one.alternatives)
    as_logged, other = choices_of(late)
    assert [as_logged.probability, other.probability] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    lines = [one for each in (as_logged, other) for one in each.lines if isinstance(one, WagerChanged)]
    assert [(one.chips_before, one.chips_after) for one in lines] == [(3, 2), (2, 3)]
    assert [one.confidence for one in lines] == [pytest.approx(0.9), pytest.approx(0.9)]


def test_directions_that_are_equally_likely_make_one_doubtful_finding_and_then_one_alert() -> None:
    """The first reading that was doubtful is not doubtful beside the alert."""
    told: list[Telling] = [Telling.REVIEW]
    belief = Belief(Referee(RULES), lambda _: told[-1], lambda alert: alert.confidence)
    events = changed_late(0.475, {"more": 0.475})
    early = [belief.observe(event) for event in events[:-1]]
    assert alerts_of(early) == []
    told.append(Telling.ALERT)
    closed = belief.observe(events[-1])
    assert [alert.code.partition(".")[0] for alert in closed.alerts] == ["late_bet"]
    assert closed.doubtful == ()


def lacking(announced: dict[str, Any]) -> list[Judgement]:
    """Player Q A (perhaps a 4), Banker 8 4: the Player's third card does not come."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, (card, hand) in enumerate(zip(("QS", "8D", "AH", "4H"), ("player", "banker") * 2, strict=True)):
        doubt = {"confidence": 0.86, "alternatives": {"4H": 0.14}} if card == "AH" else {"confidence": 0.9999}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **doubt)
    log.add("result_announced", **announced)
    log.add("round_closed")
    return judged(log.events)


def test_announced_points_bear_out_the_reading_in_which_a_card_is_missing() -> None:
    """In the other reading the announcement is wrong as well, or a card was overlooked: both are rare."""
    (alert,) = alerts_of(lacking({"player": 1, "banker": 2, "winner": "banker"}))
    assert (alert.code, alert.hand) == ("misdeal.third_card_missing", "player")
    assert alert.confidence > 0.97


def test_card_that_makes_up_the_announced_points_may_have_been_overlooked() -> None:
    assert alerts_of(lacking({"player": 6, "banker": 2, "winner": "player"})) == []
