"""People: one message of many, told as bad as the worst; Apprise over a real connection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email import message_from_string
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from tests.service.notify.fakes import http_receiver
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing
from thirdcard.service.notify.people import AppriseMessenger, PeopleChannel
from thirdcard.service.notify.people_words import PeopleWords

STILLS = {3: Path("3.jpg")}


@dataclass(slots=True)
class FakeMessenger:
    """Remembers what it told."""

    fault: str | None = None
    told: list[tuple[str, str, str]] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)

    def tell(self, title: str, text: str, kind: str, pictures: Sequence[Path]) -> str | None:
        """The fault."""
        self.told.append((title, text, kind))
        self.pictures += pictures
        return self.fault


def outgoing(number: int, severity: str = "medium") -> Outgoing:
    body: dict[str, Any] = {
        "key": f"alert-{number}-raised", "event": "raised", "at": "2026-05-04T12:00:00.000Z", "table": "B07",
        "severity": severity, "code": "late_bet.placed", "message": f"Seat {number} was late.",
        "alert": {"id": number, "rulebook": "tas", "remedy": {"text": "It is void.", "rule": "7.1"}}, "change": None,
    }  # fmt: skip
    return Outgoing(body["key"], json.dumps(body))


def people_with(messenger: FakeMessenger) -> PeopleChannel:
    traits = ChannelTraits(name="duty", give_up_after=timedelta(hours=1), most_at_once=20)
    words = PeopleWords(zone=ZoneInfo("Europe/Zurich"), room_url="https://room.example/tc")
    channel = PeopleChannel(traits=traits, make_messenger=lambda: messenger, words=words, find_still=STILLS.get)
    channel.open()
    channel.open()
    return channel


def test_one_message_is_told_in_full() -> None:
    messenger = FakeMessenger()
    people_with(messenger).send([outgoing(3)])
    text = (
        "Seat 3 was late.\nIt is void. (tas 7.1)\n4 May 2026 14:00:00 (Europe/Zurich)\n"
        "https://room.example/tc/alerts/3?show=all"
    )
    assert messenger.told == [("[medium] Table B07: Late bet: placed", text, "warning")]
    assert messenger.pictures == [Path("3.jpg")]


def test_many_messages_are_told_as_one_and_as_bad_as_the_worst() -> None:
    messenger = FakeMessenger()
    people_with(messenger).send([outgoing(1), outgoing(2, "critical"), outgoing(3, "info")])
    ((title, text, kind),) = messenger.told
    assert (title, kind) == ("[critical] Table B07: Late bet: placed and 2 more", "failure")
    assert [line for line in text.splitlines() if line.startswith("Seat")] == [
        f"Seat {number} was late." for number in (2, 1, 3)
    ]
    assert text.count("https://room.example/tc/alerts/") == 3


def test_without_an_address_of_the_room_there_is_no_link() -> None:
    words = PeopleWords(zone=ZoneInfo("UTC"))
    assert words.text(json.loads(outgoing(3).body)).endswith("4 May 2026 12:00:00 (UTC)")


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


@pytest.mark.parametrize(("form", "kind"), [("", "text/plain"), ("&format=html", "text/html")])
def test_what_people_wrote_is_no_markup_in_a_mail(monkeypatch: pytest.MonkeyPatch, form: str, kind: str) -> None:
    sent: list[str] = []
    server = SimpleNamespace(
        ehlo=lambda *_: None,
        login=lambda *_: None,
        sendmail=lambda _from, _to, message: sent.append(message if isinstance(message, str) else message.decode()),
        quit=lambda: None,
    )
    monkeypatch.setattr("smtplib.SMTP", lambda *_, **__: server)
    messenger = AppriseMessenger(f"mailto://user:word@mail.example?to=duty@mail.example&from=a@mail.example{form}")
    assert messenger.tell("Title", "<b>Seat 3</b> & <script>x()</script>", "info") is None
    parts = [part for mail in sent for part in message_from_string(mail).walk() if not part.is_multipart()]
    assert kind in {part.get_content_type() for part in parts}
    pages = [part.get_payload(decode=True) for part in parts if part.get_content_type() == "text/html"]
    assert not any(b"<script>" in cast(bytes, page) or b"<b>Seat" in cast(bytes, page) for page in pages)
    assert all(b"&lt;script&gt;" in cast(bytes, page) for page in pages)


def test_a_still_goes_with_the_message(tmp_path: Path) -> None:
    still = tmp_path / "still.jpg"
    still.write_bytes(b"a picture")
    with http_receiver() as server:
        messenger = AppriseMessenger(server.url.replace("http://", "json://"))
        assert messenger.tell("Title", "Text", "info", [still]) is None
        (request,) = server.requests
    assert [one["filename"] for one in request.json["attachments"]] == ["still.jpg"]
