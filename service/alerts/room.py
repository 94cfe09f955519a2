"""Everything that the routes need, in one object."""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.service.alerts.feed import AlertFeed
from thirdcard.service.alerts.login_throttle import LoginAttempts
from thirdcard.service.alerts.response_cache import Sharing
from thirdcard.service.alerts.view_log import ViewLog
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.media.cuts import Cuts
from thirdcard.service.ports.background import Background
from thirdcard.service.ports.live_tables import Clock, LiveTables
from thirdcard.service.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One running service."""

    settings: RoomSettings
    database: Database
    live: LiveTables
    clock: Clock
    feed: AlertFeed
    attempts: LoginAttempts
    sights: ViewLog
    background: Background | None
    """Notifications and retention; None where only the pages run."""
    cuts: Cuts
    sharing: Sharing


def build_room(
    settings: RoomSettings, database: Database, live: LiveTables, clock: Clock, background: Background | None
) -> Room:
    """Assemble the room from its parts; starts nothing."""
    sharing = Sharing(clock)
    database.after_writing.append(sharing.renew)
    return Room(
        settings=settings,
        database=database,
        live=live,
        clock=clock,
        feed=AlertFeed(database, live, poll_s=settings.poll_s, renew=sharing.renew),
        attempts=LoginAttempts(clock),
        sights=ViewLog(clock),
        background=background,
        cuts=Cuts(settings.cuts),
        sharing=sharing,
    )
