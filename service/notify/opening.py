"""Build a house's channels from its settings: secrets are resolved, no connection is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import select

from thirdcard.service.config.house_file import LEAST_SECRET, read_secret
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.devices.mqtt import PahoLink, open_broker
from thirdcard.service.notify.broker import BrokerChannel
from thirdcard.service.notify.channels import Channel, ChannelTraits
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.notifications import Notifications
from thirdcard.service.notify.people import SHOWN_AT_ONCE, AppriseMessenger, PeopleChannel
from thirdcard.service.notify.people_words import PeopleWords
from thirdcard.service.notify.settings import NOTIFICATIONS, MqttFile, PeopleFile, WebhookFile, load_notifications
from thirdcard.service.notify.webhook import HttpxPoster, Webhook, secret_bytes
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.store.alert_writer import KEPT
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import EvidenceRow


def open_notifications(
    folder: Path, environment: Mapping[str, str], *, settings: RoomSettings, database: Database, clock: Clock
) -> Notifications:
    """The notifications of a service's folder, not started yet.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed, or a secret is missing from the environment.
    """
    file, where = load_notifications(folder), folder / NOTIFICATIONS
    words = PeopleWords(zone=ZoneInfo(settings.time_zone), room_url=file.room_url)
    find_still = partial(still_of, database, settings.evidence)
    channels: list[Channel] = [
        *(_webhook(hook, i, where, environment, settings.version, clock) for i, hook in enumerate(file.webhooks)),
        *(_broker(broker, i, where, environment) for i, broker in enumerate(file.mqtt)),
        *(
            _people(people, f"people[{i}]", where, environment, words=words, find_still=find_still)
            for i, people in enumerate(file.people)
        ),
    ]
    rules = NoticeRules(settings=file, zone=words.zone)
    return Notifications(database=database, rules=rules, channels=channels, clock=clock)


def _webhook(
    hook: WebhookFile, i: int, where: Path, environment: Mapping[str, str], version: str, clock: Clock
) -> Webhook:
    key = f"webhooks[{i}]"
    url = hook.url or read_secret(environment, hook.url_env or "", where=str(where), key=f"{key}.url_env")
    secret = read_secret(environment, hook.secret_env, where=str(where), key=f"{key}.secret_env", least=LEAST_SECRET)
    return Webhook(
        traits=ChannelTraits(name=hook.name, give_up_after=timedelta(hours=hook.give_up_after_h)),
        url=url,
        secret=secret_bytes(secret),
        timeout_s=hook.timeout_s,
        version=version,
        poster=HttpxPoster(),
        clock=clock,
    )


def _broker(file: MqttFile, i: int, where: Path, environment: Mapping[str, str]) -> BrokerChannel:
    client_id = f"thirdcard-alerts-{file.name}"
    broker = open_broker(file, environment, where=where, key=f"mqtt[{i}]", client_id=client_id)
    return BrokerChannel(
        traits=ChannelTraits(name=file.name, give_up_after=timedelta(hours=file.give_up_after_h)),
        link=PahoLink(broker),
        topic=broker.topic,
    )


def _people(
    file: PeopleFile,
    key: str,
    where: Path,
    environment: Mapping[str, str],
    *,
    words: PeopleWords,
    find_still: Callable[[int], Path | None],
) -> PeopleChannel:
    url = read_secret(environment, file.url_env, where=str(where), key=f"{key}.url_env")
    return PeopleChannel(
        traits=ChannelTraits(
            name=file.name,
            give_up_after=timedelta(hours=file.give_up_after_h),
            most_at_once=SHOWN_AT_ONCE,
            pause=timedelta(seconds=file.at_most_every_s),
        ),
        make_messenger=partial(AppriseMessenger, url),
        words=words,
        find_still=find_still,
    )


def still_of(database: Database, folder: Path, alert_id: int) -> Path | None:
    """The still of an alert in the evidence folder; None where it is missing, or not made yet."""
    wanted = (EvidenceRow.alert_id == alert_id, EvidenceRow.kind == "still", EvidenceRow.state == KEPT)
    with database.reading() as session:
        name = session.scalar(select(EvidenceRow.path).where(*wanted).limit(1))
    path = None if name is None else folder / name
    return path if path is not None and path.is_file() else None
