"""The settings behind a house's figures: its clock and shifts, who may see names, and the pseudonyms."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from thirdcard.service.config.analytics_file import load_analytics
from thirdcard.service.config.house import House
from thirdcard.service.config.house_time import HouseTime
from thirdcard.service.config.pseudonyms import open_pseudonyms
from thirdcard.service.notify.settings import load_notifications


def open_house(folder: Path, time_zone: str) -> House:
    """Load the settings from the service's folder; creates the key of the pseudonyms if there is none.

    Raises:
        HouseFileError: A settings file is no YAML mapping.
        TableError: A setting is not allowed.
        KeyFileError: The key of the pseudonyms cannot be used.
    """
    shifts = tuple(load_notifications(folder).shifts)
    return House(
        time=HouseTime(zone=ZoneInfo(time_zone), shifts=shifts),
        settings=load_analytics(folder),
        pseudonyms=open_pseudonyms(folder),
    )
