"""Exact odds: the published counts and house edges of eight decks."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import pytest
from typer.testing import CliRunner

from rules.rulebook import elect, load_rulebook
from rules.words import Bet, Outcome
from service.cli import app
from service.odds import Odds, format_odds, reckon_odds


@cache
def odds_of(rulebook: str, **options: object) -> Odds:
    return reckon_odds(elect(load_rulebook(rulebook), options), 8)


def test_eight_decks_have_the_published_outcomes() -> None:
    outcomes = odds_of("tas").outcomes
    assert outcomes[Outcome.BANKER] == 2_292_252_566_437_888
    assert outcomes[Outcome.PLAYER] == 2_230_518_282_592_256
    assert outcomes[Outcome.TIE] == 475_627_426_473_216


@pytest.mark.parametrize(
    ("bet", "edge"),
    [(Bet.PLAYER, 0.012351), (Bet.BANKER, 0.010579), (Bet.TIE, 0.143596)],
)
def test_house_edges_are_the_published_ones(bet: Bet, edge: float) -> None:
    assert float(-odds_of("tas").returns[bet]) == pytest.approx(edge, abs=1e-6)


def test_player_s_return_follows_from_the_outcomes_alone() -> None:
    odds = odds_of("tas")
    wins, losses = odds.outcomes[Outcome.PLAYER], odds.outcomes[Outcome.BANKER]
    assert odds.returns[Bet.PLAYER] == Fraction(wins - losses, sum(odds.outcomes.values()))


def test_half_pay_on_a_banker_six_costs_more_than_commission() -> None:
    half = odds_of("nz-authority", banker_pay="six_half").returns[Bet.BANKER]
    assert float(half) == pytest.approx(-0.014582, abs=1e-5)


def test_bets_that_depend_on_faces_are_named_and_left_out() -> None:
    odds = odds_of("nz-secretary", perfect_pair="one")
    assert Bet.PLAYER_PAIR in odds.not_reckoned
    assert Bet.PLAYER_PAIR not in odds.returns


def test_format_is_the_contract_s() -> None:
    mapping = json.loads(json.dumps(format_odds(odds_of("tas"))))
    assert mapping["outcomes"]["total"] == 4_998_398_275_503_360
    assert mapping["bets"]["player"]["return"].startswith("-")
    assert Fraction(mapping["bets"]["tie"]["return"]) == pytest.approx(-mapping["bets"]["tie"]["house_edge"])


@pytest.mark.parametrize(("form", "part"), [("--json", '"decks": 8'), ("--decks=8", "4,998,398,275,503,360")])
def test_command_prints_an_object_or_a_table(monkeypatch: pytest.MonkeyPatch, form: str, part: str) -> None:
    monkeypatch.setattr("service.commands.odds.reckon_odds", lambda rules, decks: odds_of("tas"))
    assert part in CliRunner().invoke(app, ["odds", "--rulebook", "tas", form]).stdout
