"""People: one message of many, told as bad as the worst; Apprise over a real connection."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from tests.service.notify.fakes import http_receiver
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing
from thirdcard.service.notify.people import AppriseMessenger, PeopleChannel


@dataclass(slots=True)
class FakeMessenger:
    """Remembers what it told."""

    fault: str | None = None
    told: list[tuple[str, str, str]] = field(default_factory=list)

    def tell(self, title: str, text: str, kind: str) -> str | None:
        """The fault."""
        self.told.append((title, text, kind))
        return self.fault


def outgoing(number: int, severity: str = "medium") -> Outgoing:
    body: dict[str, Any] = {
        "key": f"alert-{number}-raised", "event": "raised", "at": "2026-05-04T12:00:00.000Z", "table": "B07",
        "severity": severity, "code": "late_bet.placed", "message": f"Seat {number} was late.", "alert": None,
        "change": None,
    }  # fmt: skip
    return Outgoing(body["key"], json.dumps(body))


def people_with(messenger: FakeMessenger) -> PeopleChannel:
    traits = ChannelTraits(name="duty", give_up_after=timedelta(hours=1), most_at_once=20)
    channel = PeopleChannel(traits=traits, make_messenger=lambda: messenger)
    channel.open()
    channel.open()
    return channel


def test_one_message_is_told_in_full() -> None:
    messenger = FakeMessenger()
    people_with(messenger).send([outgoing(3)])
    title = "[medium] Table B07: late_bet.placed"
    assert messenger.told == [(title, "Seat 3 was late.\n2026-05-04T12:00:00.000Z", "warning")]


def test_many_messages_are_told_as_one_and_as_bad_as_the_worst() -> None:
    messenger = FakeMessenger()
    people_with(messenger).send([outgoing(1), outgoing(2, "critical"), outgoing(3, "info")])
    ((title, text, kind),) = messenger.told
    assert (title, kind) == ("[critical] Table B07: late_bet.placed and 2 more", "failure")
    assert [line for line in text.splitlines() if line.startswith("Seat")] == [
        f"Seat {number} was late." for number in (2, 1, 3)
    ]


def test_fault_is_told() -> None:
    with pytest.raises(DownError, match="the mailbox is full"):
        people_with(FakeMessenger("the mailbox is full")).send([outgoing(1)])


def test_apprise_tells_a_real_receiver() -> None:
    with http_receiver() as server:
        messenger = AppriseMessenger(server.url.replace("http://", "json://"))
        assert messenger.tell("Title", "What happened", "failure") is None
        (request,) = server.requests
    assert (request.json["title"], request.json["message"], request.json["type"]) == (
        "Title", "What happened", "failure",
    )  # fmt: skip


def test_apprise_says_why_it_could_not_and_keeps_the_secret() -> None:
    with http_receiver(500) as server:
        messenger = AppriseMessenger(server.url.replace("http://", "json://user:topsecret@"))
        fault = messenger.tell("Title", "What happened", "info")
    assert fault is not None
    assert "500" in fault
    assert "topsecret" not in fault


def test_address_that_apprise_does_not_know_is_said_without_it() -> None:
    assert AppriseMessenger("pigeon://secret").tell("t", "x", "info") == "the address is none that Apprise knows"
