"""Simulated people and devices. Each runs in a thread and records what the service acknowledged to it."""

from __future__ import annotations

import itertools
import json
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from tests.endurance.diary import Diary, Told
from tests.endurance.live_room import LiveRoom
from thirdcard.service.store.chain import canonical

RETRY_S = 0.2
AWAY = frozenset({502, 503, 504})
Work = Callable[[], None]


@dataclass(slots=True)
class Client:
    """One client of the service."""

    name: str
    room: LiveRoom
    role: str
    diary: Diary
    stopping: threading.Event
    pause_s: float
    random: random.Random
    http: httpx.Client

    def ask(self, method: str, path: str, **options: Any) -> dict[str, Any] | None:
        """Return the body of a successful answer, else None.

        Status 409 is expected, since another client may have been first; any other refusal is noted as a surprise.
        """
        try:
            answer = self.http.request(method, path, **options)
        except httpx.HTTPError:
            self.diary.count(self.name, is_answered=False)
            self.stopping.wait(RETRY_S)
            return None
        self.diary.count(self.name, is_answered=answer.status_code not in AWAY)
        if answer.is_success:
            body: dict[str, Any] = answer.json()
            return body
        if answer.status_code in AWAY:
            self.stopping.wait(RETRY_S)
        elif answer.status_code != 409:
            self.diary.surprise(f"{self.name}: {method} {path}: {answer.status_code} {answer.text[:200]}")
        return None

    def keep_at(self, work: Work) -> None:
        """Repeat the work, with random pauses, until asked to stop."""
        while not self.stopping.is_set():
            work()
            self.stopping.wait(self.pause_s * self.random.uniform(0.5, 1.5))


def report_signals(client: Client, tables: list[str]) -> Work:
    """Return the work of a device that reports a new dealer each time."""
    numbers = itertools.count(1)

    def work() -> None:
        dealer = f"{client.name}-{next(numbers)}"
        table = client.random.choice(tables)
        body = {"type": "dealer_changed", "dealer": dealer}
        answer = client.ask("POST", f"/api/tables/{table}/signals", json=body)
        if answer is not None:
            client.diary.signals[dealer] = answer["id"]

    return work


def report_cameras(client: Client, tables: list[str]) -> Work:
    """Return the work of a guard who reports moved cameras; each report raises an alert."""
    numbers = itertools.count(1)

    def work() -> None:
        camera = f"{client.name}-{next(numbers)}"
        table = client.random.choice(tables)
        body = {"type": "camera_moved", "camera": camera}
        answer = client.ask("POST", f"/api/tables/{table}/signals", json=body)
        if answer is not None:
            client.diary.signals[camera] = answer["id"]

    return work


def decide_alerts(client: Client) -> Work:
    """Return the work of an operator who acknowledges or closes the newest open alerts."""
    numbers = itertools.count(1)

    def work() -> None:
        page = client.ask("GET", "/api/alerts", params={"limit": 40, "state": ["open", "acknowledged"]})
        if not page or not page["items"]:
            return
        alert = client.random.choice(page["items"])
        states = ["acknowledged", "confirmed", "dismissed"] if alert["state"] == "open" else ["confirmed", "dismissed"]
        note = f"{client.name} {next(numbers)}"
        step = {"state": client.random.choice(states), "reason": "duplicate", "note": note}
        answer = client.ask("POST", f"/api/alerts/{alert['id']}/state", json=step)
        if answer is not None:
            client.diary.decisions[note] = (alert["id"], answer["state"])

    return work


def write_notes(client: Client) -> Work:
    """Return the work of a supervisor who adds notes to a case."""
    numbers = itertools.count(1)
    cases: list[int] = []

    def work() -> None:
        if not cases:
            opened = client.ask("POST", "/api/cases", json={"title": f"Case of {client.name}"})
            cases.extend([] if opened is None else [opened["id"]])
            return
        text = f"{client.name} {next(numbers)}"
        if client.ask("POST", f"/api/cases/{cases[0]}/notes", json={"text": text}) is not None:
            client.diary.notes[text] = cases[0]

    return work


def read_lists(client: Client) -> Work:
    """Return the work of a person who reads alerts and rounds with their logs."""

    def work() -> None:
        page = client.ask("GET", "/api/alerts", params={"limit": 20})
        for alert in (page or {"items": []})["items"]:
            client.diary.note_alert(alert)
        if page and page["items"]:
            chosen = client.random.choice(page["items"])
            story = client.ask("GET", f"/api/alerts/{chosen['id']}")
            _note_lines(client.diary, story)
        rounds = client.ask("GET", "/api/rounds", params={"limit": 20})
        if rounds and rounds["items"]:
            chosen = client.random.choice(rounds["items"])
            _note_lines(client.diary, client.ask("GET", f"/api/rounds/{chosen['id']}"))

    return work


def listen(client: Client) -> Work:
    """Return the work of a browser on the alert stream. After a break it continues from the last event's place."""
    place = "0-0"

    def work() -> None:
        nonlocal place
        try:
            with client.http.stream("GET", "/api/alerts/stream", headers={"Last-Event-ID": place}) as answer:
                if not answer.is_success:
                    return
                for told in read_events(answer.iter_lines()):
                    place = told.place or place
                    if told.kind != "start":
                        client.diary.told.append(told)
                    if client.stopping.is_set():
                        return
        except httpx.HTTPError:
            client.diary.count(client.name, is_answered=False)

    return work


def read_events(lines: Iterator[str]) -> Iterator[Told]:
    """Yield the events of a stream; an event that only gives the place is of kind `start`."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if "event" in fields:
            yield Told(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
        elif "id" in fields:
            yield Told(fields["id"], "start", {})
        fields = {}


def _as_written(line: dict[str, Any]) -> str:
    """Return a log line as its chain stores it, without its number, which is stored separately."""
    return canonical({key: value for key, value in line.items() if key != "line"})


def _note_lines(diary: Diary, story: dict[str, Any] | None) -> None:
    if story is None:
        return
    with diary.lock:
        diary.lines.setdefault(story["table"], set()).update(_as_written(line) for line in story["log"])


@dataclass(frozen=True, slots=True)
class Clients:
    """The running clients."""

    workers: list[threading.Thread]
    listener: threading.Thread
    stopping: threading.Event
    deaf: threading.Event

    def stop_working(self) -> None:
        """Stop all clients except the listener; the service must still run."""
        self.stopping.set()
        for thread in self.workers:
            thread.join(60)

    def stop_listening(self) -> None:
        """Stop the listener; the service may have ended."""
        self.deaf.set()
        self.listener.join(60)


def start_clients(room: LiveRoom, diary: Diary, tables: list[str], seed: int) -> Clients:
    """Start all clients, and return them."""
    stopping, deaf = threading.Event(), threading.Event()
    makers: list[tuple[str, str, float, Callable[[Client], Work]]] = [
        ("device", "operator", 0.4, lambda client: report_signals(client, tables)),
        ("guard", "operator", 6.0, lambda client: report_cameras(client, tables)),
        ("operator", "operator", 0.5, decide_alerts),
        ("supervisor", "supervisor", 0.5, write_notes),
        ("reader", "operator", 0.3, read_lists),
        ("listener", "operator", 0.2, listen),
    ]
    threads = []
    for number, (name, role, pause_s, make) in enumerate(makers):
        headers = {"Authorization": f"Bearer {room.tokens[role]}"}
        http = httpx.Client(base_url=room.address, headers=headers, timeout=30)
        end = deaf if make is listen else stopping
        client = Client(name, room, role, diary, end, pause_s, random.Random(seed + number), http)
        threads.append(threading.Thread(target=client.keep_at, args=(make(client),), name=name, daemon=True))
    for thread in threads:
        thread.start()
    return Clients(threads[:-1], threads[-1], stopping, deaf)
