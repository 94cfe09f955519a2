"""Talk to an MQTT broker: publish and wait for its receipt, subscribe and acknowledge messages that were handled.

The link reconnects by itself. Nothing is ever published as retained.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote

from pydantic import Field

from thirdcard.service.config.house_file import VARIABLE_DESCRIPTION, HouseSettings, Variable, read_secret
from thirdcard.service.ports.errors import ServiceError, TableError

AT_LEAST_ONCE = 1
CONNECT_S = 10.0
LONGEST_PAUSE_S = 60
_SAFE_IN_A_LEVEL = " !$&'()*,:;=@-._~"


class MqttError(ServiceError):
    """A message did not reach the broker, or was not acknowledged."""


class BrokerFile(HouseSettings):
    """Where a broker is and how it is spoken to."""

    host: str = Field(min_length=1, max_length=253, description="the broker's name or address")
    port: int = Field(default=1883, ge=1, le=65535, description="a port, 1 to 65535; 8883 is usual with tls")
    tls: bool = Field(default=False, description="true or false: whether the connection is encrypted")
    ca_file: str | None = Field(
        default=None, description="the path, beside this file, of certificates to trust besides the system's; or null"
    )
    certificate_file: str | None = Field(
        default=None, description="the path, beside this file, of our certificate with its key, as PEM; or null"
    )
    username: str | None = Field(default=None, max_length=200, description="the name to sign in with, or null")
    password_env: Variable | None = Field(default=None, description=VARIABLE_DESCRIPTION)
    client_id: str | None = Field(
        default=None, min_length=1, max_length=60, description="a name that no other client of the broker has, or null"
    )
    topic: str = Field(
        default="thirdcard",
        pattern=r"^[^#+/\x00]{1,100}$",
        description="the first level of every topic, without # + /",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A broker's connection data, with secrets resolved."""

    host: str
    port: int = 1883
    client_id: str
    topic: str = "thirdcard"
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    """None: not encrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MqttMessage:
    """A received message."""

    topic: str
    payload: bytes
    is_retained: bool = False
    is_repeated: bool = False
    """Whether the broker sends it again, because it was not acknowledged."""
    settle: Callable[[], None] = lambda: None
    """Acknowledge the message; until then the broker repeats it after a crash."""


class MqttLink(Protocol):
    """A lasting connection to a broker."""

    def start(self, subscription: str | None = None, receive: Callable[[MqttMessage], None] | None = None) -> None:
        """Connect, and reconnect until stopped; messages arrive in the link's own thread."""

    def stop(self) -> None:
        """Disconnect."""

    @property
    def fault(self) -> str | None:
        """Why there is no connection; None where there is one."""

    def publish(self, topic: str, payload: bytes, *, timeout_s: float) -> None:
        """Send, and wait for the broker's receipt.

        Raises:
            MqttError: There is no connection, or no receipt in time.
        """


def open_broker(
    settings: BrokerFile, environment: Mapping[str, str], *, where: Path, key: str, client_id: str
) -> Broker:
    """Resolve the broker of a settings file.

    Args:
        settings: The file's content.
        environment: Where secrets are.
        where: The file.
        key: The broker's place in it, such as `mqtt[0]`.
        client_id: Our name where the file gives none.

    Raises:
        TableError: A secret or a certificate file is missing.
    """
    password = None
    if settings.password_env is not None:
        password = read_secret(environment, settings.password_env, where=str(where), key=f"{key}.password_env")
    return Broker(
        host=settings.host,
        port=settings.port,
        client_id=settings.client_id or client_id,
        topic=settings.topic,
        username=settings.username,
        password=password,
        tls=_tls(settings, where, key) if settings.tls else None,
    )


def topic_level(name: str) -> str:
    """A name as one level of a topic, with special characters encoded as in URLs."""
    return quote(name, safe=_SAFE_IN_A_LEVEL)


def name_of_level(level: str) -> str:
    """The name in a level of a topic."""
    return unquote(level)


class PahoLink:
    """A link that uses the paho library."""

    def __init__(self, broker: Broker, *, keeps_session: bool = False) -> None:
        """Prepare a link without connecting it.

        Args:
            broker: The broker to connect to.
            keeps_session: Whether the broker stores messages while this client is disconnected.
        """
        self._broker, self._keeps_session = broker, keeps_session
        self._fault: str | None = "not connected yet"
        self._client: Any = None
        self._subscription: str | None = None
        self._receive: Callable[[MqttMessage], None] | None = None

    @property
    def fault(self) -> str | None:
        """Why there is no connection; None where there is one."""
        return self._fault

    def start(self, subscription: str | None = None, receive: Callable[[MqttMessage], None] | None = None) -> None:
        """Connect in a separate thread, and reconnect whenever the broker was away."""
        self._subscription, self._receive = subscription, receive
        self._client = self._make_client()
        self._client.connect_async(self._broker.host, self._broker.port, keepalive=30)
        self._client.loop_start()

    def stop(self) -> None:
        """Disconnect and end the thread."""
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
            self._fault = "stopped"

    def publish(self, topic: str, payload: bytes, *, timeout_s: float) -> None:
        """Send, and wait for the broker's receipt.

        Raises:
            MqttError: There is no connection, or no receipt in time.
        """
        if self._client is None or self._fault is not None:
            raise MqttError(f"no connection to {self._place}: {self._fault}")
        try:
            info = self._client.publish(topic, payload, qos=AT_LEAST_ONCE, retain=False)
            info.wait_for_publish(timeout_s)
            is_there = info.is_published()
        except (RuntimeError, ValueError) as error:
            raise MqttError(f"{self._place} did not take it: {error}") from error
        if not is_there:
            raise MqttError(f"{self._place} did not confirm within {timeout_s:g} s")

    @property
    def _place(self) -> str:
        return f"{self._broker.host}:{self._broker.port}"

    def _make_client(self) -> Any:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._broker.client_id,
            clean_session=not self._keeps_session,
            manual_ack=True,
        )
        client.username_pw_set(self._broker.username, self._broker.password)
        if self._broker.tls is not None:
            client.tls_set_context(self._broker.tls)
        client.connect_timeout = CONNECT_S
        client.reconnect_delay_set(1, LONGEST_PAUSE_S)
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_connect_fail, client.on_message = self._on_connect_fail, self._on_message
        return client

    def _on_connect(self, client: Any, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        self._fault = str(reason) if reason.is_failure else None
        if self._fault is None and self._subscription is not None:
            client.subscribe(self._subscription, qos=AT_LEAST_ONCE)

    def _on_disconnect(self, _client: Any, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        self._fault = self._fault or f"the connection ended: {reason}"

    def _on_connect_fail(self, _client: Any, _data: object) -> None:
        self._fault = "nobody answers there" + (" whose certificate is trusted" if self._broker.tls is not None else "")

    def _on_message(self, client: Any, _data: object, message: Any) -> None:
        if self._receive is not None:
            self._receive(
                MqttMessage(
                    topic=message.topic,
                    payload=bytes(message.payload),
                    is_retained=bool(message.retain),
                    is_repeated=bool(message.dup),
                    settle=lambda: client.ack(message.mid, message.qos),
                )
            )


def _tls(settings: BrokerFile, where: Path, key: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for name, load in (("ca_file", context.load_verify_locations), ("certificate_file", context.load_cert_chain)):
        value = getattr(settings, name)
        if value is None:
            continue
        try:
            load(where.parent / value)
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise TableError(str(where), f"{key}.{name}", value=value, allowed=f"cannot be used: {reason}") from error
    return context
