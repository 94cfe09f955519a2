"""Publish messages to an MQTT broker, by table: `thirdcard/TABLE/alerts`, never retained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.service.devices.mqtt import MqttError, MqttLink, topic_level
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing

CONFIRM_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerChannel:
    """A broker that receives messages."""

    traits: ChannelTraits
    link: MqttLink
    topic: str
    """The first level of every topic."""

    def open(self) -> None:
        """Connect in the background."""
        self.link.start()

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Publish each message and wait for the broker's receipt.

        Raises:
            DownError: There is no connection, or no receipt.
        """
        for message in messages:
            try:
                self.link.publish(self._topic(message), message.body.encode("utf-8"), timeout_s=CONFIRM_S)
            except MqttError as error:
                raise DownError(str(error)) from error

    def close(self) -> None:
        """Disconnect."""
        self.link.stop()

    def _topic(self, message: Outgoing) -> str:
        table = json.loads(message.body)["table"]
        return f"{self.topic}/service" if table is None else f"{self.topic}/{topic_level(table)}/alerts"
