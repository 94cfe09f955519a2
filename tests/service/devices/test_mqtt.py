"""MQTT: topics for any name, settings refused in one line, and a link that a real broker's fall does not end."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.service.mqtt_fakes import a_real_broker, needs_mosquitto, wait_until
from thirdcard.service.devices.mqtt import (
    Broker,
    BrokerFile,
    MqttError,
    MqttMessage,
    PahoLink,
    name_of_level,
    open_broker,
    topic_level,
)
from thirdcard.service.ports.errors import TableError

WHERE = Path("devices.yaml")


@pytest.mark.parametrize(
    ("name", "level"),
    [
        pytest.param("B07", "B07", id="plain"),
        pytest.param("Salon privé 2", "Salon priv%C3%A9 2", id="accent"),
        pytest.param("a/b+c#d%", "a%2Fb%2Bc%23d%25", id="signs-of-topics"),
    ],
)
def test_any_name_is_one_level_of_a_topic_and_back(name: str, level: str) -> None:
    assert topic_level(name) == level
    assert name_of_level(level) == name


def test_broker_has_its_secret_from_the_environment_and_never_shows_it() -> None:
    file = BrokerFile(host="h", username="u", password_env="PASSWORD")
    broker = open_broker(file, {"PASSWORD": "hush"}, where=WHERE, key="mqtt", client_id="ours")
    assert (broker.password, broker.client_id) == ("hush", "ours")
    assert "hush" not in repr(broker)


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        pytest.param(
            BrokerFile(host="h", password_env="PASSWORD"),
            "devices.yaml: mqtt.password_env = PASSWORD; must name a variable that the environment holds",
            id="no-secret",
        ),
        pytest.param(
            BrokerFile(host="h", tls=True, ca_file="none.pem"),
            "devices.yaml: mqtt.ca_file = none.pem; cannot be used: No such file",
            id="no-certificates",
        ),
        pytest.param(
            BrokerFile(host="h", tls=True, certificate_file="none.pem"),
            "devices.yaml: mqtt.certificate_file = none.pem; cannot be used: No such file",
            id="no-certificate",
        ),
    ],
)
def test_broker_without_its_secret_or_certificates_is_refused(file: BrokerFile, complaint: str) -> None:
    with pytest.raises(TableError, match=complaint):
        open_broker(file, {}, where=WHERE, key="mqtt", client_id="ours")


@pytest.mark.parametrize(
    ("tls", "fault"),
    [
        pytest.param(None, "nobody answers there", id="plain"),
        pytest.param(ssl.create_default_context(), "nobody answers there whose certificate is trusted", id="encrypted"),
    ],
)
def test_link_to_nobody_says_so(tls: ssl.SSLContext | None, fault: str) -> None:
    link = PahoLink(Broker(host="127.0.0.1", port=1, client_id="a", tls=tls))
    with pytest.raises(MqttError, match="no connection to 127.0.0.1:1: not connected yet"):
        link.publish("t", b"", timeout_s=1)
    link.start()
    wait_until(lambda: link.fault == fault)
    link.stop()


@needs_mosquitto
def test_link_comes_back_when_the_broker_does(tmp_path: Path) -> None:
    heard: list[MqttMessage] = []
    with a_real_broker(tmp_path / "broker") as broker:
        link, listener = broker.link("link"), broker.link("listener")
        link.start()
        listener.start("floor/+/alerts", heard.append)
        wait_until(lambda: link.fault is None and listener.fault is None)
        wait_until(lambda: _is_heard(link, heard, b"before"))

        broker.stop()
        wait_until(lambda: link.fault is not None)
        with pytest.raises(MqttError):
            link.publish("floor/B07/alerts", b"meanwhile", timeout_s=1)

        broker.start()
        wait_until(lambda: link.fault is None and listener.fault is None)
        wait_until(lambda: _is_heard(link, heard, b"after"))
        link.stop()
        listener.stop()
    assert not any(message.is_retained for message in heard)


def _is_heard(link: PahoLink, heard: list[MqttMessage], payload: bytes) -> bool:
    """Publish until the listener has subscribed and hears it."""
    link.publish("floor/B07/alerts", payload, timeout_s=30)
    return any(message.payload == payload for message in heard)
