"""Storms: many alerts of one table are one group in the list, taken in one act."""

from __future__ import annotations

import re

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, raise_alert
from thirdcard.service.alerts.alerts import AlertWish
from thirdcard.service.alerts.storms import GAP, LEAST, SPAN, Storm, find_storms
from thirdcard.service.store.people import Person, Role

ANNA = Person(name="anna", role=Role.OPERATOR, tables=frozenset({"B08"}))
BOSS = Person(name="boss", role=Role.SUPERVISOR, tables=None)


def raise_storm(room: TestRoom, count: int = LEAST, table: str = "B07", *, gap_s: float = 20.0) -> list[int]:
    """Alerts at one table, so many seconds apart; the newest number last."""
    numbers = []
    for _ in range(count):
        numbers.append(raise_alert(room, table))
        room.clock.move(seconds=gap_s)
    return numbers


def storms(room: TestRoom, person: Person = BOSS, wish: AlertWish | None = None) -> list[Storm]:
    with room.database.reading() as session:
        return find_storms(session, person, wish or AlertWish())


def test_storm_says_how_many_and_how_bad(room: TestRoom) -> None:
    numbers = raise_storm(room)
    numbers.append(raise_alert(room, severity="critical"))
    (storm,) = storms(room)
    assert list(storm.ids) == numbers[::-1]
    assert (storm.table_id, storm.worst, storm.code) == ("B07", "critical", "late_bet.placed")
    assert storm.lasted_s == 20.0 * LEAST


def test_storm_has_one_kind(room: TestRoom) -> None:
    raise_storm(room, LEAST - 1)
    for _ in range(LEAST):
        raise_alert(room, code="camera.lost", severity="critical")
    (storm,) = storms(room)
    assert (storm.code, len(storm.ids)) == ("camera.lost", LEAST)


def test_storm_ends_after_its_span(room: TestRoom) -> None:
    numbers = raise_storm(room, int(SPAN / GAP) + 1 + LEAST, gap_s=GAP.total_seconds())
    parts = storms(room)
    assert sorted(number for storm in parts for number in storm.ids) == numbers
    assert all(storm.lasted_s <= SPAN.total_seconds() for storm in parts)


def test_storm_names_its_gravest_first(room: TestRoom) -> None:
    grave = raise_alert(room, severity="critical", message="Seat 9 placed 99,000.")
    raise_storm(room, LEAST)
    text = room.browser("operator").get("/parts/alerts").text
    assert f"{LEAST + 1} alerts within 60 s; the most severe: Seat 9 placed 99,000." in text
    assert re.findall(r'id="row-(\d+)"', text)[0] == str(grave)


@pytest.mark.parametrize(
    ("count", "gap_s", "found"),
    [
        pytest.param(LEAST - 1, 1.0, 0, id="too-few"),
        pytest.param(LEAST, GAP.total_seconds(), 1, id="just-near-enough"),
        pytest.param(LEAST, GAP.total_seconds() + 1, 0, id="too-far-between"),
    ],
)
def test_storm_is_many_in_quick_succession(room: TestRoom, count: int, gap_s: float, found: int) -> None:
    raise_storm(room, count, gap_s=gap_s)
    assert len(storms(room)) == found


def test_alerts_of_other_tables_are_no_storm_and_are_not_seen(room: TestRoom) -> None:
    raise_storm(room, LEAST - 1)
    raise_storm(room, 1, "B08")
    assert storms(room) == []
    raise_storm(room, 1)
    assert len(storms(room)) == 1
    assert storms(room, ANNA) == []


def test_list_shows_a_storm_once_and_the_others_beside_it(room: TestRoom) -> None:
    other = raise_alert(room, "B08")
    numbers = raise_storm(room, LEAST + 1)
    text = room.browser("operator").get("/parts/alerts").text
    assert len(re.findall('class="storm-row high"', text)) == 1
    assert f'data-alerts="{",".join(map(str, numbers[::-1]))}"' in text
    assert f"{LEAST + 1} alerts within 80 s" in text
    assert all(text.count(f'id="row-{number}"') == 1 for number in (other, *numbers))
    assert "Take all" not in room.browser("viewer").get("/parts/alerts").text


def test_storm_is_whole_however_short_the_page(room: TestRoom) -> None:
    other = raise_alert(room, "B08")
    numbers = raise_storm(room, LEAST + 4)
    text = room.browser("operator").get("/parts/alerts?limit=1").text
    assert f'data-alerts="{",".join(map(str, numbers[::-1]))}"' in text
    following = re.search(r"cursor=([^\"]+)", text)
    assert following is not None
    older = room.browser("operator").get(f"/parts/alerts?limit=1&cursor={following[1]}").text
    assert re.findall(r'id="row-(\d+)"', older) == [str(other)]


def test_whole_storm_is_taken_in_one_act_and_each_history_says_who(room: TestRoom) -> None:
    numbers = raise_storm(room)
    answer = room.as_role("operator").post("/api/alerts/take", json={"alerts": numbers})
    assert answer.json() == {"taken": numbers, "left": []}
    for number in numbers:
        body = room.as_role("viewer").get(f"/api/alerts/{number}").json()
        assert (body["state"], body["owner"]) == ("acknowledged", "token:operator")
        assert [change["who"] for change in body["changes"]] == ["token:operator"]
    assert storms(room) == []
    acts = room.as_role("supervisor").get("/api/audit").json()["items"]
    assert [act["target"] for act in acts if act["action"] == "alert.acknowledged"] == [
        f"alert:{number}" for number in numbers[::-1]
    ]


def test_what_somebody_else_has_is_left(room: TestRoom) -> None:
    numbers = raise_storm(room)
    room.as_role("admin").post(f"/api/alerts/{numbers[1]}/state", json={"state": "acknowledged"})
    hidden = raise_alert(room, "B07")
    answer = room.as_role("operator").post("/api/alerts/take", json={"alerts": [*numbers, 99]}).json()
    assert answer["taken"] == [numbers[0], *numbers[2:]]
    assert answer["left"] == [
        {
            "alert": numbers[1],
            "message": "token:admin has taken the alert; a supervisor's alert is decided by supervisors",
        },
        {"alert": 99, "message": "there is no such alert at your tables"},
    ]
    assert room.as_role("anna").post("/api/alerts/take", json={"alerts": [hidden]}).json()["taken"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "alerts"), ({"alerts": []}, "alerts"), ({"alerts": [1] * 501}, "alerts"),
        ({"alerts": ["1"]}, "alerts.0"), ({"alerts": [0]}, "alerts.0"),
    ],
)  # fmt: skip
def test_bad_wish_to_take_is_named(room: TestRoom, body: dict[str, object], field: str) -> None:
    assert_error(room.as_role("operator").post("/api/alerts/take", json=body), 422, field=field)


def test_viewer_takes_nothing(room: TestRoom) -> None:
    assert_error(room.as_role("viewer").post("/api/alerts/take", json={"alerts": [1]}), 403)


def test_pages_know_who_waits_so_that_they_can_remind(room: TestRoom) -> None:
    number = raise_alert(room)
    text = room.browser("operator").get("/").text
    assert f"&#34;id&#34;: {number}" in text
    assert 'data-remind="120"' in text
