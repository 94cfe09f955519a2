"""Every page: made of what was reviewed, and in order for everybody in each tone and size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff

import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, Page

from tests.service.browser.accessibility import ALL, COLOURS, faults_of, focus_faults
from tests.service.browser.every_page import DESK, PAGES, PHONE, RoomPage, every_page
from tests.service.browser.page_structure import FOLDER, TONES, Structures, plain
from tests.service.browser.visitor import Visitor
from thirdcard.service.web.app import ROUTERS

RENEW = "python -m tests.service.browser.page_structure"
REFUSED = "the server responded with a status of 403"
"""What the console says of the page that refuses."""
NO_PAGE = ("/parts/", "/api/", "/metrics")
"""Pieces of pages, and what programs ask for."""


@dataclass(slots=True)
class Looks:
    """What was seen on all pages, each visited once."""

    structures: Structures = field(default_factory=Structures)
    faults: dict[str, list[str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def looks(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Looks:
    found = Looks()
    for name, visitor in every_page(browser, tmp_path_factory.mktemp("night")):
        found.structures.add(name, visitor.page)
        found.faults[name] = list(faults_on(PAGES[name], visitor))
    return found


def faults_on(asked: RoomPage, visitor: Visitor) -> Iterator[str]:
    """What is amiss on the page where somebody stands, with all that opens on it opened."""
    page = visitor.page
    yield from focus_faults(page)
    page.evaluate("() => { for (const one of document.querySelectorAll('details')) one.open = true; }")
    yield from in_each_look(page, None)
    for selector, ask in asked.shown.items():
        ask(page)
        page.locator(selector).first.wait_for()
        yield from in_each_look(page, selector)
        page.keyboard.press("Escape")
    yield from (said for said in visitor.complaints if REFUSED not in said)
    visitor.complaints.clear()


def in_each_look(page: Page, within: str | None) -> Iterator[str]:
    """The faults dark and light, on a desk and on a phone; it is left dark, as on a desk."""
    for name, size in (("phone", PHONE), ("desk", DESK)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme="light")
        yield from (f"{name}, light: {fault}" for fault in faults_of(page, within, asked=COLOURS))
        page.emulate_media(color_scheme="dark")
        yield from (f"{name}, dark: {fault}" for fault in faults_of(page, within, asked=ALL))


def test_every_page_is_in_order_for_everybody(looks: Looks) -> None:
    assert {name: faults for name, faults in looks.faults.items() if faults} == {}


@pytest.mark.parametrize("name", [*PAGES, TONES])
def test_page_is_made_of_what_was_reviewed(looks: Looks, name: str) -> None:
    path = FOLDER / f"{name}.yaml"
    now, reviewed = looks.structures.files()[name], path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = unified_diff(reviewed.splitlines(), now.splitlines(), path.name, "now", lineterm="", n=2)
    assert now == reviewed, "\n".join(["it changed; where that is meant, renew and review: " + RENEW, *lines])


def test_there_is_a_reviewed_structure_of_every_page_and_of_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted([*PAGES, TONES])


def test_every_route_to_a_page_is_among_the_pages() -> None:
    routes = [route for module in ROUTERS for route in module.router.routes if isinstance(route, APIRoute)]
    pages = [route for route in routes if "GET" in (route.methods or ()) and not route.path.startswith(NO_PAGE)
             and not route.path.endswith(".pdf")]  # fmt: skip
    paths = [page.path.partition("?")[0] for page in PAGES.values()]
    assert len(pages) > 20
    assert [route.path for route in pages if not any(route.path_regex.match(path) for path in paths)] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("26 Nov 2026 01:17:27", "N", id="a moment"),
        pytest.param(
            "4 alerts within 29 s; the most severe", "N alerts within N; the most severe", id="how long a storm took"
        ),
        pytest.param('- heading "Round 4" [level=2]', '- heading "Round N" [level=2]', id="a heading's level stays"),
        pytest.param("T1, clip.mp4", "T1, clip.mp4", id="a table's name and a kind of file stay"),
        pytest.param("1\u202f200 bytes", "N", id="a size"),
        pytest.param("2026-11-26 " + "0a" * 32, "N", id="a digest"),
        pytest.param("D-7CQ2H", "D-N", id="a dealer's other name"),
    ],
)
def test_what_depends_on_the_clock_is_put_out(text: str, told: str) -> None:
    assert plain(text) == told
