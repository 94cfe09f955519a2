"""Notify people by e-mail or chat through Apprise; messages that wait together are joined."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from thirdcard.rules.game.words import Severity
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing
from thirdcard.service.notify.people_words import PeopleWords

SHOWN_AT_ONCE = 20
MOST_STILLS = 5
"""The most pictures in one message: mailboxes accept some megabytes."""
_KINDS = {Severity.MEDIUM: "warning", Severity.HIGH: "failure", Severity.CRITICAL: "failure"}


class Messenger(Protocol):
    """A client of one e-mail or chat service."""

    def tell(self, title: str, text: str, kind: str, pictures: Sequence[Path]) -> str | None:
        """Send a message; returns None, or why it failed. `kind`: info, warning or failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleChannel:
    """A channel to people."""

    traits: ChannelTraits
    make_messenger: Callable[[], Messenger] = field(repr=False)
    words: PeopleWords
    find_still: Callable[[int], Path | None] = field(repr=False)
    """Returns the picture of an alert, if it exists already."""
    _messenger: list[Messenger] = field(default_factory=list, repr=False)

    def open(self) -> None:
        """Create the client; makes no connection."""
        if not self._messenger:
            self._messenger.append(self.make_messenger())

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Send all of them in one message, the most severe first.

        Raises:
            DownError: The e-mail or chat service did not accept it.
        """
        assert self._messenger, "open() comes first"
        bodies = sorted((json.loads(message.body) for message in messages), key=_weight, reverse=True)
        worst = Severity(bodies[0]["severity"])
        title = self.words.title(bodies[0])
        if len(bodies) > 1:
            title = f"{title} and {len(bodies) - 1} more"
        fault = self._messenger[0].tell(title, self._text(bodies), _KINDS.get(worst, "info"), self._stills(bodies))
        if fault is not None:
            raise DownError(fault)

    def close(self) -> None:
        """Do nothing: no connection is held between messages."""

    def _text(self, bodies: Sequence[dict[str, Any]]) -> str:
        words = self.words
        if len(bodies) == 1:
            return words.text(bodies[0])
        parts = ([words.title(one), one["message"], words.moment(one["at"]), *words.link(one)] for one in bodies)
        return "\n\n".join("\n".join(part) for part in parts)

    def _stills(self, bodies: Sequence[dict[str, Any]]) -> list[Path]:
        numbers = dict.fromkeys(alert["id"] for body in bodies if (alert := body.get("alert")))
        return [still for number in list(numbers)[:MOST_STILLS] if (still := self.find_still(number)) is not None]


class AppriseMessenger:
    """A client that uses Apprise."""

    def __init__(self, url: str) -> None:
        """`url` is an address in Apprise's form."""
        import apprise

        self._apprise, self._url = apprise, url
        self._object = apprise.Apprise()
        self._is_known = bool(self._object.add(url))

    def tell(self, title: str, text: str, kind: str, pictures: Sequence[Path] = ()) -> str | None:
        """Send a message; returns None, or Apprise's reason for the failure, without the address and its secrets."""
        if not self._is_known:
            return "the address is none that Apprise knows"
        capture: Any = self._apprise.LogCapture
        with capture(level=logging.WARNING, fmt="%(message)s") as log:
            is_told = self._object.notify(
                title=title,
                body=text,
                notify_type=self._apprise.NotifyType(kind),
                body_format=self._apprise.NotifyFormat.TEXT,  # so that people's words are not taken as markup in a mail
                attach=[str(picture) for picture in pictures] or None,
            )
            said = [line for line in log.getvalue().splitlines() if line.strip()]
        if is_told:
            return None
        return said[-1].replace(self._url, "(address)")[:500] if said else "the service did not take it"


def _weight(body: dict[str, Any]) -> int:
    return tuple(Severity).index(Severity(body["severity"]))
