"""What a way to the outside must be able to do, and how it says that it could not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from thirdcard.service.ports.errors import ServiceError


class ChannelError(ServiceError):
    """A message was not taken."""


class DownError(ChannelError):
    """The receiver cannot be reached or has no time now: nothing else should be sent to it for a while."""

    def __init__(self, message: str, *, retry_after: timedelta = timedelta()) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class DeliveryRefusedError(ChannelError):
    """The receiver is there and does not want this message; it may want the next."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message."""

    key: str
    body: str
    """JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTraits:
    """What its sender has to know of a channel."""

    name: str
    give_up_after: timedelta
    most_at_once: int = 1
    """So many messages may be sent as one."""
    pause: timedelta = timedelta()
    """Between two messages: people read slowly."""


class Channel(Protocol):
    """One receiver."""

    @property
    def traits(self) -> ChannelTraits:
        """How it wants to be sent to."""

    def open(self) -> None:
        """Be ready to send; returns at once even where the receiver is away."""

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Returns when the receiver has taken all of them.

        Raises:
            ChannelError: It has not.
        """

    def close(self) -> None:
        """Let the receiver go."""
