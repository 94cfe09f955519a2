"""What of a round contradicts the rest, and how many misreadings of a card would show."""

from __future__ import annotations

from itertools import product

import pytest

from tests.service.commission.played import LAWFUL, played_round, settled
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.duty import DutyTable
from thirdcard.rules.game.words import Bet, SettleAction
from thirdcard.rules.log.events import CardTurned, Event, ShoeOpened
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.service.commission.consistency import CheckedRound, Contradiction, check_rounds
from thirdcard.service.evaluate.accounts import Incident

DUTIES = DutyTable(load_rulebook("tas").table)
PLAYER, BANKER, SAID = LAWFUL


def checked(events: list[Event], *, decks: int | None = 8, findings: tuple[Incident, ...] = ()) -> CheckedRound:
    """The only round of a log."""
    (one,) = check_rounds(events, DUTIES, decks=decks, findings=findings)
    return one


def test_lawful_round_contradicts_nothing() -> None:
    one = checked(played_round(PLAYER, BANKER, said=SAID))
    assert one.is_consistent
    assert one.is_judged


@pytest.mark.parametrize(
    ("events", "found"),
    [
        pytest.param(played_round("7H 10C 2D", "2S 3D KH"), {Contradiction.DRAWING}, id="a third card on 7"),
        pytest.param(played_round("7H 10C", "2S 3D"), {Contradiction.DRAWING}, id="the Banker's card on 5 is missing"),
        pytest.param(played_round("7H 10C", "2S 3D KH", said=(7, 6, "player")), {Contradiction.RESULT}, id="points"),
        pytest.param(played_round("7H 10C", "2S 3D KH", said=(7, 5, "banker")), {Contradiction.RESULT}, id="winner"),
        pytest.param(played_round("7H", "2S"), {Contradiction.COUNT}, id="hands of one card"),
        pytest.param(played_round("7H 10C", "2S 3D KH 4D"), {Contradiction.COUNT}, id="a hand of four"),
        pytest.param(played_round("4H 10C ?", "2S 3D KH"), set(), id="a face that was not read says nothing"),
    ],
)
def test_contradiction_is_named(events: list[Event], found: set[Contradiction]) -> None:
    assert checked(events).contradictions == found


def test_settlement_of_the_other_hand_contradicts() -> None:
    events = played_round(PLAYER, BANKER)
    paid = settled(13.0, Bet.BANKER, SettleAction.PAID)
    assert checked([*events[:-1], paid, events[-1]]).contradictions == {Contradiction.SETTLEMENT}


def test_settlement_whose_way_was_not_seen_says_nothing() -> None:
    events = played_round(PLAYER, BANKER)
    taken = settled(13.0, Bet.PLAYER, SettleAction.COLLECTED, sure=0.5)
    assert checked([*events[:-1], taken, events[-1]]).is_consistent


def test_stand_off_takes_no_wager_on_a_hand() -> None:
    events = played_round("7H 10C", "KS 7D")
    taken = settled(13.0, Bet.PLAYER, SettleAction.COLLECTED)
    assert checked([*events[:-1], taken, events[-1]]).contradictions == {Contradiction.SETTLEMENT}


def test_settlements_that_contradict_each_other_are_the_dealer_s() -> None:
    events = played_round("7H 10C", "KS 7D")
    both = [settled(13.0, Bet.PLAYER, SettleAction.COLLECTED), settled(13.5, Bet.BANKER, SettleAction.RETURNED)]
    assert checked([*events[:-1], *both, events[-1]]).is_consistent
    assert checked([*events[:-1], both[1], events[-1]]).is_consistent


def test_returned_wager_on_a_hand_says_tie() -> None:
    events = played_round(PLAYER, BANKER)
    returned = settled(13.0, Bet.BANKER, SettleAction.RETURNED)
    assert checked([*events[:-1], returned, events[-1]]).contradictions == {Contradiction.SETTLEMENT}


def test_first_cards_out_of_turn_are_named() -> None:
    events = played_round(PLAYER, BANKER)
    swapped = [events[0], events[2], events[1], *events[3:]]
    assert Contradiction.ORDER in checked(swapped).contradictions


def test_card_with_two_faces_is_named() -> None:
    events = played_round(PLAYER, BANKER, said=SAID)
    again = CardTurned(t=11.0, card_id="r1c0", card=parse_card("7D"), face_up=True)
    assert checked([*events[:-1], again, events[-1]]).contradictions == {Contradiction.LOOKS}


def test_more_copies_than_the_shoe_holds_are_named_until_a_new_shoe() -> None:
    rounds = [played_round("7H 10C", "2S 3D KH", number=n) for n in (1, 2)]
    first, second = check_rounds([*rounds[0], *rounds[1]], DUTIES, decks=1)
    assert first.is_consistent
    assert second.contradictions == {Contradiction.SHOE}
    opened = ShoeOpened(t=20.5, decks=1)
    assert all(one.is_consistent for one in check_rounds([*rounds[0], opened, *rounds[1]], DUTIES, decks=1))
    assert all(one.is_consistent for one in check_rounds([*rounds[0], *rounds[1]], DUTIES, decks=None))


def test_turns_are_the_share_of_misreadings_that_would_show() -> None:
    """Every card of a round, each other value in turn, against the printed table of play worked out here."""
    one = checked(played_round("2H 3C 9D", "KS 4D", said=(4, 4, "tie")))
    assert one.is_consistent
    values = {"player": [2, 3, 9], "banker": [0, 4]}
    expected = []
    for side, number in (("player", 0), ("banker", 0), ("player", 1), ("banker", 1), ("player", 2)):
        shows = 0
        for value in range(10):
            hands = {name: list(hand) for name, hand in values.items()}
            if hands[side][number] == value:
                continue
            hands[side][number] = value
            shows += not _agrees(hands["player"], hands["banker"])
        expected.append(shows / 9)
    assert one.turns == pytest.approx(expected)


def _agrees(player: list[int], banker: list[int]) -> bool:
    """Whether these hands of three and two cards are drawn by the table of play, and both count 4."""
    two, other = sum(player[:2]) % 10, sum(banker) % 10
    banker_draws = {3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: set(range(2, 8)), 5: set(range(4, 8)), 6: {6, 7}}
    lawful = two <= 5 and other < 8 and other > 2 and player[2] not in banker_draws.get(other, set())
    return lawful and sum(player) % 10 == 4 and other == 4


def test_round_that_contradicts_counts_the_misreadings_that_would_mend_it() -> None:
    one = checked(played_round("7H 10C", "2S 3D KH", said=(6, 5, "player")))
    assert one.contradictions == {Contradiction.RESULT}
    assert one.turns[0] == pytest.approx(1 / 9)


def test_surest_finding_about_cards_speaks_for_the_dealer() -> None:
    findings = (
        Incident(code="misdeal.third_card_not_due", t=9.0, confidence=0.97),
        Incident(code="late_bet.placed", t=9.0, confidence=0.999),
        Incident(code="misdeal.order", t=99.0, confidence=0.999),
    )
    assert checked(played_round("7H 10C 2D", "2S 3D KH"), findings=findings).dealer == 0.97


def test_every_situation_of_the_table_is_judged() -> None:
    for first, second in product(range(2, 10), repeat=2):
        assert check_rounds(played_round(f"{first}H KC", f"{second}S QD"), DUTIES, decks=8)[0].is_judged
