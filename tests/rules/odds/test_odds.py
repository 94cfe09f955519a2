"""Returns of the bets: published figures, and what follows from simpler counts."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, rules_of
from thirdcard.rules.game.cards import PACK
from thirdcard.rules.game.hand import is_triple_match, pair_kind, point_count
from thirdcard.rules.game.third_card import POINTS
from thirdcard.rules.game.words import GAME_BETS, Bet, Outcome
from thirdcard.rules.odds.enumeration import DealClass, count_deals
from thirdcard.rules.odds.odds import NOT_LISTED, facts_of_deal, reckon_odds, return_of_insurance
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.model import InsuranceRow, WindowStart
from thirdcard.rules.wagers.hand_ends import end_of, facts_of

# Published house edges in per cent, as printed; see docs/odds.md for where each stands.
PUBLISHED = [
    pytest.param(8, "tas", {}, Bet.BANKER, "1.0579", id="8-banker"),
    pytest.param(8, "tas", {}, Bet.PLAYER, "1.2351", id="8-player"),
    pytest.param(8, "tas", {}, Bet.TIE, "14.3596", id="8-tie"),
    pytest.param(8, "nz-authority", {"banker_pay": "six_half"}, Bet.BANKER, "1.4581", id="8-half-on-6-nz-authority"),
    pytest.param(8, "tas", {"federal": True}, Bet.BANKER, "1.4581", id="8-half-on-6-tas"),
    pytest.param(8, "nsw", {"even_money": True}, Bet.BANKER, "1.4581", id="8-half-on-6-nsw"),
    pytest.param(8, "sg-rws", {}, Bet.BANKER, "1.4581", id="8-half-on-6-sg"),
    pytest.param(8, "sg-rws", {}, Bet.PLAYER_PAIR, "10.361", id="8-pair"),
    pytest.param(8, "nz-secretary", {"any_pair": "one"}, Bet.BANKER_PAIR, "10.361", id="8-any-pair"),
    pytest.param(8, "nz-secretary", {"dragon_bonus": "one"}, Bet.DRAGON_PLAYER, "2.65", id="8-dragon-player"),
    pytest.param(8, "nz-secretary", {"dragon_bonus": "one"}, Bet.DRAGON_BANKER, "9.37", id="8-dragon-banker"),
    pytest.param(6, "tas", {}, Bet.BANKER, "1.0558", id="6-banker"),
    pytest.param(6, "tas", {}, Bet.PLAYER, "1.2374", id="6-player"),
    pytest.param(6, "tas", {}, Bet.TIE, "14.4382", id="6-tie"),
    pytest.param(6, "nz-secretary", {"dragon_bonus": "one"}, Bet.DRAGON_PLAYER, "2.67", id="6-dragon-player"),
    pytest.param(6, "nz-secretary", {"dragon_bonus": "one"}, Bet.DRAGON_BANKER, "9.39", id="6-dragon-banker"),
]


@pytest.mark.parametrize(("decks", "rulebook_id", "options", "bet", "percent"), PUBLISHED)
def test_edge_is_the_published_one(
    decks: int, rulebook_id: str, options: dict[str, Any], bet: Bet, percent: str
) -> None:
    edge = -100 * reckon_odds(rules_of(rulebook_id, **options), decks).returns[bet]
    places = len(percent.partition(".")[2])
    assert f"{float(edge):.{places}f}" == percent


def test_8_decks_edges_are_exact_fractions() -> None:
    odds = reckon_odds(rules_of("tas"), 8)
    total = sum(odds.outcomes.values())
    banker, player, tie = (odds.outcomes[one] for one in (Outcome.BANKER, Outcome.PLAYER, Outcome.TIE))
    assert odds.returns[Bet.PLAYER] == Fraction(player - banker, total)
    assert odds.returns[Bet.BANKER] == Fraction(19 * banker - 20 * player, 20 * total)
    assert odds.returns[Bet.TIE] == Fraction(8 * tie - banker - player, total)


@pytest.mark.parametrize("decks", range(1, 9))
def test_pairs_at_11_to_1_follow_from_the_cards_left_of_a_rank(decks: int) -> None:
    odds = reckon_odds(rules_of("sg-rws"), decks)
    expected = 12 * Fraction(4 * decks - 1, 52 * decks - 1) - 1
    assert odds.returns[Bet.PLAYER_PAIR] == odds.returns[Bet.BANKER_PAIR] == expected


@pytest.mark.parametrize(("scale", "pays"), [("one", (5, 10, 30)), ("two", (6, 12, 25)), ("three", (5, 12, 25))])
def test_rule_11a_7_perfect_pairs_follow_from_the_cards_left_of_a_rank(scale: str, pays: tuple[int, int, int]) -> None:
    odds = reckon_odds(rules_of("nz-secretary", perfect_pair=scale), 8)
    mixed, coloured, perfect = (pay + 1 for pay in pays)
    assert odds.returns[Bet.PLAYER_PAIR] == Fraction(16 * mixed + 8 * coloured + 7 * perfect, 415) - 1


def test_rule_13_3_two_to_one_costs_ties_and_gives_three_card_naturals() -> None:
    returns = reckon_odds(rules_of("nz-secretary", two_to_one=True), 8).returns
    half = reckon_odds(rules_of("nz-secretary", two_to_one=True, banker_pay="six_half"), 8).returns
    plain = reckon_odds(rules_of("nz-secretary"), 8)
    assert half[Bet.PLAYER] == returns[Bet.PLAYER] < plain.returns[Bet.PLAYER]
    assert half[Bet.BANKER] < returns[Bet.BANKER] < 0


def test_rule_13_4_follows_from_published_counts_of_banker_wins() -> None:
    """Wins on 8 and 9, the naturals among them, on 6. They pay evens, half on 6, double on three-card 8 and 9."""
    on_8_and_9, natural, on_6 = 529_914_458_673_152 + 586_850_279_002_112, 812_685_054_124_032, 269_232_304_455_680
    odds = reckon_odds(rules_of("nz-secretary", two_to_one=True, banker_pay="six_half"), 8)
    banker, total = odds.outcomes[Outcome.BANKER], sum(odds.outcomes.values())
    won = banker + (on_8_and_9 - natural) - on_6 // 2
    assert odds.returns[Bet.BANKER] == Fraction(won - (total - banker), total)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_offered_bet_has_a_return_below_nothing_and_above_ruin(rulebook_id: str) -> None:
    rules = rules_of(rulebook_id)
    odds = reckon_odds(rules, 6)
    assert set(odds.returns) == {bet for bet in GAME_BETS if rules.offers(bet)} - NOT_LISTED
    assert all(-1 < value < 0 for value in odds.returns.values())


def test_the_ante_is_no_bet_with_odds() -> None:
    assert Bet.ANTE not in reckon_odds(rules_of("nz-secretary", ante=5), 1).returns


def test_a_counted_deal_states_what_the_settled_hands_state() -> None:
    """The page of odds and the settlement of a round speak of the same facts."""
    draw, table = random.Random(7), rules_of("tas").rulebook.table
    counted = count_deals(8, table)
    for _ in range(400):
        six = draw.sample(PACK * 2, 6) if draw.random() < 0.5 else draw.choices(PACK[:20:7], k=6)
        player, banker, rest = [six[0], six[2]], [six[1], six[3]], six[4:]
        points = point_count(player), point_count(banker)
        if table.player(*points).draws:
            player.append(rest.pop(0))
        if table.banker(*points, player[2].point_value if len(player) == 3 else None).draws:
            banker.append(rest.pop(0))
        thirds = [hand[2].point_value if len(hand) == 3 else None for hand in (player, banker)]
        kinds = (pair_kind(player[0], player[1]), pair_kind(banker[0], banker[1]))
        deal = DealClass(*points, thirds[0], thirds[1], *kinds, is_triple_match(player), is_triple_match(banker))
        assert counted[deal] > 0
        assert facts_of_deal(deal) == facts_of(end_of(player), end_of(banker))


SG = load_rulebook("sg-rws")


def row_of(bet: str, after: str, player: int, banker: int) -> InsuranceRow:
    assert SG.insurance is not None
    (row,) = [
        row
        for row in SG.insurance.rows
        if (row.bet, row.after) == (Bet(bet), WindowStart(after)) and player in row.player and banker in row.banker
    ]
    return row


# Eight decks; expected values as Wizard of Odds prints them for the same table at Marina Bay Sands.
PUBLISHED = [
    pytest.param("insurance_banker", 0, 5, 0.001185, id="banker-5-player-0"),
    pytest.param("insurance_banker", 3, 5, -0.085786, id="banker-5-player-3"),
    pytest.param("insurance_banker", 0, 6, 0.024389, id="banker-6-player-0"),
    pytest.param("insurance_banker", 5, 6, 0.084397, id="banker-6-player-5"),
    pytest.param("insurance_banker", 4, 7, -0.156882, id="banker-7-player-4"),
    pytest.param("insurance_player", 5, 4, -0.018352, id="player-5-banker-4"),
]


@pytest.mark.parametrize(("bet", "player", "banker", "value"), PUBLISHED)
def test_rule_4_1_2_after_four_cards_is_as_published(bet: str, player: int, banker: int, value: float) -> None:
    row = row_of(bet, "four_cards", player, banker)
    assert float(return_of_insurance(row, player, banker, SG, 8)) == pytest.approx(value, abs=5e-7)


def test_rule_4_1_2_player_stands_and_banker_draws_follows_from_the_banker_s_one_card() -> None:
    """Player 7 of two cards, Banker 5: a 3 or 4 beats it, a 2 ties; counted over every way to hold 7 and 5."""
    decks, won, total = 2, Fraction(0), 0
    sizes = [(16 if points == 0 else 4) * decks for points in POINTS]
    for a, b, c, d in ((a, b, (7 - a) % 10, (5 - b) % 10) for a in POINTS for b in POINTS):
        left, ways = list(sizes), 1
        for points in (a, b, c, d):
            ways *= left[points]
            left[points] -= 1
        total += ways * sum(left)
        won += ways * (4 * (left[3] + left[4]) - (sum(left) - left[2] - left[3] - left[4]))
    assert return_of_insurance(row_of("insurance_player", "four_cards", 7, 5), 7, 5, SG, decks) == won / total


def test_rule_4_1_2_insured_9_wins_on_a_tie_alone() -> None:
    row = row_of("insurance_player", "player_third", 9, 0)
    value = return_of_insurance(row, 9, 0, SG, 8)
    ties = (value + 1) / 9
    assert Fraction(7, 100) < ties < Fraction(8, 100)
