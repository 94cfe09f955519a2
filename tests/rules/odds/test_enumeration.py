"""All ordered deals of six cards fall out exactly as published, and as ways that count differently have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import pytest

from thirdcard.rules.game.cards import CARDS_PER_DECK, PACK
from thirdcard.rules.game.hand import pair_kind
from thirdcard.rules.game.third_card import POINTS
from thirdcard.rules.game.words import Outcome
from thirdcard.rules.odds.enumeration import DealClass, count_deals, count_outcomes
from thirdcard.rules.odds.first_cards import Faces, falling, ways_of_first_cards
from thirdcard.rules.rulebook.load import load_rulebook

# The usual table, eight decks; derived two ways and published by Wizard of Odds among others.
EIGHT_DECKS = {
    Outcome.BANKER: 2_292_252_566_437_888,
    Outcome.PLAYER: 2_230_518_282_592_256,
    Outcome.TIE: 475_627_426_473_216,
}
TABLE = load_rulebook("tas").table


@cache
def deals_of(decks: int) -> Mapping[DealClass, int]:
    return count_deals(decks, TABLE)


def chance(decks: int, holds: str, value: object) -> Fraction:
    counts = deals_of(decks)
    return Fraction(sum(n for deal, n in counts.items() if getattr(deal, holds) == value), sum(counts.values()))


def test_eight_decks_every_outcome_is_counted_exactly() -> None:
    counts = Counter[Outcome]()
    breakdown = Counter[tuple[int, int]]()
    for deal, ways in deals_of(8).items():
        counts[deal.winner] += ways
        breakdown[deal.player_points, deal.banker_points] += ways
    assert dict(counts) == EIGHT_DECKS, breakdown
    assert sum(counts.values()) == 416 * 415 * 414 * 413 * 412 * 411


@pytest.mark.parametrize("decks", [1, 2, 3, 8])
def test_every_deal_is_counted_once(decks: int) -> None:
    assert sum(deals_of(decks).values()) == falling(decks * CARDS_PER_DECK, 6)
    assert min(deals_of(decks).values()) > 0


def test_outcomes_are_those_of_the_classes() -> None:
    outcomes = Counter[Outcome]()
    for deal, ways in deals_of(1).items():
        outcomes[deal.winner] += ways
    assert count_outcomes(1, TABLE) == outcomes


@pytest.mark.parametrize("decks", [1, 2, 6, 8])
@pytest.mark.parametrize("hand", ["player_pair", "banker_pair"])
def test_pairs_come_as_the_cards_left_of_a_rank_say(decks: int, hand: str) -> None:
    left = CARDS_PER_DECK * decks - 1
    assert chance(decks, hand, "perfect") == Fraction(decks - 1, left)
    assert chance(decks, hand, "coloured") == Fraction(decks, left)
    assert chance(decks, hand, "mixed") == Fraction(2 * decks, left)


def test_one_deck_four_fours_fall_as_their_permutations() -> None:
    counts: Counter[Faces] = Counter()
    for one, two, three, four in permutations([card for card in PACK if card.rank == "4"]):
        counts[Faces(pair_kind(one, two), pair_kind(three, four), 0, 0)] += 1
    assert ways_of_first_cards((4, 4), (4, 4), 1) == counts


@pytest.mark.parametrize("points", [0, 4])
def test_two_decks_four_cards_of_equal_points_fall_as_every_ordered_draw_says(points: int) -> None:
    shoe = [card for card in PACK if card.point_value == points][: 4 if points else 16]
    counts: Counter[Faces] = Counter()
    for draw in product(shoe, repeat=4):
        ways = 1
        for copies in Counter(draw).values():
            ways *= falling(2, copies)
        player, banker = draw[:2], draw[2:]
        kinds = (pair_kind(*player), pair_kind(*banker))
        like = banker.count(player[0]) if kinds[0] == "perfect" else 0
        liked = player.count(banker[0]) if kinds[1] == "perfect" else 0
        counts[Faces(*kinds, like, liked)] += ways
    assert ways_of_first_cards((points, points), (points, points), 2) == {one: n for one, n in counts.items() if n}


def triple_of_player(decks: int) -> Fraction:
    """Three cards of one face to the Player, where the Banker's two that come from the rest are no natural."""
    total = Fraction(0)
    for points, ranks in ((v, 4 if v == 0 else 1) for v in POINTS if 2 * v % 10 in TABLE.player_draws):
        left = {v: (16 if v == 0 else 4) * decks - 3 * (v == points) for v in POINTS}
        pairs = falling(sum(left.values()), 2)
        naturals = sum(left[a] * (left[b] - (a == b)) for a, b in product(POINTS, repeat=2) if (a + b) % 10 in (8, 9))
        total += 4 * ranks * falling(decks, 3) * Fraction(pairs - naturals, pairs)
    return total / falling(CARDS_PER_DECK * decks, 3)


def triple_of_banker(decks: int) -> Fraction:
    """Three cards of one face to the Banker, where the Player's cards from the rest let the Banker draw."""
    total = Fraction(0)
    for points, ranks in ((v, 4 if v == 0 else 1) for v in POINTS if 2 * v % 10 < 8):
        left = {v: (16 if v == 0 else 4) * decks - 3 * (v == points) for v in POINTS}
        drawn, all_ways = 0, falling(sum(left.values()), 3)
        for a, b, c in product(POINTS, repeat=3):
            ways = left[a] * (left[b] - (b == a)) * (left[c] - (c == a) - (c == b))
            draws = TABLE.player((a + b) % 10, 2 * points % 10).draws
            drawn += ways * TABLE.banker((a + b) % 10, 2 * points % 10, c if draws else None).draws
        total += 4 * ranks * falling(decks, 3) * Fraction(drawn, all_ways)
    return total / falling(CARDS_PER_DECK * decks, 3)


@pytest.mark.parametrize("decks", [1, 2, 3, 4, 8])
def test_triples_come_as_counted_face_by_face(decks: int) -> None:
    assert chance(decks, "player_triple", True) == triple_of_player(decks)
    assert chance(decks, "banker_triple", True) == triple_of_banker(decks)


def test_points_alone_give_the_same_classes_as_draws_by_value() -> None:
    decks, found = 2, Counter[tuple[int, int, int | None, int | None]]()
    for a, b, c, d in product(POINTS, repeat=4):
        left, ways = [(16 if v == 0 else 4) * decks for v in POINTS], 1
        for value in (a, b, c, d):
            ways *= left[value]
            left[value] -= 1
        player, banker, rest = (a + c) % 10, (b + d) % 10, sum(left) - 1
        for third in POINTS if TABLE.player(player, banker).draws else (None,):
            draws = TABLE.banker(player, banker, third).draws
            for last in POINTS if draws else (None,):
                shown = [value for value in (third, last) if value is not None]
                share = (left[shown[0]] if shown else rest + 1) * (
                    left[shown[1]] - (third == last) if shown[1:] else rest
                )
                found[player, banker, third, last] += ways * share
    counted = Counter[tuple[int, int, int | None, int | None]]()
    for deal, ways in deals_of(decks).items():
        counted[deal[0], deal[1], deal[2], deal[3]] += ways
    assert counted == found
