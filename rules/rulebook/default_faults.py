"""The rule that a fault breaks, and its remedy, where a rulebook's file does not give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from thirdcard.rules.game.words import Remedy
from thirdcard.rules.rulebook.file_keys import REQUIRED_FAULTS
from thirdcard.rules.rulebook.model import FaultCase, Rulebook

LIMIT_FAULTS: Mapping[str, str] = {
    "minimum": "limit.below_minimum",
    "maximum": "limit.above_maximum",
    "differential": "limit.differential",
}
"""The fault for each limit of the notice."""

_SILENT = Remedy("supervisor", None, "The rulebook orders nothing for this.")
_SOURCES = {
    "misdeal.third_card_not_due": "table of play",
    "misdeal.third_card_missing": "table of play",
    "late_bet.placed": "closing",
    "late_bet.increased": "closing",
    "late_bet.reduced": "closing",
    "late_bet.removed": "closing",
    "late_bet.moved": "closing",
    "payout.wrong_amount": "pay table",
}
"""By code: the entry whose rule the fault breaks."""


def with_default_faults(book: Rulebook) -> Rulebook:
    """The rulebook with a default case for each fault that is always checked, or that breaks one of its orders."""
    ordered = _ordered(book)
    missing = [code for code in (*REQUIRED_FAULTS, *ordered) if code not in book.faults]
    defaults = {
        code: (
            FaultCase(
                when=frozenset(),
                rule=ordered.get(code),
                rule_source=_SOURCES.get(code),
                remedy=_SILENT,
            ),
        )
        for code in missing
    }
    return replace(book, faults={**book.faults, **defaults}) if defaults else book


def _ordered(book: Rulebook) -> dict[str, str | None]:
    """The faults against the rulebook's orders, each with the section that orders it."""
    ordered = {LIMIT_FAULTS[kind]: book.limits.rule for kind in sorted(book.limits.kinds) if kind in LIMIT_FAULTS}
    burn = next((case for case in book.burn if case.count != "none"), None)
    if burn is not None:
        ordered["procedure.burn"] = burn.rule
    if book.call_rule is not None:
        ordered["procedure.no_call"] = book.call_rule
    if book.last_round.after_cut_card != "silent":
        ordered["misdeal.after_last_round"] = book.last_round.rule
    if book.last_round.cut_depth is not None:
        ordered["procedure.cut_depth"] = book.last_round.cut_depth.rule
    if book.last_round.is_announced:
        ordered["procedure.last_hand_unannounced"] = book.last_round.rule
    if book.first_card_face_up_is_found:
        ordered["exposed_card.first_card"] = None
    return ordered
