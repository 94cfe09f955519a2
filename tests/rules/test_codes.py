"""Every code of the alerts in every rulebook: a fault and a near miss, or the reason why it cannot occur there."""

from __future__ import annotations

import pytest

from tests.rules.builders import RULEBOOKS
from tests.rules.test_scenarios import SCENARIOS
from thirdcard.rules.rulebook.file_keys import OTHER_FAULTS, REQUIRED_FAULTS
from thirdcard.rules.rulebook.load import load_rulebook

CODES = {
    "misdeal": "order third_card_not_due third_card_missing extra_card short_hand simultaneous foreign_card "
    "wrong_result after_last_round shoe_exhausted",
    "late_bet": "placed increased reduced removed moved",
    "exposed_card": "first_card face_up_deal excess",
    "procedure": "no_call void_hand_wagered burn both_hands_out wrong_handler card_off_table "
    "sequence burn_shown cut_depth last_hand_unannounced card_replaced face_down_deal early_third_card",
    "payout": "loser_paid winner_unpaid wrong_amount loser_kept push_taken",
    "wager": "not_offered",
    "limit": "below_minimum above_maximum differential",
    "camera": "lost moved obstructed",
}
ALL = [f"{family}.{name}" for family, names in CODES.items() for name in names.split()]
NO_CALL = "no rule orders the call"
NO_BURN = "no rule orders a burn"
NO_SEQUENCE = "no rule orders a sequence"
NO_DEPTH = "no rule says where the cutting card lies"
NO_WORDS = "no rule orders that the last hand is announced"
NO_VOID = "no hand is ordered without wagers"
FIRST_CARD = "a first card that comes face up voids nothing"
CANNOT: dict[str, dict[str, str]] = {
    "nz-authority": {},
    "nz-secretary": {},
    "sg-rws": {
        "exposed_card.first_card": FIRST_CARD,
        "procedure.no_call": NO_CALL,
        "procedure.void_hand_wagered": NO_VOID,
        "procedure.burn": NO_BURN,
        "procedure.both_hands_out": "no rule keeps the hands apart",
        "procedure.sequence": NO_SEQUENCE,
        "procedure.burn_shown": NO_BURN,
        "procedure.cut_depth": NO_DEPTH,
        "procedure.last_hand_unannounced": NO_WORDS,
        "procedure.card_replaced": "no rule says when single cards are replaced",
        "procedure.card_off_table": "no rule keeps the cards on the table",
        "procedure.face_down_deal": "no rule says that cards come face up",
        "procedure.early_third_card": "no rule says what must be open before a third card",
    },
    "nsw": {
        "exposed_card.first_card": FIRST_CARD,
        "procedure.no_call": NO_CALL,
        "procedure.void_hand_wagered": NO_VOID,
        "procedure.burn": NO_BURN,
        "procedure.sequence": NO_SEQUENCE,
        "procedure.burn_shown": NO_BURN,
        "procedure.cut_depth": NO_DEPTH,
        "procedure.last_hand_unannounced": NO_WORDS,
        "procedure.both_hands_out": "the published part does not say who handles which cards",
        "procedure.wrong_handler": "the published part does not say who handles which cards",
        "procedure.face_down_deal": "cards come face down",
        "procedure.early_third_card": "the published part says nothing of third cards",
    },
    "tas": {
        "exposed_card.first_card": "14.4 uses a card that is found face up",
        "procedure.no_call": NO_CALL,
        "procedure.burn": NO_BURN,
        "procedure.burn_shown": NO_BURN,
        "procedure.last_hand_unannounced": NO_WORDS,
        "limit.differential": "the notice names no differential",
    },
}
"""By rulebook, the codes that it does not order and why."""


def test_codes_are_those_that_the_files_may_name() -> None:
    assert set(ALL) == {*REQUIRED_FAULTS, *OTHER_FAULTS}


@pytest.mark.parametrize("code", ALL)
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_code_has_a_fault_and_a_near_miss_or_cannot_occur(rulebook_id: str, code: str) -> None:
    scenarios = [one for one in SCENARIOS if one.rulebook == rulebook_id and one.code == code]
    is_ordered = code in load_rulebook(rulebook_id).faults
    assert is_ordered == bool(scenarios)
    assert is_ordered != (code in CANNOT[rulebook_id])
