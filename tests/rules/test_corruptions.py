"""One thing done wrong in a legal round gives the alert that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run
from tests.rules.test_referee import played
from tests.rules.variants import variants_of
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.hand import point_count
from thirdcard.rules.game.words import Outcome, Side
from thirdcard.rules.log.events import CardDealt, CardTurned, Event, ResultAnnounced
from thirdcard.rules.rulebook.model import Phase

DECKS_OF_CARDS = st.lists(st.sampled_from(PACK), min_size=7, max_size=7, unique=True)
Corrupt = Callable[[list[Event], TableLog, list[Card]], list[str]]


def dealt(events: list[Event]) -> list[int]:
    return [i for i, event in enumerate(events) if isinstance(event, CardDealt)]


def replaced(event: CardDealt, side: Side) -> CardDealt:
    return CardDealt(t=event.t, card_id=event.card_id, hand=side, card=event.card, face_up=event.face_up)


def to_the_other_hand(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The second card of the round goes to the Player."""
    i = dealt(events)[1]
    event = events[i]
    assert isinstance(event, CardDealt)
    events[i] = replaced(event, Side.PLAYER)
    return ["misdeal.order"]


def without_the_last_third(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The last third card never comes, and the result is announced as it then lies."""
    places = dealt(events)
    assume(len(places) > 4)
    last = events[places[-1]]
    assert isinstance(last, CardDealt)
    events[:] = [event for event in events if getattr(event, "card_id", None) != last.card_id]
    hands = {side: hand_of(events, log, side) for side in Side}
    announce(events, hands)
    return ["misdeal.third_card_missing"]


def one_card_more(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """After the last card another one is dealt, face down, to the Banker."""
    places = dealt(events)
    i = next(i for i, event in enumerate(events) if isinstance(event, ResultAnnounced))
    has_third = sum(1 for place in places if getattr(events[place], "hand", None) is Side.BANKER) == 3
    events.insert(i, CardDealt(t=events[i].t, card_id="extra", hand=Side.BANKER))
    return ["misdeal.extra_card" if has_third else "misdeal.third_card_not_due"]


def another_winner(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The dealer names another winner."""
    i = next(i for i, event in enumerate(events) if isinstance(event, ResultAnnounced))
    result = events[i]
    assert isinstance(result, ResultAnnounced)
    wrong = next(outcome for outcome in Outcome if outcome is not result.winner)
    events[i] = ResultAnnounced(t=result.t, player=result.player, banker=result.banker, winner=wrong)
    return ["misdeal.wrong_result"]


def hand_of(events: list[Event], log: TableLog, side: Side) -> list[Card]:
    ids = [event.card_id for event in events if isinstance(event, CardDealt) and event.hand is side]
    return [log.face(card_id) for card_id in ids]


def announce(events: list[Event], hands: dict[Side, list[Card]]) -> None:
    i = next(i for i, event in enumerate(events) if isinstance(event, ResultAnnounced))
    player, banker = point_count(hands[Side.PLAYER]), point_count(hands[Side.BANKER])
    winner = Outcome.TIE if player == banker else Outcome.PLAYER if player > banker else Outcome.BANKER
    events[i] = ResultAnnounced(t=events[i].t, player=player, banker=banker, winner=winner)


def swapped(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The first two cards go to each other's hand."""
    for i, side in zip(dealt(events), (Side.BANKER, Side.PLAYER), strict=False):
        event = events[i]
        assert isinstance(event, CardDealt)
        events[i] = replace(event, hand=side)
    return ["misdeal.order"]


def without_the_fourth(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The Banker's second card never comes, in a round without third cards."""
    places = dealt(events)
    assume(len(places) == 4)
    fourth = events[places[3]]
    assert isinstance(fourth, CardDealt)
    events[:] = [event for event in events if getattr(event, "card_id", None) != fourth.card_id]
    return ["misdeal.short_hand"]


def turned_in_the_deal(events: list[Event], log: TableLog, cards: list[Card]) -> list[str]:
    """The second card comes out face up where the style deals face down."""
    assume(Phase.INITIAL in log.rules.style.face_down)
    i = dealt(events)[1]
    event = events[i]
    assert isinstance(event, CardDealt)
    events[i] = replace(event, card=log.face(event.card_id), face_up=True)
    return ["exposed_card.face_up_deal"]


CORRUPTIONS = [
    to_the_other_hand,
    without_the_last_third,
    one_card_more,
    another_winner,
    swapped,
    without_the_fourth,
    turned_in_the_deal,
]
STYLES_HIDE = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
"""Some corruptions need a round without third cards or a style that hides cards; other rounds are passed over."""


def any_round(rulebook_id: str, cards: list[Card], data: st.DataObject) -> TableLog:
    """A legal round without wagers in any variant of the rulebook."""
    return TableLog(rules_of(rulebook_id, **data.draw(variants_of(rulebook_id)))).legal_round(played(cards))


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("corrupt", [pytest.param(one, id=one.__name__) for one in CORRUPTIONS])
@STYLES_HIDE
@given(cards=DECKS_OF_CARDS, data=st.data())
def test_single_corruption_is_named(rulebook_id: str, corrupt: Corrupt, cards: list[Card], data: st.DataObject) -> None:
    log = any_round(rulebook_id, cards, data)
    events = list(log.events)
    expected = corrupt(events, log, cards)
    alerts, _ = run(log.rules, events)
    assert [alert.code for alert in alerts] == expected


def unread(events: list[Event], hidden: set[int]) -> list[Event]:
    """The log of an observer who could not read some of the cards."""
    ids = dealt(events)
    names = {
        event.card_id for i in hidden if i < len(ids) for event in [events[ids[i]]] if isinstance(event, CardDealt)
    }
    return [
        replace(event, card=None) if isinstance(event, CardDealt | CardTurned) and event.card_id in names else event
        for event in events
    ]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@settings(max_examples=25, deadline=None)
@given(cards=DECKS_OF_CARDS, hidden=st.sets(st.integers(0, 5)), data=st.data())
def test_legal_round_with_unread_cards_alleges_nothing(
    rulebook_id: str, cards: list[Card], hidden: set[int], data: st.DataObject
) -> None:
    rules = rules_of(rulebook_id, **data.draw(variants_of(rulebook_id)))
    log = TableLog(rules).legal_round(played(cards), "s1-player")
    assert run(log.rules, unread(log.events, hidden))[0] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("corrupt", [pytest.param(one, id=one.__name__) for one in CORRUPTIONS])
@STYLES_HIDE
@given(cards=DECKS_OF_CARDS, hidden=st.sets(st.integers(0, 5), min_size=1), data=st.data())
def test_corruption_with_unread_cards_is_named_or_undetermined(
    rulebook_id: str, corrupt: Corrupt, cards: list[Card], hidden: set[int], data: st.DataObject
) -> None:
    log = any_round(rulebook_id, cards, data)
    events = list(log.events)
    expected = corrupt(events, log, cards)
    assert [alert.code for alert in run(log.rules, unread(events, hidden))[0]] in (expected, [])
