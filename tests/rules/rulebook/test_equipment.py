"""Decks, devices, seats and antes that a text forbids are refused with its section; what it allows is not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from tests.rules.builders import NZ, rules_of
from thirdcard.rules.errors import EquipmentError
from thirdcard.rules.rulebook.equipment import check_fees, check_seats, check_shoe

SHOE, CONTINUOUS, BATCH = "shoe", "continuous_shuffler", "non_continuous_shuffler"
VERSIONS = [("mini", 7), ("midi", 9), ("full", 14)]


def refused(key: str, allowed: str, check: Any, *given: Any, **more: Any) -> None:
    with pytest.raises(EquipmentError) as caught:
        check(*given, **more)
    assert caught.value.key == key
    assert allowed in str(caught.value)


def decks_fit(rulebook_id: str, fitting: Collection[int], rule: str, **options: Any) -> None:
    """Just these counts of decks are taken; others are refused by the rule."""
    rules = rules_of(rulebook_id, **options)
    for decks in range(1, 17):
        if decks in fitting:
            check_shoe(rules, decks=decks, device=SHOE)
        else:
            refused("shoe.decks", f"({rulebook_id} {rule})", check_shoe, rules, decks=decks, device=SHOE)


def devices_fit(rulebook_id: str, fitting: Collection[str], rule: str | None = None, **options: Any) -> None:
    """Just these devices are taken; others are refused by the rule."""
    rules = rules_of(rulebook_id, **options)
    for device in (SHOE, CONTINUOUS, BATCH):
        if device in fitting:
            check_shoe(rules, decks=8, device=device)
        else:
            refused("shoe.device", f"({rulebook_id} {rule})", check_shoe, rules, decks=8, device=device)


def seats_fit(rulebook_id: str, most: int, rule: str, **options: Any) -> None:
    """So many seats are taken; one more is refused by the rule."""
    rules = rules_of(rulebook_id, **options)
    check_seats(rules, range(1, most + 1))
    refused("layout", f"layout = {most + 1} seats; must be at most {most}", check_seats, rules, range(1, most + 2))
    refused("layout", f"({rulebook_id} {rule})", check_seats, rules, range(1, most + 2))


@pytest.mark.parametrize("rulebook_id", NZ)
def test_rule_nz_3_4_a_decks_and_shufflers(rulebook_id: str) -> None:
    decks_fit(rulebook_id, range(4, 9), "3.4(a)")
    devices_fit(rulebook_id, (SHOE, CONTINUOUS, BATCH), dealing_style="A")
    devices_fit(rulebook_id, (SHOE, BATCH), "3.4(a)", dealing_style="B")
    devices_fit(rulebook_id, (SHOE, CONTINUOUS, BATCH), dealing_style="C")


@pytest.mark.parametrize("rulebook_id", NZ)
@pytest.mark.parametrize(("version", "most"), VERSIONS)
def test_rule_nz_3_1_seats_are_those_of_the_version(rulebook_id: str, version: str, most: int) -> None:
    seats_fit(rulebook_id, most, "3.1", version=version)


@pytest.mark.parametrize(("version", "most"), VERSIONS)
def test_rule_nz_2_2_the_version_bounds_the_seats(version: str, most: int) -> None:
    for rulebook_id in NZ:
        check_seats(rules_of(rulebook_id, version=version), range(1, most + 1))
        refused("layout", "seats", check_seats, rules_of(rulebook_id, version=version), range(1, most + 2))


def test_rule_sg_2_1_1_seats_are_those_of_the_appendices() -> None:
    seats_fit("sg-rws", 9, "2.1.1")


def test_rule_sg_2_2_1_four_to_eight_decks() -> None:
    decks_fit("sg-rws", range(4, 9), "2.2.1")


@pytest.mark.parametrize("style", ["A", "B"])
def test_rule_sg_1_6_cards_may_be_dealt_from_a_shuffler(style: str) -> None:
    devices_fit("sg-rws", (SHOE, CONTINUOUS, BATCH), dealing_style=style)


def test_rule_nsw_2_1_fourteen_seats() -> None:
    seats_fit("nsw", 14, "2.1")


def test_rule_nsw_3_1_six_or_eight_decks() -> None:
    decks_fit("nsw", (6, 8), "3.1")


def test_rule_nsw_2_3_1_all_cards_are_dealt_from_a_shoe() -> None:
    devices_fit("nsw", (SHOE, BATCH), "2.3.1")


def test_rule_nsw_3_6_all_cards_are_dealt_from_a_shoe() -> None:
    devices_fit("nsw", (SHOE, BATCH), "2.3.1", even_money=True)


def test_rule_tas_1_nine_seats() -> None:
    seats_fit("tas", 9, "1")


def test_rule_tas_4_1_four_to_eight_decks_and_six_with_pairs() -> None:
    decks_fit("tas", range(4, 9), "4.1")
    decks_fit("tas", range(6, 9), "4.1", perfect_pair=True)
    pairs = rules_of("tas", perfect_pair=True)
    refused("shoe.decks", "at least 6 where perfect_pair = true", check_shoe, pairs, decks=5, device=SHOE)


@pytest.mark.parametrize("competition", ["none", "competition", "live"])
def test_rule_tas_4_5_all_cards_are_dealt_from_a_shoe(competition: str) -> None:
    devices_fit("tas", (SHOE, BATCH), "4.5", competition=competition)


def test_rule_tas_5_2_a_machine_may_shuffle() -> None:
    devices_fit("tas", (SHOE, BATCH), "4.5")


@pytest.mark.parametrize(("ante", "minimum"), [(12, 100), (13, 104), (25, 200), (0, 0), (500, None)])
def test_rule_nz_secretary_1_0_ante_up_to_an_eighth_of_the_minimum_is_taken(ante: int, minimum: int | None) -> None:
    check_fees(rules_of("nz-secretary", ante=ante), minimum)


@pytest.mark.parametrize(("ante", "minimum", "most"), [(13, 100, 12), (26, 200, 25), (50, 100, 12), (1, 0, 0)])
def test_rule_nz_secretary_1_0_larger_ante_is_refused(ante: int, minimum: int, most: int) -> None:
    rules = rules_of("nz-secretary", ante=ante)
    refused("options.ante", f"at most {most} where the minimum is {minimum}", check_fees, rules, minimum)
    refused("options.ante", "(nz-secretary 1.0)", check_fees, rules, minimum)
