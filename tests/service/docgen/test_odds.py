"""Exact odds as the command gives them; the figures themselves are tested with `thirdcard.rules.odds.odds`."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import pytest
from typer.testing import CliRunner

from thirdcard.rules.odds.odds import Odds, reckon_odds
from thirdcard.rules.rulebook.load import elect, load_rulebook
from thirdcard.service.cli.entry import app
from thirdcard.service.docgen.odds import format_odds


@cache
def odds_of(rulebook: str, **options: object) -> Odds:
    return reckon_odds(elect(load_rulebook(rulebook), options), 8)


def test_bets_that_depend_on_faces_are_reckoned() -> None:
    bets = format_odds(odds_of("nz-secretary", any_pair="one"))["bets"]
    assert isinstance(bets, dict)
    assert bets["player_pair"] == {"return": "-43/415", "house_edge": 43 / 415}


def test_format_is_the_contract_s() -> None:
    mapping = json.loads(json.dumps(format_odds(odds_of("tas"))))
    assert mapping["outcomes"]["total"] == 4_998_398_275_503_360
    assert mapping["bets"]["player"]["return"].startswith("-")
    assert Fraction(mapping["bets"]["tie"]["return"]) == pytest.approx(-mapping["bets"]["tie"]["house_edge"])


@pytest.mark.parametrize(("form", "part"), [("--json", '"decks": 8'), ("--decks=8", "4,998,398,275,503,360")])
def test_command_prints_an_object_or_a_table(monkeypatch: pytest.MonkeyPatch, form: str, part: str) -> None:
    monkeypatch.setattr("thirdcard.rules.odds.odds.reckon_odds", lambda rules, decks: odds_of("tas"))
    assert part in CliRunner().invoke(app, ["odds", "--rulebook", "tas", form]).stdout
