"""Whether the stated error is the true one, on tables that are drawn from what is known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.service.commission.played import lawful_rounds, played_round
from thirdcard.rules.game.duty import DutyTable
from thirdcard.rules.log.events import Event
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.service.commission.card_error import CardErrorPrior, CardErrors, estimate_errors, shipped_prior
from thirdcard.service.commission.consistency import CheckedRound, check_rounds
from thirdcard.service.commission.fit_card_error import JudgedCards, ToldFace, fit_prior, judge_cards
from thirdcard.service.evaluate.accounts import Incident
from thirdcard.service.evaluate.cards import FollowedCard

DUTIES = DutyTable(load_rulebook("tas").table)
PRIOR = CardErrorPrior(scale=1.0, floor=1e-4, sigma=0.7, value_share=0.5, misplaced=0.003)


def errors_of(events: list[Event], *findings: Incident, prior: CardErrorPrior = PRIOR) -> CardErrors:
    """What is estimated of a log."""
    return estimate_errors(check_rounds(events, DUTIES, decks=8, findings=findings), prior)


def test_table_that_is_read_surely_has_no_error_to_a_point() -> None:
    errors = errors_of(lawful_rounds(8))
    assert errors.sure.of == 40
    assert errors.sure.low == 0.0
    assert errors.sure.high <= 0.01


def test_shipped_prior_lets_a_sure_table_be_told_to_a_point() -> None:
    assert errors_of(lawful_rounds(3), prior=shipped_prior()).sure.high <= 0.01


def test_unread_cards_are_errors_for_sure() -> None:
    errors = errors_of(played_round("7H ?", "2S 3D KH"))
    assert errors.cards.of == 5
    assert errors.cards.low >= 0.2
    assert errors.rounds.low == 1.0


def test_doubtful_faces_widen_the_interval_of_all_cards_alone() -> None:
    errors = errors_of([*lawful_rounds(4), *played_round("7H~0.6 10C", "2S 3D KH", number=5)])
    assert errors.sure.of == 24
    assert errors.sure.high <= 0.01
    assert errors.cards.high >= 1 / 25


def test_round_that_contradicts_raises_the_estimate_unless_the_dealer_erred() -> None:
    bad = [*lawful_rounds(4), *played_round("7H 10C", "2S 3D KH", number=5, said=(6, 5, "player"))]
    dealer = Incident(code="misdeal.wrong_result", t=92.0, confidence=0.999)
    alone, blamed = errors_of(bad), errors_of(bad, dealer)
    assert alone.table_factor > blamed.table_factor
    assert alone.sure.expected > 5 * blamed.sure.expected
    assert alone.sure.holds(1 / 25)
    assert blamed.sure.high <= 0.01


def test_rounds_that_agree_lower_the_estimate() -> None:
    before = errors_of(lawful_rounds(10, sure=0.9))
    unannounced = [line for line in lawful_rounds(10, sure=0.9) if line.type != "result_announced"]
    assert before.cards.expected < errors_of(unannounced).cards.expected


def test_no_cards_say_nothing() -> None:
    errors = errors_of([])
    assert (errors.sure.of, errors.sure.low, errors.sure.high) == (0, 0.0, 1.0)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """300 tables of six rounds, their errors drawn from the prior itself."""
    dice = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        theta = np.exp(PRIOR.sigma * dice.standard_normal())
        doubts = dice.choice([1e-4, 3e-3, 0.03, 0.3], size=30, p=[0.6, 0.25, 0.1, 0.05])
        odds = theta * PRIOR.odds(doubts)
        wrong = dice.random(30) < odds / (1.0 + odds)
        errors = estimate_errors([_unjudged(doubts[i : i + 5]) for i in range(0, 30, 5)], replace(PRIOR, misplaced=0.0))
        held += errors.cards.holds(wrong.mean())
    assert held >= 0.93 * 300


def _unjudged(doubts: np.ndarray) -> CheckedRound:
    cards = tuple(
        FollowedCard(t=1.0, hand="player", face="7H", confidence=1.0 - float(doubt), was_shown=True) for doubt in doubts
    )
    return CheckedRound(
        number=1, opened=0.0, closed=9.0, cards=cards, contradictions=frozenset(), is_judged=False,
        turns=(0.0,) * len(cards), dealer=0.0,
    )  # fmt: skip


def test_fit_finds_what_tables_were_drawn_from() -> None:
    dice = np.random.default_rng(7)
    tables = []
    for _ in range(80):
        theta = np.exp(0.8 * dice.standard_normal())
        doubts = dice.choice([1e-4, 0.01, 0.1, 0.4], size=60)
        odds = theta * 1.5 * doubts / (1.0 - doubts)
        wrong = dice.random(60) < odds / (1.0 + odds)
        told = tuple(
            ToldFace(confidence=1.0 - float(doubt), is_wrong=bool(one), changes_value=bool(one))
            for doubt, one in zip(doubts, wrong, strict=True)
        )
        tables.append(JudgedCards(told=told, misplaced=0, shown=60, unread=0))
    found = fit_prior(tables)
    assert found.scale == pytest.approx(1.5, rel=0.35)
    assert found.sigma == pytest.approx(0.8, rel=0.35)
    assert found.value_share > 0.95


def test_face_that_was_read_in_the_other_hand_is_misplaced_not_wrong() -> None:
    truth, found = played_round("7H 10C", "2S 3D KH"), played_round("7H 10C KH", "2S 3D")
    cards = judge_cards(truth, found)
    assert cards.wrong() == (0, 5)
    assert cards.misplaced == 1


def test_wrong_unread_and_invented_faces_are_counted() -> None:
    truth, found = played_round("7H 10C", "2S 3D KH"), played_round("7D ? 5C", "2S 3D KH")
    cards = judge_cards(truth, found)
    assert cards.wrong() == (2, 5)
    assert (cards.unread, cards.shown) == (1, 5)
