"""What the figures of a house go by: its clock and shifts, who sees names, and the names of those who must not."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from thirdcard.service.config.analytics_file import load_analytics
from thirdcard.service.config.house import House
from thirdcard.service.config.house_time import HouseTime
from thirdcard.service.config.pseudonyms import open_pseudonyms
from thirdcard.service.notify.settings import load_notifications


def open_house(folder: Path, time_zone: str) -> House:
    """What a service's folder says; the key of its pseudonyms is made where there is none.

    Raises:
        HouseFileError: A file of settings is no YAML mapping.
        TableError: A setting is not allowed.
        KeyFileError: The key of the pseudonyms cannot be used.
    """
    shifts = tuple(load_notifications(folder).shifts)
    return House(
        time=HouseTime(zone=ZoneInfo(time_zone), shifts=shifts),
        settings=load_analytics(folder),
        pseudonyms=open_pseudonyms(folder),
    )
