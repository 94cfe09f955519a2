"""The alert stream: each thing once, to everybody who may know, also to who comes back."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from uvicorn import Config

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, TestRoom, raise_alert
from thirdcard.service.alerts.feed import MOST_WAITING, AlertFeed, FeedPlace, follow, parse_place
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.messages import Written
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.people import Person, Role
from thirdcard.service.web.serving import RoomServer
from thirdcard.service.web.stream import alert_events

BOSS = Person(name="boss", role=Role.SUPERVISOR)
ANNA = Person(name="anna", role=Role.OPERATOR, tables=frozenset({"B08"}))


def listen(room: TestRoom, script: Callable[[Room], Awaitable[None]]) -> None:
    """Run a script while the room's feed runs."""

    async def run() -> None:
        inner: Room = room.app.state.room
        feeding = asyncio.create_task(inner.feed.run())
        await asyncio.sleep(0.05)
        try:
            await asyncio.wait_for(script(inner), 20)
        finally:
            feeding.cancel()

    asyncio.run(run())


async def events(stream: AsyncIterator[str], count: int) -> list[tuple[str, str, Any]]:
    """The next so many events as (name, id, data); comments are passed over."""
    found: list[tuple[str, str, Any]] = []
    async for text in stream:
        for event in text.strip().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in event.splitlines())
            if "event" in lines:
                found.append((lines["event"], lines.get("id", ""), json.loads(lines["data"])))
        if len(found) >= count:
            break
    return found[:count]


def stream(room: Room, place: FeedPlace, person: Person = BOSS) -> AsyncIterator[str]:
    """The stream from a place on."""
    return alert_events(room, person, place, lambda: True)


def decide(room: TestRoom, alert: int, state: AlertState) -> None:
    """Decide in the database, and wake the feed."""
    with room.database.writing() as session:
        take_step(session, BOSS, alert, Step(state=state, reason="other"), now=NOON)
    room.app.state.room.feed.wake()


def test_alert_is_told_to_who_listens(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 2))
        await asyncio.sleep(0.05)
        number = await asyncio.to_thread(raise_alert, room)
        room.live.tell(Written(table_id="B07", alerts=(number,)))
        await asyncio.to_thread(decide, room, number, AlertState.ACKNOWLEDGED)
        (first, at, alert), (second, then, change) = await waiting
        assert (first, at, alert["id"], alert["code"]) == ("alert", "1-0", 1, "late_bet.placed")
        assert (second, then, change["alert"], change["after"]) == ("change", "1-1", 1, "acknowledged")
        assert change["who"] == "boss"

    listen(room, script)


def test_feed_begins_as_soon_as_the_database_answers(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    feed: AlertFeed = room.app.state.room.feed
    answers: list[Callable[[], FeedPlace]] = [fall, feed.last_place]
    monkeypatch.setattr(feed, "last_place", lambda: answers.pop(0)())

    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 1))
        await asyncio.sleep(0.2)
        await asyncio.to_thread(raise_alert, room)
        assert [name for name, _, _ in await waiting] == ["alert"]
        assert answers == []

    listen(room, script)


def fall() -> FeedPlace:
    raise OperationalError("SELECT", {}, Exception("the database system is starting up"))


def test_alert_of_which_nobody_told_is_found(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 1))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(raise_alert, room)
        assert (await waiting)[0][1] == "1-0"

    listen(room, script)


@pytest.mark.parametrize("is_noted", [True, False])
def test_what_was_read_before_an_alert_is_given_up_once(
    room: TestRoom, monkeypatch: pytest.MonkeyPatch, is_noted: bool
) -> None:
    feed: AlertFeed = room.app.state.room.feed
    given_up: list[FeedPlace] = []
    monkeypatch.setattr(feed, "_renew", lambda: given_up.append(feed.told_place()))

    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 1))
        await asyncio.sleep(0.05)
        number = await asyncio.to_thread(raise_alert, room)
        if is_noted:
            room.live.tell(Written(table_id="B07", alerts=(number,)))
        await waiting
        assert given_up == [FeedPlace()]

    listen(room, script)


def test_who_comes_back_misses_and_repeats_nothing(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        seen: list[tuple[str, str, Any]] = []
        place = FeedPlace()
        for n in range(12):
            number = await asyncio.to_thread(raise_alert, room)
            if n % 3 == 0:
                await asyncio.to_thread(decide, room, number, AlertState.CONFIRMED)
            if n % 4 == 3:  # reads four or five, and goes
                wanted = 2 * (n + 1) - n + n // 3 - len(seen)
                seen += await events(stream(inner, place), min(wanted, 5))
                place = parse_place(seen[-1][1])
        seen += await events(stream(inner, place), 16 - len(seen))
        assert [data["id"] for name, _, data in seen if name == "alert"] == list(range(1, 13))
        assert [data["id"] for name, _, data in seen if name == "change"] == [1, 2, 3, 4]

    listen(room, script)


def test_who_falls_behind_reads_on_in_the_database(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        following = follow(inner.feed, FeedPlace(), heartbeat_s=5)
        first = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0.05)
        for _ in range(MOST_WAITING + 20):
            await asyncio.to_thread(raise_alert, room)
        entries = [*await first]
        while len(entries) < MOST_WAITING + 20:
            entries += await anext(following)
        numbers = [entry.alert.id for entry in entries if entry.alert is not None]
        assert numbers == list(range(1, MOST_WAITING + 21))

    listen(room, script)


def test_new_pictures_are_told_without_a_place(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 1))
        await asyncio.sleep(0.1)
        room.live.tell(Written(table_id="B07", evidence=(17,)))
        assert await waiting == [("evidence", "", {"alert": 17, "table": "B07"})]

    listen(room, script)


def test_person_hears_of_his_tables_only(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        for table in ("B07", "B08", "B07", "B08"):
            await asyncio.to_thread(raise_alert, room, table)
        seen = await events(stream(inner, FeedPlace(), ANNA), 2)
        assert [(at, data["table"]) for _, at, data in seen] == [("2-0", "B08"), ("4-0", "B08")]

    listen(room, script)


def test_silent_stream_lives_until_its_reader_may_not(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        answers = iter([True, True, False])
        parts = [part async for part in alert_events(inner, BOSS, FeedPlace(), lambda: next(answers))]
        assert parts == ["retry: 2000\nid: 0-0\n\n", ": still here\n\n", ": still here\n\n"]

    listen(room, script)


def test_service_that_stops_lets_its_listeners_go(room: TestRoom) -> None:
    async def script(inner: Room) -> None:
        waiting = asyncio.create_task(events(stream(inner, FeedPlace()), 1))
        await asyncio.sleep(0.05)
        assert inner.feed.listeners == 1
        RoomServer(Config(room.app), room.app).handle_exit(signal.SIGTERM, None)
        assert await waiting == []
        assert inner.feed.listeners == 0

    listen(room, script)


@pytest.mark.parametrize(
    ("text", "place"), [("17-4", FeedPlace(17, 4)), ("0-0", FeedPlace()), ("17", FeedPlace(17, 2**63 - 1))]
)
def test_place_is_read_back(text: str, place: FeedPlace) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["nonsense", "-1", "1-", "1-2-3", "9" * 30, "٣"])
def test_place_that_is_none_is_refused(room: TestRoom, text: str) -> None:
    client = room.as_role("viewer")
    assert_error(client.get("/api/alerts/stream", headers={b"Last-Event-ID": text.encode()}), 422)
    assert_error(client.get("/api/alerts/stream", params={"after": text}), 422)
