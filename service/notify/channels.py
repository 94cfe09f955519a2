"""The interface of a channel for messages, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from thirdcard.service.ports.errors import ServiceError


class ChannelError(ServiceError):
    """A message was not accepted."""


class DownError(ChannelError):
    """The receiver cannot be reached or is busy: send nothing else to it for a while."""

    def __init__(self, message: str, *, retry_after: timedelta = timedelta()) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class DeliveryRefusedError(ChannelError):
    """The receiver answers but refuses this message; it may accept the next."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message."""

    key: str
    body: str
    """JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTraits:
    """The properties of a channel that its sender needs."""

    name: str
    give_up_after: timedelta
    most_at_once: int = 1
    """The most messages that may be sent as one."""
    pause: timedelta = timedelta()
    """The time between two messages, so that people can read them."""


class Channel(Protocol):
    """A channel to one receiver."""

    @property
    def traits(self) -> ChannelTraits:
        """The properties of the channel."""

    def open(self) -> None:
        """Prepare for sending; returns at once even where the receiver is away."""

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Send messages; returns when the receiver has accepted all of them.

        Raises:
            ChannelError: It has not.
        """

    def close(self) -> None:
        """Disconnect."""
