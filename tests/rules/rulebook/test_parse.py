"""Rulebook files are whole, and one that is not is refused with the place."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
import yaml

from tests.rules.builders import RULEBOOKS
from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import GAME_BETS, Bet
from thirdcard.rules.rulebook.file_keys import OTHER_FAULTS, REQUIRED_FAULTS
from thirdcard.rules.rulebook.load import load_rulebook, read_rulebook, rulebook_ids
from thirdcard.rules.rulebook.parse import parse_rulebook
from thirdcard.rules.rulebook.yaml_keys import EntryTable, InnerEntry

REQUIRED_NOW = [code for code in REQUIRED_FAULTS if code.startswith(("misdeal", "late_bet", "exposed_card"))]


def content_of(rulebook_id: str) -> Any:
    return yaml.safe_load((files("thirdcard.rules") / "rulebooks" / f"{rulebook_id}.yaml").read_text(encoding="utf-8"))


def test_five_published_texts_and_two_usual_games_come_with_the_program() -> None:
    assert set(rulebook_ids()) == {*RULEBOOKS, "ez", "macau"}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rulebook_is_whole(rulebook_id: str) -> None:
    rulebook = load_rulebook(rulebook_id)
    assert rulebook.id == rulebook_id
    assert set(REQUIRED_FAULTS) <= set(rulebook.faults) <= set(REQUIRED_FAULTS) | OTHER_FAULTS


@pytest.mark.parametrize("rulebook_id", [name for name in RULEBOOKS if name != "nsw"])
@pytest.mark.parametrize("code", REQUIRED_NOW)
def test_every_fault_cites_a_section_where_the_text_has_one(rulebook_id: str, code: str) -> None:
    for case in load_rulebook(rulebook_id).faults[code]:
        assert case.rule or case.rule_source


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_tables_of_play_are_equal_cell_by_cell(rulebook_id: str) -> None:
    table, other = load_rulebook(rulebook_id).table, load_rulebook("tas").table
    assert table.player_draws == other.player_draws
    assert table.banker_draws_after_stand == other.banker_draws_after_stand
    assert table.banker_draws_after_draw == other.banker_draws_after_draw


def test_unknown_rulebook_is_refused() -> None:
    with pytest.raises(RulebookError, match=r"rulebook = monaco; allowed: ez, macau, nsw, nz-authority"):
        load_rulebook("monaco")


def without(*path: str) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        del content[path[-1]]

    return change


def test_file_without_content_is_refused_as_such() -> None:
    with pytest.raises(RulebookError, match=r"mine\.yaml: content = None; allowed: a mapping"):
        read_rulebook("", "mine.yaml")


def with_value(value: object, *path: str | int) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


NO_REMEDY = [{"rule": "1", "when": ["disclosed"], "remedy": {"action": "stand", "rule": "1", "text": "x"}}]

BROKEN = [
    pytest.param(without("title"), "tas.yaml: title is missing", id="no-title"),
    pytest.param(without("table_of_play", "natural", "rule"), "natural: rule is missing", id="no-section"),
    pytest.param(without("table_of_play", "banker_after_draw", "draws", 3), "draws: 3 is missing", id="no-row"),  # type: ignore[arg-type]
    pytest.param(without("bets", "tie"), "bets: tie is missing", id="no-bet"),
    pytest.param(without("styles", "B"), "styles = ['A']", id="no-style"),
    pytest.param(with_value("x", "extra"), "tas.yaml: extra is not known here", id="unknown-key"),
    pytest.param(with_value("x", "decks", "extra"), "decks: extra is not known here", id="unknown-inner-key"),
    pytest.param(with_value([], "faults", "misdeal.order"), "faults.misdeal.order = []", id="no-cases"),
    pytest.param(with_value(NO_REMEDY, "faults", "misdeal.order"), "misdeal.order: the last case", id="no-last-case"),
    pytest.param(with_value([{}], "faults", "tea.cold"), "faults: tea.cold is not known here", id="unknown-code"),
    pytest.param(with_value("pray", "faults", "misdeal.order", 0, "remedy", "action"), "action = pray", id="action"),
    pytest.param(with_value(["raining"], "faults", "misdeal.order", 0, "when"), "when = raining", id="unknown-fact"),
    pytest.param(with_value(["federal=maybe"], "bets", "tie", "cases", 0, "when"), "federal=maybe", id="no-such-value"),
    pytest.param(with_value("noon", "betting", "closes", 0, "moment"), "moment = noon", id="moment"),
    pytest.param(with_value(["red"], "betting", "closes", 0, "bets"), "bets = red", id="closing-bet"),
    pytest.param(with_value(["tie"], "betting", "closes", 1, "bets"), "no case without conditions", id="uncovered"),
    pytest.param(with_value("much", "bets", "tie", "cases", 0, "pays"), "pays = much", id="odds"),
    pytest.param(with_value("gone", "bets", "tie", "cases", 0, "outcome"), "outcome = gone", id="outcome"),
    pytest.param(with_value({}, "bets", "red"), "bets.red: cases is missing", id="empty-bet"),
    pytest.param(with_value({}, "bets", "Red 5"), "bets: Red 5 is not known here", id="odd-name-of-a-bet"),
    pytest.param(with_value([0, 11], "table_of_play", "player", "draws"), "draws = [0, 11]", id="points"),
    pytest.param(with_value(["player"] * 4, "initial_deal", "order"), "order = ", id="order"),
    pytest.param(with_value(["fourth"], "styles", "A", "face_down"), "face_down = fourth", id="phase"),
    pytest.param(with_value([9], "decks", "allowed"), "decks.allowed = [9]", id="decks"),
    pytest.param(with_value(9, "decks", "least", 0, "decks"), "least[0].decks = 9", id="least-decks"),
    pytest.param(with_value("collective", "limits", "excess", 0, "over"), "over = collective", id="excess"),
    pytest.param(with_value(7, "initial_deal", "rule"), "rule = 7; allowed: a section in quotes", id="rule-number"),
    pytest.param(with_value("", "source"), "source = ; allowed: a text", id="empty-source"),
    pytest.param(with_value("yes", "first_card_face_up_is_found"), "allowed: true, false", id="no-flag"),
    pytest.param(with_value([1], "options"), "options[0] = 1; allowed: a mapping", id="no-mapping"),
    pytest.param(with_value([], "options", 0, "values"), "values = []", id="no-values"),
    pytest.param(with_value("bingo", "demands", 0, "option"), "demands[0].option = bingo", id="unknown-demand"),
    pytest.param(with_value(["C"], "demands", 0, "values"), "demands[0].values = C; allowed: the", id="demanded-value"),
    pytest.param(with_value(["bowl"], "devices", 0, "allowed"), "devices[0].allowed = bowl", id="unknown-device"),
    pytest.param(with_value(0, "seats", 0, "most"), "seats[0].most = 0", id="no-seats"),
]


@pytest.mark.parametrize(("change", "text"), BROKEN)
def test_broken_rulebook_is_refused_with_the_place(change: Callable[[Any], None], text: str) -> None:
    content = content_of("tas")
    change(content)
    with pytest.raises(RulebookError) as caught:
        parse_rulebook(content, "tas.yaml")
    assert str(caught.value).startswith("tas.yaml")
    assert text in str(caught.value)


def test_exclusion_of_an_unknown_option_is_refused() -> None:
    content = content_of("nz-secretary")
    content["exclusions"][0]["keys"] = ["perfect_pair", "bingo"]
    with pytest.raises(RulebookError, match="keys = bingo"):
        parse_rulebook(content, "nz-secretary.yaml")


def test_a_rulebook_of_another_name_needs_no_code() -> None:
    content = content_of("tas")
    content["id"] = "monaco"
    assert parse_rulebook(content, "monaco.yaml").id == "monaco"


def test_every_bet_is_offered_by_some_rulebook_or_window() -> None:
    known = {bet for name in RULEBOOKS for bet in load_rulebook(name).bets}
    assert set(GAME_BETS) - known == {Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER}


def test_entry_that_holds_a_table_is_not_read_as_a_value() -> None:
    with pytest.raises(TypeError, match="betting: InnerEntry is read as a node"):
        InnerEntry("A table.", EntryTable).read({}, "betting")
