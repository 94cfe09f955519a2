"""Channels, deliveries, retention and holds, over the API and on their pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from tests.repository import DEMO_TABLE
from tests.service.notify.fakes import FakeChannel, a_channel
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, keep_evidence, raise_alert
from thirdcard.service.analytics.upkeep import TallyUpkeep
from thirdcard.service.config.table_facts import facts_of, shown_source
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.copies import ClipCopies
from thirdcard.service.notify import outbox
from thirdcard.service.notify.channels import DownError
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.notifications import Notifications
from thirdcard.service.notify.outbox import DeliveryOutcome
from thirdcard.service.notify.settings import NotificationsFile
from thirdcard.service.retention.worker import Retention, RetentionFile
from thirdcard.service.store.schema import AlertRow
from thirdcard.service.web.app import create_app
from thirdcard.service.web.background import BackgroundWork

HTML = {"Accept": "text/html"}
CHANNELS = {"webhooks": [{"name": "office", "url": "https://office.example/", "secret_env": "OFFICE"}],
            "people": [{"name": "duty", "url_env": "DUTY"}],
            "rules": [{"channels": ["office", "duty"], "least_severity": "high"}],
            "overdue_after_min": 3}  # fmt: skip


class House:
    """A room whose notifications and retention are there, though nothing runs by itself."""

    def __init__(self, room: TestRoom) -> None:
        self.room = room
        self.office: FakeChannel = a_channel("office")
        rules = NoticeRules(settings=NotificationsFile.model_validate(CHANNELS), zone=ZoneInfo("UTC"))
        channels = [self.office, a_channel("duty")]
        self.notifications = Notifications(database=room.database, rules=rules, channels=channels, clock=room.clock)
        self.retention = Retention(
            room.database, room.folder / "evidence", RetentionFile(budget_gb=1), room.clock, self.notifications.tell,
            free=lambda _: 10**11,
        )  # fmt: skip
        self.notifications.begin()
        self.app = create_app(
            settings=replace(room.app.state.room.settings, tables=(facts_of(load_table(DEMO_TABLE)),)),
            database=room.database,
            live=room.live,
            clock=room.clock,
            background=BackgroundWork(
                notifications=self.notifications,
                retention=self.retention,
                tallies=TallyUpkeep(room.database, room.app.state.room.settings.house.settings, room.clock),
                copies=ClipCopies(room.database, room.app.state.room.settings.evidence_store, room.clock),
                devices=None,
            ),
        )

    @contextmanager
    def by(self, role: str) -> Iterator[TestClient]:
        """A program with a token of that role."""
        headers = {"Authorization": f"Bearer {self.room.tokens[role]}"}
        yield TestClient(self.app, raise_server_exceptions=False, headers=headers)

    def tell(self) -> int:
        """An alert, entered for the channels; its number."""
        number = raise_alert(self.room)
        self.notifications.enter_news()
        return number


@pytest.fixture
def house(room: TestRoom) -> House:
    return House(room)


def test_channels_say_how_they_stand(house: House) -> None:
    house.tell()
    with house.by("admin") as admin:
        items = admin.get("/api/channels").json()["items"]
    assert [(one["name"], one["kind"], one["waiting"], one["fault"]) for one in items] == [
        ("office", "webhook", 1, None), ("duty", "e-mail or chat", 1, None),
    ]  # fmt: skip


@pytest.mark.parametrize("fault", [None, "no answer"])
def test_test_button_says_whether_the_receiver_took_it(house: House, fault: str | None) -> None:
    if fault is not None:
        house.office.faults.append(DownError(fault))
    with house.by("admin") as admin:
        assert admin.post("/api/channels/office/test").json() == {"sent": fault is None, "fault": fault}
        assert_error(admin.post("/api/channels/pigeon/test"), 404, says="must be one of office, duty")
        sent = admin.get("/api/deliveries", params={"channel": "office"}).json()["items"]
    assert [(one["event"], one["state"]) for one in sent] == [("test", "sent" if fault is None else "failed")]


def test_message_that_was_given_up_is_sent_again_on_wish(house: House) -> None:
    number = house.tell()
    with house.room.database.writing() as session:
        outbox.settle(session, DeliveryOutcome(ids=[1], at=house.room.clock(), fault="refused"))
    with house.by("admin") as admin:
        (failed,) = admin.get("/api/deliveries", params={"state": "failed", "alert": number}).json()["items"]
        page = admin.get("/settings/notifications?state=failed&channel=&alert=", headers=HTML).text
        assert "refused" in page
        assert "Send again" in page
        assert admin.post(f"/api/deliveries/{failed['id']}/again").status_code == 200
        assert_error(admin.post(f"/api/deliveries/{failed['id']}/again"), 404, says="given up")
        assert admin.get("/api/deliveries", params={"state": "failed"}).json()["items"] == []


def test_retention_says_what_takes_the_room_and_what_goes_next(house: House) -> None:
    room = house.room
    kept, dismissed, held, gathered = (raise_alert(room) for _ in range(4))
    for alert in (kept, dismissed, held, gathered):
        keep_evidence(room, alert, "clip", bytes(1000 * alert))
    with room.database.writing() as session:
        session.execute(update(AlertRow).where(AlertRow.id == dismissed).values(state="dismissed"))
    with house.by("admin") as admin:
        assert admin.post("/api/holds", json={"alert": held, "reason": "the regulator asks"}).status_code == 201
        admin.post("/api/cases", json={"title": "one", "alert": gathered})
        house.retention.keep_budget()
        body = admin.get("/api/retention").json()
        page = admin.get("/settings/retention", headers=HTML).text
    assert [(one["kind"], one["alerts"], one["size_bytes"]) for one in body["classes"]] == [
        ("routine", 1, 1000 * dismissed), ("alert", 1, 1000 * kept), ("case", 1, 1000 * gathered),
        ("hold", 1, 1000 * held),
    ]  # fmt: skip
    assert [(one["alert"], one["kind"]) for one in body["next"]] == [(dismissed, "routine"), (kept, "alert")]
    assert (body["level"], body["used_bytes"], body["budget_bytes"]) == ("fine", 10_000, 10**9)
    assert "10.0 kB</b> of 1.0 GB" in page


def test_hold_is_put_shown_and_lifted(house: House) -> None:
    number = raise_alert(house.room)
    with house.by("supervisor") as boss:
        hold = boss.post("/api/holds", json={"alert": number, "reason": "Asked <for>."}).json()["id"]
        for path in ("/holds", f"/alerts/{number}"):
            assert "Asked &lt;for&gt;." in boss.get(path, headers=HTML).text
        house.room.clock.now += timedelta(hours=1)
        assert boss.post(f"/api/holds/{hold}/lift").status_code == 200
        assert_error(boss.post(f"/api/holds/{hold}/lift"), 404, says="in force")
        assert boss.get("/api/holds").json()["items"] == []
        (old,) = boss.get("/api/holds?lifted=true").json()["items"]
    assert (old["alert"], old["case"], old["lifted_by"]) == (number, None, "token:supervisor")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"reason": "x"}, 422, "body"), ({"alert": 1, "case": 1, "reason": "x"}, 422, "body"),
        ({"alert": 1, "reason": " "}, 422, "reason"), ({"alert": "1", "reason": "x"}, 422, "alert"),
        ({"alert": 9, "reason": "x"}, 404, None), ({"case": 9, "reason": "x"}, 404, None),
    ],
)  # fmt: skip
def test_bad_hold_is_refused(house: House, body: dict[str, object], status: int, field: str | None) -> None:
    raise_alert(house.room)
    with house.by("supervisor") as boss:
        assert_error(boss.post("/api/holds", json=body), status, field=field)
        assert boss.get("/api/holds").json()["items"] == []


@pytest.mark.parametrize(
    ("role", "method", "path"),
    [
        ("supervisor", "GET", "/api/channels"), ("supervisor", "POST", "/api/channels/office/test"),
        ("supervisor", "GET", "/api/deliveries"), ("supervisor", "POST", "/api/deliveries/1/again"),
        ("supervisor", "GET", "/api/retention"), ("operator", "GET", "/api/holds"),
        ("operator", "POST", "/api/holds"), ("operator", "POST", "/api/holds/1/lift"),
    ],
)  # fmt: skip
def test_upkeep_is_for_those_who_look_after_it(house: House, role: str, method: str, path: str) -> None:
    with house.by(role) as client:
        assert_error(client.request(method, path), 403)


def test_pages_show_settings_of_the_house(house: House) -> None:
    house.room.live.known["DEMO"] = replace(house.room.live.known["B07"], table_id="DEMO", fault="no answer")
    with house.by("admin") as admin:
        tables = admin.get("/settings/tables", headers=HTML).text
        told = admin.get("/settings/notifications", headers=HTML).text
    assert "no answer" in tables
    assert "nz-authority" in tables
    assert "nobody has taken after 3 min is overdue" in told
    assert "high and worse" in told


def test_settings_without_the_parts_beside_the_room_say_so(room: TestRoom) -> None:
    admin = room.as_role("admin")
    assert_error(admin.get("/api/retention"), 404, says="do not run in this service")
    assert admin.get("/api/channels").json()["items"] == []
    assert "does not manage the disk" in room.browser("admin").get("/settings/retention").text


def test_figures_tell_of_channels_and_disk(house: House) -> None:
    house.tell()
    house.retention.keep_budget()
    with house.by("viewer") as client:
        text = client.get("/metrics").text
    assert 'thirdcard_deliveries{channel="office",state="waiting"} 1.0' in text
    assert 'thirdcard_disk_level{level="fine"} 1.0' in text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("rtsp://ada:secret@10.0.0.7:554/one?key=1", "rtsp://10.0.0.7:554/one"),
        ("/dev/video0", "/dev/video0"),
        ("/srv/recordings/one/video.mp4", "video.mp4"),
    ],
)
def test_address_of_a_camera_is_shown_without_its_secrets(source: str, shown: str) -> None:
    assert shown_source(source) == shown
