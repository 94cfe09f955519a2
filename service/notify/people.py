"""Tell people by e-mail or chat, through Apprise; many messages at once become one."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from thirdcard.rules.game.words import Severity
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing
from thirdcard.service.notify.notices import text_of, title_of

SHOWN_AT_ONCE = 20
_KINDS = {Severity.MEDIUM: "warning", Severity.HIGH: "failure", Severity.CRITICAL: "failure"}


class Messenger(Protocol):
    """Speaks with one service of e-mail or chat."""

    def tell(self, title: str, text: str, kind: str) -> str | None:
        """Why it could not; None where it could. `kind`: info, warning or failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleChannel:
    """Some people who are told the same way."""

    traits: ChannelTraits
    make_messenger: Callable[[], Messenger] = field(repr=False)
    _messenger: list[Messenger] = field(default_factory=list, repr=False)

    def open(self) -> None:
        """Make ready; nobody is spoken to yet."""
        if not self._messenger:
            self._messenger.append(self.make_messenger())

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Tell all of them in one message, the gravest first.

        Raises:
            DownError: The service of e-mail or chat did not take it.
        """
        assert self._messenger, "open() comes first"
        bodies = sorted((json.loads(message.body) for message in messages), key=_weight, reverse=True)
        worst = Severity(bodies[0]["severity"])
        title = title_of(bodies[0])
        if len(bodies) > 1:
            title = f"{title} and {len(bodies) - 1} more"
        fault = self._messenger[0].tell(title, _text(bodies), _KINDS.get(worst, "info"))
        if fault is not None:
            raise DownError(fault)

    def close(self) -> None:
        """Nothing is held between messages."""


class AppriseMessenger:
    """Speaks by Apprise."""

    def __init__(self, url: str) -> None:
        """Takes an address that Apprise knows."""
        import apprise

        self._apprise, self._url = apprise, url
        self._object = apprise.Apprise()
        self._is_known = bool(self._object.add(url))

    def tell(self, title: str, text: str, kind: str) -> str | None:
        """Why it could not, as Apprise says it, without the address and its secrets."""
        if not self._is_known:
            return "the address is none that Apprise knows"
        capture: Any = self._apprise.LogCapture
        with capture(level=logging.WARNING, fmt="%(message)s") as log:
            is_told = self._object.notify(title=title, body=text, notify_type=self._apprise.NotifyType(kind))
            said = [line for line in log.getvalue().splitlines() if line.strip()]
        if is_told:
            return None
        return said[-1].replace(self._url, "(address)")[:500] if said else "the service did not take it"


def _weight(body: dict[str, Any]) -> int:
    return tuple(Severity).index(Severity(body["severity"]))


def _text(bodies: Sequence[dict[str, Any]]) -> str:
    if len(bodies) == 1:
        return text_of(bodies[0])
    return "\n\n".join(f"{title_of(body)}\n{body['message']}\n{body['at']}" for body in bodies)
