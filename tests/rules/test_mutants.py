"""A paragraph counts as witnessed where its tests fail when its rule is broken; and whether the check itself bites."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, codes_of, rules_of
from tests.rules.mutation.broken_code import BROKEN_CODE
from tests.rules.mutation.mutants import Mutant, Target, survivors, targets_of
from tests.rules.mutation.numbered import (
    NumberedTest,
    calls_of,
    content_of,
    is_witnessed,
    mutants_named,
    paragraphs,
)
from tests.rules.mutation.places import Place, broken_at, broken_within, named, path_of, places_of
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.rulebook.parse import parse_rulebook

PENDING = {"9.1", "5.2", "11A.2", "11B.3", "11C.3", "11D.3", "3.7", "6.5", "15.4"}
"""Paragraphs whose rules are being coded."""
WITNESSED = [
    (book, number)
    for book in RULEBOOKS
    for number, said in paragraphs(book).items()
    if is_witnessed(said) and number not in PENDING
]


@pytest.mark.parametrize(("rulebook_id", "number"), [pytest.param(*one, id="-".join(one)) for one in WITNESSED])
def test_witnessed_paragraph_fails_when_its_rule_is_broken(rulebook_id: str, number: str) -> None:
    targets = list(targets_of(rulebook_id, number, mutants_named(paragraphs(rulebook_id)[number])))
    assert survivors(targets, calls_of(rulebook_id, number)) == []


def tie_pays_8() -> None:
    log = TableLog(rules_of("tas")).open("s3-tie").four("P KH 7C | B 3D 4H").result(7, 7)
    assert codes_of(log.settle("s3-tie", "paid", 800).close()) == []


def toothless() -> None:
    """Plays what the rulebook makes due, whatever that is."""
    assert codes_of(TableLog(rules_of("tas")).legal_round("P KH 7C | B 3D 4H", "s3-tie")) == []


def test_toothless_test_is_reported() -> None:
    targets = list(targets_of("tas", "12.3", ()))
    assert survivors(targets, [NumberedTest("toothless", toothless)]) == ["bets.tie.cases[0]"]


def test_test_that_notices_is_not_reported() -> None:
    targets = list(targets_of("tas", "12.3", ()))
    assert survivors(targets, [NumberedTest("toothless", toothless), NumberedTest("bites", tie_pays_8)]) == []


def test_paragraph_without_tests_is_reported() -> None:
    assert survivors(list(targets_of("tas", "12.3", ())), []) == ["bets.tie.cases[0]"]


def test_paragraph_that_nothing_cites_is_reported() -> None:
    assert survivors(list(targets_of("tas", "6.5", ())), [NumberedTest("bites", tie_pays_8)]) == [
        "what it is a part of"
    ]


@pytest.mark.parametrize("name", ["bets.nothing", "no such code", "faults.late_bet.placed[9]"])
def test_mutant_that_is_nowhere_is_reported(name: str) -> None:
    assert survivors(list(targets_of("tas", "12.3", [name])), [NumberedTest("bites", tie_pays_8)]) == [name]


def test_named_mutant_is_asked_for_besides_the_section() -> None:
    targets = targets_of("tas", "12.3", ["bets.tie", "winner.tie", "payout.loser_paid"])
    names = ["bets.tie.cases[0]", "bets.tie", "winner.tie", "payout.loser_paid"]
    assert [one.name for one in targets] == names


def test_engine_that_breaks_down_kills_nothing() -> None:
    def breaks() -> None:
        raise ZeroDivisionError

    target = Target("any", [lambda: Mutant("any", nullcontext)])
    assert survivors([target], [NumberedTest("breaks", breaks)]) == ["any"]


def test_nothing_stays_broken() -> None:
    list(survivors(list(targets_of("tas", "12.3", [])), calls_of("tas", "12.3")))
    tie_pays_8()
    toothless()


@pytest.mark.parametrize("name", BROKEN_CODE)
def test_broken_code_is_whole_again_afterwards(name: str) -> None:
    ace = parse_card("AS")
    with BROKEN_CODE[name]():
        pass
    assert ace.point_value == 1
    tie_pays_8()


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_mutant_differs_from_the_rulebook(rulebook_id: str) -> None:
    content = content_of(rulebook_id)
    same = [
        broken.what for place in places_of(content) for broken in broken_at(content, place) if broken.content == content
    ]
    assert same == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_breaking_leaves_the_file_itself_alone(rulebook_id: str) -> None:
    content = content_of(rulebook_id)
    for place in list(places_of(content))[::10]:
        list(broken_at(content, place))
    assert parse_rulebook(content, rulebook_id).id == rulebook_id


def whats(name: str) -> Iterator[str]:
    content = content_of("tas")
    return (one.what for one in broken_within(content, path_of(name, content)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("bets.tie", "tie not offered", id="a bet may not be offered"),
        pytest.param("bets.tie", "bets.tie.cases[0].pays = 9", id="a bet may pay something else"),
        pytest.param("bets.player", "bets.player.cases[1] dropped", id="a case may be missing"),
        pytest.param("bets.tie", "bets.tie.cases dropped", id="and its list with the last of them"),
        pytest.param("bets.banker.cases[-1]", "bets.banker.cases[3].when = []", id="a word may be missing"),
        pytest.param("betting.after_tie.push_is_free", "betting.after_tie.push_is_free = False", id="a claim turned"),
        pytest.param("last_round", "last_round.after_cut_card = silent", id="another word of its kind"),
        pytest.param("initial_deal", "initial_deal.order = ['player', 'player', 'banker', 'banker']", id="the order"),
        pytest.param("limits", "limits without minimum", id="a limit that nobody knows"),
        pytest.param("handling[0].anyone_where_none", "handling[0].anyone_where_none = True", id="what is left out"),
    ],
)
def test_rule_may_be_broken_so(name: str, expected: str) -> None:
    assert expected in list(whats(name))


@pytest.mark.parametrize("name", ["bets.tie.cases[0]", "faults.late_bet.placed[0].remedy", "limits"])
def test_path_is_named_and_found_again(name: str) -> None:
    assert named(path_of(name, content_of("tas"))) == name


def test_place_is_where_a_section_is_cited() -> None:
    content = {"bets": {"tie": {"cases": [{"when": ["winner=tie"], "pays": 8, "rule": "12.3"}]}}, "notes": {"1": "no"}}
    assert list(places_of(content)) == [Place(("bets", "tie", "cases", 0), "12.3")]
