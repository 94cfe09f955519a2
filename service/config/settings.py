"""The service's settings; each has a default that suits most houses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import thirdcard
from thirdcard.rules.game.words import GAME_BETS
from thirdcard.service.config.house import House
from thirdcard.service.config.house_yaml import LogFile, VerifyFile
from thirdcard.service.config.table_facts import TableFacts
from thirdcard.service.config.table_file import RING
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.blob_store import EvidenceStore

Network = IPv4Network | IPv6Network


class SettingsError(ServiceError):
    """A setting of the service is not allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSettings:
    """The settings of the surveillance room's service."""

    evidence: Path
    """The folder of clips and stills."""
    version: str
    evidence_url: str | None = None
    """A second place with reviewed evidence."""
    tables: Sequence[TableFacts] = ()
    """The facts in the tables' files; a running service keeps them current."""
    time_zone: str = "UTC"
    """The house's time zone by its IANA name, for display; stored and sent times are UTC."""
    trusted_proxies: tuple[Network, ...] = ()
    """Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted."""
    are_metrics_open: bool = True
    """Whether `/metrics` answers without a token."""
    is_api_document_open: bool = True
    """Whether `/api/openapi.json` answers without a token."""
    largest_body_bytes: int = 1_000_000
    heartbeat_s: float = 15.0
    """How often a silent stream sends a heartbeat and checks that its reader may still listen, in seconds."""
    poll_s: float = 2.0
    """How often the database is checked for unreported changes, in seconds."""
    picture_s: float = 0.1
    """How often a live stream checks for a new picture, in seconds."""
    log: LogFile = field(default_factory=LogFile)
    """How the service logs."""
    house: House = field(default_factory=House)
    """The settings of its figures."""
    are_films_anywhere: bool = False
    """Whether a new table's camera may be a film outside the service's folder: only for one person at the machine
    itself."""
    signer: Path | None = None
    """The socket of the signer of all chains; None: nothing is signed."""
    verify: VerifyFile = field(default_factory=VerifyFile)
    """How often the service verifies itself, and with which key."""
    remind_after: timedelta = field(default=timedelta(minutes=2))
    """An alert that nobody took for so long is shown as overdue; `serve` takes it from the notification settings."""

    def areas_of(self, table_id: str) -> tuple[str, ...]:
        """The ids of a table's areas; empty where its file is unknown."""
        return next((one.areas for one in self.tables if one.table_id == table_id), ())

    def bets_of(self, table_id: str) -> tuple[str, ...]:
        """The bets of a table; the game's bets where its file is unknown."""
        return next((one.bets for one in self.tables if one.table_id == table_id and one.bets), GAME_BETS)

    def facts_of(self, table_id: str) -> TableFacts | None:
        """The facts of a table's file; None where it is unknown."""
        return next((one for one in self.tables if one.table_id == table_id), None)

    def kept_of(self, table_id: str) -> timedelta:
        """How much video of a table's camera is stored."""
        facts = self.facts_of(table_id)
        return RING if facts is None else facts.kept

    @property
    def home(self) -> Path:
        """The service's folder."""
        return self.evidence.parent

    @property
    def ring(self) -> Path:
        """The latest video of the cameras as sent, a folder for each table."""
        return self.evidence.with_name("ring")

    @property
    def cuts(self) -> Path:
        """The folder of stretches that were cut from recordings for viewing; all can be cut again."""
        return self.evidence.with_name("cuts")

    @property
    def tables_folder(self) -> Path:
        """The folder of the tables' files, with their layouts and calibrations."""
        return self.evidence.with_name("tables")

    @property
    def evidence_store(self) -> EvidenceStore:
        """The store of all evidence, in both places."""
        return EvidenceStore(self.evidence, self.evidence_url)


def parse_settings(
    *,
    evidence: Path,
    time_zone: str,
    trusted_proxies: Iterable[str],
    are_metrics_open: bool = True,
    is_api_document_open: bool = True,
) -> RoomSettings:
    """The settings from command line values.

    Raises:
        SettingsError: The time zone or a network is not valid.
    """
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingsError(f"--time-zone = {time_zone}; must be an IANA name, such as Europe/Zurich") from error
    return RoomSettings(
        evidence=evidence,
        version=thirdcard.__version__,
        time_zone=time_zone,
        are_metrics_open=are_metrics_open,
        is_api_document_open=is_api_document_open,
        trusted_proxies=tuple(_parse_network(text) for text in trusted_proxies),
    )


def is_this_machine(host: str) -> bool:
    """Whether a listening address cannot be reached from other machines."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _parse_network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise SettingsError(f"--trust-proxy = {text}; must be an address or a network, such as 10.0.0.0/8") from error
