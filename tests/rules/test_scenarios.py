"""Every code in every rulebook: the fault is reported with its rule, the near miss is not; no case is left out."""

from __future__ import annotations

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, run
from tests.rules.opening_scenarios import OPENINGS
from tests.rules.payout_scenarios import PAYOUTS
from tests.rules.procedure_scenarios import PROCEDURES
from tests.rules.scenarios import SCENARIOS as OTHERS
from tests.rules.scenarios import Scenario
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.rulebook.load import load_rulebook

SCENARIOS = [*OTHERS, *OPENINGS, *PAYOUTS, *PROCEDURES]
NEVER = {
    ("sg-rws", "misdeal.third_card_missing", 1): "needs cards read face down; test_established_outcomes has it",
    ("sg-rws", "exposed_card.excess", 1): "needs cards read face down; test_established_outcomes has it",
}
"""Cases without a scenario and why."""


def alerts_of(scenario: Scenario, *, is_fault: bool) -> list[Alert]:
    log = TableLog(scenario.rules)
    built = (scenario.fault if is_fault else scenario.near)(log)
    alerts = run(built.rules, built.events, **scenario.table)[0]
    return [alert for alert in alerts if alert.code == scenario.code]


@pytest.mark.parametrize("scenario", [pytest.param(one, id=one.id) for one in SCENARIOS])
def test_rule_is_told_when_broken(scenario: Scenario) -> None:
    alerts = alerts_of(scenario, is_fault=True)
    assert [alert.rule for alert in alerts] == [scenario.rule]


@pytest.mark.parametrize("scenario", [pytest.param(one, id=one.id) for one in SCENARIOS])
def test_rule_is_not_told_when_nearly_broken(scenario: Scenario) -> None:
    assert alerts_of(scenario, is_fault=False) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_case_of_a_rulebook_has_a_scenario(rulebook_id: str) -> None:
    rulebook = load_rulebook(rulebook_id)
    told = {(alert.code, alert.remedy) for one in SCENARIOS if one.rulebook == rulebook_id
            for alert in alerts_of(one, is_fault=True)}  # fmt: skip
    missing = [
        (code, i)
        for code, cases in rulebook.faults.items()
        for i, case in enumerate(cases)
        if (code, case.remedy) not in told and (rulebook_id, code, i) not in NEVER
    ]
    assert missing == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_rule_that_a_fault_cites_has_a_test_named_by_it(rulebook_id: str) -> None:
    rulebook = load_rulebook(rulebook_id)
    cited = {case.rule for code, cases in rulebook.faults.items() for case in cases if case.rule is not None}
    named = {scenario.rule for scenario in SCENARIOS if scenario.rulebook == rulebook_id}
    assert cited - named == set()
