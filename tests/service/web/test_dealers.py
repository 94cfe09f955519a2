"""The register of dealers and the roster: entered by hand or as lists, and figures that follow them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.analytics.floors import EVERY_S, deal, err
from tests.service.web.rooms import NOON, TestRoom
from thirdcard.service.analytics.refreshing import refresh_all
from thirdcard.service.rounds.who_dealt import follow_log
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow, SignalRow

BEN, ANN = {"name": "Ben Tan", "staff_id": "1041", "badge": "04A1B2"}, {"name": "Ann Lee", "staff_id": "1042"}
ROUNDS = 120
HALF = ROUNDS // 2


def at(rounds: float) -> datetime:
    """When so many rounds of the floor were dealt."""
    return NOON - timedelta(hours=4) + timedelta(seconds=rounds * EVERY_S)


def enter_both(room: TestRoom) -> None:
    for one in (BEN, ANN):
        assert room.as_role("admin").post("/api/dealers", json=one).status_code == 201


def a_floor(room: TestRoom) -> int:
    """Rounds of which nothing says who dealt, four of them with a fault."""
    log = deal(room.database, ROUNDS, dealer=None, at=at(0))
    for number in (4, 9, HALF - 1, HALF + 5):
        err(room.database, log, number, dealer=None)
    return log


def badge(room: TestRoom, log: int) -> None:
    """What a reader at the table reported, as it stands in the log."""
    for n, text in ((0, "04A1B2"), (HALF, "lee, ann")):
        body = {"type": "dealer_changed", "dealer": text, "source": "signal"}
        with room.database.writing() as session:
            from thirdcard.service.alerts.signals import keep_signal

            keep_signal(session, "B07", NOON, body)
            line = json.loads(session.scalars(select(SignalRow.body).order_by(SignalRow.id.desc())).first() or "")
            t = n * EVERY_S
            chain.append(session, log_chain("B07"), [{**line, "t": t, "at": at(n).isoformat()}], at=NOON)
    with room.database.writing() as session:
        follow_log(session, session.get_one(LogRow, log), range(1, ROUNDS + 1), now=NOON)


def list_of(room: TestRoom, log: int) -> None:
    """A roster as a list, entered after the night."""
    rows = [("B07", at(0), at(HALF), "1041"), ("B07", at(HALF), at(ROUNDS), "Ann Lee")]
    text = "table,from,to,dealer\n" + "".join(f"{t},{a.isoformat()},{b.isoformat()},{d}\n" for t, a, b, d in rows)
    told = room.as_role("supervisor").post("/api/roster/import", json={"text": text})
    assert told.json() == {"taken": 2, "refused": [], "renamed": []}


def said_afterwards(room: TestRoom, log: int) -> None:
    """Somebody says who dealt, against what the log has."""
    with room.database.writing() as session:
        line = {"type": "dealer_changed", "dealer": "Somebody Else", "t": 0.0, "at": at(0).isoformat()}
        chain.append(session, log_chain("B07"), [line], at=NOON)
        follow_log(session, session.get_one(LogRow, log), range(1, ROUNDS + 1), now=NOON)
    for begin, end, dealer in ((0, HALF, "ben tan"), (HALF, ROUNDS, "1042")):
        body = {"table": "B07", "from": at(begin).isoformat(), "to": at(end).isoformat(), "dealer": dealer}
        told = room.as_role("supervisor").post("/api/roster", json={**body, "ruling": True})
        assert told.status_code == 201, told.text


@pytest.mark.parametrize("way", [badge, list_of, said_afterwards], ids=["badge", "roster", "said afterwards"])
def test_all_ways_lead_to_the_same_figures(room: TestRoom, way: Any) -> None:
    enter_both(room)
    log = a_floor(room)
    way(room, log)
    refresh_all(room.database)
    items = room.as_role("supervisor").get("/api/analytics/dealers").json()["items"]
    assert {one["name"]: (one["rounds"], one["errors"]) for one in items} == {
        "Ben Tan": (HALF, 3),
        "Ann Lee": (HALF, 1),
    }
    with room.database.reading() as session:
        alerts = session.scalars(select(AlertRow.dealer).where(AlertRow.log_id == log).order_by(AlertRow.at)).all()
    assert alerts == ["Ben Tan", "Ben Tan", "Ben Tan", "Ann Lee"]


def test_rounds_without_a_dealer_are_shown_as_such(room: TestRoom) -> None:
    enter_both(room)
    a_floor(room)
    body = {"table": "B07", "from": at(0).isoformat(), "to": at(HALF).isoformat(), "dealer": "1041"}
    number = room.as_role("supervisor").post("/api/roster", json=body).json()["id"]
    refresh_all(room.database)
    items = room.as_role("supervisor").get("/api/analytics/dealers").json()["items"]
    assert sorted((one["name"], one["rounds"]) for one in items) == [("Ben Tan", HALF), ("no dealer", HALF)]

    assert room.as_role("supervisor").post(f"/api/roster/{number}/remove").status_code == 200
    refresh_all(room.database)
    items = room.as_role("supervisor").get("/api/analytics/dealers").json()["items"]
    assert [(one["name"], one["rounds"]) for one in items] == [("no dealer", ROUNDS)]


def test_new_name_is_on_all_that_was_dealt(room: TestRoom) -> None:
    enter_both(room)
    log = a_floor(room)
    list_of(room, log)
    (ben,) = (one for one in dealers(room) if one["name"] == "Ben Tan")
    changed = {**BEN, "name": "Ben Lim"}
    assert room.as_role("admin").post(f"/api/dealers/{ben['id']}", json=changed).status_code == 200
    with room.database.reading() as session:
        names = session.scalars(select(RoundRow.dealer).where(RoundRow.log_id == log).distinct()).all()
    assert sorted(map(str, names)) == ["Ann Lee", "Ben Lim"]


def dealers(room: TestRoom) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = room.as_role("admin").get("/api/dealers").json()["items"]
    return found


def test_1000_lines_with_5_bad_ones(room: TestRoom) -> None:
    lines = [f"Dealer {n:04},{n},," for n in range(1000)]
    bad = {
        100: ",100,,",
        300: "Dealer 0001,x1,,",
        500: "Dealer 0500,7,,",
        700: "Dealer 0700,700,,perhaps",
        900: "tan\x07,900,,",
    }
    for place, line in bad.items():
        lines[place] = line
    text = "name,id,badge,active\n" + "\n".join(lines) + "\n"
    told = room.as_role("admin").post("/api/dealers/import", json={"text": text})
    assert told.status_code == 200, told.text
    assert told.json()["taken"] == 995
    assert [fault["line"] for fault in told.json()["refused"]] == [place + 2 for place in bad]
    assert len(dealers(room)) == 995

    again = room.as_role("admin").post("/api/dealers/import", json={"text": text})
    assert (again.json()["taken"], len(dealers(room))) == (995, 995)


def test_roster_of_1000_lines_with_5_bad_ones(room: TestRoom) -> None:
    enter_both(room)
    begins = [NOON + timedelta(minutes=20 * n) for n in range(1000)]
    lines = [
        f"B07,{t.isoformat()},{(t + timedelta(minutes=20)).isoformat()},{1041 + n % 2}" for n, t in enumerate(begins)
    ]
    for place in (10, 200, 400, 600, 999):
        lines[place] = lines[place].replace("B07", "B99") if place < 300 else lines[place] + "9"
    told = room.as_role("supervisor").post(
        "/api/roster/import", json={"text": "table,from,to,dealer\n" + "\n".join(lines)}
    )
    assert told.json()["taken"] == 995
    assert [fault["line"] for fault in told.json()["refused"]] == [12, 202, 402, 602, 1001]


def import_list(room: TestRoom, text: str, path: str = "dealers", **more: object) -> dict[str, Any]:
    answer = room.as_role("admin").post(f"/api/{path}/import", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_list_leaves_alone_what_it_has_no_column_for(room: TestRoom) -> None:
    assert import_list(room, "name,id,badge,active\nBen Tan,1041,04A1B2,no\n")["taken"] == 1
    assert import_list(room, "id,name\n1041,Ben Tan\n")["taken"] == 1
    (ben,) = dealers(room)
    assert (ben["badge"], ben["active"]) == ("04A1B2", False)


def test_badge_that_was_passed_on_is_entered_in_any_order_of_lines(room: TestRoom) -> None:
    enter_both(room)
    told = import_list(room, "name,id,badge\nAnn Lee,1042,04A1B2\nBen Tan,1041,\n")
    assert (told["taken"], told["refused"]) == (2, [])
    assert {one["name"]: one["badge"] for one in dealers(room)} == {"Ann Lee": "04A1B2", "Ben Tan": None}


def test_badges_that_move_along_a_chain_are_entered(room: TestRoom) -> None:
    import_list(room, "name,id,badge\nAnn Lee,1,X1\nBen Tan,2,X2\nCleo Park,3,X3\n")
    told = import_list(room, "name,id,badge\nAnn Lee,1,X2\nBen Tan,2,X3\nCleo Park,3,X4\n")
    assert (told["taken"], told["refused"]) == (3, [])
    assert [one["badge"] for one in dealers(room)] == ["X2", "X3", "X4"]


def test_refused_line_leaves_nothing_behind(room: TestRoom) -> None:
    enter_both(room)
    assert import_list(room, "name,id,badge\nAnn Poh,9,04A1B2\n")["taken"] == 0
    assert [one["name"] for one in dealers(room)] == ["Ann Lee", "Ben Tan"]
    assert import_list(room, "name,id\nAnn Lee,e104\nAnn Poh,9\n")["taken"] == 1


def test_list_renames_visibly_and_gives_no_number_to_a_stranger(room: TestRoom) -> None:
    enter_both(room)
    told = import_list(room, "name,id\nBen Lim,1041\nKurt Wagner,1042\nCleo Park,\ncleo park,\n")
    assert told["renamed"] == [{"line": 2, "was": "Ben Tan", "name": "Ben Lim"}]
    assert [(fault["line"], fault["field"]) for fault in told["refused"]] == [(3, "id"), (5, "id")]
    assert "1042; is Ann Lee" in told["refused"][0]["message"]


def test_badge_that_is_entered_after_it_was_used_is_the_dealer_s(room: TestRoom) -> None:
    log = a_floor(room)
    with room.database.writing() as session:
        line = {"type": "dealer_changed", "dealer": "zz99", "t": 0.0, "at": at(0).isoformat()}
        chain.append(session, log_chain("B07"), [line], at=NOON)
        follow_log(session, session.get_one(LogRow, log), range(1, ROUNDS + 1), now=NOON)
    import_list(room, "name,badge\nZara Zed,ZZ99\n")
    with room.database.reading() as session:
        assert session.scalars(select(RoundRow.dealer).distinct()).all() == ["Zara Zed"]
    assert [one["name"] for one in dealers(room)] == ["Zara Zed"]


def test_roster_that_was_changed_replaces_the_older_one(room: TestRoom) -> None:
    enter_both(room)
    log = a_floor(room)
    list_of(room, log)
    row = ",".join(("B07", at(0).isoformat(), at(ROUNDS).isoformat(), "Ann Lee"))
    text = f"table,from,to,dealer\n{row}\n"
    assert import_list(room, text, "roster")["taken"] == 0
    assert import_list(room, text, "roster", replaces=True)["taken"] == 1
    with room.database.reading() as session:
        assert session.scalars(select(RoundRow.dealer).where(RoundRow.log_id == log).distinct()).all() == ["Ann Lee"]


def test_roster_that_contradicts_itself_is_refused_there(room: TestRoom) -> None:
    enter_both(room)
    span = "B07,2026-05-04 20:00,2026-05-04 20:30"
    text = f"table,from,to,dealer\n{span},1041\n{span},1042\n"
    told = import_list(room, text, "roster", replaces=True)
    assert (told["taken"], [fault["line"] for fault in told["refused"]]) == (1, [3])


def test_long_roster_is_read_in_parts(room: TestRoom) -> None:
    enter_both(room)
    lines = [f"B07,2026-05-04 {n:02}:00,2026-05-04 {n:02}:30,1041" for n in range(20)]
    import_list(room, "table,from,to,dealer\n" + "\n".join(lines), "roster")
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        more = f"&cursor={cursor}" if cursor else ""
        span = "from=2026-05-03T00:00:00Z&to=2026-05-06T00:00:00Z"
        part = room.as_role("supervisor").get(f"/api/roster?{span}&limit=8{more}").json()
        found, cursor = [*found, *part["items"]], part["next"]
    assert len({one["id"] for one in found}) == len(found) == 20


@pytest.mark.parametrize("text", ["0001-01-01 00:00+14:00", "9999-12-31 23:00-10:00", "0026-11-26 20:00"])
def test_impossible_year_costs_its_line_alone(room: TestRoom, text: str) -> None:
    enter_both(room)
    lines = f"B07,{text},{text},1041\nB07,2026-05-04 20:00,2026-05-04 20:30,1041\n"
    told = import_list(room, f"table,from,to,dealer\n{lines}", "roster")
    assert (told["taken"], [fault["line"] for fault in told["refused"]]) == (1, [2])
    assert room.as_role("supervisor").get("/roster?day=9999-12-31").status_code == 422


@pytest.mark.parametrize(("dealer", "status"), [(None, 202), ("ben tan", 202), ("  ", 422)])
def test_table_reports_a_dealer_or_a_break(room: TestRoom, dealer: str | None, status: int) -> None:
    body = {"type": "dealer_changed", "dealer": dealer}
    assert room.as_role("operator").post("/api/tables/B07/signals", json=body).status_code == status


@pytest.mark.parametrize(
    ("role", "path", "body", "status"),
    [
        ("operator", "/api/dealers", BEN, 403),
        ("supervisor", "/api/dealers", BEN, 403),
        ("operator", "/api/roster/import", {"text": "table\n"}, 403),
        ("admin", "/api/dealers", {"name": ""}, 422),
        ("admin", "/api/dealers/7", BEN, 404),
        ("admin", "/api/dealers/7/join", {"gone": 8}, 404),
        ("supervisor", "/api/roster/7/remove", None, 404),
        ("supervisor", "/api/roster", {"table": "B99", "from": "2026-05-04T20:00", "to": "2026-05-04T21:00"}, 404),
        ("supervisor", "/api/roster", {"table": "B07", "from": "soon", "to": "2026-05-04T21:00"}, 422),
        ("supervisor", "/api/roster/import", {"text": "name\nBen\n"}, 422),
    ],
)
def test_what_is_refused(room: TestRoom, role: str, path: str, body: Any, status: int) -> None:
    answer = room.as_role(role).post(path, json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_names_are_kept_from_those_who_must_not_see_them(room: TestRoom) -> None:
    for path in ("/api/dealers", "/api/roster", "/roster"):
        assert room.as_role("operator").get(path).status_code == 403


def test_button_at_the_table_is_kept_under_the_register_s_name(room: TestRoom) -> None:
    enter_both(room)
    for text in ("1041", "04A1B2", "TAN ben"):
        body = {"type": "dealer_changed", "dealer": text, "source": "person"}
        assert room.as_role("operator").post("/api/tables/B07/signals", json=body).status_code == 202
    with room.database.reading() as session:
        kept = [json.loads(row.body)["dealer"] for row in session.scalars(select(SignalRow))]
    assert kept == ["Ben Tan"] * 3


def test_pages_show_who_is_known_and_who_is_not(room: TestRoom) -> None:
    enter_both(room)
    body = {"type": "dealer_changed", "dealer": "Ben Tann"}
    room.as_role("operator").post("/api/tables/B07/signals", json=body)
    page = room.as_role("admin").get("/settings/dealers").text
    assert "Ben Tann" in page and "In a log, not in the register" in page
    list_of(room, a_floor(room))
    page = room.as_role("supervisor").get(f"/roster?day={at(0):%Y-%m-%d}").text
    assert "Ben Tan" in page and "Ann Lee" in page
