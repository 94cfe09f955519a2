"""Take device reports over MQTT: `thirdcard/TABLE/signals`, with the same lines as the API.

A report is acknowledged only once it is in the database, so a crash loses none. A refused report is answered on
`thirdcard/TABLE/signals/refused` with the reason.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from thirdcard.service.alerts.signals import SignalError, check_signal, keep_signal
from thirdcard.service.config.house_file import HouseSettings, load_house_file
from thirdcard.service.devices.mqtt import (
    BrokerFile,
    MqttError,
    MqttLink,
    MqttMessage,
    PahoLink,
    name_of_level,
    open_broker,
)
from thirdcard.service.ports.live_tables import Clock, LiveTables
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import SignalRow

logger = logging.getLogger(__name__)

DEVICES = "devices.yaml"
"""The file's name in the service's folder."""
CLIENT_ID = "thirdcard-signals"
LARGEST_BYTES = 10_000
MOST_WAITING = 1000
SHOWN = 500
"""The number of characters of a refused report that are sent back."""
REFUSE_S = 5.0
AFTER_A_FALL_S = 2.0
STOP_S = 10.0


class DevicesFile(HouseSettings):
    """`devices.yaml`."""

    mqtt: BrokerFile | None = Field(default=None, description="a mapping with host, port, tls and more, or null")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceState:
    """The state of the devices' broker, and counts since the start."""

    fault: str | None
    """Why there is no connection, or why reports cannot be stored; None where all is well."""
    taken: int
    refused: int
    waiting: int
    """Reports that are not in the database yet."""


@dataclass(slots=True)
class DeviceSignals:
    """Takes the reports of all tables' devices."""

    link: MqttLink
    topic: str
    """The first level of every topic."""
    database: Database
    live: LiveTables
    clock: Clock
    _taken: int = 0
    _refused: int = 0
    _fault: str | None = None
    _box: queue.Queue[MqttMessage] = field(default_factory=lambda: queue.Queue(MOST_WAITING))
    _thread: threading.Thread | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Listen, and reconnect whenever the broker was away."""
        self._thread = threading.Thread(target=self._run, name="devices", daemon=True)
        self._thread.start()
        self.link.start(f"{self.topic}/+/signals", self._receive)

    def stop(self) -> None:
        """Stop listening; unhandled reports stay with the broker."""
        self._stopping.set()
        self.link.stop()
        if self._thread is not None:
            self._thread.join(STOP_S)

    @property
    def state(self) -> DeviceState:
        """The present state."""
        return DeviceState(
            fault=self._fault or self.link.fault,
            taken=self._taken,
            refused=self._refused,
            waiting=self._box.qsize(),
        )

    def take(self, message: MqttMessage) -> None:
        """Store a report, or refuse it."""
        table_id = name_of_level(message.topic.split("/")[-2])
        try:
            at, line, is_known_moment = self._check(table_id, message)
        except SignalError as error:
            self._refuse(message, error)
            return
        with self.database.writing(is_shown=False) as session:
            if not (message.is_repeated and is_known_moment and _is_kept(session, table_id, at, line)):
                keep_signal(session, table_id, at, line)
        self._taken += 1
        self.live.nudge(table_id)

    def _receive(self, message: MqttMessage) -> None:
        """Queue a message, in the link's thread; a flood beyond the queue's size is dropped."""
        try:
            self._box.put_nowait(message)
        except queue.Full:
            self._refused += 1
            logger.error("%s: a report is lost: %d wait already", message.topic, MOST_WAITING)

    def _check(self, table_id: str, message: MqttMessage) -> tuple[datetime, dict[str, Any], bool]:
        if self.live.state(table_id) is None:
            raise SignalError("table", f"there is no table {table_id}")
        if message.is_retained:
            raise SignalError("retain", "a retained message is no report: it comes again after every reconnection")
        body = _parse(message.payload)
        at, line = check_signal(body, now=self.clock())
        return at, line, "at" in body

    def _refuse(self, message: MqttMessage, error: SignalError) -> None:
        self._refused += 1
        logger.warning("%s: refused: %s", message.topic, error)
        signal = message.payload[: SHOWN * 4].decode("utf-8", "replace")[:SHOWN]
        answer = {"error": {"code": "invalid", "message": str(error), "field": error.field}, "signal": signal}
        try:
            self.link.publish(f"{message.topic}/refused", json.dumps(answer).encode(), timeout_s=REFUSE_S)
        except MqttError as fault:
            logger.warning("%s: the device is not told: %s", message.topic, fault)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                message = self._box.get(timeout=0.2)
            except queue.Empty:
                continue
            if self._has_taken(message):
                message.settle()

    def _has_taken(self, message: MqttMessage) -> bool:
        """Handle a message, retrying until that succeeds; returns False where the service stops first.

        A message that no retry can help is refused, so that it does not block later ones.
        """
        while not self._stopping.is_set():
            try:
                self.take(message)
            except SQLAlchemyError as error:
                logger.exception("%s: cannot be kept, tried again", message.topic)
                self._fault = f"reports cannot be kept: {error}"
                self._stopping.wait(AFTER_A_FALL_S)
                continue
            except Exception:
                logger.exception("%s: cannot be dealt with", message.topic)
                self._refuse(message, SignalError("body", "the service failed on it; it is in its log"))
            self._fault = None
            return True
        return False


def open_devices(
    folder: Path, environment: Mapping[str, str], *, database: Database, live: LiveTables, clock: Clock
) -> DeviceSignals | None:
    """The devices of a service's folder, not connected yet; None where it names no broker.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed, or a secret is missing from the environment.
    """
    path = folder / DEVICES
    settings = load_house_file(path, DevicesFile)
    if settings.mqtt is None:
        return None
    broker = open_broker(settings.mqtt, environment, where=path, key="mqtt", client_id=CLIENT_ID)
    link = PahoLink(broker, keeps_session=True)
    return DeviceSignals(link=link, topic=broker.topic, database=database, live=live, clock=clock)


def _parse(payload: bytes) -> dict[str, Any]:
    if len(payload) > LARGEST_BYTES:
        raise SignalError("body", f"a report has {LARGEST_BYTES} bytes at most")
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise SignalError("body", "a report is JSON in UTF-8") from error
    if not isinstance(body, dict):
        raise SignalError("body", "a report is one JSON object")
    return body


def _is_kept(session: Session, table_id: str, at: datetime, line: Mapping[str, Any]) -> bool:
    """Whether the same report is in the database already: then the broker missed our acknowledgement."""
    same = (SignalRow.table_id == table_id, SignalRow.at == at, SignalRow.body == chain.canonical(line))
    return session.scalar(select(SignalRow.id).where(*same).limit(1)) is not None
