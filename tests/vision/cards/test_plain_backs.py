"""Plain backs, which the detector takes for cutting cards as often as for backs."""

from __future__ import annotations

from dataclasses import replace

from tests.vision.card_table import Table, kinds, sight
from thirdcard.vision.observations import CardRested


def table_with_a_back(*, is_like_cut_card: bool) -> Table:
    """A back was reported; further looks at it show a back or a cutting card."""
    table = Table()
    table.look(sight(60, face_up=False), looks=8)
    table.look(replace(sight(60, face_up=False), is_like_cut_card=is_like_cut_card), looks=8)
    return table


def test_what_looks_like_a_cutting_card_among_cards_is_a_back_once_backs_looked_so() -> None:
    table = table_with_a_back(is_like_cut_card=True)
    assert table.watch.plain_backs.are_plain
    like_cut = replace(sight(60, face_up=False), is_like_cut_card=True)
    table.look(like_cut, replace(sight(150, face_up=False), is_like_cut_card=True), looks=12)
    assert kinds(table.told) == [CardRested, CardRested]


def test_cutting_card_among_cards_is_none_where_backs_look_otherwise() -> None:
    table = table_with_a_back(is_like_cut_card=False)
    assert not table.watch.plain_backs.are_plain
    table.look(sight(60, face_up=False), replace(sight(150, face_up=False), is_like_cut_card=True), looks=12)
    assert kinds(table.told) == [CardRested]
