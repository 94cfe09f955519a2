"""Brokers: each message under its table's topic, and nothing said to be sent that was not."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.service.mqtt_fakes import FakeLink
from thirdcard.service.notify.broker import BrokerChannel
from thirdcard.service.notify.channels import ChannelTraits, DownError, Outgoing


def a_broker(link: FakeLink) -> BrokerChannel:
    traits = ChannelTraits(name="bus", give_up_after=timedelta(hours=1))
    return BrokerChannel(traits=traits, link=link, topic="floor")


@pytest.mark.parametrize(
    ("table", "topic"),
    [
        pytest.param("B07", "floor/B07/alerts", id="table"),
        pytest.param("a/b", "floor/a%2Fb/alerts", id="strange-name"),
        pytest.param(None, "floor/service", id="service"),
    ],
)
def test_message_is_published_under_its_table(table: str | None, topic: str) -> None:
    link = FakeLink()
    channel = a_broker(link)
    channel.open()
    body = json.dumps({"table": table})
    channel.send([Outgoing("k", body)])
    assert link.published == [(topic, body.encode())]
    assert link.is_running
    channel.close()
    assert not link.is_running


def test_broker_that_is_away_is_down() -> None:
    with pytest.raises(DownError, match="nobody answers there"):
        a_broker(FakeLink(fault="nobody answers there")).send([Outgoing("k", '{"table": null}')])
