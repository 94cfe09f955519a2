"""The background work of the service: notifications, devices' reports, retention on the disk.

Created before the tables are watched, so that none of their alerts is missed; started afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from thirdcard.rules.game.words import Severity
from thirdcard.service.analytics.upkeep import TallyUpkeep
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.devices.signals_in import DeviceSignals, open_devices
from thirdcard.service.media.copies import ClipCopies
from thirdcard.service.notify.deliveries import tallies
from thirdcard.service.notify.notifications import Notifications
from thirdcard.service.notify.opening import open_notifications
from thirdcard.service.ports.live_tables import Clock, LiveTables
from thirdcard.service.retention.disk_budget import DiskLevel
from thirdcard.service.retention.worker import Retention, load_retention
from thirdcard.service.sealing.sealing import OFFLINE, REFUSED, SIGNED, Sealing
from thirdcard.service.sealing.verifying import AGREES, DIFFERS, UNUSABLE, Verifying
from thirdcard.service.store.database import Database

_SEVERITIES = {
    REFUSED: Severity.CRITICAL,
    OFFLINE: Severity.HIGH,
    SIGNED: Severity.INFO,
    DIFFERS: Severity.CRITICAL,
    UNUSABLE: Severity.HIGH,
    AGREES: Severity.INFO,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundWork:
    """The parts, for pages and figures."""

    notifications: Notifications
    retention: Retention
    tallies: TallyUpkeep
    copies: ClipCopies
    devices: DeviceSignals | None
    """None where no broker for devices is configured."""
    sealing: Sealing | None = None
    """None where the house has no signer."""
    verifying: Verifying | None = None
    """None where no scheduled verification is configured."""

    def start(self) -> None:
        """Start all parts; the tables must be watched already, otherwise devices' reports are refused."""
        self.notifications.start()
        self.retention.start()
        self.tallies.start()
        self.copies.start()
        if self.devices is not None:
            self.devices.start()
        if self.sealing is not None:
            self.sealing.start()
        if self.verifying is not None:
            self.verifying.start()

    def stop(self) -> None:
        """Stop all parts: first what receives devices' reports, then what sends."""
        if self.verifying is not None:
            self.verifying.stop()
        if self.sealing is not None:
            self.sealing.stop()
        if self.devices is not None:
            self.devices.stop()
        self.copies.stop()
        self.tallies.stop()
        self.retention.stop()
        self.notifications.stop()

    def faults(self) -> list[str]:
        """The current faults, in words; empty where everything works."""
        found = [("notifications", self.notifications.fault), ("retention", self.retention.fault)]
        found += [("tallies", self.tallies.fault), ("copies", self.copies.fault)]
        found += [(f"channel {state.name}", state.fault) for state in self.notifications.states()]
        if self.devices is not None:
            found.append(("devices", self.devices.state.fault))
        if self.sealing is not None:
            found.append(("sealing", self.sealing.fault))
        if self.verifying is not None:
            found.append(("verification", self.verifying.fault))
        if self.retention.state is not None and self.retention.state.level is not DiskLevel.FINE:
            found.append(("disk", str(self.retention.state.level)))
        return [f"{what}: {fault}" for what, fault in found if fault is not None]

    def figures(self) -> Iterator[Metric]:
        """The figures for Prometheus."""
        yield from _of_channels(self.notifications)
        yield from _of_the_disk(self.retention)
        yield from _of_seals(self.sealing, self.verifying)
        if self.devices is not None:
            state = self.devices.state
            up = GaugeMetricFamily("thirdcard_devices_connected", "1 where the devices' broker is there.")
            up.add_metric([], float(state.fault is None))
            reports = CounterMetricFamily("thirdcard_device_reports", "Reports by MQTT.", labels=["outcome"])
            reports.add_metric(["taken"], state.taken)
            reports.add_metric(["refused"], state.refused)
            yield from (up, reports)


def open_background(
    folder: Path,
    environment: Mapping[str, str],
    *,
    settings: RoomSettings,
    database: Database,
    live: LiveTables,
    clock: Clock,
) -> BackgroundWork:
    """All background parts of a service's folder; alerts raised from now on are sent.

    Raises:
        HouseFileError: A settings file is not a YAML mapping.
        TableError: A setting is not allowed, or a secret is missing in the environment.
    """
    kept = load_retention(folder)
    devices = open_devices(folder, environment, database=database, live=live, clock=clock)
    notifications = open_notifications(folder, environment, settings=settings, database=database, clock=clock)
    retention = Retention(
        database, settings.evidence, kept, clock, notifications.tell, evidence_url=settings.evidence_url
    )
    tallies = TallyUpkeep(database, settings.house.settings, clock)
    copies = ClipCopies(database, settings.evidence_store, clock)

    def tell(code: str, words: str) -> None:
        notifications.tell(code, _SEVERITIES[code], words)

    sealing = None if settings.signer is None else Sealing(database, settings.signer, tell, clock)
    verifying = _open_verifying(folder, settings, tell, clock)
    notifications.begin()
    return BackgroundWork(
        notifications=notifications,
        retention=retention,
        tallies=tallies,
        copies=copies,
        devices=devices,
        sealing=sealing,
        verifying=verifying,
    )


def _open_verifying(
    folder: Path, settings: RoomSettings, tell: Callable[[str, str], None], clock: Clock
) -> Verifying | None:
    wanted = settings.verify
    if not wanted.every_h:
        return None
    command = [sys.executable, "-m", "thirdcard", "verify", "--home", str(folder)]
    command += [] if wanted.key is None else ["--key", wanted.key]
    command += [] if wanted.anchors is None else ["--anchors", wanted.anchors]
    return Verifying(command, timedelta(hours=wanted.every_h), tell, clock)


def _of_seals(sealing: Sealing | None, verifying: Verifying | None) -> Iterator[Metric]:
    age = None if sealing is None else sealing.age()
    if sealing is not None:
        up = GaugeMetricFamily("thirdcard_signed", "0 where the last try to have all signed failed.")
        up.add_metric([], float(sealing.fault is None))
        yield up
    if age is not None:
        since = GaugeMetricFamily("thirdcard_signature_age_seconds", "How old the last signature is.")
        since.add_metric([], age.total_seconds())
        yield since
    if verifying is not None and verifying.last is not None:
        agrees = GaugeMetricFamily("thirdcard_verified", "1 where all agreed at the last check, 0 where not.")
        agrees.add_metric([], float(verifying.last.status == 0))
        at = GaugeMetricFamily("thirdcard_verified_at_seconds", "When it was checked last, Unix time.")
        at.add_metric([], verifying.last.at.timestamp())
        yield from (agrees, at)


def _of_channels(notifications: Notifications) -> Iterator[Metric]:
    up = GaugeMetricFamily("thirdcard_channel_up", "0 where the last attempt failed.", labels=["channel"])
    for state in notifications.states():
        up.add_metric([state.name], float(state.fault is None))
    counts = GaugeMetricFamily("thirdcard_deliveries", "Messages by what became of them.", labels=["channel", "state"])
    with notifications.database.reading() as session:
        for tally in tallies(session):
            for state_name in ("waiting", "sent", "failed", "gathered"):
                counts.add_metric([tally.channel, state_name], getattr(tally, state_name))
    yield from (up, counts)


def _of_the_disk(retention: Retention) -> Iterator[Metric]:
    state = retention.state
    if state is None:
        return
    level = GaugeMetricFamily("thirdcard_disk_level", "1 for how the disk stands.", labels=["level"])
    for known in DiskLevel:
        level.add_metric([known], float(known is state.level))
    used = GaugeMetricFamily("thirdcard_evidence_bytes", "What evidence takes.")
    used.add_metric([], state.used_bytes)
    capacity = GaugeMetricFamily("thirdcard_evidence_capacity_bytes", "What evidence may take.")
    capacity.add_metric([], state.capacity_bytes)
    yield from (level, used, capacity)
