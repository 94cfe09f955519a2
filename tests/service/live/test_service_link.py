"""A table's link to its service: orders and messages, until one of them is gone."""

from __future__ import annotations

from multiprocessing import Pipe

from thirdcard.service.live.service_link import ServiceLink
from thirdcard.service.ports.messages import Rest, Stop, Strained


def test_orders_come_in_and_messages_go_out() -> None:
    ours, theirs = Pipe()
    link = ServiceLink(theirs)
    ours.send(Rest())
    ours.send(Stop())
    assert [type(order) for order in link.orders()] == [Rest, Stop]
    link.tell(Strained(table_id="B07"))
    assert ours.recv() == Strained(table_id="B07")
    assert not link.stopping.is_set()


def test_table_stops_where_nobody_speaks_any_more() -> None:
    ours, theirs = Pipe()
    link = ServiceLink(theirs)
    ours.close()
    assert list(link.orders()) == []
    assert link.stopping.is_set()


def test_table_stops_where_nobody_listens_any_more() -> None:
    ours, theirs = Pipe()
    link = ServiceLink(theirs)
    ours.close()
    link.tell(Strained(table_id="B07"))
    assert link.stopping.is_set()
