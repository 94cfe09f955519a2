"""A browser for all tests, and a served room for each; skipped without a Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.service.browser.chromium import USUAL, VARIABLE, find_chromium, open_chromium
from tests.service.browser.served import ServedRoom, a_served_room


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser that is closed after this package's last test: while it is open its event loop runs, and no
    other can."""
    path = find_chromium()
    if path is None:
        pytest.skip(f"no Chromium: neither {USUAL} nor one that {VARIABLE} names")
    with open_chromium(path) as opened:
        yield opened


@pytest.fixture
def room(browser: Browser, tmp_path: Path) -> Iterator[ServedRoom]:
    with a_served_room(tmp_path / "room") as served:
        yield served
