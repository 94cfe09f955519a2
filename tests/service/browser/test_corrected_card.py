"""Who corrects a card sees that card, enlarges it, and plays its moment; where nothing was kept, a word says so."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import delete

from tests.service.browser.accessibility import faults_of
from tests.service.browser.served import ServedRoom
from tests.service.browser.visitor import Visitor, visiting
from tests.service.recorded_shifts import VIDEO, enter_shift
from thirdcard.service.media.stills import still_at
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.shift_schema import FootageRow

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LEAST_LIKENESS = 0.9
"""The correlation of a card as the browser shows it with the frame's pixels there; two other cards reach 0.6."""


@pytest.fixture
def round_id(room: ServedRoom) -> int:
    """The first round of the shipped recording, reviewed."""
    return enter_shift(room.database, now_utc() - timedelta(hours=2)).rounds[0]


def open_correction(visitor: Visitor, round_id: int, place: int) -> Page:
    """The dialog in which the card of that place is corrected."""
    page = visitor.see(f"/rounds/{round_id}")
    page.locator("ol.fallen [data-correct=card]").nth(place).click()
    expect(page.locator("#sight figure")).to_be_visible()
    page.wait_for_function("() => document.querySelector('.pane img').naturalWidth > 0")
    return page


def told(page: Page, place: int) -> dict[str, Any]:
    """What the service says of the card."""
    line = page.locator("ol.fallen [data-correct=card]").nth(place).get_attribute("data-line")
    path = f"/api/rounds/{page.locator('#main').get_attribute('data-round')}/cards/{line}"
    answer: dict[str, Any] = page.evaluate("async (path) => (await fetch(path)).json()", path)
    return answer


def shown(page: Page, said: dict[str, Any]) -> NDArray[np.uint8]:
    """What is to be seen of the card in the glass."""
    page.wait_for_timeout(200)
    pane, picture = page.locator(".pane").bounding_box(), said["picture"]
    assert pane is not None
    corners = np.array(picture["outline"]) * pane["width"] / picture["size"][0] + (pane["x"], pane["y"])
    with Image.open(io.BytesIO(page.screenshot(scale="css"))) as whole:
        return np.asarray(whole.convert("L").crop((*corners.min(axis=0).round(), *corners.max(axis=0).round())))


def likeness(seen: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> float:
    """The correlation of two pictures, scaled to one size, without their rims."""
    one, other = (
        np.asarray(Image.fromarray(picture).resize((96, 128)), np.float64)[8:-8, 8:-8].ravel()
        for picture in (seen, wanted)
    )
    return float(np.corrcoef(one, other)[0, 1])


def in_frame(said: dict[str, Any]) -> NDArray[np.uint8]:
    """The card in the recording's own frame, of its size there."""
    picture = said["picture"]
    still = still_at(VIDEO, picture["second_s"])
    assert still is not None
    outline = np.array(picture["outline"]) + picture["box"][:2]
    (x0, y0), (x1, y1) = outline.min(axis=0).round().astype(int), outline.max(axis=0).round().astype(int)
    gray = Image.fromarray(still.image_hw3[y0:y1, x0:x1, ::-1]).convert("L")
    return np.asarray(gray)


@pytest.mark.parametrize("tone", ["dark", "light"])
def test_the_very_card_is_shown_large(browser: Browser, room: ServedRoom, round_id: int, tone: str) -> None:
    with visiting(browser, room, "ben", color_scheme=tone) as ben:
        page = open_correction(ben, round_id, 0)
        said = [told(page, place) for place in (0, 1)]
        assert [one["card"] for one in said] == ["9H", "4C"]
        seen = shown(page, said[0])
        assert seen.shape[0] > 250
        assert likeness(seen, in_frame(said[0])) > LEAST_LIKENESS > 0.7 > likeness(seen, in_frame(said[1]))
        facts = page.locator("#sight dl").inner_text()
        assert "video.mp4, 0:09.8" in facts and "9H" in facts and "the Player's box" in facts
        moment = datetime.fromisoformat(said[0]["at"])
        assert f"{moment:%S}." in facts and moment.strftime("%-d %b") in facts
        assert not [fault for fault in faults_of(page) if "first stop" not in fault]
        assert not ben.complaints


def test_the_picture_is_enlarged_and_moved_by_keys_and_by_pointer(
    browser: Browser, room: ServedRoom, round_id: int
) -> None:
    with visiting(browser, room, "ben") as ben:
        page = open_correction(ben, round_id, 0)
        glass, pane = page.get_by_role("group", name="Picture of the card"), page.locator(".pane")

        def width() -> float:
            box = pane.bounding_box()
            assert box is not None
            return box["width"]

        def corner() -> tuple[float, float]:
            box = pane.bounding_box()
            assert box is not None
            return box["x"], box["y"]

        glass.focus()
        first, at = width(), corner()
        ben.press("+")
        assert width() == pytest.approx(first * 1.5, rel=0.01)
        ben.press("-", "ArrowLeft", "ArrowUp")
        assert corner() == pytest.approx((at[0] + 40, at[1] + 40), abs=1.0)
        ben.press("0")
        assert (width(), *corner()) == pytest.approx((first, *at), abs=1.0)
        ben.press("1")
        assert width() < first / 1.5
        page.get_by_role("button", name="Larger").click()
        page.get_by_role("button", name="Card", exact=True).last.click()
        assert width() == pytest.approx(first, abs=1.0)
        glass.click()
        assert width() == pytest.approx(first * 1.5, rel=0.01)
        glass.hover()
        before = width()
        page.mouse.wheel(0, 100)
        page.wait_for_function("(w) => document.querySelector('.pane').getBoundingClientRect().width < w", arg=before)
        assert not ben.complaints


def test_the_moment_is_played(browser: Browser, room: ServedRoom, round_id: int) -> None:
    with visiting(browser, room, "ben") as ben:
        page = open_correction(ben, round_id, 0)
        page.get_by_role("button", name="Play the moment").click()
        page.wait_for_function(
            "() => { const video = document.querySelector('#sight video');"
            " return video.currentTime > 0 && video.readyState >= 2 && !video.seeking; }"
        )
        clip = page.evaluate(f"async () => (await (await fetch('/api/rounds/{round_id}/video')).json()).clips[0]")
        moment_s = (datetime.fromisoformat(told(page, 0)["at"]) - datetime.fromisoformat(clip["from"])).total_seconds()
        playing_s = page.evaluate("() => document.querySelector('#sight video').currentTime")
        assert moment_s - 1.6 < playing_s < moment_s + 3.5
        page.keyboard.press("Escape")
        expect(page.locator("#correct")).to_be_hidden()
        assert page.evaluate("() => document.querySelector('#sight video').paused")


def test_of_a_table_that_is_watched_the_camera_s_recording_shows_it(browser: Browser, room: ServedRoom) -> None:
    table = room.tables["T1"]
    table.film()
    live = enter_shift(room.database, table.began, table="T1", origin="live")
    with visiting(browser, room, "ben") as ben:
        page = open_correction(ben, live.rounds[0], 0)
        said = told(page, 0)
        assert (said["picture"]["source"], page.locator("#sight [data-moment]").is_visible()) == (
            "what is kept of the table's camera", True,
        )  # fmt: skip


def test_why_a_card_is_not_shown_is_said_and_it_is_corrected_all_the_same(
    browser: Browser, room: ServedRoom, round_id: int
) -> None:
    with room.database.writing() as session:
        session.execute(delete(FootageRow))
    with visiting(browser, room, "ben", **PHONE) as ben:
        page = ben.see(f"/rounds/{round_id}")
        page.locator("ol.fallen [data-correct=card]").first.click()
        expect(page.locator("#sight [data-told]")).to_contain_text("No film of this card is kept any more")
        expect(page.locator("#sight figure")).to_be_hidden()
        page.locator("select[name=card]").select_option("6H")
        page.get_by_label("Why").fill("The supervisor read it.")
        page.locator("#correct-go").click()
        expect(page.locator("#correct")).to_be_hidden()
        expect(page.locator("[data-part=corrections]")).to_contain_text("The supervisor read it.")


def test_on_a_phone_nothing_stands_beside_the_page(browser: Browser, room: ServedRoom, round_id: int) -> None:
    with visiting(browser, room, "ben", **PHONE) as ben:
        page = open_correction(ben, round_id, 0)
        sizes = page.evaluate(
            "() => { const dialog = document.getElementById('correct');"
            " return [dialog.scrollWidth, dialog.clientWidth, dialog.getBoundingClientRect().right]; }"
        )
        assert sizes[0] <= sizes[1] and sizes[2] <= 390
        assert shown(page, told(page, 0)).shape[0] > 200


def test_who_takes_a_correction_back_sees_the_card_too(browser: Browser, room: ServedRoom, round_id: int) -> None:
    with visiting(browser, room, "ben") as ben:
        page = open_correction(ben, round_id, 0)
        page.locator("select[name=card]").select_option("6H")
        page.get_by_label("Why").fill("It was a six.")
        page.locator("#correct-go").click()
        page.locator("[data-correct=back]").click()
        expect(page.locator("#sight figure")).to_be_visible()
        expect(page.locator("#sight dl")).to_contain_text("9H")
        page.keyboard.press("Escape")
        page.locator("table.lines tr.no_more_bets [data-correct=remove]").first.click()
        expect(page.locator("#correct")).to_be_visible()
        expect(page.locator("#sight")).to_be_hidden()
        assert not ben.complaints


def test_a_clip_that_the_browser_cannot_play_is_said(browser: Browser, room: ServedRoom, round_id: int) -> None:
    with visiting(browser, room, "ben") as ben:
        broken = {"status": 200, "content_type": "video/mp4", "body": "no video"}
        ben.page.route(f"**/api/rounds/{round_id}/clip", lambda route: route.fulfill(**broken))
        page = open_correction(ben, round_id, 0)
        page.get_by_role("button", name="Play the moment").click()
        expect(page.locator("#sight [data-told]")).to_contain_text("This browser cannot play the video")
        page.keyboard.press("Escape")
        expect(page.locator("#viewer [data-unplayed]")).to_be_visible()
