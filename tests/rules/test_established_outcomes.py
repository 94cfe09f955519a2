"""Which bets the cards decide before the round is over, and what that means where the dealer erred (`sg-rws` 5.4.1)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, rules_of
from thirdcard.rules.game.words import Bet, Side

SIDES = ("player", "banker") * 2


def read(text: str, *, style: str = "B") -> TableLog:
    """Four cards that lie face down and that the shoe has read."""
    log = TableLog(rules_of("sg-rws", dealing_style=style)).open()
    player, banker = ([*hand.split()[1:]] for hand in text.split("|"))
    for i, card in enumerate((player[0], banker[0], player[1], banker[1])):
        down(log, i + 1, SIDES[i], card)
    return log


def down(log: TableLog, number: int, hand: str, card: str | None) -> TableLog:
    return log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=False)


def shown(log: TableLog, *numbers: int) -> TableLog:
    for number in numbers:
        log.add("card_turned", card_id=f"c{number}", card=None, face_up=True, by="dealer")
    return log


def remedies(log: TableLog, code: str) -> list[tuple[str, str | None, str]]:
    told = [alert for alert in alerts_of(log) if alert.code == code]
    return [(alert.remedy.action, alert.remedy.rule, alert.remedy.text.rpartition("; ")[2]) for alert in told]


STANDS, PLAYER_DRAWS = "P KH 7C | B 3D 4H", "P KH 3C | B 3D KS"
OPTIONS, STAND = "player_options", "stand"


@pytest.mark.parametrize(
    ("turned", "action"),
    [
        pytest.param((), OPTIONS, id="nothing-open"),
        pytest.param((1, 2), OPTIONS, id="a-card-of-each"),
        pytest.param((1, 3), STAND, id="the-player-s-pair-decided"),
        pytest.param((2, 4), STAND, id="the-banker-s-pair-decided"),
        pytest.param((1, 2, 3, 4), STAND, id="both-pairs-decided"),
    ],
)
def test_rule_sg_5_9_third_card_face_up_gives_options_until_a_bet_is_decided(
    turned: tuple[int, ...], action: str
) -> None:
    log = shown(read(PLAYER_DRAWS), *turned)
    log.add("card_dealt", card_id="c5", hand="player", card="4S", face_up=True)
    assert [one[:2] for one in remedies(log, "exposed_card.face_up_deal")] == [(action, "5.9")]


def test_rule_sg_5_4_1_first_cards_face_up_give_options_until_one_hand_is_open() -> None:
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open()
    for side, card in zip(SIDES, ("KH", "3D", "3C", "KS"), strict=True):
        log.deal(side, card, face_up=True)
    told = [action for action, _, _ in remedies(log, "exposed_card.face_up_deal")]
    assert told == [OPTIONS, OPTIONS, STAND, STAND]


@pytest.mark.parametrize(
    ("turned", "remedy"),
    [
        pytest.param((), (OPTIONS, "5.7.1"), id="nothing-open"),
        pytest.param((1, 3), ("first_card_of_next_round", "5.7"), id="a-pair-decided"),
    ],
)
def test_rule_sg_5_7_1_excess_card_shown_gives_options_until_a_bet_is_decided(
    turned: tuple[int, ...], remedy: tuple[str, str]
) -> None:
    log = shown(read(STANDS), *turned)
    log.add("card_dealt", card_id="c5", hand="banker", card="4S", face_up=True)
    assert [one[:2] for one in remedies(log, "exposed_card.excess")] == [remedy]


@pytest.mark.parametrize(
    ("turned", "text"), [((), "players may take their bets back."), ((2, 4), "so that bets stay.")]
)
def test_rule_sg_5_8_banker_served_first_gives_options_until_a_bet_is_decided(
    turned: tuple[int, ...], text: str
) -> None:
    log = down(shown(read(PLAYER_DRAWS), *turned), 5, "banker", "4S")
    ((action, rule, said),) = remedies(log, "misdeal.third_card_missing")
    assert (action, rule) == ("reconstruct", "5.8") and said.endswith(text)


@pytest.mark.parametrize(("dealt", "text"), [(2, "players may take their bets back."), (4, "so that bets stay.")])
def test_rule_sg_5_8_1_card_gone_astray_gives_options_until_a_bet_is_decided(dealt: int, text: str) -> None:
    log = TableLog(rules_of("sg-rws")).open()
    for i, card in enumerate(("KH", "3D", "3C", "KS")[:dealt]):
        log.deal("player" if i == dealt - 1 else SIDES[i], card)
    ((_, _, said),) = remedies(log, "misdeal.order")
    assert said.endswith(text)


FIRST_CARD_BETS: dict[str, dict[str, Any]] = {
    "sg-rws": {}, "tas": {"perfect_pair": True}, "nz-secretary": {"any_pair": "one"},
}  # fmt: skip


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_bets_on_pairs_are_decided_by_a_hand_s_first_cards(rulebook_id: str) -> None:
    rules = rules_of(rulebook_id, **FIRST_CARD_BETS[rulebook_id])
    assert rules.first_card_bets == {
        Bet.PLAYER_PAIR: frozenset({Side.PLAYER}), Bet.BANKER_PAIR: frozenset({Side.BANKER}),
    }  # fmt: skip


@pytest.mark.parametrize("rulebook_id", [one for one in RULEBOOKS if one != "sg-rws"])
def test_bets_that_are_not_offered_are_not_decided(rulebook_id: str) -> None:
    options = {"lucky_match": "one", "dragon_bonus": "one"} if rulebook_id == "nz-secretary" else {}
    assert rules_of(rulebook_id, **options).first_card_bets == {}
