"""Whether more alerts are false than their confidences say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from tests.service.web.rooms import TestRoom, raise_alert
from thirdcard.service.alerts.borne_out import RARE, BorneOut, chance_of


@pytest.mark.parametrize("false", [0, 1, 3, 7])
def test_chance_is_the_binomial_one_where_all_are_as_sure(false: int) -> None:
    assert chance_of(false, [0.9] * 40) == pytest.approx(binom.sf(false - 1, 40, 0.1))


def test_chance_of_unequal_ones_is_what_draws_show() -> None:
    confidences = np.linspace(0.7, 0.999, 30)
    draws = (np.random.default_rng(5).random((200_000, 30)) > confidences).sum(axis=1)

    assert chance_of(9, list(confidences)) == pytest.approx((draws >= 9).mean(), abs=0.002)


@pytest.mark.parametrize(
    ("false", "is_kept"),
    [pytest.param(1, True, id="as said"), pytest.param(4, True, id="by chance"), pytest.param(8, False, id="not so")],
)
def test_more_false_ones_than_come_by_chance_are_out_of_keeping(false: int, is_kept: bool) -> None:
    said = BorneOut((0.95,) * 20, false)

    assert said.is_kept is is_kept
    assert said.expected_false == pytest.approx(1.0)


def test_a_thousand_tables_that_keep_what_they_say_raise_about_one_warning() -> None:
    draws = np.random.default_rng(7)
    confidences = draws.uniform(0.7, 0.99, size=(1000, 25))
    false = (draws.random((1000, 25)) > confidences).sum(axis=1)

    warned = sum(not BorneOut(tuple(one), int(n)).is_kept for one, n in zip(confidences, false, strict=True))

    assert warned <= 4, f"{warned} of 1000 at {RARE}"


def test_where_nobody_estimated_anything_nothing_is_expected() -> None:
    assert BorneOut().expected_false is None
    assert BorneOut().is_kept


@pytest.fixture
def decided(room: TestRoom) -> TestRoom:
    """Ten alerts of B07 at 97 %, four of them dismissed as misread; of B08 as many, all without an estimate."""
    boss = room.as_role("supervisor")
    for table, confidence in (("B07", 0.97), ("B08", 1.0)):
        for n in range(10):
            number = raise_alert(room, table, t=float(n), confidence=confidence)
            state = {"state": "dismissed", "reason": "card_misread"} if n < 4 else {"state": "confirmed"}
            boss.post(f"/api/alerts/{number}/state", json=state)
    return room


def test_table_whose_confidences_do_not_hold_is_named(decided: TestRoom) -> None:
    found = decided.as_role("supervisor").get("/api/decisions?by=table").json()["items"]

    assert [(one["name"], one["false"], one["is_borne_out"]) for one in found] == [("B07", 4, False), ("B08", 4, True)]
    assert [one["expected_false"] for one in found] == [pytest.approx(0.3), None]


def test_page_says_so(decided: TestRoom) -> None:
    page = decided.browser("supervisor").get("/decisions?by=table", headers={"Accept": "text/html"}).text

    assert page.count("More are false than the confidences say.") == 1
