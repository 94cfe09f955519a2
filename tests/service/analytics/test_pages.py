"""The pages of figures: whole, safe, each figure one click from its alerts, names for those who may see them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.service.analytics.floors import deal, decide, err
from tests.service.hand_clock import NOON
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom
from tests.service.web.test_pages import Seen
from thirdcard.service.analytics.refreshing import refresh_all

HTML = {"Accept": "text/html"}
VIEWS = ("dealers", "tables", "codes", "trend", "pace")
Shown = Callable[..., str]


@pytest.fixture
def full(room: TestRoom) -> TestRoom:
    """Two tables and three dealers, one of them dealt little."""
    ann = deal(room.database, 300)
    deal(room.database, 210, table="B08", dealer="ben <b>")
    cay = deal(room.database, 3, table="B08", dealer="cay", at=NOON - timedelta(days=1))
    for number in (3, 4, 9):
        err(room.database, ann, number)
    decide(room.database, err(room.database, ann, 12), "confirmed")
    decide(room.database, err(room.database, ann, 13), "dismissed", "card_misread")
    err(room.database, cay, 1, dealer="cay")
    refresh_all(room.database)
    room.clock.move(days=1)
    return room


def page(room: TestRoom, path: str, role: str = "admin") -> str:
    answer = room.browser(role).get(path, headers=HTML)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize("role", ["viewer", "admin"])
@pytest.mark.parametrize(
    "path", [*(f"/analytics/{view}" for view in VIEWS), "/analytics/report?table=B07&from=2026-05-04"]
)
def test_page_is_whole_and_runs_nothing_foreign(full: TestRoom, path: str, role: str) -> None:
    seen = Seen()
    seen.feed(page(full, path, role))
    assert seen.faults == []
    assert len(seen.ids) == len(set(seen.ids))
    assert {"main", "h1", "title", "table"} <= seen.landmarks


@pytest.mark.parametrize("view", VIEWS)
def test_page_without_rounds_says_so(room: TestRoom, view: str) -> None:
    assert "No round was counted here" in page(room, f"/analytics/{view}")


def test_every_rate_stands_beside_its_rounds(full: TestRoom) -> None:
    text = page(full, "/analytics")
    assert re.search(r"in <b>513</b> rounds", text)
    assert text.index("ann") < text.index("Too few rounds to be ranked") < text.index(">cay</a>")


def test_figure_leads_to_its_alerts(full: TestRoom) -> None:
    text = page(full, "/analytics")
    (link,) = re.findall(r'<a href="(/alerts\?[^"]*dealer=ann[^"]*)" title', text)
    alerts = page(full, html.unescape(link))
    assert len(re.findall(r'class="alert-row', alerts)) == 4
    assert "Dealer ann" in alerts


def test_pseudonym_leads_to_the_alerts_of_its_dealer(full: TestRoom) -> None:
    name = full.app.state.room.settings.house.pseudonyms.of("cay")
    text = page(full, "/analytics", "operator")
    assert name in text and "cay" not in text
    (link,) = re.findall(rf'<a href="(/alerts\?[^"]*dealer={name}[^"]*)" title', text)
    assert len(re.findall(r'class="alert-row', page(full, html.unescape(link), "operator"))) == 1
    assert re.findall(r'class="alert-row', page(full, "/alerts?show=all&dealer=cay", "operator")) == []


def test_confirmed_alerts_alone_count_when_asked(full: TestRoom) -> None:
    text = page(full, "/analytics/tables?confirmed=1")
    assert "confirmed alerts only" in text
    (link,) = re.findall(r'<a href="(/alerts[^"]*)">1</a> in', text)
    assert len(re.findall(r'class="alert-row', page(full, html.unescape(link)))) == 1


def test_day_of_the_trend_leads_to_its_alerts(full: TestRoom) -> None:
    text = page(full, "/analytics/trend")
    (link,) = re.findall(r'<a href="([^"]*)" aria-label="2026-05-03: 1 in 3"', text)
    assert len(re.findall(r'class="alert-row', page(full, html.unescape(link)))) == 1


def test_filters_stay_when_the_view_changes(full: TestRoom) -> None:
    text = page(full, "/analytics/codes?table=B08&code=misdeal&from=2026-05-01")
    assert "/analytics/pace?table=B08&amp;code=misdeal&amp;from=2026-05-01" in text


def test_names_are_shown_as_text(full: TestRoom) -> None:
    assert "ben &lt;b&gt;" in page(full, "/analytics")


def test_look_at_names_stands_in_the_audit(full: TestRoom) -> None:
    page(full, "/analytics/tables")
    assert "dealers: seen" not in page(full, "/audit")
    page(full, "/analytics")
    assert "dealers: seen" in page(full, "/audit")


def test_shift_report_tells_a_table_beside_the_house(full: TestRoom) -> None:
    text = page(full, "/analytics/report?table=B07&from=2026-05-04&to=2026-05-04")
    for part in ("Table B07", "4 in <b>300</b> rounds", "510 rounds", "Misdeal: order", "betting 2"):
        assert part in text
    assert len(re.findall(r'href="/alerts/\d+"', text)) == 4
    assert "6.3: No wager on a hand may be placed" in text


def test_shift_report_of_a_dealer_goes_by_pseudonym(full: TestRoom) -> None:
    name = full.app.state.room.settings.house.pseudonyms.of("ann")
    assert f"Dealer {name}" in page(full, f"/analytics/report?dealer={name}&from=2026-05-04", "viewer")
    assert "4 in <b>300</b> rounds" in page(full, "/analytics/report?dealer=ann&from=2026-05-04")


@pytest.mark.parametrize("day", ["2026-05-04", "2026-01-01"], ids=["a day of play", "a day without"])
def test_shift_report_is_a_pdf_too(full: TestRoom, day: str) -> None:
    answer = full.browser("admin").get(f"/analytics/report.pdf?table=B07&from={day}")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        pytest.param("/analytics/dealers?from=2026-13-01", "from", id="a day that is none"),
        pytest.param("/analytics/report?to=tomorrow", "to", id="no day at all"),
    ],
)
def test_what_is_not_allowed_is_refused(full: TestRoom, path: str, field: str) -> None:
    assert_error(full.browser("admin").get(path), 422, field=field, says=field)


def test_unknown_view_is_not_found(full: TestRoom) -> None:
    assert_error(full.browser("admin").get("/analytics/patrons"), 404)


def test_report_covers_what_its_list_covers(full: TestRoom) -> None:
    text = page(full, "/analytics/tables?from=2026-05-03&code=misdeal&confirmed=1")
    (link,) = re.findall(r'href="(/analytics/report\?[^"]*table=B07[^"]*)"', text)
    report = page(full, html.unescape(link))
    assert "3 May 2026 to 5 May 2026, so far, Misdeals, confirmed alerts only" in report
    assert "1 in <b>300</b> rounds, with 1 alert<" in report
    (pdf,) = re.findall(r'href="(/analytics/report\.pdf\?[^"]*)"', report)
    assert "from=2026-05-03" in pdf and "confirmed=1" in pdf
    assert "4 Feb 2026 to 5 May 2026" in page(full, "/analytics/report?table=B07"), "without days, those of the lists"


@pytest.mark.parametrize("view", VIEWS)
def test_page_shows_the_days_that_it_covers(full: TestRoom, view: str) -> None:
    assert "4 Feb 2026 to 5 May 2026, so far, UTC" in page(full, f"/analytics/{view}")
    text = page(full, f"/analytics/{view}?to=2026-05-04")
    assert "3 May 2026 to 4 May 2026, UTC" in text, "from the first round on"
    assert 'name="from" value="2026-05-03"' in text and 'name="to" value="2026-05-04"' in text


def test_undecided_alerts_stand_apart_in_the_report(full: TestRoom) -> None:
    text = page(full, "/analytics/report?table=B07&from=2026-05-04")
    _, confirmed, undecided = re.split("<h2>Confirmed alerts|<h2>Alerts that nobody has decided", text)
    assert [len(re.findall(r'href="/alerts/\d+"', part)) for part in (confirmed, undecided)] == [1, 3]
    assert "1 confirmed; 3 undecided" in text


def test_nothing_is_said_of_differences_or_changes_without_enough_behind_it(full: TestRoom) -> None:
    dealers = page(full, "/analytics/dealers")
    assert "Too few dealers have enough rounds to be compared" in dealers and "differ by" not in dealers
    row = dealers[dealers.index(">cay</a>") :]
    assert " %</span>" not in row[: row.index("</tr>")], "cay dealt three rounds"
    assert "Too few erring rounds, or days, to say whether the rate changed" in page(full, "/analytics/trend")


def test_money_has_its_unit(full: TestRoom) -> None:
    assert "0, 0 units" in page(full, "/analytics/tables")
