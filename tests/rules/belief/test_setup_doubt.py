"""A set-up that is wrong is doubted before the dealer: one hint, not an accusation in every round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.belief.test_unread_faces import SURPLUS, log_with
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.belief.priors import shipped_priors
from thirdcard.rules.belief.setup_doubt import SetupDoubt, Suspect, swap_bets, swap_boxes
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Outcome
from thirdcard.rules.log.events import (
    CardDealt,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    SettleAction,
    WagerSettled,
)
from thirdcard.rules.referee import Judgement, Referee
from thirdcard.rules.rulebook.options import Rules

STYLE_A, STYLE_C = rules_of("nz-secretary"), rules_of("nz-secretary", dealing_style="C")
DEALS = (
    ("7H", "2S", "2D", "6C"), ("KD", "9H", "4C", "KS"), ("8H", "3S", "KD", "4C"), ("2H", "QS", "6D", "9C"),
    ("9D", "JS", "QD", "6H"), ("3D", "KC", "6S", "8H"),
)  # fmt: skip
"""Player, Banker, Player, Banker; each is over after four cards, and somebody wins."""


def telling(alert: Alert) -> Telling:
    if alert.confidence >= 0.8:
        return Telling.ALERT
    return Telling.REVIEW if alert.confidence >= 0.05 else Telling.NOTHING


def belief_of(rules: Rules, *suspects: Suspect) -> Belief:
    belief = Belief(Referee(rules), telling, lambda alert: alert.confidence)
    given = Suspect(what="right", referee=Referee(rules), weight=0.0)
    belief.setup = SetupDoubt(given=given, suspects=list(suspects), priors=belief.priors)
    return belief


def boxes(rules: Rules = STYLE_A) -> Suspect:
    return Suspect(name="boxes", what="boxes", referee=Referee(rules), weight=0.0002, change=swap_boxes)


def bets(rules: Rules = STYLE_A) -> Suspect:
    return Suspect(name="bets", what="bets", referee=Referee(rules), weight=0.0002, change=swap_bets)


def total(cards: Sequence[str]) -> int:
    found = [parse_card(card) for card in cards]
    return sum(card.point_value for card in found) % 10


def played(rounds: int, *, order: Sequence[int] = (), is_open: bool = True, wagers: bool = True) -> list[Event]:
    """Lawful rounds as a camera sees them; in those that `order` names the first two cards come the wrong way round."""
    log = TableLog(STYLE_A)
    for number in range(rounds):
        cards = DEALS[number % len(DEALS)]
        hands = ["player", "banker", "player", "banker"]
        if number in order:
            hands[:2] = hands[1::-1]
        seen: dict[str, Any] = {"source": "camera", "confidence": 0.9999}
        log.add("bets_opened")
        for bet in ("player", "banker") if wagers else ():
            put: dict[str, Any] = {"area": f"s3-{bet}", "seat": 3, "bet": bet, "by": "seat:3"}
            log.add("wager_changed", **put, before=0, after=100, chips_before=0, chips_after=1, **seen)
        log.add("no_more_bets")
        for place, (card, hand) in enumerate(zip(cards, hands, strict=True)):
            dealt = {"card_id": f"c{number}-{place}", "hand": hand, "face_up": is_open, **seen}
            log.add("card_dealt", card=card if is_open else None, **dealt)
        for place, card in enumerate(() if is_open else cards):
            log.add("card_turned", card_id=f"c{number}-{place}", card=card, face_up=True, by="dealer", **seen)
        points = {
            hand: total([c for c, h in zip(cards, hands, strict=True) if h == hand]) for hand in ("player", "banker")
        }
        winner = max(points, key=lambda hand: points[hand])
        log.add("result_announced", **points, winner=winner)
        for bet in ("player", "banker") if wagers else ():
            act = ("paid", 100 if bet == "player" else 95) if bet == winner else ("collected", 100)
            log.add("wager_settled", area=f"s3-{bet}", seat=3, bet=bet, action=act[0], amount=act[1], **seen)
        log.add("round_closed")
    return log.events


def judged(belief: Belief, events: list[Event], change: Callable[[Event], Event] = lambda event: event) -> Judgement:
    """All that comes of a log."""
    told: list[Judgement] = [*(belief.observe(change(event)) for event in events), belief.finish()]
    return Judgement(
        alerts=tuple(alert for each in told for alert in each.alerts),
        withdrawn=tuple(alert for each in told for alert in each.withdrawn),
    )


def test_table_that_is_set_up_rightly_is_not_doubted() -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    assert judged(belief, played(6)) == Judgement()
    assert belief.setup is not None and belief.setup.hint is None


@pytest.mark.parametrize(
    ("change", "what", "code"),
    [(swap_boxes, "boxes", "misdeal.order"), (swap_bets, "bets", "payout.loser_paid")],
    ids=["boxes", "bets"],
)
@pytest.mark.parametrize("rounds", [3, 6])
def test_swap_is_hinted_at_within_three_rounds_and_what_was_alleged_is_taken_back(
    change: Callable[[Event], Event], what: str, code: str, rounds: int
) -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, played(rounds), change)
    assert belief.setup is not None and belief.setup.hint == f"{what}: look at the set-up"
    assert {alert.code for alert in told.alerts} <= {code, "payout.winner_unpaid"}
    assert {alert.round for alert in told.alerts} <= {1}
    assert {(one.code, one.t) for one in told.withdrawn} == {(one.code, one.t) for one in told.alerts}


def test_swapped_bets_are_hinted_at_where_no_device_reports_the_result() -> None:
    """Nothing is alleged there, since a card may be misread; but not in every round."""
    unreported = [event for event in played(3) if not isinstance(event, ResultAnnounced)]
    belief = belief_of(STYLE_A, boxes(), bets())
    assert judged(belief, unreported, swap_bets).alerts == ()
    assert belief.setup is not None and belief.setup.hint == "bets: look at the set-up"
    rightly = belief_of(STYLE_A, boxes(), bets())
    assert judged(rightly, unreported) == Judgement()
    assert rightly.setup is not None and rightly.setup.hint is None


def test_swapped_bets_are_hinted_at_where_the_order_of_the_cards_is_never_seen() -> None:
    belief, events = belief_of(STYLE_A, boxes(), bets()), [e for e in played(3) if not isinstance(e, ResultAnnounced)]
    unseen = [replace(e, order_unseen=True) if isinstance(e, CardDealt) else e for e in events]
    opened = [i for i, e in enumerate(unseen) if isinstance(e, NoMoreBets)]
    for i in opened:  # both cards of a hand are found before the other's
        unseen[i + 2], unseen[i + 3] = (
            replace(unseen[i + 3], t=unseen[i + 2].t),
            replace(unseen[i + 2], t=unseen[i + 3].t),
        )
    assert judged(belief, unseen, swap_bets).alerts == ()
    assert belief.setup is not None and belief.setup.hint == "bets: look at the set-up"


def test_winners_whose_chips_are_only_taken_speak_for_swapped_bets() -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    events = [
        replace(event, amount=None) if isinstance(event, WagerSettled) else event
        for event in played(3)
        if not (isinstance(event, WagerSettled) and event.action is SettleAction.PAID)
    ]
    assert judged(belief, events, swap_bets).alerts == ()
    assert belief.setup is not None and belief.setup.hint == "bets: look at the set-up"


def test_one_round_in_which_winners_were_only_taken_makes_no_hint() -> None:
    belief, events = belief_of(STYLE_A, boxes(), bets()), played(6)
    first = [
        replace(event, amount=None) if isinstance(event, WagerSettled) else event
        for event in map(swap_bets, played(1))
        if not (isinstance(event, WagerSettled) and event.action is SettleAction.PAID)
    ]
    assert judged(belief, [*first, *events[len(played(1)) :]]).alerts == ()
    assert belief.setup is not None and belief.setup.hint is None


@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_hint_of_one_round_that_was_settled_against_the_cards_is_taken_back_by_the_next(rounds: int) -> None:
    """That may be one misread card, and nobody is accused. So somebody should look, until a round speaks against it."""
    unreported = [event for event in played(rounds) if not isinstance(event, ResultAnnounced)]
    closes = [event.t for event in unreported if isinstance(event, RoundClosed)]
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, unreported, lambda event: swap_bets(event) if closes[0] < event.t <= closes[1] else event)
    assert told.alerts == ()
    assert belief.setup is not None
    assert belief.setup.hint == ("bets: look at the set-up" if rounds == 2 else None)


@pytest.mark.parametrize(
    ("rightly", "hint"),
    [
        pytest.param(0, "bets: look at the set-up", id="nothing-showed-the-set-up-right"),
        pytest.param(1, None, id="a-round-showed-it-right"),
    ],
)
def test_one_wager_paid_to_a_loser_may_be_the_set_up_until_a_round_shows_it_right(
    rightly: int, hint: str | None
) -> None:
    """The fault is alleged all the same."""
    events = played(rightly + 1)
    closes = [0.0, *(event.t for event in events if isinstance(event, RoundClosed))]
    one = [e for e in events if not (isinstance(e, WagerSettled) and e.action is SettleAction.COLLECTED)]
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, one, lambda event: swap_bets(event) if event.t > closes[rightly] else event)
    assert [alert.code for alert in told.alerts][:1] == ["payout.loser_paid"]
    assert belief.setup is not None and belief.setup.hint == hint


def test_swapped_bets_are_hinted_at_in_the_only_round_that_settles_them() -> None:
    rounds = [event for event in played(3) if not isinstance(event, ResultAnnounced | WagerSettled)]
    settled = [event for event in played(3) if isinstance(event, WagerSettled)]
    closes = [event.t for event in rounds if isinstance(event, RoundClosed)]
    last = [event for event in settled if event.t > closes[1]]
    events = sorted([*rounds, *last], key=lambda event: event.t)
    belief = belief_of(STYLE_A, boxes(), bets())
    assert judged(belief, events, swap_bets).alerts == ()
    assert belief.setup is not None and belief.setup.hint == "bets: look at the set-up"


def test_fault_of_a_dealer_is_still_told_at_once() -> None:
    for faulty in (0, 3):
        belief = belief_of(STYLE_A, boxes(), bets())
        told = judged(belief, played(6, order=[faulty]))
        assert [(alert.code, alert.round) for alert in told.alerts if alert.code == "misdeal.order"] == [
            ("misdeal.order", faulty + 1)
        ]
        assert told.withdrawn == ()
        assert all(alert.confidence > 0.9 for alert in told.alerts)


def test_wrong_winner_announced_twice_is_no_sign_of_swapped_boxes() -> None:
    """If the boxes were swapped, the winner would be right, but the announced points would not."""
    log = played(3)
    for place in [i for i, event in enumerate(log) if isinstance(event, ResultAnnounced)][:2]:
        said = log[place]
        assert isinstance(said, ResultAnnounced)
        log[place] = replace(said, winner=Outcome.BANKER if said.winner is Outcome.PLAYER else Outcome.PLAYER)
    told = judged(belief_of(STYLE_A, boxes(), bets()), log)
    assert [(alert.code, alert.round) for alert in told.alerts] == [
        ("misdeal.wrong_result", 1), ("misdeal.wrong_result", 2),
    ]  # fmt: skip
    assert all(alert.confidence > 0.99 for alert in told.alerts)
    assert told.withdrawn == ()


def test_real_fault_at_a_table_that_is_set_up_wrongly_is_not_lost() -> None:
    """The fault of the fifth round shows whichever way round the boxes are."""
    log = played(6)
    places = [i for i, event in enumerate(log) if event.type == "no_more_bets"]
    del log[places[4]]
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, log, swap_boxes)
    assert ("procedure.no_call", 5) in [(alert.code, alert.round) for alert in told.alerts]
    assert "procedure.no_call" not in {alert.code for alert in told.withdrawn}


def test_dealing_style_that_was_not_elected_is_hinted_at() -> None:
    style = Suspect(what="style A", referee=Referee(STYLE_A), weight=0.0002, is_judged_by_sides=True)
    belief = belief_of(STYLE_C, style)
    told = judged(belief, played(4))
    assert belief.setup is not None and belief.setup.hint == "style A: look at the set-up"
    assert {alert.round for alert in told.alerts} <= {1}


def test_two_cards_that_lay_open_by_mistake_make_no_other_style() -> None:
    style = Suspect(what="style A", referee=Referee(STYLE_A), weight=0.0002, is_judged_by_sides=True)
    belief = belief_of(STYLE_C, style)
    log = played(5, is_open=False)
    for i in [i for i, event in enumerate(log) if event.type == "card_dealt"][4:12:4]:
        log[i] = replace(log[i], face_up=True, card=parse_card("KD"))  # type: ignore[call-arg]
    judged(belief, log)
    assert belief.setup is not None and belief.setup.hint is None


def test_same_fault_in_round_after_round_is_a_hint_too() -> None:
    log = [event for event in played(5) if event.type != "no_more_bets"]
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, log)
    assert len(told.alerts) == 5 and told.withdrawn == ()
    assert belief.setup is not None and belief.setup.hint is not None
    assert belief.setup.hint.startswith("procedure.no_call in 5 rounds on end")


def test_log_of_devices_alone_is_judged_as_it_stands() -> None:
    log = played(4)
    plain = [replace(event, source=None, confidence=None) for event in log]
    belief = belief_of(STYLE_A, boxes(), bets())
    told = judged(belief, plain, swap_boxes)
    assert {alert.round for alert in told.alerts} == {1, 2, 3, 4}
    assert told.withdrawn == ()


@pytest.mark.parametrize(("change", "name"), [(swap_boxes, "boxes"), (swap_bets, "bets")], ids=["boxes", "bets"])
def test_swap_that_the_print_shows_is_hinted_at_before_a_round_and_nothing_is_alleged_because_of_it(
    change: Callable[[Event], Event], name: str
) -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    belief.doubt(name)
    assert belief.setup_hint == f"{name}: look at the set-up"
    told = judged(belief, played(3), change)
    assert told == Judgement()
    assert belief.setup_hint == f"{name}: look at the set-up"


def test_play_that_contradicts_the_print_takes_the_hint_back() -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    belief.doubt("boxes")
    told = judged(belief, played(3))
    assert belief.setup_hint is None
    assert told == Judgement()


def test_swapped_bets_that_no_wager_decides_stay_hinted_at() -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    belief.doubt("bets")
    judged(belief, played(3, wagers=False))
    assert belief.setup_hint == "bets: look at the set-up"


def test_same_print_twice_or_an_unknown_one_changes_nothing() -> None:
    belief = belief_of(STYLE_A, boxes(), bets())
    assert belief.setup is not None
    belief.doubt("styles")
    assert belief.setup_hint is None
    belief.doubt("bets")
    weights = [suspect.weight for suspect in belief.setup.suspects]
    belief.doubt("bets")
    assert [suspect.weight for suspect in belief.setup.suspects] == weights
    assert weights[1] == pytest.approx(0.0002 * belief.priors.print_odds, rel=0.1)


def test_fault_that_rests_on_an_unread_card_is_a_fault_in_every_set_up() -> None:
    """The set-ups are compared by the likeliest reading, and that of such a card shows nothing."""
    rules, sure = rules_of("tas"), []
    for weight in (0.0, 0.03):
        suspect = replace(bets(rules), weight=weight)
        belief = belief_of(rules, suspect)
        told = [belief.observe(event) for event in log_with(points=7)]
        sure.append({alert.code: alert.confidence for each in told for alert in (*each.alerts, *each.doubtful)})
        assert suspect.weight == pytest.approx(weight, abs=0.001)
    assert sure[0] == pytest.approx(sure[1], abs=0.001)
    assert sure[0].keys() >= SURPLUS


def test_settling_that_only_some_readings_show_counts_alike_in_every_set_up() -> None:
    """By the likeliest readings the round was settled by its cards; in the reading that is believed it was not."""
    given, suspect, priors = Suspect(what="right", referee=Referee(STYLE_A), weight=0.0), bets(), shipped_priors()
    assert suspect.weight_of_round((), priors.misread_winner, given, priors) == priors.misread_winner
    assert suspect.weight_of_round((), 1.0, given, priors) == 1.0


def test_round_that_is_settled_by_its_cards_refutes_swapped_bets_as_far_as_winners_are_read_rightly() -> None:
    suspect = bets()
    belief = belief_of(STYLE_A, suspect)
    judged(belief, played(1))
    assert suspect.weight == pytest.approx(0.0002 * belief.priors.misread_winner, rel=0.01)


def test_belief_without_other_set_ups_takes_no_doubt() -> None:
    belief = belief_of(STYLE_A)
    belief.setup = None
    belief.doubt("boxes")
    assert belief.setup_hint is None
