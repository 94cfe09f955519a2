"""Rounds found in the database, by the API and as alerts and tables come and go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from tests.service.databases import url_of
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, Seed, TestRoom, a_room, alert_body, close_round, sow
from thirdcard.rules.findings.alerts import parse_alert
from thirdcard.rules.log.events import parse_event
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.rounds.search import find
from thirdcard.service.rounds.search.index import enter_missing
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.round_schema import RoundTerm
from thirdcard.service.store.schema import RoundRow


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return sow(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_room(tmp_path, seed, time_zone="Europe/Zurich") as made:
        yield made


def numbers(room: TestRoom, role: str = "viewer", **query: str | list[str]) -> list[int]:
    answer = room.as_role(role).get("/api/rounds", params=query)
    assert answer.status_code == 200, answer.text
    return [item["round"] for item in answer.json()["items"]]


def test_rounds_are_found_by_words_and_by_fields(room: TestRoom) -> None:
    for number, table in ((1, "B07"), (2, "B08"), (3, "B07")):
        close_round(room, number, table, dealer="Ada" if number == 3 else "Ben")
    assert numbers(room, q="seven of hearts table 7") == [3, 1]
    assert numbers(room, q="table:B07 dealer:ada natural") == [3]
    assert numbers(room, card=["7H", "KD"], dealer="BEN") == [2, 1]
    assert numbers(room, card="8H") == []
    assert numbers(room, q="today", table="B08") == [2]
    assert numbers(room, q="yesterday") == []
    assert numbers(room, **{"is": "natural", "table": "B08"}) == [2]


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [({"q": "table 7 blorb"}, "q", "not understood: blorb"), ({"card": "1H"}, "card", "allowed: a rank and a suit"),
     ({"winner": "nobody"}, "winner", "allowed: player, banker, tie or unknown"),
     ({"cards": "7H"}, "cards", "not known")],
)  # fmt: skip
def test_a_program_is_told_what_means_nothing(room: TestRoom, query: dict[str, str], field: str, says: str) -> None:
    assert_error(room.as_role("viewer").get("/api/rounds", params=query), 422, field=field, says=says)


def test_nobody_finds_rounds_of_tables_that_are_not_his(room: TestRoom) -> None:
    close_round(room, 1, "B07")
    close_round(room, 2, "B08")
    assert numbers(room, "anna") == [2]
    assert numbers(room, "anna", q="table:B07") == []
    assert numbers(room, "anna", card="7H") == [2]


@pytest.mark.parametrize("query", [{}, {"card": "7H"}, {"card": ["7H", "KD"]}, {"card": "7"}])
def test_lists_go_on_in_bounded_pieces(
    room: TestRoom, monkeypatch: pytest.MonkeyPatch, query: dict[str, str | list[str]]
) -> None:
    """However little is walked in one call: all rounds come, each once, newest first, and the list ends."""
    monkeypatch.setattr(find, "MOST_WALKED", 2)
    for number in range(1, 8):
        close_round(room, number, "B07" if number % 3 else "B08")
    client, cursor, found = room.as_role("anna" if not query else "viewer"), None, []
    for _ in range(12):
        page = client.get("/api/rounds", params={"limit": 2, **query, **({"cursor": cursor} if cursor else {})}).json()
        found += [item["round"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert cursor is None
    assert found == ([6, 3] if not query else [7, 6, 5, 4, 3, 2, 1])


def test_common_conditions_walk_along_one_of_them(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "COMMON", 1)
    for number in (1, 2, 3):
        close_round(room, number, "B07" if number != 2 else "B08")
    assert numbers(room, card="7", table="B07") == [3, 1]
    assert numbers(room, card="7") == [3, 2, 1]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()


def terms_in(database: Database) -> set[str]:
    with database.reading() as session:
        return set(session.scalars(select(RoundTerm.term)))


def record(number: int) -> RoundRecord:
    return RoundRecord(round=number, opened=1.0, closed=9.0, player=(), banker=(), player_total=None, banker_total=None,
                       winner=None, complete=False, void=False)  # fmt: skip


@pytest.mark.parametrize("is_late", [False, True], ids=["with its round", "after its round"])
def test_alerts_are_found_with_their_round_whenever_they_come(database: Database, is_late: bool) -> None:
    journal = Journal(database, "B07", {"rulebook": "tas"})
    journal.open(NOON)
    alerts = (parse_alert(alert_body(round=1, t=2.0)),)
    lines = [{"t": 1.0, "type": "no_more_bets"}, {"t": 9.0, "type": "round_closed"}]
    events = [parse_event(line) for line in lines]
    journal.write(News(events=events, rounds=(record(1),), alerts=() if is_late else alerts), NOON)
    if is_late:
        assert "code:late_bet" not in terms_in(database)
        journal.write(News(alerts=alerts), NOON + timedelta(seconds=3))
    assert {"code:late_bet", "code:late_bet.placed", "rulebook:tas", "table:b07"} <= terms_in(database)


def test_rounds_of_an_older_version_are_entered_at_the_start(room: TestRoom) -> None:
    close_round(room, 1)
    with room.database.writing() as session:
        session.execute(delete(RoundTerm))
        for row in session.scalars(select(RoundRow)):
            row.terms = None
    assert numbers(room, card="7H") == []
    assert (enter_missing(room.database), enter_missing(room.database)) == (1, 0)
    assert numbers(room, card="7H") == [1]


def test_what_is_entered_again_is_found_by_what_it_is_now(room: TestRoom) -> None:
    from thirdcard.service.rounds.search.index import enter_round

    close_round(room, 1)
    with room.database.writing() as session:
        row = session.scalars(select(RoundRow)).one()
        row.body = json.dumps({**json.loads(row.body), "winner": "tie"})
        enter_round(session, row)
    assert (numbers(room, winner="tie"), numbers(room, winner="player")) == ([1], [])
