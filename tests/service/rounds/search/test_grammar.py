"""What people type into the search box."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from thirdcard.service.ports.code_words import code_title
from thirdcard.service.rounds.search.days import DayStretch
from thirdcard.service.rounds.search.fields import CODES, SearchError, clauses_of
from thirdcard.service.rounds.search.grammar import understand, understand_fields

ZONE = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 22, 0, tzinfo=ZONE)
"""A Saturday."""
TABLES = ("B07", "B17", "T7", "Salon 3")


def terms(text: str) -> list[tuple[str, ...]]:
    found = understand(text, NOW, TABLES, ("Ben Tan", "Ann", "Anna B"))
    assert found.unknown == ()
    return [clause.terms for clause in found.clauses]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Banker third card missing", [("code:misdeal.third_card_missing:banker",)], id="code with a hand"),
        pytest.param("the Player's third card not due", [("code:misdeal.third_card_not_due:player",)], id="possessive"),
        pytest.param("late bets", [("code:late_bet",)], id="a family"),
        pytest.param("late bet placed, seat 3", [("code:late_bet.placed:seat:3",)], id="code with a seat"),
        pytest.param("banker third card", [("third:banker",)], id="no fault"),
        pytest.param("table 7", [("table:b07", "table:t7")], id="number of a table"),
        pytest.param("table b17", [("table:b17",)], id="name of a table"),
        pytest.param("seven of hearts and 10♠", [("card:7h",), ("card:10s",)], id="cards"),
        pytest.param("card:7", [("card:7c", "card:7d", "card:7h", "card:7s")], id="any suit"),
        pytest.param("stack increased at seat 4", [("changed:seat:4:increased",)], id="change with its seat"),
        pytest.param("capped", [("changed:increased",)], id="a change as people call it"),
        pytest.param("changed:s3-banker:reduced", [("changed:s3-banker:reduced",)], id="change of an area"),
        pytest.param("natural tie", [("winner:tie",), ("is:natural",)], id="traits"),
        pytest.param("winner:tie winner:player", [("winner:tie", "winner:player")], id="alternatives"),
        pytest.param("Ben Tan", [("dealer:ben tan",)], id="a dealer's name"),
        pytest.param("dealer Ben Tan's late bets", [("dealer:ben tan",), ("code:late_bet",)], id="his late bets"),
        pytest.param("Ann", [("dealer:ann",)], id="a short name"),
        pytest.param("B07 misdeals", [("table:b07",), ("code:misdeal",)], id="a table's name alone"),
        pytest.param("salon 3", [("table:salon 3",)], id="a table's name of two words"),
        pytest.param("face up", [("code:exposed_card.face_up_deal",)], id="face up"),
        pytest.param("a card dealt face-down", [("code:procedure.face_down_deal",)], id="face down"),
        pytest.param('dealer:"Anna B"', [("dealer:anna b",)], id="in quotes"),
        pytest.param("super six", None, id="bet by words"),
    ],
)
def test_words_and_fields(text: str, expected: list[tuple[str, ...]] | None) -> None:
    assert terms(text) == (expected or [("bet:super_six",)])


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        pytest.param("last Friday", "2026-11-20T00:00", "2026-11-21T00:00", id="weekday"),
        pytest.param("saturday", "2026-11-21T00:00", "2026-11-22T00:00", id="today by its name"),
        pytest.param("last saturday", "2026-11-14T00:00", "2026-11-15T00:00", id="not today"),
        pytest.param("yesterday", "2026-11-20T00:00", "2026-11-21T00:00", id="yesterday"),
        pytest.param("21:40", "2026-11-21T21:35", "2026-11-21T21:45", id="a moment"),
        pytest.param("around 22:30", "2026-11-20T22:25", "2026-11-20T22:35", id="a moment that passed yesterday"),
        pytest.param("last friday at 9:05", "2026-11-20T09:00", "2026-11-20T09:10", id="a moment of a day"),
        pytest.param("day:2026-03-29", "2026-03-29T00:00", "2026-03-30T00:00", id="a day of 23 hours"),
        pytest.param("3rd of March", "2026-03-03T00:00", "2026-03-04T00:00", id="month by name"),
        pytest.param("24 Dec", "2025-12-24T00:00", "2025-12-25T00:00", id="the last one, not the next"),
        pytest.param("20.11.2026 from 22:00 to 02:00", "2026-11-20T22:00", "2026-11-21T02:00", id="over midnight"),
        pytest.param("yesterday after 20:30", "2026-11-20T20:30", "2026-11-21T00:00", id="after"),
        pytest.param("last night", "2026-11-20T18:00", "2026-11-21T06:00", id="night"),
        pytest.param("last week", "2026-11-09T00:00", "2026-11-16T00:00", id="week"),
        pytest.param("last 3 days", "2026-11-19T00:00", "2026-11-22T00:00", id="days"),
        pytest.param("from:2026-11-01 to:2026-11-02T06:00", "2026-11-01T00:00", "2026-11-02T06:00", id="fields"),
    ],
)
def test_days_and_hours_are_the_house_s(text: str, begins: str, ends: str) -> None:
    found = understand(text, NOW)
    at = (datetime.fromisoformat(moment).replace(tzinfo=ZONE) for moment in (begins, ends))
    assert found.stretch == DayStretch(begins=next(at), ends=next(at))
    assert (found.clauses, found.unknown) == ((), ())
    assert found.words


def test_everything_at_once_is_told_back() -> None:
    found = understand("Banker third card missing, table 7, last Friday", NOW, TABLES)
    assert found.words == ("Misdeal: third card missing (Banker)", "table B07 or table T7", "Fri 20 Nov 2026")


@pytest.mark.parametrize(
    "text", ["blorb", "card:zz", "day:someday", "nonsense:7", "from:never", "31.2.2026", "perfect pair", "after 99:99"]
)
def test_what_means_nothing_is_told(text: str) -> None:
    assert understand(text, NOW).unknown


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_understood_by_name_and_by_its_words(code: str) -> None:
    assert terms(f"code:{code}") == [(f"code:{code}",)]
    assert terms(code_title(code).replace(":", "")) == [(f"code:{code}",)]


def test_a_wrong_value_of_a_field_is_refused_by_name() -> None:
    with pytest.raises(SearchError, match=r"card = 1H; allowed: a rank and a suit such as 7H") as refusal:
        understand_fields({"card": ["1H"]}, DayStretch(begins=None, ends=None))
    assert refusal.value.field == "card"


def test_two_codes_are_two_conditions_and_seats_stay_their_own() -> None:
    found = clauses_of({"code": ["late_bet", "misdeal"], "seat": ["3"]})
    assert [clause.terms for clause in found] == [("code:late_bet",), ("code:misdeal",), ("seat:3",)]
