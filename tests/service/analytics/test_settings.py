"""What a house settles about its figures."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON
from thirdcard.service.analytics.house import open_house
from thirdcard.service.config.analytics_file import ANALYTICS, AnalyticsFile, load_analytics
from thirdcard.service.ports.errors import TableError
from thirdcard.service.store.people import Person, Role


def test_without_a_file_supervisors_see_names_of_a_year(tmp_path: Path) -> None:
    settings = load_analytics(tmp_path)
    assert settings.names_for is Role.SUPERVISOR
    assert settings.names_from(NOON) == NOON - timedelta(days=365)


def test_file_says_who_sees_names_and_shifts_come_from_notifications(tmp_path: Path) -> None:
    (tmp_path / ANALYTICS).write_text("names_for: admin\nnames_days: null\n")
    (tmp_path / "notifications.yaml").write_text("shifts: [{name: night, begins: '20:00', ends: '06:00'}]\n")
    house = open_house(tmp_path, "Pacific/Auckland")
    assert house.names_from(NOON) is None
    assert house.shows_names_to(Person(name="ada", role=Role.ADMIN))
    assert not house.shows_names_to(Person(name="sue", role=Role.SUPERVISOR))
    assert [shift.name for shift in house.time.shifts] == ["night"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("names_for: boss", "names_for", id="an unknown role"),
        pytest.param("names_days: 0", "names_days = 0", id="no days"),
        pytest.param("names: all", "names", id="an unknown key"),
        pytest.param("currency: francs", "currency = francs; must be three capital letters", id="no currency's code"),
        pytest.param("minor_units: 12", "minor_units = 12; must be one of 1, 10, 100, 1000", id="no decimal unit"),
    ],
)
def test_what_is_not_allowed_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / ANALYTICS).write_text(text)
    with pytest.raises(TableError, match=says):
        load_analytics(tmp_path)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        pytest.param(AnalyticsFile(), "125\u202f050, 0 units", id="no currency"),
        pytest.param(AnalyticsFile(currency="CHF", minor_units=100), "CHF 1\u202f250.50, 0.00", id="in hundredths"),
        pytest.param(AnalyticsFile(currency="JPY"), "JPY 125\u202f050, 0", id="whole ones"),
    ],
)
def test_money_is_shown_in_the_houses_currency(settings: AnalyticsFile, told: str) -> None:
    assert settings.money(125050.0, 0.0) == told
