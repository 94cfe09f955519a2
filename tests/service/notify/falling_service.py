"""A process that only sends notifications, to be killed: `python -m tests.service.notify.falling_service
DATABASE URL`."""

from __future__ import annotations

import sys
import threading
from datetime import timedelta

from tests.service.notify.fakes import rules_of
from thirdcard.service.notify.channels import ChannelTraits
from thirdcard.service.notify.notifications import Notifications
from thirdcard.service.notify.webhook import HttpxPoster, Webhook
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.database import open_database


def main(url: str, receiver: str) -> None:
    """Send notifications until killed."""
    hook = Webhook(
        traits=ChannelTraits(name="office", give_up_after=timedelta(hours=1)),
        url=receiver,
        secret=b"k" * 32,
        timeout_s=10,
        version="1",
        poster=HttpxPoster(),
        clock=now_utc,
    )
    rules = rules_of({"channels": ["office"]})
    notifications = Notifications(open_database(url), rules, [hook], now_utc, poll_s=0.01)
    notifications.begin()
    notifications.start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
