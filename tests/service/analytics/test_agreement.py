"""The figures of all pages, the report, the API and its files, and the data export agree with each other."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.analytics.floors import deal, decide, err
from tests.service.hand_clock import NOON
from tests.service.web.rooms import Seed, TestRoom, a_room
from thirdcard.service.analytics.asking import NO_DEALER
from thirdcard.service.analytics.refreshing import refresh_all
from thirdcard.service.analytics.tallies import ERRORS
from thirdcard.service.config.house import House
from thirdcard.service.export.reading import DataReader, ExportWish, Rows

LISTS = ("dealers", "tables", "rulebooks", "codes", "shifts", "hours", "days")
VIEWS = ("dealers", "tables", "codes", "trend", "pace")
COUNTS = ("rounds", "errors", "confirmed_errors", "undecided_errors", "alerts", "decided", "false_alerts")
STATES = ("open", "acknowledged", "escalated", "confirmed", "dismissed")
CODES = ("misdeal.order", "procedure.no_call", "late_bet.placed", "camera.lost")
DAYS = 3

Row = dict[str, Any]


@dataclass(frozen=True)
class Stint:
    """What one dealer, or nobody, dealt at a table in one go."""

    table: str
    dealer: str | None
    day: int
    hour: int
    rounds: int
    alerts: tuple[tuple[int, str, str], ...]
    """Round, code and state; a round beyond the last one never closed."""


STINTS = st.lists(
    st.builds(
        Stint,
        table=st.sampled_from(["B07", "B08"]),
        dealer=st.sampled_from(["ann", "ben", None]),
        day=st.integers(0, DAYS - 1),
        hour=st.integers(0, 9),
        rounds=st.integers(0, 60),
        alerts=st.lists(st.tuples(st.integers(1, 61), st.sampled_from(CODES), st.sampled_from(STATES)), max_size=6).map(
            tuple
        ),
    ),
    min_size=1,
    max_size=4,
)


@given(STINTS)
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_agree_on_all_pages_in_the_report_and_in_all_files(seed: Seed, stints: list[Stint]) -> None:
    with tempfile.TemporaryDirectory() as folder, a_room(Path(folder), seed) as room:
        truth = furnish(room, stints)
        house = check_lists(room, truth)
        check_pages(room, house)
        check_reports(room, house)
        check_export(room, house)


def furnish(room: TestRoom, stints: Sequence[Stint]) -> Mapping[str, int]:
    """Put the stints into the store; gives what they come to."""
    rounds, errors, alerts, confirmed = 0, 0, 0, 0
    for stint in stints:
        at = NOON + timedelta(days=stint.day, hours=stint.hour)
        log = deal(room.database, stint.rounds, table=stint.table, dealer=stint.dealer, at=at)
        rounds += stint.rounds
        standing: dict[int, list[str]] = {}
        for number, code, state in stint.alerts:
            alert = err(room.database, log, number, code=code, dealer=stint.dealer)
            if state != "open":
                decide(room.database, alert, state, "card_misread" if state == "dismissed" else None)
            if state != "dismissed" and code.split(".")[0] in ERRORS:
                standing.setdefault(number, []).append(state)
        errors += len(standing)
        alerts += sum(map(len, standing.values()))
        confirmed += sum("confirmed" in states for states in standing.values())
    refresh_all(room.database)
    room.clock.move(days=DAYS)
    return {"rounds": rounds, "errors": errors, "alerts": alerts, "confirmed_errors": confirmed,
            "undecided_errors": errors - confirmed}  # fmt: skip


def check_lists(room: TestRoom, truth: Mapping[str, int]) -> Row:
    """Each list adds up to the house, which is the truth; files hold the same. Gives the house."""
    client = room.as_role("admin")
    houses = []
    for what in LISTS:
        body = client.get(f"/api/analytics/{what}").json()
        houses.append(body["house"])
        assert body["total"] == body["house"]
        told = list(csv.DictReader(io.StringIO(client.get(f"/api/analytics/{what}?format=csv").text)))
        for key in COUNTS:
            assert [int(row[key]) for row in told] == [item[key] for item in body["items"]]
            if what != "codes":
                assert sum(item[key] for item in body["items"]) == body["house"][key], (what, key)
    assert all(house == houses[0] for house in houses)
    assert {key: houses[0][key] for key in truth} == truth
    for query in ("table=B07", "dealer=ann", f"dealer={NO_DEALER}"):
        assert client.get(f"/api/analytics/days?{query}").json()["house"] == houses[0]
    return dict(houses[0])


def check_pages(room: TestRoom, house: Row) -> None:
    """Every page says what the API says, narrowed or not."""
    client = room.browser("admin")
    for view in VIEWS:
        assert in_short(client.get(f"/analytics/{view}").text) == counts_of(house), view
        narrowed = client.get(f"/analytics/{view}?table=B07").text
        own = room.as_role("admin").get("/api/analytics/tables?table=B07").json()["total"]
        assert in_short(narrowed) == counts_of(own), view
        assert the_house(narrowed) == rate_of(house), view


def check_reports(room: TestRoom, house: Row) -> None:
    """The report of each dealer and table says what its row in the list says, and what the house's rate is."""
    client = room.browser("admin")
    for what, by in (("dealers", "dealer"), ("tables", "table")):
        for item in room.as_role("admin").get(f"/api/analytics/{what}").json()["items"]:
            page = client.get(f"/analytics/report?{by}={item['name']}").text
            assert in_short(page) == counts_of(item)
            assert the_house(page) == rate_of(house)


def check_export(room: TestRoom, house: Row) -> None:
    """Counted anew from the rounds and alerts of the data export, errors are the same; and so are its sums."""
    with room.database.reading() as session:
        data: Rows = {}
        for part in DataReader(session, House(), ExportWish(are_names_shown=True)).parts():
            for name, rows in part.items():
                data.setdefault(name, []).extend(rows)
    alerts = [
        row for row in data.get("alerts", [])
        if row["is_counted"] and row["state"] != "dismissed" and row["code"].split(".")[0] in ERRORS
    ]  # fmt: skip
    assert sum(row["is_counted"] for row in data.get("rounds", [])) == house["rounds"]
    assert len({(row["log_id"], row["round"]) for row in alerts}) == house["errors"]
    assert len(alerts) == house["alerts"]
    assert sum(row["rounds"] for row in data.get("tallies", [])) == house["rounds"]
    erring = [row["rounds"] for row in data.get("erring_tallies", []) if is_error(row["faults"])]
    assert sum(erring) == house["errors"]


def is_error(faults: str) -> bool:
    """Whether a round with these faults is an error of dealing."""
    told = [line.split(" ") for line in faults.splitlines()]
    return any(code.split(".")[0] in ERRORS and state != "dismissed" for code, state in told)


def in_short(page: str) -> tuple[int, ...]:
    """Errors, rounds, alerts, confirmed and undecided, as a page or a report has them."""
    found = re.search(
        r"(\d+)(?:</a>)? in <b>(\d+)</b> rounds, with (\d+) alerts?<.*?(\d+) confirmed; (\d+) undec", page, re.S
    )
    assert found is not None, page
    return tuple(map(int, found.groups()))


def counts_of(item: Row) -> tuple[int, ...]:
    """The same of a figure."""
    return tuple(item[key] for key in ("errors", "rounds", "alerts", "confirmed_errors", "undecided_errors"))


def the_house(page: str) -> str:
    """What a page says of the whole house."""
    (found,) = re.findall(r"<dt>The whole house</dt><dd>(.*?)</dd>", page)
    return str(found)


def rate_of(house: Row) -> str:
    """The same of a figure."""
    if not house["rounds"]:
        return "–"
    interval = f"{house['per_1000_low']:.2f}–{house['per_1000_high']:.2f}"
    return f"{house['per_1000']:.2f} ({interval}), {house['rounds']} rounds"


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_file_of_no_dealer_is_asked_for_by_its_name(room: TestRoom, form: str) -> None:
    deal(room.database, 3, dealer=None)
    refresh_all(room.database)
    answer = room.as_role("admin").get(f"/api/analytics/dealers?dealer={NO_DEALER}&format={form}")
    assert answer.status_code == 200 and NO_DEALER.encode() in answer.content
