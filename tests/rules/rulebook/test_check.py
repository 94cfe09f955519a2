"""A rulebook that contradicts itself is refused with the place; a made-up sixth one needs a file and no code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.builders import TableLog, alerts_of
from tests.rules.rulebook.test_parse import content_of, with_value, without
from thirdcard.rules.errors import RulebookError
from thirdcard.rules.rulebook.options import Rules, elect
from thirdcard.rules.rulebook.parse import parse_rulebook

NOTHING = {"rule": "1", "remedy": {"action": "stand", "rule": "1", "text": "x"}}
BROKEN = [
    pytest.param("tas", with_value(None, "options", 0, "rule"), "options[0].rule = null; allowed: the", id="uncited"),
    pytest.param(
        "nz-secretary", with_value(None, "exclusions", 0, "rule"), "exclusions[0].rule = null", id="uncited-exclusion"
    ),
    pytest.param("tas", with_value(None, "demands", 0, "rule"), "demands[0].rule = null", id="uncited-demand"),
    pytest.param(
        "tas", with_value([NOTHING, NOTHING], "faults", "misdeal.order"),
        "faults.misdeal.order[1].when = nothing; allowed: a case that no earlier", id="unreachable-fault",
    ),
    pytest.param(
        "tas", with_value([{"count": "none", "rule": None, "text": "x"}] * 2, "burn"), "burn[1].when", id="two-burns"
    ),
    pytest.param(
        "tas", with_value([{"when": ["winner=tie"], "pays": 8, "rule": "12.3"}] * 2, "bets", "tie", "cases"),
        "bets.tie.cases[1].when = winner=tie", id="tie-pays-twice",
    ),
    pytest.param(
        "tas", with_value([NOTHING], "faults", "procedure.no_call"),
        "procedure.no_call is given, though betting.call.rule is not there", id="call-not-ordered",
    ),
    pytest.param(
        "nz-authority", with_value(False, "first_card_face_up_is_found"), "first_card is given", id="first-card"
    ),
    pytest.param(
        "tas", with_value(True, "styles", "A", "players_handle"),
        "styles.A.players_handle = true; allowed: what handling says for it, entitled = nobody", id="handling",
    ),
    pytest.param(
        "tas", without("faults", "procedure.void_hand_wagered"),
        "faults.misdeal.third_card_not_due: action = void_next_hand; allowed where", id="void-hand",
    ),
    pytest.param("tas", with_value("some", "burn", 0, "count"), "count = some; allowed: none, one", id="burn"),
    pytest.param(
        "tas", with_value("later", "last_round", "after_cut_card"), "after_cut_card = later; allowed: silent", id="cut"
    ),
    pytest.param("tas", with_value("king", "handling", 0, "entitled"), "entitled = king; allowed", id="entitled"),
    pytest.param("tas", with_value(["most"], "limits", "kinds"), "kinds = most; allowed: minimum", id="limit-kind"),
    pytest.param(
        "sg-rws", with_value("tie", "insurance", "rows", 0, "bet"), "rows[0].bet = tie; allowed: insurance_player",
        id="insured-bet",
    ),
    pytest.param(
        "sg-rws", with_value([5, 6], "insurance", "rows", 0, "banker"),
        "rows[1]: Player 0 and Banker 6 stand in rows[0] too; allowed: one row for a situation", id="insurance-twice",
    ),
    pytest.param(
        "tas", with_value([{"when": ["federal=true"], "count": "none", "rule": None, "text": "x"}], "burn"),
        "burn: the last case must hold without conditions", id="burn-with-conditions-only",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rulebook_id", "change", "code", "rule"),
    [
        pytest.param("nz-authority", without("faults", "procedure.burn"), "procedure.burn", "7.7", id="burn"),
        pytest.param("nz-authority", without("faults", "procedure.no_call"), "procedure.no_call", "8.2", id="call"),
        pytest.param(
            "tas", without("faults", "misdeal.after_last_round"), "misdeal.after_last_round", "9.4", id="last"
        ),
        pytest.param("tas", without("faults", "limit.below_minimum"), "limit.below_minimum", "7.1", id="limit"),
        pytest.param("tas", without("faults", "misdeal.order"), "misdeal.order", None, id="silent"),
    ],
)
def test_fault_that_the_file_leaves_out_breaks_the_section_that_orders_the_thing(
    rulebook_id: str, change: Callable[[Any], None], code: str, rule: str | None
) -> None:
    content = content_of(rulebook_id)
    change(content)
    (case,) = parse_rulebook(content, f"{rulebook_id}.yaml").faults[code]
    assert (case.rule, case.remedy.action, case.remedy.rule) == (rule, "supervisor", None)


@pytest.mark.parametrize(("rulebook_id", "change", "text"), BROKEN)
def test_contradiction_is_refused_with_the_place(rulebook_id: str, change: Callable[[Any], None], text: str) -> None:
    content = content_of(rulebook_id)
    change(content)
    with pytest.raises(RulebookError) as caught:
        parse_rulebook(content, f"{rulebook_id}.yaml")
    assert str(caught.value).startswith(f"{rulebook_id}.yaml")
    assert text in str(caught.value)


def sixth(**options: Any) -> Rules:
    """A made-up rulebook: one card is burned, the call is ordered, a Tie pays 10 to 1, the last hand is announced."""
    content = content_of("tas")
    content |= {"id": "monaco", "title": "A house's own", "source": "made up"}
    content["burn"] = [{"count": "one", "rule": "M.1", "text": "One card is burned."}]
    content["betting"]["call"] = {"rule": "M.2", "text": "The call comes before the cards."}
    content["betting"]["closes"] = [{"moment": "call", "rule": "M.3", "text": "The call closes betting."}]
    content["bets"]["tie"]["cases"] = [{"when": ["winner=tie"], "pays": 10, "rule": "M.4"}]
    for code, rule in (("procedure.burn", "M.1"), ("procedure.no_call", "M.2")):
        content["faults"][code] = [{"rule": rule, "remedy": {"action": "stand", "rule": rule, "text": "Play goes on."}}]
    return elect(parse_rulebook(content, "monaco.yaml"), options)


def test_sixth_rulebook_is_a_file_and_no_code() -> None:
    log = TableLog(sixth()).add("shoe_opened", decks=8).add("card_burned").add("card_burned").add("bets_opened")
    log.wager("s3-tie", 0, 100).add("no_more_bets").wager("s4-tie", 0, 50).four("P KH 7C | B 3D 4H").result(7, 7)
    log.settle("s3-tie", "paid", 800).close().deal("player", "2C")
    told = {(alert.rulebook, alert.code, alert.rule) for alert in alerts_of(log)}
    assert told == {
        ("monaco", "late_bet.placed", "M.3"),
        ("monaco", "procedure.burn", "M.1"),
        ("monaco", "payout.wrong_amount", "M.4"),
        ("monaco", "procedure.no_call", "M.2"),
    }


def test_sixth_rulebook_played_as_it_says_gives_no_alert() -> None:
    log = TableLog(sixth()).add("shoe_opened", decks=8).add("card_burned").open("s3-tie").four("P KH 7C | B 3D 4H")
    assert alerts_of(log.result(7, 7).settle("s3-tie", "paid", 1000).close()) == []
