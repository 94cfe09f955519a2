"""Compare a table's shoe, seats and fees with what its rulebook allows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import floor

from thirdcard.rules.errors import EquipmentError
from thirdcard.rules.game.words import Device
from thirdcard.rules.rulebook.cases import choose
from thirdcard.rules.rulebook.options import Rules


def check_shoe(rules: Rules, *, decks: int, device: str) -> None:
    """Check the shoe's number of decks and the device that cards are dealt from.

    Raises:
        EquipmentError: The rulebook does not allow them; `key` is `shoe.decks` or `shoe.device`.
    """
    for fault in shoe_faults(rules, decks=decks, device=device):
        raise fault


def shoe_faults(rules: Rules, *, decks: int, device: str) -> Iterator[EquipmentError]:
    """What the rulebook does not allow: first the number of decks, then the device."""
    equipment, book = rules.rulebook.equipment, rules.rulebook.id
    least = next((one for one in equipment.least_decks if one.when <= rules.facts and decks < one.decks), None)
    if decks not in equipment.decks:
        allowed = ", ".join(map(str, sorted(equipment.decks)))
        yield EquipmentError("shoe.decks", decks, f"must be one of {allowed} {_cited(book, equipment.decks_rule)}")
    elif least is not None:
        where = f"must be at least {least.decks} where {_elected(least.when)}"
        yield EquipmentError("shoe.decks", decks, f"{where} {_cited(book, least.rule)}")
    case = choose(equipment.devices, rules.facts)
    if case is not None and device not in case.allowed:
        where = f" where {_elected(case.when)}" if case.when else ""
        allowed = ", ".join(one for one in Device if one in case.allowed)
        yield EquipmentError("shoe.device", device, f"must be one of {allowed}{where} {_cited(book, case.rule)}")


def check_seats(rules: Rules, seats: Collection[int]) -> None:
    """Check the layout's number of seats.

    Raises:
        EquipmentError: There are more than the rulebook allows; `key` is `layout`.
    """
    case = choose(rules.rulebook.equipment.seats, rules.facts)
    if case is not None and len(set(seats)) > case.most:
        where = f" where {_elected(case.when)}" if case.when else ""
        count = f"{len(set(seats))} seats"
        raise EquipmentError(
            "layout", count, f"must be at most {case.most}{where} {_cited(rules.rulebook.id, case.rule)}"
        )


def check_fees(rules: Rules, minimum: int | None) -> None:
    """Check that each fee is at most the share of the table's minimum that the rulebook allows.

    Args:
        rules: The rulebook and the house's options.
        minimum: The table's minimum in minor units; None checks nothing.

    Raises:
        EquipmentError: A fee is too large; `key` is `options.` and the option that holds the amount.
    """
    for fault in fee_faults(rules, minimum):
        raise fault


def fee_faults(rules: Rules, minimum: int | None) -> Iterator[EquipmentError]:
    """The fees that are larger than the rulebook allows at a table with that minimum."""
    for fee in rules.fees:
        amount = int(rules.options[fee.amount_option] or 0)
        if minimum is not None and fee.most is not None and amount > fee.most * minimum:
            allowed = f"must be at most {floor(fee.most * minimum)} where the minimum is {minimum}"
            cited = _cited(rules.rulebook.id, fee.most_rule)
            yield EquipmentError(f"options.{fee.amount_option}", amount, f"{allowed} {cited}")


def _elected(when: frozenset[str]) -> str:
    return ", ".join(sorted(fact.replace("=", " = ") for fact in when))


def _cited(book: str, rule: str | None) -> str:
    return f"({book} {rule or 'is silent'})"
