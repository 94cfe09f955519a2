"""The service's figures for Prometheus; computed anew for each request, so nothing can grow without limit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select

from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store.schema import AlertRow, EvidenceRow, SignalRow
from thirdcard.service.web.health import is_watched


def write_figures(room: Room) -> bytes:
    """The figures as Prometheus text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(room))
    return generate_latest(registry)


class _Figures(Collector):
    def __init__(self, room: Room) -> None:
        self._room = room

    def collect(self) -> Iterator[Metric]:
        """All figures."""
        yield from _of_tables(list(self._room.live.states()))
        yield from self._of_the_store()
        listeners = GaugeMetricFamily("thirdcard_stream_listeners", "Browsers and programs on the alert stream.")
        listeners.add_metric([], self._room.feed.listeners)
        yield listeners
        if self._room.background is not None:
            yield from self._room.background.figures()
        disk = shutil.disk_usage(self._room.settings.evidence)
        free = GaugeMetricFamily("thirdcard_disk_free_bytes", "Left on the disk that holds the evidence.")
        free.add_metric([], disk.free)
        total = GaugeMetricFamily("thirdcard_disk_total_bytes", "Size of the disk that holds the evidence.")
        total.add_metric([], disk.total)
        yield from (free, total)

    def _of_the_store(self) -> Iterator[Metric]:
        raised = GaugeMetricFamily(
            "thirdcard_alerts",
            "Alerts raised so far, by how they stand now.",
            labels=["table", "code", "severity", "state"],
        )
        waiting = GaugeMetricFamily("thirdcard_signals_waiting", "Reports not taken in yet.", labels=["table"])
        evidence = GaugeMetricFamily("thirdcard_evidence_files", "Files that show alerts.", labels=["state"])
        alert = (AlertRow.table_id, AlertRow.code, AlertRow.severity, AlertRow.state)
        with self._room.database.reading() as session:
            for *labels, count in session.execute(select(*alert, func.count()).group_by(*alert)):
                raised.add_metric([str(label) for label in labels], count)
            untaken = select(SignalRow.table_id, func.count()).where(SignalRow.is_taken.is_(False))
            for table, count in session.execute(untaken.group_by(SignalRow.table_id)):
                waiting.add_metric([table], count)
            for state, count in session.execute(select(EvidenceRow.state, func.count()).group_by(EvidenceRow.state)):
                evidence.add_metric([state], count)
        yield from (raised, waiting, evidence)


def _of_tables(states: list[TableStatus]) -> Iterator[Metric]:
    watched = GaugeMetricFamily("thirdcard_table_watched", "1 where a table is being watched.", labels=["table"])
    lag = GaugeMetricFamily("thirdcard_table_lag_seconds", "How old the newest looked-at frame was.", labels=["table"])
    frames = CounterMetricFamily(
        "thirdcard_table_frames", "Frames looked at since the table's start.", labels=["table"]
    )
    missed = CounterMetricFamily("thirdcard_table_frames_missed", "Frames skipped as too old.", labels=["table"])
    for state in states:
        watched.add_metric([state.table_id], float(is_watched(state)))
        lag.add_metric([state.table_id], state.lag_s)
        frames.add_metric([state.table_id], state.frames)
        missed.add_metric([state.table_id], state.missed)
    yield from (watched, lag, frames, missed)
