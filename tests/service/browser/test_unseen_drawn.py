"""A stretch that could not be seen is seen to be drawn on the shift's page: hatched, in both tones."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from tests.service.browser.served import ServedRoom
from tests.service.browser.visitor import visiting
from thirdcard.rules.log.events import parse_event
from thirdcard.service.watch.factory import build_belief

UNSEEN = (
    {"t": 1.0, "type": "bets_opened"}, {"t": 8.0, "type": "camera_lost", "fault": "frozen"},
    {"t": 20.0, "type": "camera_back"}, {"t": 28.0, "type": "round_closed"},
)  # fmt: skip
LEAST_DISTANCE = 60
"""Of 255 shades of grey: so far apart are the lightest and the darkest of what is hatched."""


def shades_of(stretch: Locator) -> int:
    """How far apart the lightest and the darkest points of its inside are, away from its outline."""
    with Image.open(io.BytesIO(stretch.screenshot())) as picture:
        width, height = picture.size
        inside = picture.crop((width // 4, height // 6, 3 * width // 4, height // 2))
        shades = np.asarray(inside.convert("L"))
    return int(shades.max()) - int(shades.min())


@pytest.mark.parametrize("tone", ["dark", "light"])
def test_what_could_not_be_seen_is_seen_to_be_drawn(browser: Browser, room: ServedRoom, tone: str) -> None:
    table = room.tables["T1"]
    belief, events = build_belief(table.config), [parse_event(line) for line in UNSEEN]
    table.write(events=events, rounds=[record for event in events for record in belief.observe(event).rounds])
    with visiting(browser, room, "vic", color_scheme=tone) as vic:
        page = vic.see("/review/1")
        for drawing in ("overview", "detail"):
            stretch = page.locator(f"svg.{drawing} rect.unseen").first
            expect(stretch).to_be_visible()
            box = stretch.bounding_box()
            assert box is not None and box["width"] > 4 and box["height"] > 20
            assert shades_of(stretch) >= LEAST_DISTANCE
